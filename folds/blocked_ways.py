"""Ways that were refused, with what was said: a way with a reason of its own is barred, and may open."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache

from folds.text.phrases import is_fruitless, is_refused
from folds.text.ways import ways_in
from folds.vocabulary.actions import ALL_DIRECTIONS, direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import StepTaken

STOCK_AT = 3
"""Ways refused in the same words from which on these words tell nothing of any of them."""
_MANY = 5
"""Ways of one room, refused in the same words, of which each is tried again for itself; of more, only one."""
TEXT_LENGTH = 160
_LONG = 40
"""Characters from which on a refusal that is not the game's usual one tells a reason."""

_STOCK = re.compile(
    r"\b(?:can't|cannot|can not|unable to|couldn't|don't) (?:go|walk|move|travel|head|wander|get)\b"
    r"(?: (?:in|to|any))?(?: (?:that|there|this|further|way|direction|off|very far|_|from here))|"
    r"\bno (?:exits?|ways?|paths?|passages?|directions?)\b|\bnowhere to\b|"
    r"\bnothing (?:in|to|that way)\b|\bcan only go\b|\bonly (?:exits?|ways?)\b|\bwalls? that way|"
    r"\b(?:aren't|are not) (?:in|on|_) anything\b",
    re.I,
)
_FREEING = (ActionKind.OPEN, ActionKind.USE, ActionKind.HANDLE, ActionKind.GIVE)
_WAY = re.compile(rf"\b(?:{'|'.join(sorted(ALL_DIRECTIONS, key=len, reverse=True))})\b", re.I)
_PASSAGE = re.compile(
    r"\b(?:door|gate|passage|passageway|opening|exit|path|hole|tunnel|stairs|staircase|hatch|grating|trapdoor|way)\b",
    re.I,
)
_REVEALED = re.compile(
    r"\b(?:appears?|reveal(?:s|ed|ing)?|uncover(?:s|ed|ing)?|expos(?:es|ed|ing)|discover)\b", re.I
)
_DEFEATED = re.compile(
    r"\b(?:dies|died|dead|kill(?:s|ed)?|slain|collapses|falls|flees|runs? away|vanish(?:es)?|disappears?|"
    r"defeated|unconscious|leaves|departs)\b",
    re.I,
)
_DEPARTED = re.compile(
    r"\b(?:(?:disappear|vanish)(?:s|es|ing)|flees|departs|leaves the room|is gone|"
    r"(?:runs|walks|wanders|storms|scurries|hurries|slinks|flies|rides|swims) (?:away|off|out))\b",
    re.I,
)
"""Somebody has gone, whatever the player did."""
_OPENS = re.compile(
    r"\b(?P<noun>door|gate|hatch|hatchway|bulkhead|portcullis|portal|panel|grating|trapdoor|wall|drawbridge|"
    r"elevator|lift|airlock|entrance|doorway)s?\b(?: [a-z]+ly)? "
    r"(?:(?:slides?|swings?|springs?|bursts?|flies|fly|creaks?|pops?|grinds?|rolls?|glides?|snaps?|hiss(?:es)?|"
    r"is flung|is thrown)(?: [a-z]+ly)? open\b|opens(?: (?:slowly|by itself|suddenly))?[.,!;])",
    re.I,
)
"""Something opens, whatever the player did."""


class BlockedWays:
    """The ways of a session that led nowhere, by room, and those that an action may have freed since."""

    def __init__(self) -> None:
        self.by_room: dict[str, set[str]] = defaultdict(set)
        self.freed: dict[str, set[str]] = defaultdict(set)
        self._texts: dict[str, dict[str, str]] = defaultdict(dict)
        self._uses: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self.openers: dict[str, dict[str, str]] = defaultdict(dict)
        """By room and way, the action that freed the way before it led somewhere."""
        self._freed_by: dict[str, dict[str, str]] = defaultdict(dict)
        self.opened_at: dict[str, int] = {}
        """By room, the step whose text told of something that opens, and had refused a way there before."""
        self._answers: set[str] = set()
        """What was said when ways were freed; said again, it frees nothing."""

    def note(self, room: str, way: str, text: str) -> None:
        """A way has led nowhere, with this text."""
        self.by_room[room].add(way)
        self.freed[room].discard(way)
        self._freed_by[room].pop(way, None)
        self._texts[room][way] = _first_paragraph(text)
        self._uses[_pattern(text)].add((room, way))

    def open(self, room: str, way: str) -> None:
        """A way has led somewhere: what had refused it there before was said in passing."""
        self.by_room[room].discard(way)
        self.freed[room].discard(way)
        if way in self._freed_by[room]:
            self.openers[room][way] = self._freed_by[room].pop(way)
        said = _pattern(self._texts[room].pop(way, ""))
        if said and _tells_a_reason(said):
            self.free(room, {each for start, each in self._uses[said] if start == room and each != way})

    def barred(self, room: str, named: Container[str] = ()) -> Mapping[str, str]:
        """The blocked ways of a room that are refused for a reason of their own, with the text.

        What is said of many ways is no reason of their own, but for those that the room's text names; of very
        many of these one stands for all, which are free once it is.
        """
        texts = self._texts.get(room, {})
        barred = [
            way
            for way in sorted(self.by_room.get(room, ()))
            if way in texts and self._is_own(texts[way], is_named=way in named)
        ]
        said = Counter(_pattern(texts[way]) for way in barred)
        first = {pattern: way for way in reversed(barred) if said[pattern := _pattern(texts[way])] > _MANY}
        return {way: texts[way] for way in barred if first.get(_pattern(texts[way]), way) == way}

    def free(self, room: str, ways: Iterable[str]) -> None:
        """An action may have opened ways of a room."""
        self.freed[room].update(ways)
        self.by_room[room].difference_update(self.freed[room])

    def hear(self, step: StepTaken) -> None:
        """Free the ways of all rooms that were refused because of something that opens, as a text tells."""
        for noun in opening_in(step.observation):
            named = re.compile(rf"\b{noun}s?\b", re.I)
            for room, texts in self._texts.items():
                if ways := [way for way, said in texts.items() if named.search(said)]:
                    self.free(room, ways)
                    self.opened_at[room] = step.step

    def reopen(self, room: str, step: StepTaken, hinted: Container[str]) -> None:
        """Free what a step in this room may have opened: what was barred, and what its text names."""
        text, blocked = step.observation, self.by_room.get(room, set())
        said = text if _DEPARTED.search(text) else _first_paragraph(text)
        is_news = bool(step.world) or said not in self._answers
        if not blocked or not (opening_in(text) or (is_news and _may_free(step))):
            return
        self._answers.add(said)
        named = blocked & set(ways_in(text))
        barred = self.barred(room, hinted)
        freed = {*named, *barred}
        self.free(room, freed)
        if direction_of(step.action or "") is None:
            self._freed_by[room].update(dict.fromkeys(freed, normal(step.action or "")))
        is_unclear = not named and (not barred or _REVEALED.search(text))
        if is_unclear and _PASSAGE.search(text) and not _DEPARTED.search(text):
            self.by_room[room].clear()

    def _is_own(self, text: str, *, is_named: bool) -> bool:
        is_rare = is_named or len(self._uses[_pattern(text)]) < STOCK_AT
        return bool(text) and is_rare and (_tells_a_reason(text) or self._is_unusual(text))

    def _is_unusual(self, text: str) -> bool:
        """Whether a long refusal is another than the game's usual one, which is said of many ways."""
        said = _pattern(text)
        if len(said) <= _LONG or is_refused(text):
            return False
        return any(len(ways) >= STOCK_AT for other, ways in self._uses.items() if other != said)


@lru_cache(maxsize=128)
def opening_in(text: str) -> tuple[str, ...]:
    """The nouns of what opens, whatever the player did, as a text tells."""
    return tuple(dict.fromkeys(found["noun"].lower() for found in _OPENS.finditer(text)))


def _may_free(step: StepTaken) -> bool:
    kind = action_kind_of(step.action or "")
    if _DEPARTED.search(step.observation):
        return True
    if kind is ActionKind.ATTACK:
        return bool(_DEFEATED.search(step.observation))
    if kind not in _FREEING or not (step.reward > 0 or step.changed):
        return False
    return bool(step.world) or not is_fruitless(step.observation)


@lru_cache(maxsize=4096)
def _tells_a_reason(text: str) -> bool:
    return not (is_refused(text) or _STOCK.search(_pattern(text)))


def _first_paragraph(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())[:TEXT_LENGTH]


@lru_cache(maxsize=4096)
def _pattern(text: str) -> str:
    """A refusal without the direction that it names."""
    return _WAY.sub("_", _first_paragraph(text)).lower()
