"""Nouns of what a game prints: what may be looked at in a room, what people talk about, and who they are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from folds.text.headings import described_in
from folds.text.phrases import is_fruitless, is_refused
from folds.text.rooms import room_of
from folds.text.things.emptiness import empty_in
from folds.text.things.listings import living_in, people_named_in
from folds.text.things.take_answers import answers_in
from folds.text.ways import doors_on_ways_in
from folds.vocabulary.actions import direction_of, is_conversation, normal
from folds.vocabulary.nouns import nouns_in, plain_nouns_in
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import MANY, head_of, is_person, names_in, words_of
from schemas.game import RESTART, StepTaken
from services.actor.knowledge.kinds import COMMON, READABLE, UNMISTAKABLE

NOUNS, TEXT_LENGTH = 16, 1_500
"""Nouns kept as topics, and how much of a text is read for them."""
ROOM_NOUNS = 100
"""Nouns kept for a room, beside those of the common things of such stories."""
_DEEP = 5
"""Nouns of an answer to looking at something that are worth a look themselves."""
RARE = 4
"""Things of plain names for each with a name written large, from where on such a name is somebody's."""

_NO_NOUNS: dict[str, None] = {}
_ABOUT_THE_GAME = ("score", "verbose", "inventory")
"""Actions whose answers name nothing that is here."""
_REFUSAL = 200
"""Characters of the answer to a way at most, where somebody bars it."""
_STOCK = 100
"""A longer answer may name something, although the action came to nothing."""
_BARRED = (ActionKind.MOVE, ActionKind.OPEN)
"""Kinds of actions whose refusals name what is in the way."""
_TELLING, _OF_SOMEBODY = 30, 8
"""Characters from which on one text for two nouns shows that they name one thing, or one person."""

_NAMED_BACK = re.compile(
    r"\A\((?:the|your) (?P<meant>[a-z' -]+)\)\s|"
    r"\b(?:pick up|take|carry|lift) (?:the|your) (?P<taken>[a-z' -]+)[.!]|"
    r"\bnothing (?:on|in|inside|under|behind) (?:the|your) (?P<searched>[a-z' -]+)[.!]",
    re.I,
)
"""An answer that names the thing as the game calls it: `You can't pick up the bed.`"""
_LOOKING = (ActionKind.EXAMINE, ActionKind.SEARCH)
_TELLING_OF_IT = (*_LOOKING, ActionKind.OPEN, ActionKind.HANDLE, ActionKind.LIGHT)
"""Kinds of actions whose answers tell of the thing with which they are done."""
_INFORMING = (ActionKind.READ, ActionKind.EXAMINE, ActionKind.OPEN)


def renewed(known: list[str], mentions: tuple[str, ...], most: int = NOUNS) -> list[str]:
    """The newest mentions come last; the oldest are forgotten first, from so many on."""
    return [*(word for word in known if word not in mentions), *mentions][-most:]


def _of_the_room(step: StepTaken) -> str:
    """A step's text; where nothing else tells what is here, without what an opening says before the room."""
    opening = step.action in (None, RESTART) and not step.world
    room = described_in(step.observation) if opening else None
    return room.below if room else step.observation


_REMARK = re.compile(r"\s*(?:\([^()]*\)\s*)?\[[^\[\]]*\]\s*")
"""What the parser says in its own name, in brackets."""


def _names_what_is_here(step: StepTaken) -> bool:
    """Whether a step's answer may name things: stock phrases and answers about the game name none."""
    text = step.observation
    if is_refused(text) or _REMARK.fullmatch(text) or normal(step.action or "") in _ABOUT_THE_GAME:
        return False
    tells_what_bars = action_kind_of(step.action or "") in _BARRED
    return tells_what_bars or len(text) >= _STOCK or not is_fruitless(text)


def _left_by_taking(step: StepTaken) -> Iterator[str]:
    """What the answer to `take all` names as being here: `crank and rope: That's hardly portable.`"""
    if normal(step.action or "") == "take all":
        left = (
            each for each in answers_in(step.observation) if not (each.refused or each.taken or each.held)
        )
        yield from (head_of(name) for each in left for name in each.name.split(" and "))


def _listed_in(step: StepTaken) -> Set[str]:
    return {head_of(thing.name) for thing in (*(step.objects or ()), *(step.inventory or ()))}


def _name_in_answer(noun: str, text: str) -> str:
    """What an answer calls the thing of this noun; empty: it names none, or by the same word."""
    found = _NAMED_BACK.search(text)
    name = (
        next(filter(None, found.groups()), "")
        if found and noun not in ("", "all") and " " not in noun
        else ""
    )
    return "" if noun in words_of(name) else head_of(name)


_ARTICLES = frozenset(("a", "an", "the"))
_ENDING = frozenset(("restart", "restore", "quit", "undo", "save", "score"))
"""Words in the last text of a game; nobody says them."""
_QUOTED = re.compile(r"[\"']([A-Za-z]{3,12})[.!,]?[\"']|(?<![A-Z][ -])\b([A-Z]{4,12})\b(?!,? [A-Z]{2})")

_CAPITALS = re.compile(r"\b[A-Z]{4,}\b")
"""What a writing may ask for: `INSERT KEYCARD`."""
_WRITTEN = re.compile(r"\b(?:carved|inscribed|scratched|scrawled|engraved|etched|written|painted) [\"'“‘A-Z]")


def _bare_nouns_in(text: str) -> Iterator[str]:
    """The common nouns of a text that knows no articles: `Grunt see fountain.`"""
    words = words_of(text)
    if _ARTICLES.isdisjoint(words):
        yield from (word for word in words if word in UNMISTAKABLE)


def words_to_say_in(text: str) -> tuple[str, ...]:
    """Single words in quotes, or in capitals among others that are not, in lower case."""
    found = ("".join(groups).lower() for groups in _QUOTED.findall(text))
    return tuple(dict.fromkeys(word for word in found if direction_of(word) is None and word not in _ENDING))


def _is_reading(action: str) -> bool:
    """Whether an action reads something, or looks at what has a writing."""
    kind, looks_at_writing = action_kind_of(action), head_of(action) in READABLE
    return kind is ActionKind.READ or (kind is ActionKind.EXAMINE and looks_at_writing)


def _is_name(name: str) -> bool:
    """Whether a thing has a name of its own: `Dark Spirit`, and not `Steel key`."""
    return name.rpartition(" ")[2][:1].isupper()


class MentionedNouns:
    """The nouns of a session's texts."""

    def __init__(self) -> None:
        self.topics: list[str] = []
        self.names: list[str] = []
        self.people: set[str] = set()
        self._named_in_answers: dict[str, dict[str, None]] = defaultdict(dict)
        self.spoken: list[str] = []
        """Words in quotes or capitals in what was read, latest last."""
        self.lifeless: set[str] = set()
        self._looks: dict[str, dict[str, str]] = defaultdict(dict)
        """By room and text, the noun that was looked at."""
        self._synonyms: dict[str, set[str]] = defaultdict(set)
        self._named: set[str] = set()
        self._plain: set[str] = set()
        self._nouns: dict[str, dict[str, None]] = defaultdict(dict)
        self._described: dict[str, set[str]] = defaultdict(set)
        """By room, the nouns of its descriptions."""
        self._said: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        """By person and room, the words that were said there, with the step in which they last were."""
        self._on_ways: dict[str, set[str]] = defaultdict(set)
        """By room, the doors that its descriptions place in a direction."""
        self._empty: dict[str, set[str]] = defaultdict(set)
        """By room, what was said to be empty."""
        self._listed: dict[str, dict[str, None]] = defaultdict(dict)
        self._told_of: dict[str, dict[str, dict[str, None]]] = defaultdict(dict)
        """By room and thing, the nouns of the answers about it."""

    def after(self, step: StepTaken) -> None:
        """Fold one step, its room known. A repeat adds nothing."""
        text = _of_the_room(step)[:TEXT_LENGTH]
        named = (head_of(each.name) for each in answers_in(text) if not each.refused)
        taken = (noun for noun in named if noun not in MANY)
        nouns = tuple(dict.fromkeys((*taken, *nouns_in(text), *plain_nouns_in(text), *_bare_nouns_in(text))))
        self._count_names(step)
        self.people.update(people_named_in(text))
        if direction_of(step.action or "") and len(text) < _REFUSAL:
            self.people.update(living_in(text))
        if step.action and (is_conversation(step.action) or action_kind_of(step.action) in _INFORMING):
            self.topics = renewed(self.topics, nouns)
            self.names = renewed(self.names, names_in(text))
        if step.action and (_is_reading(step.action) or _WRITTEN.search(text)):
            self.spoken = renewed(self.spoken, words_to_say_in(text))
        self._note_speech(step)
        if step.action and is_conversation(step.action):
            return
        self._note_synonyms(step)
        if not step.done and _names_what_is_here(step):
            known = self._nouns[room_of(step)]
            if step.action and action_kind_of(step.action) in _LOOKING:
                self._named_in_answers[room_of(step)].update(dict.fromkeys(nouns[:_DEEP]))
            if step.action and action_kind_of(step.action) in _TELLING_OF_IT and " " in step.action:
                told = self._told_of[room_of(step)].setdefault(head_of(step.action), {})
                told.update(dict.fromkeys((*nouns, *map(str.lower, _CAPITALS.findall(text)))))
            if described_in(step.observation):
                self._described[room_of(step)].update(nouns)
                self._on_ways[room_of(step)].update(doors_on_ways_in(text))
            fresh = [noun for noun in dict.fromkeys(nouns) if noun not in known]
            free = ROOM_NOUNS - len(known)
            known.update({noun: None for place, noun in enumerate(fresh) if place < free or noun in COMMON})
        self._empty[room_of(step)].update(empty_in(text))
        self._listed[room_of(step)].update(dict.fromkeys(_left_by_taking(step)))

    def is_person(self, name: str) -> bool:
        """Whether a thing is somebody: by a common word, by what was said, or by a name among plain words."""
        head = head_of(name)
        if head in self.lifeless:
            return False
        if is_person(name) or head in self.people:
            return True
        return _is_name(name) and len(self._plain) >= RARE * len(self._named)

    def named_in_answers(self, room: str) -> tuple[str, ...]:
        """The nouns in a room's answers to looking at something, the first few of each."""
        return tuple(self._named_in_answers.get(room, ()))

    def is_described(self, noun: str, room: str) -> bool:
        """Whether a room's description names a noun, and not an answer or an event alone."""
        return noun in self._described.get(room, ())

    def on_ways_of(self, room: str) -> Set[str]:
        """The doors of a room that lie in a direction, as its texts tell: to walk there is to go through."""
        return self._on_ways.get(room, frozenset())

    def said_by(self, person: str, room: str) -> Mapping[str, int]:
        """The words that somebody said in a room, or that a look at somebody told, with their last steps."""
        return self._said.get((person, room), {})

    def _note_speech(self, step: StepTaken) -> None:
        action = normal(step.action or "")
        is_look = action_kind_of(action) is ActionKind.EXAMINE
        if not (is_conversation(action) or is_look) or is_refused(step.observation):
            return
        person = head_of(action.partition(" about ")[0])
        if not is_look or self.is_person(person):
            self._said[person, room_of(step)].update(dict.fromkeys(words_of(step.observation), step.step))

    def empty_in(self, room: str) -> Set[str]:
        """The nouns of what the texts of a room called empty."""
        return self._empty.get(room, frozenset())

    def told_of_things_in(self, room: str) -> Mapping[str, Set[str]]:
        """By thing, the nouns of a room's answers about it: `It is missing a fuse.`"""
        return {thing: nouns.keys() for thing, nouns in self._told_of.get(room, {}).items()}

    def synonyms_in(self, room: str) -> Set[str]:
        """Nouns that name the same things in a room as others do: to look at them was answered alike."""
        return self._synonyms.get(room, frozenset())

    def _note_synonyms(self, step: StepTaken) -> None:
        verb, _, noun = normal(step.action or "").partition(" ")
        text = " ".join(step.observation.partition("\n\n")[0].split())
        if (name := _name_in_answer(noun, text)) and name in self._nouns_at_hand(step):
            self._synonyms[room_of(step)].add(noun)
        telling = _OF_SOMEBODY if self.is_person(noun) else _TELLING
        if verb != "examine" or not noun or len(text) < telling or is_fruitless(text):
            return
        room = room_of(step)
        other = self._looks[room].setdefault(text, noun)
        if other == noun:
            return
        listed = _listed_in(step)
        better, worse = sorted((other, noun), key=lambda word: (word not in COMMON, word not in listed))
        self._looks[room][text] = better
        self._synonyms[room].add(worse)

    def _nouns_at_hand(self, step: StepTaken) -> Set[str]:
        known = self._nouns[room_of(step)].keys() | _listed_in(step)
        return known - self._synonyms[room_of(step)]

    def _count_names(self, step: StepTaken) -> None:
        for thing in step.objects or ():
            (self._named if _is_name(thing.name) else self._plain).add(thing.name)

    def nouns_of(self, room: str) -> tuple[str, ...]:
        """The nouns of a room's first texts, after those of what is surely there."""
        return tuple(self.listed_in(room) | self._nouns.get(room, _NO_NOUNS))

    def listed_in(self, room: str) -> dict[str, None]:
        """The nouns of what answers to `take all` have named in a room, and left there."""
        return self._listed.get(room, _NO_NOUNS)
