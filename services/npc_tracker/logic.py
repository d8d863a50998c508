"""Analyses a conversation that has stalled: what the character may still want."""

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
"""An analysis is due after 5 talking actions in the room and 10 steps without a change of score. It reads the
last 10 actions, at most every 5 steps (text-adventure agent, NPC puzzle-state tracker)."""

_LISTED = 8


@dataclass(frozen=True, slots=True)
class Exchange:
    """An action in the room, and the full reply."""

    action: str
    reply: str


@dataclass(frozen=True, slots=True)
class Stall:
    """A stalled conversation, and its analysis by rule."""

    step: StepTaken
    person: str
    exchanges: tuple[Exchange, ...]
    exhausted: tuple[str, ...]
    untried: tuple[str, ...]
    analysis: Fragment


class Talk:
    """The conversation in the player's room."""

    def __init__(self, asks_models: bool = False) -> None:
        self.asks_models = asks_models
        self.stall: Stall | None = None
        self.exchanges: deque[Exchange] = deque(maxlen=REPLIES)
        self.asked: dict[tuple[str, str], str] = {}
        self._talks = 0
        self._last: StepTaken | None = None
        self._last_score = 0
        self._last_analysis = -EVERY
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
        self._last_score = step.step if step.reward else self._last_score
        if before is None or room_of(step) != room_of(before) or step.action in (None, RESTART):
            self._forget()
        elif step.action:
            self._note(step.action, step)
        if self._is_due(step.step):
            self.stall, self._last_analysis = _stall(self, step), step.step
        return self

    def _forget(self) -> None:
        self.stall, self._talks, self._last_analysis = None, 0, -EVERY
        self.exchanges.clear()
        self.asked.clear()

    def _note(self, action: str, step: StepTaken) -> None:
        self.exchanges.append(Exchange(normal(action), step.observation))
        if not is_conversation(action):
            return
        self._talks += 1
        self.asked[addressed(action)] = step.observation
        if step.reward:
            self.stall = None

    def _is_due(self, step: int) -> bool:
        stalled = self._talks >= TALKS and step - self._last_score >= STALLED
        return stalled and step - self._last_analysis >= EVERY


def fragment(state: Talk) -> Fragment | None:
    """The last analysis by rule; None: the conversation has not stalled here."""
    return state.stall.analysis if state.stall else None


def analysis_of(needs: str, following: str, topics: Iterable[str], suggestions: tuple[str, ...]) -> Fragment:
    """A fragment with what the character needs, the next action, and lines on the topics."""
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
    """The partner of the conversation: the person addressed most, else a visible one."""
    addressed = Counter(who for who, _ in talk.asked if who)
    if addressed:
        return addressed.most_common(1)[0][0]
    seen = (head_of(thing.name) for thing in step.objects or () if is_person(thing.name))
    return next(seen, "the character")


def _want(talk: Talk) -> str:
    """The noun that the replies mention most, unless all replies are alike."""
    talked = [e for e in talk.exchanges if is_conversation(e.action)]
    if len({e.reply for e in talked}) <= 1:
        return "something other than these topics: every reply was alike"
    counts = Counter(noun for reply in dict.fromkeys(e.reply for e in talked) for noun in nouns_in(reply))
    asked = {topic for _, topic in talk.asked}
    often = [noun for noun, _ in counts.most_common() if noun not in asked]
    return f"to be asked of or given the {often[0]}" if often else "a thing rather than words"


def _topics(talk: Talk, step: StepTaken) -> Iterable[str]:
    """Nouns of replies, then of carried things, of visible things, and of other texts; each once."""
    replies = (n for e in reversed(talk.exchanges) if is_conversation(e.action) for n in nouns_in(e.reply))
    carried = (head_of(thing.name) for thing in step.inventory or ())
    visible = (head_of(thing.name) for thing in step.objects or () if not is_person(thing.name))
    texts = (n for e in talk.exchanges if not is_conversation(e.action) for n in nouns_in(e.reply))
    return tuple(dict.fromkeys((*replies, *carried, *visible, *texts)))


def _gifts(person: str, step: StepTaken) -> tuple[str, ...]:
    things = tuple(head_of(thing.name) for thing in step.inventory or ())
    return tuple(f"give {thing} to {person}" for thing in things[:3])


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_LISTED]) or "none"
