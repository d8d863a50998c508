"""Replays services: gives them what they were given, beat by beat, and compares what they say.

The services that tell something about a step come first, then who proposes, then who judges, each group on
a stage of its own: so a service gets from the others what was recorded, or where they are replayed too what
they say now, in the recorded order and as early or late as it was. Nothing depends on how fast anybody is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mesh.record.comparison import FieldDifference, differences
from mesh.record.step_messages import StepMessages
from mesh.replay.replay_cell import ReplayCell
from mesh.replay.step_windows import (
    StepWindow,
    as_the_actor_had_it,
    could_have_said,
    in_order,
    is_resume,
    step_windows_in,
)
from schemas.base import Kind
from schemas.envelope import Envelope

ORDER = (Kind.FRAGMENT, Kind.PROPOSAL, Kind.VERDICT)
"""What services say, in the order in which one leads to the next."""


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """One step, replayed."""

    moment: StepMessages
    """The step with everything that was recorded about it."""
    differences: tuple[FieldDifference, ...]
    compared: int
    """How many messages were compared."""


def kinds_said(messages: Iterable[Envelope]) -> Mapping[str, frozenset[Kind]]:
    """What each service has said in a record (that it asked a language model is no saying)."""
    said: defaultdict[str, set[Kind]] = defaultdict(set)
    for message in messages:
        if message.kind in ORDER:
            said[message.service.name].add(message.kind)
    return {service: frozenset(kinds) for service, kinds in said.items()}


def place_in_chain(kinds: Iterable[Kind]) -> Kind:
    """The stage on which a service belongs that says these kinds."""
    return min(kinds, key=ORDER.index)


async def replay(
    recorded: Sequence[Envelope], stages: Sequence[ReplayCell]
) -> AsyncGenerator[ReplayedStep, None]:
    """Replay a record on stages, which come in the order of the chain; a step is given when it is asked for.

    Raises:
        BusUnreachable: the server is gone.
    """
    chain = _Chain(kinds_said(recorded), frozenset().union(*(stage.services for stage in stages)))
    for beat in step_windows_in(recorded):
        found: list[tuple[FieldDifference, ...]] = []
        for stage in stages:
            await chain.play(beat, stage)
            found += await chain.compared(beat, stage)
        yield ReplayedStep(beat.moment, tuple(one for each in found for one in each), len(found))


class _Chain:
    """What the services that are replayed have said so far, each in its place."""

    def __init__(self, kinds: Mapping[str, frozenset[Kind]], replayed: frozenset[str]) -> None:
        self.kinds, self.replayed = kinds, replayed
        self._said: dict[tuple[str, Kind, int], Envelope] = {}

    async def play(self, beat: StepWindow, stage: ReplayCell) -> None:
        """Give a stage its part of a beat, and note what its services say to it."""
        if any(Kind.PROPOSAL in self.kinds[service] for service in stage.services):
            await self._act(beat, stage)
        else:
            read = (message for message in in_order(beat) if message.kind in stage.reads)
            await stage.feed(self._given(read, stage))
        await stage.settled()
        for service, kind in self._parts(stage):
            if (answer := await stage.answer(service, kind, beat.number)) is not None:
                self._said[service, kind, beat.number] = answer

    async def compared(self, beat: StepWindow, stage: ReplayCell) -> list[tuple[FieldDifference, ...]]:
        """The differences of each message that can be compared."""
        found = []
        for service, kind in self._parts(stage):
            then, now = beat.moment.of(kind, service), self._said.get((service, kind, beat.number))
            if then is not None or (now is not None and could_have_said(beat, service, kind)):
                note = await stage.why_silent(service, beat.number) if now is None else ""
                found.append(differences(service, kind, then, now, note))
        return found

    async def _act(self, beat: StepWindow, stage: ReplayCell) -> None:
        """The actor is told who is live, and has what was at hand before the step: it waits for nobody."""
        named = {fragment.service.name: fragment for fragment in beat.fragments}
        await stage.announce([named.get(name, name) for name in sorted(beat.live)])
        course, at_hand = as_the_actor_had_it(beat), self._given(beat.at_hand, stage)
        await stage.feed(self._given(course.first, stage), late=len(at_hand) < len(beat.live))
        await stage.settled()
        for message in self._given(course.then, stage):
            await stage.feed([message])
            if is_resume(message):
                await stage.settled(again=at_hand)

    def _given(self, messages: Iterable[Envelope], stage: ReplayCell) -> list[Envelope]:
        """Without what the stage says itself; what another says now stands in the place of what it said."""
        others = (m for m in messages if m.kind not in ORDER or m.service.name not in stage.services)
        return [now for message in others if (now := self._now(message)) is not None]

    def _now(self, message: Envelope) -> Envelope | None:
        if message.service.name not in self.replayed or message.kind not in ORDER:
            return message
        return self._said.get((message.service.name, message.kind, message.step))

    def _parts(self, stage: ReplayCell) -> list[tuple[str, Kind]]:
        named = ((service, kind) for service in stage.services for kind in self.kinds[service])
        return sorted(named, key=lambda part: (part[0], ORDER.index(part[1])))
