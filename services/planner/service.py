"""The planner on the bus."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mesh.nats.subjects import REPLAYS
from mesh.record import stories
from mesh.runner.fragments import FragmentService, FragmentState, given
from mesh.runner.service import Session
from mesh.settings import from_environment
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionStarted, StepTaken
from schemas.lookahead import LookedAhead
from services.planner.ahead import PositionSearch
from services.planner.logic import PositionHistory, fragment_of
from services.planner.settings import PlannerSettings
from zmachine.story_file import StoryFile, story_of

PlannerSession = Session[FragmentState[PositionHistory], PositionSearch]


class PlannerService(FragmentService[PositionHistory, PositionSearch]):
    """Tells what earns points ahead, and what kills, in sessions that allow it to look ahead.

    What it has found is in the record, and the fragment of a step depends on that alone: a planner that is
    restarted or replayed tells the same.
    """

    name = "planner"
    version = "1.0.0"

    def __init__(self, settings: PlannerSettings | None = None) -> None:
        self.limits = settings or from_environment(PlannerSettings)

    def initial_state(self, started: SessionStarted) -> PositionHistory:
        """No step was taken."""
        return PositionHistory.opening(started)

    def fragment_for(self, state: PositionHistory) -> None:
        """By the steps alone it knows nothing."""

    def open_session(self, session: PlannerSession) -> PositionSearch:
        """No search is running; the first one starts the process."""
        story = partial(self._story, session.started.story_md5, session.id)
        return PositionSearch(session.started, story, self.limits.probes)

    async def close_session(self, session: PlannerSession) -> None:
        """End the session's process."""
        await session.resources.close()

    async def answer(self, session: PlannerSession, envelope: Envelope) -> Sequence[Message]:
        """What was found ahead of a step, and the fragment that tells it."""
        if not isinstance(envelope.body, StepTaken) or session.at != envelope.step:
            return ()
        if not session.started.allows_lookahead or session.started.text_only:
            return (FragmentGiven(step=envelope.step, unchanged=True),)
        recorded = await self._recorded(session.id, envelope.step)
        before = await self._recorded(session.id, envelope.step - 1)
        found = recorded or await self._found(session, envelope)
        news = (found,) if found is not None and recorded is None else ()
        return (*news, given(envelope.step, fragment_of(found), fragment_of(before)))

    async def _found(self, session: PlannerSession, envelope: Envelope) -> LookedAhead | None:
        """What is found now; a replay finds nothing that was not found before."""
        if self.bus.cell.name.startswith(REPLAYS):
            return None
        left = self.limits.patience_in(session.started) - max(0.0, self.bus.cell.age(envelope))
        return await session.resources.found(session.state.state, max(0.0, left))

    async def _recorded(self, session: str, step: int) -> LookedAhead | None:
        """What the record says was found with a step."""
        if step < 0:
            return None
        address = self.bus.cell.address(session, Kind.LOOKAHEAD, step, self.name)
        envelope = await self.bus.reader.read_own(address)
        return envelope.body if envelope and isinstance(envelope.body, LookedAhead) else None

    async def _story(self, md5: str, session: str) -> StoryFile:
        return story_of(await stories.get(self.bus.cell, md5, session))
