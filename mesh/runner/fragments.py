"""The base of fragment services: a name, a state folded over steps, and what it says about it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from mesh.runner.service import Folded, R, Service, Session
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.fragment import SECTION_LENGTH, Fragment, FragmentGiven, Section
from schemas.game import SessionStarted, StepTaken

F = TypeVar("F", bound=Folded)
NOTHING = Fragment()


@dataclass(slots=True)
class FragmentState(Generic[F]):
    """A state, and what was said about it and about the state one step before."""

    state: F
    now: Fragment = NOTHING
    before: Fragment = NOTHING


class FragmentService(Service[FragmentState[F], R], Generic[F, R]):
    """Answers every step with a fragment, or with "unchanged" where it would say the same again.

    `fragment_for` must be a pure function of the state: a service that is restarted and folds the record then
    publishes exactly what it would have published.
    """

    reads: ClassVar[tuple[type[Message], ...]] = (StepTaken,)
    gives_fragments: ClassVar[bool] = True

    @abstractmethod
    def initial_state(self, started: SessionStarted) -> F:
        """The state before any step."""

    @abstractmethod
    def fragment_for(self, state: F) -> Fragment | str | None:
        """What the actor should know now: a fragment, a text (one section), or nothing."""

    def opening(self, started: SessionStarted) -> FragmentState[F]:
        """The state before any step."""
        return FragmentState(self.initial_state(started))

    def fold(self, state: FragmentState[F], step: StepTaken) -> FragmentState[F]:
        """The state after one more step."""
        after = state.state.after(step)
        return FragmentState(after, now=self._fragment(after), before=state.now)

    def skim(self, state: FragmentState[F], step: StepTaken) -> FragmentState[F]:
        """The state after one more step, about which nothing is said (a `fold` of your own is kept to)."""
        if type(self).fold is not FragmentService.fold:
            return self.fold(state, step)
        return FragmentState(state.state.after(step))

    async def answer(self, session: Session[FragmentState[F], R], envelope: Envelope) -> Sequence[Message]:
        """The fragment for a step."""
        if not isinstance(envelope.body, StepTaken) or session.at != envelope.step:
            return ()
        return (given(envelope.step, session.state.now, session.state.before),)

    def _fragment(self, state: F) -> Fragment:
        said = self.fragment_for(state)
        if isinstance(said, str):
            return Fragment(sections=(Section(name=self.name, text=said[:SECTION_LENGTH]),))
        return said or NOTHING


def given(step: int, now: Fragment, before: Fragment, degraded: str = "") -> FragmentGiven:
    """What is said about a step: "unchanged" where it was said before."""
    if now == before:
        return FragmentGiven(step=step, unchanged=True, degraded=degraded)
    return FragmentGiven(step=step, sections=now.sections, suggestions=now.suggestions, degraded=degraded)
