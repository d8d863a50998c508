"""The NPC tracker on the bus."""

from __future__ import annotations

from language_model.model import Reply
from language_model.sub_agents.model_backed import ModelBackedFragmentService, PendingQuery, RuleFragment
from schemas.fragment import Fragment
from schemas.game import SessionStarted
from services.npc_tracker.logic import Talk, analysis_of, fragment, topics_in
from services.npc_tracker.prompt import prompt_of, report_in


class NpcTrackerService(ModelBackedFragmentService[Talk]):
    """Analyses stalled conversations; asks a model when an analysis is due."""

    name = "npc_tracker"
    version = "1.0.0"

    def initial_state(self, started: SessionStarted) -> Talk:
        """Nothing is known of a session that has just started."""
        return Talk.opening(started)

    def fragment_for(self, state: Talk) -> Fragment | None:
        """The fragment by rule, with a query to the model if the session asks models."""
        rule, stall = fragment(state), state.stall
        if rule is None or stall is None or stall.step.done or not state.asks_models:
            return rule
        return RuleFragment(
            sections=rule.sections,
            suggestions=rule.suggestions,
            pending_query=PendingQuery(step=stall.step.step, prompt=prompt_of(stall)),
            barred=frozenset(exchange.action for exchange in stall.exchanges),
        )

    def refine(self, draft: RuleFragment, reply: Reply) -> Fragment:
        """The model's report, with the topics and suggestions by rule."""
        report = report_in(reply, draft.barred)
        suggestions = tuple(dict.fromkeys((report.following, *draft.suggestions)))
        return analysis_of(report.needs, report.following, topics_in(draft), suggestions)
