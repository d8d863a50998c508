"""The actor on the bus: gets its context, decides, and proposes."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import structlog

from language_model.budget.budget import SPENT
from language_model.sub_agents.model_access import ModelAccess
from mesh.nats.subjects import Address
from mesh.record.bus import Bus
from mesh.runner.service import Endpoint, Service, Session
from mesh.settings import MeshSettings, from_environment
from schemas.actor import ActionProposed, ControlsTaken
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import HUMAN, SessionEnded, SessionStarted, StepTaken
from schemas.mesh import ServiceAlive
from services.actor.context.assembly import FragmentAssembler, MissedDeadlines
from services.actor.context.listener import FragmentListener
from services.actor.context.source import ActorContext, ContextSource
from services.actor.context.turns import TurnReader
from services.actor.decision import DecisionInput
from services.actor.knowledge.situation import Situation
from services.actor.logic import Thought, by_hand, by_policy, chance, proposal
from services.actor.manual_control import ManualControl, SessionLeft
from services.actor.metrics import BY_RULE, DEGRADED, MISSED, WAITED
from services.actor.policies import deciding_policy, initial_situation, policy_of
from services.actor.reflact.policy import thought_of
from services.actor.reflact.scene import Past
from services.actor.reflact.thinking import Thinking
from services.actor.settings import ActorSettings
from services.actor.turn import Turn

log = structlog.get_logger()


class ActorService(ModelAccess, Service[Situation, FragmentAssembler]):
    """Proposes an action for each step.

    For an actor of your own, derive from it and override `decide`: see examples/my_actor.py. As long as
    `decide` depends on its argument alone, a replay of a recorded session gives the same proposals.
    """

    name = "actor"
    version = "1.0.0"
    reads = (StepTaken,)
    hears: ClassVar[tuple[type[Message], ...]] = (FragmentGiven, ControlsTaken, SessionEnded)
    asked_everywhere = ManualControl.asked_everywhere

    def __init__(self, settings: ActorSettings | None = None) -> None:
        self.limits = settings or from_environment(ActorSettings)
        self._missed = MissedDeadlines(self.limits.patience)
        self.context: ContextSource = FragmentListener(self.limits)
        self.hands = ManualControl()
        self._turns: dict[str, TurnReader] = {}
        """By session that asks models."""

    async def decide(self, decision: DecisionInput) -> Thought:
        """What to do next. The action over a game that is over is `restart`, whatever is decided."""
        situation = decision.situation
        if not situation.started.asks_models:
            policy = policy_of(situation.started.policy)
            return by_policy(situation, policy, decision.fragments, decision.random)
        thinking = Thinking(decision.model, self.limits.thinking_in(situation.started))
        past = Past(await decision.previous(), await decision.turns())
        return await thought_of(situation, decision.fragments, decision.random, past, thinking)

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """Open the source of the context before the first step can come."""
        await super().joined(bus, settings)
        self.hands.open(bus)
        await self.context.open(bus, settings)

    def asked(self) -> Mapping[str, Endpoint]:
        """A person may take the controls of a session, type actions, and ask what the agent would do."""
        return {**super().asked(), **self.hands.asked()}

    def is_held(self, session: str) -> bool:
        """Whether a person is to act: whoever leaves does not wait for that."""
        return self.hands.waits(session)

    def misses(self) -> Mapping[str, int]:
        """The number of deadlines that each service has missed."""
        return self._missed.total

    def opening(self, started: SessionStarted) -> Situation:
        """Nothing is known of a session that has just started."""
        return initial_situation(started)

    def fold(self, state: Situation, step: StepTaken) -> Situation:
        """The state after one more step."""
        return state.after(step)

    def open_session(self, session: Session[Situation, FragmentAssembler]) -> FragmentAssembler:
        """No fragment has arrived yet."""
        return FragmentAssembler(self._missed)

    async def close_session(self, session: Session[Situation, FragmentAssembler]) -> None:
        """Forget what was read of the session."""
        self._turns.pop(session.id, None)

    async def hear(self, session: Session[Situation] | None, envelope: Envelope) -> None:
        """A fragment has been published, the controls have changed hands, or a session has ended.

        A fragment of a session that is not served here yet is in the record.
        """
        if isinstance(envelope.body, SessionEnded):
            self.hands.leave(envelope.session)
        elif isinstance(envelope.body, ControlsTaken):
            self.hands.hear(envelope.session, envelope.body)
        elif session is not None:
            await self.context.hear(session, envelope)

    async def mishear(self, session: Session[Situation] | None, address: Address) -> None:
        """An invalid fragment has been published."""
        if session is not None and address.service is not None:
            await self.context.mishear(session, address.service, address.step)

    def known_instances(self) -> Sequence[ServiceAlive]:
        """The live instances of the cell: the actor hears all heartbeats."""
        return self.context.known_instances()

    async def answer(self, session: Session[Situation], envelope: Envelope) -> Sequence[Message]:
        """The proposal for a step, unless the step was the last of the budget."""
        step = envelope.body
        if not isinstance(step, StepTaken) or session.at != step.step or session.started.ends_with(step):
            return ()
        with self.bus.telemetry.meter.of(WAITED).time():
            context = await self.context.context_for(session, envelope)
        if context.missing:
            self._degraded(context.missing)
        return await self._proposals(session, context)

    async def _proposals(
        self, session: Session[Situation], context: ActorContext
    ) -> tuple[ActionProposed, ...]:
        """The proposal of whoever has the controls; none, if the session has ended meanwhile."""
        advice = partial(self._proposal, session, context)
        try:
            typed = await self.hands.action(session.id, session.started, session.at, advice)
        except SessionLeft:
            return ()
        if typed is None:
            return (await advice(),)
        before = await self._proposal_at(session, session.at - 1)
        thought = by_hand(session.state, typed, before)
        made = proposal(session.state, thought, context.used, context.missing)
        return (made.model_copy(update={"policy": HUMAN}),)

    async def _proposal(self, session: Session[Situation], context: ActorContext) -> ActionProposed:
        decision = DecisionInput(
            situation=session.state,
            fragments=context.fragments,
            random=chance(session.started, session.at),
            previous=partial(self._proposal_at, session, session.at - 1),
            turns=partial(self._turns_before, session),
            model=self.model_for(session.id, session.at),
        )
        thought = await self.decide(decision)
        if thought.degraded:
            self.bus.telemetry.meter.of(BY_RULE).inc()
            is_known = SPENT in thought.degraded  # the budget's end is logged once
            log.log(logging.INFO if is_known else logging.WARNING, "decided_by_rule", reason=thought.degraded)
        made = proposal(session.state, thought, context.used, context.missing)
        return made.model_copy(update={"policy": deciding_policy(session.started.policy)})

    async def _turns_before(self, session: Session[Situation]) -> Mapping[int, Turn]:
        reader = self._turns.setdefault(session.id, TurnReader())
        verdicts = partial(self.context.verdict_at, session)
        return await reader.before(session.at, partial(self._proposal_at, session), verdicts)

    async def _proposal_at(self, session: Session[Situation], step: int) -> ActionProposed | None:
        """A proposal of this session, from the record: an earlier instance may have published it."""
        if step < 0:
            return None
        address = self.bus.cell.address(session.id, Kind.PROPOSAL, step)
        envelope = await self.bus.reader.read_own(address)
        return envelope.body if envelope and isinstance(envelope.body, ActionProposed) else None

    def _degraded(self, missing: Sequence[str]) -> None:
        meter = self.bus.telemetry.meter
        meter.of(DEGRADED).inc()
        for service in missing:
            meter.of(MISSED, service).inc()
        log.warning("step_degraded", missing=missing)
