"""Tracks the inventory by the game's text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

from folds.text.phrases import MISSING, is_fruitless
from folds.text.things.inventory_lists import listed_in
from folds.text.things.listings import NAME_END, nouns_of
from folds.text.things.take_answers import TakeAnswer, answers_in
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, words_of
from schemas.game import RESTART, StepTaken, Thing

_EACH_DROPPED = re.compile(
    r"^\s*(?:the )?([a-z' -]{2,40}): +(?:dropped|done|you (?:drop|put|toss|lay|set|leave|place)\b)",
    re.I | re.M,
)
_TAKEN_FIRST = re.compile(
    r"^\(?(?:first )?taking (?:the |an? )?(?!it\b)([a-z' /-]{2,40}?)(?<! off)"
    r"(?: (?:out of|from|off) [a-z' /-]+)?(?: first)?\)",
    re.I | re.M,
)
"""A library's message that it has taken a thing first, because the action needs it in hand."""
_GIVEN = re.compile(
    r"\b(?:gives|hands|passes|tosses) (?:you|me) (?!the rank)(?P<thing>[^.,;!?\n]+?)(?= and |[.,;!?\n]|$)",
    re.I,
)
_GONE = re.compile(
    r"\b(?:the|your) ([a-z][^.!?\n]{1,60}?) ?\b(?:vanish(?:es)?|disappears?|dissolves?|crumbles?|evaporates?|"
    r"shatters?|melts? away|wastes? away|is gone|is consumed|is destroyed|bursts? into flames)\b",
    re.I,
)
_THE_ONE = re.compile(r"^\((?:the |an? )([a-z' /-]{2,40}?)(?: down)?\)$", re.I | re.M)
"""A library's message about which thing it has understood."""
_FROM = re.compile(r" (?:from|out of|off|with|in|on) ")
_RELEASING = (ActionKind.DROP, ActionKind.PLACE, ActionKind.GIVE, ActionKind.CONSUME)
_ACCEPTED = re.compile(
    r"\b(?:takes|accepts?|grabs|snatch(?:es)?|thanks?|gratefully|pockets|puts|holds|keeps|swallows|eats|devours|"
    r"gobbles|drinks|(?:you|i) (?:give|hand|offer|feed|pass))\b",
    re.I,
)
_PARTED = re.compile(
    r"\b(?:done|dropped|deposited|ok|okay|is now (?:in|on|at)|falls?|lands?|drops?|"
    r"slides?(?! (?:[a-z]+ly )?(?:open|shut|aside|back|apart))|disappears?|(?<!n't )(?<!not )fits?|"
    r"(?:you|i) (?:now )?(?:put|place|insert|drop|throw|set|hang|slide|lay|toss|leave|stick|tie|hide|"
    r"attach|load))\b",
    re.I,
)
_FLEW = re.compile(
    r"^[^.!?]*\b(?:kill(?:s|ed)?|hits?|strikes?|miss(?:es|ed)?|dodges?|bounces?|clatters?|impales?|flies)\b",
    re.I,
)
"""What comes of a throw."""
_DECLINED = re.compile(
    r"(?:\bnot|n't|\bno)\b[^.!?]{0,30}\b(?:interest|want|need|care|take|accept)|"
    r"\b(?:refuses|declines|but no|thanks?(?: you)?,? but|no,? thanks?)\b",
    re.I,
)


class TextInventory:
    """The names of carried things, by what was taken, dropped and listed."""

    def __init__(self) -> None:
        self._held: dict[str, None] = {}
        self._is_listed = False
        """Whether the game has listed everything held in this episode."""
        self._at_opening: tuple[str, ...] | None = None
        """What an episode begins with; None: it was not asked for before anything was taken or laid down."""
        self._stowed: dict[str, str] = {}
        """By name, the noun of the held thing into which it was put: batteries into a flashlight."""
        self._laid_down: dict[str, None] = {}
        """The whole names of what was held before in this episode."""
        self._is_untouched = True
        """Whether nothing has been taken or laid down in this episode."""

    def things(self, step: StepTaken, here: Iterable[Thing] = ()) -> tuple[Thing, ...]:
        """The things carried after a step, as far as known. A repeat changes nothing.

        `here`: the things in the room before it, which may tell more of a name: `set` is a `set of keys`.
        """
        action, text = normal(step.action or ""), step.observation
        if step.action in (None, RESTART):
            self._held, self._is_listed = dict.fromkeys(self._at_opening or ()), self._at_opening is not None
            self._is_untouched = True
            self._laid_down.clear()
            self._stowed.clear()
            return tuple(map(thing_named, self._held))
        self._held.update(dict.fromkeys(handed_over_in(text)))
        if action == "inventory":
            self._held, self._is_listed = dict.fromkeys(self._in_hand(listed_in(text))), True
            self._at_opening = tuple(self._held) if self._is_untouched else self._at_opening
        elif action_kind_of(action) is ActionKind.TAKE:
            known = (*here, *map(thing_named, self._laid_down))
            self._held.update(dict.fromkeys(_full_name(name, known) for name in taken_by(action, text)))
            self._held.update(dict.fromkeys(self._proved_held(action, text)))
            for name in self._stowed.keys() & self._held.keys():
                del self._stowed[name]
            self._is_untouched = False
        elif _lets_go(action, text):
            self._drop(action, text)
            self._is_untouched = False
        self._lose(gone_in(text))
        return tuple(map(thing_named, self._held))

    def _proved_held(self, action: str, text: str) -> tuple[str, ...]:
        """What is said to be held already, unless it may be another word for what is known to be held."""
        each = answers_in(text)
        if not each and not self._held and TakeAnswer("", text).held:
            each = (TakeAnswer(object_of(action), text),)
        return () if self._is_listed else tuple(answer.name for answer in each if answer.held)

    def _in_hand(self, listed: Iterable[str]) -> Iterable[str]:
        """What is listed as held, without what was put into another thing of these."""
        names = tuple(listed)
        heads = frozenset(map(head_of, names))
        return (name for name in names if self._stowed.get(name) not in heads)

    def _lose(self, gone: frozenset[str]) -> None:
        for name in [name for name in self._held if head_of(name) in gone]:
            del self._held[name]

    def _drop(self, action: str, text: str) -> None:
        """Remove dropped things; the answer to `drop all` lists them by the game's own names."""
        target = head_of(action) if action_kind_of(action) is ActionKind.PLACE else ""
        object_named = _FROM.split(action.partition(" ")[2])[0].partition(" to ")[0].partition(" at ")[0]
        each = (*_EACH_DROPPED.findall(text), *_THE_ONE.findall(text))
        named = {object_named, *(name.split()[-1].lower() for name in each)}
        for name in [
            name for name in self._held if not named.isdisjoint((name, name.split()[-1], head_of(name)))
        ]:
            del self._held[name]
            self._laid_down[name] = None
            if target and any(head_of(other) == target for other in self._held):
                self._stowed[name] = target


@lru_cache(maxsize=1024)
def thing_named(name: str) -> Thing:
    """A thing of which only the name is known; its number is 0, which no object has."""
    return Thing(id=0, name=name)


def taken_by(action: str, text: str) -> tuple[str, ...]:
    """The names of the things that an action has taken; the answer to `take all` lists them."""
    each = answers_in(text)
    if each:
        return tuple(answer.name for answer in each if answer.taken)
    name = object_of(action)
    return (name,) if name and name != "all" and TakeAnswer(name, text).taken else ()


def _full_name(name: str, here: Iterable[Thing]) -> str:
    """The name by which a thing was seen, if only one has this word."""
    found = {thing.name for thing in here if name in words_of(thing.name)} - {name}
    return found.pop() if len(found) == 1 else name


def _lets_go(action: str, text: str) -> bool:
    """Whether an action that would part with a thing has done so: the text must say that it is gone, or that
    it was not there to be dropped."""
    kind = action_kind_of(action)
    if action.startswith("throw ") and _FLEW.search(text):
        return True
    if kind not in _RELEASING:
        return False
    if is_fruitless(text):
        return kind is ActionKind.DROP and MISSING.search(text) is not None
    if kind is ActionKind.GIVE:
        return bool(_ACCEPTED.search(text) and not _DECLINED.search(text))
    return kind is ActionKind.CONSUME or _PARTED.search(text) is not None


@lru_cache(maxsize=128)
def handed_over_in(text: str) -> tuple[str, ...]:
    """The names of things that the player has received without taking them."""
    refused = is_fruitless(text.rpartition(")")[2].strip()) or "already" in text
    taken = () if refused else (name.strip().lower() for name in _TAKEN_FIRST.findall(text))
    object_named = (next(nouns_of(thing), None) for thing in _GIVEN.findall(text))
    return (*taken, *(name for name in object_named if name is not None))


@lru_cache(maxsize=128)
def gone_in(text: str) -> frozenset[str]:
    """The words for things that vanish: for `the old scroll on which it stood vanishes`, old and scroll."""
    subjects = (words_of(named) for named in _GONE.findall(text))
    return frozenset(
        word for words in subjects for word in takewhile(lambda word: word not in NAME_END, words)
    )


def object_of(action: str) -> str:
    """The object of an action, in the player's words: for `pick up the lamp from the table`, `lamp`."""
    rest = _FROM.split(normal(action).partition(" ")[2])[0]
    return rest.removeprefix("up ").removesuffix(" up")
