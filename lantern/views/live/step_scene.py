"""What there is to see of a session at each of its steps: a fold over its messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from folds.map import Map
from folds.text.reader import TextReader
from folds.text.rooms import UNKNOWN_ROOM
from lantern.views.text_view import one_line
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionEnded, SessionStarted, StepTaken
from schemas.language_model import ModelAsked


@dataclass(frozen=True, slots=True)
class StepScene:
    """A step, and what everyone said about it."""

    step: StepTaken
    said: Mapping[str, FragmentGiven] = field(default_factory=dict)
    """The last words of each sub-agent."""
    answered: frozenset[str] = frozenset()
    """The sub-agents that have answered this step."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Calls of models that failed at this step, by service."""
    exits: tuple[str, ...] = ()
    """The ways out of the room, as they are known."""
    proposal: ActionProposed | None = None
    verdict: ActionJudged | None = None

    @property
    def number(self) -> int:
        """The step's."""
        return self.step.step


class SessionHistory:
    """The scenes of a session, in order; at most `limit` of them, the newest (None: all)."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.started: SessionStarted | None = None
        self.ended: SessionEnded | None = None
        self.asking: set[str] = set()
        """The services that have asked a language model in this session."""
        self.scenes: list[StepScene] = []
        self._map, self._reader = Map(), TextReader()

    @property
    def newest(self) -> int:
        """The number of the newest step; -1: there is none."""
        return self.scenes[-1].number if self.scenes else -1

    @property
    def oldest(self) -> int:
        """The number of the oldest step that is kept."""
        return self.scenes[0].number if self.scenes else -1

    def at(self, number: int) -> StepScene | None:
        """The scene of a step, or of the nearest one that is kept; None: there is none yet."""
        if not self.scenes:
            return None
        return self.scenes[min(max(number - self.oldest, 0), len(self.scenes) - 1)]

    def until(self, number: int, count: int) -> list[StepScene]:
        """The last `count` scenes up to a step."""
        end = min(max(number - self.oldest + 1, 0), len(self.scenes))
        return self.scenes[max(end - count, 0) : end]

    def add(self, envelope: Envelope) -> None:
        """Take in one message."""
        match envelope.body:
            case SessionStarted() as started:
                self.started, self.ended = started, None
            case StepTaken() as step:
                self._add_step(step)
            case SessionEnded() as ended:
                self.ended = ended
            case ModelAsked() as asked:
                self.asking.add(envelope.service.name)
                if asked.error:
                    self._change(errors=self._with("errors", envelope.service.name, one_line(asked.error)))
            case FragmentGiven() as given:
                self._add_fragment(envelope.service.name, given)
            case ActionProposed() as proposal if proposal.step == self.newest:
                self._change(proposal=proposal, verdict=None)
            case ActionJudged() as verdict if verdict.step == self.newest:
                self._change(verdict=verdict)
            case _:
                pass

    def _add_step(self, taken: StepTaken) -> None:
        if taken.step <= self.newest:
            return
        step = self._reader.read(taken)
        self._map.after(step)
        said = self.scenes[-1].said if self.scenes else {}
        slim = step.model_copy(update={"valid_actions": None, "objects": None})
        self.scenes.append(StepScene(slim, said, exits=exits_here(self._map)))
        if self.limit is not None and len(self.scenes) > 2 * self.limit:
            del self.scenes[: -self.limit]

    def _add_fragment(self, service: str, given: FragmentGiven) -> None:
        if not self.scenes:
            return
        if given.step == self.newest:
            self._change(answered=self.scenes[-1].answered | {service})
        if not given.unchanged or service not in self.scenes[-1].said:
            self._change(said=self._with("said", service, given))

    def _with(self, name: str, service: str, value: object) -> dict[str, object]:
        present = getattr(self.scenes[-1], name) if self.scenes else {}
        return {**present, service: value}

    def _change(self, **changes: object) -> None:
        if self.scenes:
            self.scenes[-1] = replace(self.scenes[-1], **changes)  # type: ignore[arg-type]


def exits_here(known: Map) -> tuple[str, ...]:
    """The ways out of the room where the player is, a line each."""
    here = known.here
    if here == UNKNOWN_ROOM:
        return ()
    walked = known.exits.get(here, {})
    presumed = known.presumed(here)
    return (
        *(f"{action} -> {known.names.get(room, room)}" for action, room in walked.items()),
        *(f"{way} -> {known.names.get(room, room)} ?" for way, room in presumed.items()),
        *(f"{way} -> not tried" for way in known.hinted(here) if way not in {*walked, *presumed}),
        *(f"{way}: blocked" for way in sorted(known.blocked.get(here, ())) if way not in known.hinted(here)),
    )
