"""Analyses a conversation that has stalled: what the character may still want."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from folds.text.phrases import is_fruitless
from folds.text.reader import TextReader
from folds.text.rooms import room_of
from folds.vocabulary.actions import is_conversation, normal
from folds.vocabulary.nouns import nouns_in
from folds.vocabulary.talk import addressed
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, is_person, words_of
from schemas.fragment import Fragment, Section
from schemas.game import RESTART, SessionStarted, StepTaken, Thing

TALKS, STALLED, REPLIES, EVERY = 5, 10, 10, 5
"""An analysis is due after 5 talking actions in the room and 10 steps without a change of score. It reads the
last 10 actions, at most every 5 steps (text-adventure agent, NPC puzzle-state tracker)."""

_LISTED, MOST = 8, 100
_COMPARED = re.compile(r"(\w+) than\b")


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


@dataclass(slots=True)
class Conversation:
    """What was said to one person, in all rooms and on all visits of an episode."""

    exchanges: deque[Exchange] = field(default_factory=lambda: deque(maxlen=REPLIES))
    topics: dict[str, None] = field(default_factory=dict)
    """Every topic that was raised, in order."""
    given: dict[str, None] = field(default_factory=dict)
    """What was offered."""
    talks: int = 0
    """Since something came of it: a point, or a gift that was taken."""
    gained: int = 0
    """The step at which something came of it last."""
    room: str = ""
    """Where they spoke last."""
    analysed: int = -EVERY
    stall: Stall | None = None


class Talk:
    """The conversations of the player, each with one person. It is about the person who is here."""

    def __init__(self, asks_models: bool = False) -> None:
        self.asks_models = asks_models
        self.conversations: dict[str, Conversation] = {}
        self._scored = 0
        """The step that brought a point last."""
        self._partner = ""
        """Who was spoken to last."""
        self._last: StepTaken | None = None
        self._by_text = TextReader()

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """Nobody has been spoken to."""
        return cls(started.asks_models)

    @property
    def stall(self) -> Stall | None:
        """The stalled conversation with the person who is here."""
        here = self.conversations.get(self._partner_here())
        return here.stall if here else None

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        before = self._last
        if before is not None and step.step <= before.step:
            return self
        step = self._last = self._by_text.read(step)
        if before is None or step.action in (None, RESTART):
            self.conversations.clear()
        elif step.action:
            self._note(step.action, step, room_of(before))
        self._scored = step.step if step.reward else self._scored
        person = self._partner_here()
        if (talk := self.conversations.get(person)) and _is_due(talk, step.step, self._scored):
            talk.stall, talk.analysed = _stall(person, talk, step), step.step
        return self

    def _note(self, action: str, step: StepTaken, room: str) -> None:
        gift = gift_in(action)
        if is_conversation(action):
            who, topic = addressed(action)
            self._partner = who or self._partner_here() or _visible(step)
            talk = self._conversation(room)
            talk.talks += 1
            if topic:
                talk.topics[topic] = None
        elif gift is not None:
            thing, self._partner = gift
            talk = self._conversation(room)
            talk.given[thing] = None
        elif (here := self.conversations.get(self._partner_here())) is not None and room_of(step) == room:
            talk = here
        else:
            return
        talk.exchanges.append(Exchange(normal(action), step.observation))
        if step.reward > 0 or (gift is not None and not is_fruitless(step.observation)):
            talk.talks, talk.gained, talk.stall = 0, step.step, None

    def _conversation(self, room: str) -> Conversation:
        talk = self.conversations.setdefault(self._partner, Conversation())
        talk.room = room
        return talk

    def _partner_here(self) -> str:
        """Who was spoken to and is here: the last one, else another; nobody is ''."""
        if self._last is None or self._last.done:
            return ""
        others = (person for person in reversed(self.conversations) if person != self._partner)
        return next((who for who in (self._partner, *others) if self._is_here(who)), "")

    def _is_here(self, person: str) -> bool:
        talk, step = self.conversations.get(person), self._last
        if talk is None or step is None:
            return False
        seen = {word for thing in step.objects or () for word in words_of(thing.name)}
        return person in seen or talk.room == room_of(step)


def gift_in(action: str) -> tuple[str, str] | None:
    """What is given or shown to whom, by a word each; None: nothing is."""
    words = normal(action).split()
    if action_kind_of(action) is not ActionKind.GIVE or "to" not in words[2:-1]:
        return None
    return words[words.index("to") - 1], words[-1]


def _is_due(talk: Conversation, step: int, scored: int) -> bool:
    stalled = talk.talks >= TALKS and step - max(talk.gained, scored) >= STALLED
    return stalled and step - talk.analysed >= EVERY


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


def _stall(person: str, talk: Conversation, step: StepTaken) -> Stall:
    exhausted = tuple(talk.topics)
    untried = tuple(topic for topic in _topics(talk, step) if topic not in exhausted and topic != person)
    asking = tuple(f"ask {person} about {topic}" for topic in untried[:3])
    suggestions = asking or _gifts(person, talk, step)
    following = suggestions[0] if suggestions else "leave and come back with something new"
    raised, open_ = _listed(exhausted, MOST), _listed(untried, _LISTED)
    topics = (f"Exhausted topics: {raised}.", f"Untried topics: {open_}.")
    needs = f"{person} may want {_want(talk, untried, step, is_gift=bool(suggestions))}"
    analysis = analysis_of(needs, following, topics, suggestions)
    return Stall(step, person, tuple(talk.exchanges), exhausted, untried, analysis)


def _visible(step: StepTaken) -> str:
    """A person in sight, for who speaks to nobody by name."""
    seen = (head_of(thing.name) for thing in step.objects or () if is_person(thing.name))
    return next(seen, "character")


def _want(talk: Conversation, untried: tuple[str, ...], step: StepTaken, *, is_gift: bool) -> str:
    """What the next action may bring out: it never speaks of a thing where a topic is next."""
    replies = dict.fromkeys(e.reply for e in talk.exchanges if is_conversation(e.action))
    alike = ": every reply was alike" if len(replies) <= 1 else ""
    if untried:
        is_told = any(untried[0] in nouns_in(reply) for reply in replies)
        given = ", or to be given it" if untried[0] in _heads(step.inventory) else ""
        return f"to be asked about {untried[0]}{given}" if is_told else f"another topic{alike}"
    return f"a thing rather than words{alike}" if is_gift else f"nothing that is at hand{alike}"


def _topics(talk: Conversation, step: StepTaken) -> Iterable[str]:
    """Nouns of replies, then of carried things, of visible things, and of other texts; each once.

    A word that only tells one thing from another is none: of a `brass lamp`, the lamp is; of what is `older
    than you are`, nothing is.
    """
    replies = (n for e in reversed(talk.exchanges) if is_conversation(e.action) for n in nouns_in(e.reply))
    carried = _heads(step.inventory)
    visible = _heads(thing for thing in step.objects or () if not is_person(thing.name))
    texts = (n for e in talk.exchanges if not is_conversation(e.action) for n in nouns_in(e.reply))
    things = (*(step.inventory or ()), *(step.objects or ()))
    adjectives = {word for thing in things for word in words_of(thing.name)}.difference(_heads(things))
    adjectives |= {word.lower() for e in talk.exchanges for word in _COMPARED.findall(e.reply)}
    named = dict.fromkeys((*replies, *carried, *visible, *texts))
    return tuple(n for n in named if n not in adjectives and not n.endswith(("self", "selves")))


def _heads(things: Iterable[Thing] | None) -> tuple[str, ...]:
    return tuple(head_of(thing.name) for thing in things or ())


def _gifts(person: str, talk: Conversation, step: StepTaken) -> tuple[str, ...]:
    """Carried things that were not offered yet."""
    return tuple(f"give {thing} to {person}" for thing in _heads(step.inventory) if thing not in talk.given)[
        :3
    ]


def _listed(names: tuple[str, ...], most: int) -> str:
    return ", ".join(names[:most]) or "none"
