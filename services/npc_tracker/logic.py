"""Tells what a character may still want when talking has stalled."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from folds.text.reader import TextReader
from folds.text.rooms import room_of
from folds.vocabulary.actions import is_conversation, normal
from folds.vocabulary.talk import addressed
from folds.vocabulary.words import head_of, is_person, nouns_in
from schemas.fragment import Fragment, Section
from schemas.game import RESTART, SessionStarted, StepTaken

TALKS, STALLED, REPLIES, EVERY = 5, 10, 10, 5
"""Fires at 5 talking actions in the room and 10 steps without a score change, reads the last 10 actions,
at most every 5 steps (text-adventure agent, NPC puzzle-state tracker)."""

_LISTED = 8


@dataclass(frozen=True, slots=True)
class Exchange:
    """An action in the room, and the full reply."""

    action: str
    reply: str


@dataclass(frozen=True, slots=True)
class Stall:
    """Talk that leads nowhere, and what the rules make of it."""

    step: StepTaken
    person: str
    exchanges: tuple[Exchange, ...]
    exhausted: tuple[str, ...]
    untried: tuple[str, ...]
    analysis: Fragment


class Talk:
    """The talking in the room where the player is."""

    def __init__(self, asks_models: bool = False) -> None:
        self.asks_models = asks_models
        self.stall: Stall | None = None
        self.exchanges: deque[Exchange] = deque(maxlen=REPLIES)
        self.asked: dict[tuple[str, str], str] = {}
        self._talks = 0
        self._last: StepTaken | None = None
        self._scored_at = 0
        self._spoke_at = -EVERY
        self._by_text = TextReader()

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """Nobody has been spoken to."""
        return cls(started.asks_models)

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        before = self._last
        if before is not None and step.step <= before.step:
            return self
        step = self._last = self._by_text.read(step)
        self._scored_at = step.step if step.reward else self._scored_at
        if before is None or room_of(step) != room_of(before) or step.action in (None, RESTART):
            self._forget()
        elif step.action:
            self._hear(step.action, step)
        if self._is_due(step.step):
            self.stall, self._spoke_at = _stall(self, step), step.step
        return self

    def _forget(self) -> None:
        self.stall, self._talks, self._spoke_at = None, 0, -EVERY
        self.exchanges.clear()
        self.asked.clear()

    def _hear(self, action: str, step: StepTaken) -> None:
        self.exchanges.append(Exchange(normal(action), step.observation))
        if not is_conversation(action):
            return
        self._talks += 1
        self.asked[addressed(action)] = step.observation
        if step.reward:
            self.stall = None

    def _is_due(self, step: int) -> bool:
        stalled = self._talks >= TALKS and step - self._scored_at >= STALLED
        return stalled and step - self._spoke_at >= EVERY


def fragment(state: Talk) -> Fragment | None:
    """What the rules last made of the talk; None while talking has not stalled here."""
    return state.stall.analysis if state.stall else None


def analysis_of(needs: str, following: str, topics: Iterable[str], suggestions: tuple[str, ...]) -> Fragment:
    """What is missing and what is next, with lines on the topics."""
    lines = (f"NEEDS: {needs} | NEXT: {following}", *topics)
    return Fragment(sections=(Section(name="npc", text="\n".join(lines)),), suggestions=suggestions)


def topics_in(analysis: Fragment) -> tuple[str, ...]:
    """The lines on the topics in an analysis."""
    return tuple(line for section in analysis.sections for line in section.text.splitlines()[1:])


def _stall(talk: Talk, step: StepTaken) -> Stall:
    person = _person(talk, step)
    exhausted = tuple(dict.fromkeys(topic for _, topic in talk.asked if topic))
    untried = tuple(t for t in _topics(talk, step) if t not in exhausted and t != person)
    suggestions = tuple(f"ask {person} about {topic}" for topic in untried[:3]) or _gifts(person, step)
    following = suggestions[0] if suggestions else "leave and come back with something new"
    topics = (f"Exhausted topics: {_listed(exhausted)}.", f"Untried topics: {_listed(untried)}.")
    analysis = analysis_of(f"{person} wants {_want(talk)}", following, topics, suggestions)
    return Stall(step, person, tuple(talk.exchanges), exhausted, untried, analysis)


def _person(talk: Talk, step: StepTaken) -> str:
    """Whom the talk is with: the one addressed most, else somebody visible."""
    addressed = Counter(who for who, _ in talk.asked if who)
    if addressed:
        return addressed.most_common(1)[0][0]
    seen = (head_of(thing.name) for thing in step.objects or () if is_person(thing.name))
    return next(seen, "the character")


def _want(talk: Talk) -> str:
    """What the replies keep coming back to, when they are not all alike."""
    talked = [e for e in talk.exchanges if is_conversation(e.action)]
    if len({e.reply for e in talked}) <= 1:
        return "something other than these topics: every reply was alike"
    heard = Counter(noun for reply in dict.fromkeys(e.reply for e in talked) for noun in nouns_in(reply))
    asked = {topic for _, topic in talk.asked}
    often = [noun for noun, _ in heard.most_common() if noun not in asked]
    return f"to be asked of or given the {often[0]}" if often else "a thing rather than words"


def _topics(talk: Talk, step: StepTaken) -> Iterable[str]:
    """Nouns heard in replies, then things held, then things seen; each once."""
    heard = (n for e in reversed(talk.exchanges) if is_conversation(e.action) for n in nouns_in(e.reply))
    held = (head_of(thing.name) for thing in step.inventory or ())
    seen = (head_of(thing.name) for thing in step.objects or () if not is_person(thing.name))
    told = (n for e in talk.exchanges if not is_conversation(e.action) for n in nouns_in(e.reply))
    return tuple(dict.fromkeys((*heard, *held, *seen, *told)))


def _gifts(person: str, step: StepTaken) -> tuple[str, ...]:
    things = tuple(head_of(thing.name) for thing in step.inventory or ())
    return tuple(f"give {thing} to {person}" for thing in things[:3])


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_LISTED]) or "none"
