"""The hint service on the bus."""

from __future__ import annotations

from language_model.model import Reply
from language_model.prompting.replies import UnfitReply
from language_model.sub_agents.model_backed import ModelBackedFragmentService, PendingQuery, RuleFragment
from schemas.fragment import Fragment
from schemas.game import SessionStarted
from services.hint.logic import Hints, fragment, hints_of, merge_actions, without
from services.hint.prompt import actions_in, prompt_of


class HintService(ModelBackedFragmentService[Hints]):
    """Ranks untried actions on a change of room or of the world; asks a model when a room is entered."""

    name = "hint"
    version = "1.0.0"

    def initial_state(self, started: SessionStarted) -> Hints:
        """Nothing is known of a session that has just started."""
        return Hints.opening(started)

    def fragment_for(self, state: Hints) -> Fragment | None:
        """The fragment by rule, with a query to the model if a room was just entered."""
        rule, entered = fragment(state), state.entrance
        if entered is None:
            return rule
        query = PendingQuery(step=entered.step.step, prompt=prompt_of(entered))
        return RuleFragment(
            sections=rule.sections if rule else (),
            suggestions=state.actions,
            pending_query=query,
            barred=state.barred,
        )

    def refine(self, draft: RuleFragment, reply: Reply) -> Fragment:
        """The model's actions that are not barred, then those by rule."""
        suggested = without(draft.barred, actions_in(reply))
        if not suggested:
            raise UnfitReply("The model suggests only what came to nothing here.")
        return hints_of(
            "Worth trying here, most promising first:", merge_actions(suggested, draft.suggestions)
        )
