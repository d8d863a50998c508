"""Finds the ways out of a room that its text names: `a path leads north`, `exits are south and down`."""

from __future__ import annotations

import re
from functools import lru_cache

from folds.text.headings import described_in, without_headings
from folds.vocabulary.actions import DIRECTIONS, SHIP
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import RESTART, StepTaken

_ABOUT_ELSEWHERE = (ActionKind.READ, ActionKind.TALK)

_COMPASS = r"(?:north|south)[ -]?(?:east|west)(?!-)|north|south|east|west"
_BY_COMPASS = re.compile(
    rf"(?<![a-z])(?P<way>{_COMPASS})(?:wards?|erly|ern)?\b"
    r"(?! (?:wall|side|end|corner|edge|bank|half|part|wind|face|window)s?\b(?! (?:door|exit)))",
    re.I,
)
_LEADING = (
    r"(?:leads?|leading|led|goe?s?|going|climbs?|climbing|runs?|running|heads?|heading|winds?|winding|slopes?|"
    r"sloping|rises?|descends?|ascends?|continues?|stairs?|staircase|stairway|steps|ladder|path|passage|shaft|"
    r"tunnel|exits?(?: (?:is|are|lie|lies|lead|leads))?:?|slide|chute)"
)
_AND = r"(?:north|south|east|west|up|down|in|out)(?:east|west)?"
_VERTICAL = re.compile(
    rf"\b{_LEADING}(?: (?:back|further|straight|steeply|both|either|only|is|are))*"
    r" (?P<one>up|down)(?:wards?)?(?: (?:and|or) (?P<other>up|down)(?:wards?)?)?\b"
    rf"|\b{_AND}(?:,| and| or|, and|, or) (?P<last>up|down)\b"
    rf"|\b(?P<first>up|down)(?:,| and| or|, and|, or) (?:the )?{_AND}\b"
    r"|\b(?P<along>up|down)(?: the)? (?:\w+ )?(?:stairs?|staircase|stairway|steps|ladder)\b"
    r"|\b(?P<stairs>up|down)stairs\b",
    re.I,
)
_STAIRS = re.compile(r"\b(?:stairs?|staircase|stairway|stairwell|ladder)\b", re.I)
"""They lead up or down, where a text does not say which."""
_VEHICLE = (
    r"(?P<noun>ferry|ferryboat|boat|ship|raft|gondola|train|tram|subway|streetcar|bus|taxi|cab|carriage|coach|"
    r"stagecoach|sleigh|balloon|shuttle|ski-?lift|cable car)"
)
_ARRIVING = re.compile(
    rf"\b{_VEHICLE}\b(?: [a-z]+){{0,3}}? (?:arrives|lands|docks|(?:rolls|pulls|draws|drives|comes) (?:up|in)|"
    r"stops|halts|approaches the (?:pier|platform|dock|shore|kerb|curb)|is (?:now )?waiting)\b",
    re.I,
)
"""Something arrives into which one can get."""
_PIT = re.compile(
    r"\b(?:an?|the|this|one|old|deep|dark|dry|stone|open|abandoned|narrow|small|large|rusty|iron) "
    r"(?:well|pit|shaft|manhole|hatch|trap-?door|trap door|grating|burrow)\b(?!-)",
    re.I,
)
"""It leads down, even where a text does not say so."""
_LIST = re.compile(r"\bexits?\b[^.\n:]{0,30}:(?P<list>[^.\n]*)", re.I)
_ALL_LISTED = re.compile(
    r"\b(?:obvious|visible|possible|available) (?:exits?|ways?(?: out)?)\b|\bexits?\b[^.\n:]{0,30}:", re.I
)
_NONE_LISTED = re.compile(r"\bexits?\b[^.\n:]{0,30}: ?none\b", re.I)
_ONE = rf"(?:{_COMPASS}|up|down|in|out)"
_YOU_CAN_GO = r"\b(?:you|i|we) can (?:only |still )?(?:go|move|walk|head|travel|exit)"
_CAN_GO = re.compile(
    rf"{_YOU_CAN_GO}(?: only)? "
    rf"(?P<list>{_ONE}(?:(?:,? and |,? or |, ?){_ONE})*)(?=[.;!]|$)",
    re.I,
)
"""`I can't go in that direction, but I can move north and in.`"""
_WITH_ENDS = re.compile(rf"{_YOU_CAN_GO} (?P<list>[^.!?;]+)", re.I)
_UP_OR_DOWN = re.compile(r"(?:^|, |\bor |\band )(?P<way>up|down)\b", re.I)
"""`You can go north to the bar, up to your office, or down to the docks.`"""
_SHORT = {"n": "north", "s": "south", "e": "east", "w": "west", "u": "up", "d": "down",
          "ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest"}  # fmt: skip
_NEGATED = re.compile(
    r"\b(?:can't|cannot|can not|no(?! more| longer| doubt)|(?<!why )not|nothing|neither|nor|isn't|aren't|"
    r"don't|doesn't|won't|without|unable)\b(?! only)"
    r"(?:(?!\b(?:but|except|only|however|although|though|until|unless|you can)\b)[^.;!?])*",
    re.I,
)
_EVERYWHERE = re.compile(
    r"\b(?:in|to|from) (?:all|every|any)(?: (?:other|four|eight|compass))* directions?\b", re.I
)
"""All eight of the compass."""
_PASSAGES = (
    r"\b(?:openings|passages|passageways|tunnels|paths|corridors|doors|doorways|exits|trails|hallways|archways|"
    r"arches|crawlways|branch(?:es)?)\b[^.;:]{0,40}?"
)
_SIDEWAYS = re.compile(
    rf"{_PASSAGES}\b(?:on|to|at|along) (?:either|both|all|each|every) (?:sides?|hands?)\b", re.I
)
"""`There are openings to either side.`"""
_SEVERAL = re.compile(
    rf"{_PASSAGES}\b(?:in|into|from) (?:many|several|various|different|numerous|other) directions\b(?!:)",
    re.I,
)
"""`There are passages in various directions.`"""
_DOOR = re.compile(r"\b(?:doors?|doorway|gates?|gateway|archway|entrance|opening)\b", re.I)
_SENTENCE_END = re.compile(r"[.!?;]")
_ABOARD = re.compile(rf"\b(?:{'|'.join(SHIP)})\b", re.I)


def ways_named_by(step: StepTaken) -> tuple[str, ...]:
    """The ways that a step's text names in its room; what is read or said is about other places."""
    if action_kind_of(step.action or "") in _ABOUT_ELSEWHERE:
        return ()
    opening = described_in(step.observation) if step.action in (None, RESTART) else None
    return ways_in(opening.below if opening else without_headings(step.observation))


@lru_cache(maxsize=256)
def lists_ways(text: str) -> bool:
    """Whether a text lists a room's ways out, so that few others lead out of it: `Obvious exits: N, Up`"""
    lists_some = _ALL_LISTED.search(text) is not None and bool(ways_in(text))
    return lists_some or _NONE_LISTED.search(text) is not None


def tells_other_ways(refusal: str) -> bool:
    """Whether the refusal of a way tells which ways there are: `You can't go that way. You can go north.`"""
    return _CAN_GO.search(refusal) is not None


@lru_cache(maxsize=256)
def ways_in(text: str) -> tuple[str, ...]:
    """The ways that a text names as open, or does not name as closed; in the order of the directions."""
    told = _NEGATED.sub(" ", " ".join(text.split()))
    found = {_one_word(each["way"]) for each in _BY_COMPASS.finditer(told)}
    found |= {way.lower() for each in _VERTICAL.finditer(told) for way in each.groups() if way}
    if not found & {"up", "down"} and _STAIRS.search(told):
        found |= {"up", "down"}
    if _PIT.search(told):
        found.add("down")
    for listed in _CAN_GO.finditer(told):
        found |= {_one_word(way) for way in re.findall(_ONE, listed["list"], re.I)}
    for listed in _WITH_ENDS.finditer(told):
        found |= {each["way"].lower() for each in _UP_OR_DOWN.finditer(listed["list"])}
    for listed in _LIST.finditer(text):
        words = re.findall(r"[a-z]+", listed["list"].lower())
        found |= {_SHORT.get(word, word) for word in words}
    if _EVERYWHERE.search(told) or _SEVERAL.search(told):
        found.update(DIRECTIONS[:8])
    if _SIDEWAYS.search(told):
        found.update(DIRECTIONS[:4])
    aboard = {way.lower() for way in _ABOARD.findall(told)}
    if aboard & {"aft", "starboard"}:  # `port` alone is a harbour or a wine
        found |= aboard
    return tuple(way for way in (*DIRECTIONS, *SHIP) if way in found)


def doors_on_ways_in(text: str) -> frozenset[str]:
    """The doors and the like that a text places in a direction: `A door leads north`."""
    sentences = _SENTENCE_END.split(text)
    doors = (found[0].lower() for each in sentences if ways_in(each) for found in _DOOR.finditer(each))
    return frozenset(doors)


def _one_word(way: str) -> str:
    return re.sub("[ -]", "", way.lower())


@lru_cache(maxsize=128)
def arriving_in(text: str) -> tuple[str, ...]:
    """The nouns of the vehicles that have arrived, as a text tells: `A ferry lands at the pier.`"""
    return tuple(dict.fromkeys(found["noun"].lower() for found in _ARRIVING.finditer(text)))
