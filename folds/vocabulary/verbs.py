"""The kind of an action, by its verb, and the utility of an untried action of each kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from folds.vocabulary.actions import ALL_DIRECTIONS, CONVERSATION, normal


class ActionKind(StrEnum):
    """The kinds of things a player does."""

    MOVE = "move"
    TAKE = "take"
    OPEN = "open"
    LIGHT = "light"
    READ = "read"
    EXAMINE = "examine"
    SEARCH = "search"
    USE = "use"
    HANDLE = "handle"
    GIVE = "give"
    WEAR = "wear"
    CONSUME = "consume"
    TALK = "talk"
    PLACE = "place"
    ATTACK = "attack"
    UNDO = "undo"
    DROP = "drop"
    WAIT = "wait"
    OTHER = "other"


_WORDS: Mapping[ActionKind, str] = {
    ActionKind.MOVE: "enter board climb exit leave cross descend ascend follow disembark crawl stand",
    ActionKind.TAKE: "take pick grab carry catch collect obtain steal",
    ActionKind.OPEN: "open unlock unwrap uncover unlatch unfasten unseal pry raise",
    ActionKind.LIGHT: "light ignite",
    ActionKind.READ: "read",
    ActionKind.EXAMINE: "examine inspect describe study watch",
    ActionKind.SEARCH: "look search listen smell sniff taste feel consult",
    ActionKind.USE: (
        "use untie fill plug mix connect play blow ring wind set type dial repair fix oil dig pour dip apply"
    ),
    ActionKind.HANDLE: (
        "push pull turn move lift press touch rub shake wave knock twist rotate slide switch flip "
        "kick roll squeeze swing tug shove clean polish wipe wash start activate"
    ),
    ActionKind.GIVE: "give show offer feed pay bribe hand",
    ActionKind.WEAR: "wear don",
    ActionKind.CONSUME: "eat drink swallow sip bite chew",
    ActionKind.PLACE: "put insert place hang attach stick tie fasten hide load",
    ActionKind.ATTACK: (
        "attack kill hit break smash cut fight burn destroy stab shoot throw strike punch tear "
        "slice chop murder squash torch hurl"
    ),
    ActionKind.UNDO: (
        "close lock shut extinguish remove disrobe doff empty detach deflate lower sit lie sleep"
    ),
    ActionKind.DROP: "drop discard",
    ActionKind.WAIT: (
        "wait inventory score verbose brief yes no again save quit restart undo pray think wish curse"
    ),
    ActionKind.TALK: " ".join((*sorted(CONVERSATION), "greet hello thank yell shout sing wake kiss hug")),
}
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_SHOVING = frozenset("push pull move slide drag shove".split())
"""Verbs that put a thing elsewhere if the action names a destination."""
_PHRASES_OF: Mapping[ActionKind, str] = {
    ActionKind.LIGHT: "turn on, switch on, light up",
    ActionKind.UNDO: "turn off, switch off, blow out, put out, take off, lie down",
    ActionKind.DROP: "put down, throw away",
    ActionKind.WEAR: "put on",
    ActionKind.MOVE: (
        "get off, get out, get in, get on, get into, get onto, get up, "
        "get down, stand up, stand on, go through, go in, go around, sit on"
    ),
    ActionKind.WAIT: "take inventory",
    ActionKind.TAKE: "pick up",
}
_PHRASES = {phrase: kind for kind, phrases in _PHRASES_OF.items() for phrase in phrases.split(", ")}

LOOKING = (ActionKind.EXAMINE, ActionKind.READ, ActionKind.SEARCH)
"""Kinds of actions that change only what the player knows."""
UTILITY: Mapping[ActionKind, int] = {
    ActionKind.TAKE: 100,
    ActionKind.OPEN: 80,
    ActionKind.MOVE: 70,
    ActionKind.HANDLE: 66,
    ActionKind.LIGHT: 56,
    ActionKind.READ: 54,
    ActionKind.USE: 48,
    ActionKind.EXAMINE: 44,
    ActionKind.GIVE: 36,
    ActionKind.WEAR: 34,
    ActionKind.SEARCH: 32,
    ActionKind.PLACE: 28,
    ActionKind.TALK: 26,
    ActionKind.OTHER: 24,
    ActionKind.ATTACK: 14,
    ActionKind.CONSUME: 8,
    ActionKind.UNDO: 6,
    ActionKind.WAIT: 4,
    ActionKind.DROP: 2,
}
"""Of an untried action, by kind: what opens the world comes before what merely rearranges it."""

_DOUBLED = re.compile(r"([bdgmnprt])\1$")
IRREGULAR: Mapping[str, str] = {
    "bent": "bend", "blown": "blow", "broken": "break", "cut": "cut", "eaten": "eat", "dug": "dig",
    "fed": "feed", "hit": "hit", "rung": "ring", "shaken": "shake", "struck": "strike", "swung": "swing",
    "torn": "tear", "thrown": "throw", "woken": "wake", "worn": "wear", "wound": "wind",
}  # fmt: skip
"""Participles that no rule forms, with their verbs."""
_MUTE_E = re.compile(r"(?:[cgsuvz]|(?<![aeiou])[aiou]t)$")
"""Stems of regular participles whose last consonant is doubled, and that have lost an e."""


@lru_cache(maxsize=8192)
def action_kind_of(action: str) -> ActionKind:
    """The kind of an action, by its verb."""
    words = normal(action).split()
    if not words:
        return ActionKind.WAIT
    if words[0] in ALL_DIRECTIONS and len(words) == 1:
        return ActionKind.MOVE
    phrase = _PHRASES.get(" ".join(words[:2]))
    if phrase is ActionKind.WEAR and len(words) > 3:  # `put on the table` is written `put X on table`
        phrase = ActionKind.PLACE
    if words[0] in _SHOVING and "to" in words[2:]:
        return ActionKind.PLACE
    return phrase or _KIND_OF.get(words[0], ActionKind.OTHER)


def base_utility(action: str) -> int:
    """The utility of an untried action, from 0 to 100."""
    return UTILITY[action_kind_of(action)]


def verb_of_participle(participle: str) -> str:
    """The verb of a participle: `extended` is of `extend`, `inflated` of `inflate`, `broken` of `break`."""
    if participle in IRREGULAR:
        return IRREGULAR[participle]
    stem = participle.removesuffix("ed")
    if _DOUBLED.search(stem):
        return stem[:-1]
    forms = (stem, f"{stem}e", f"{stem.removesuffix('i')}y")
    known = (form for form in forms if action_kind_of(form) is not ActionKind.OTHER)
    return next(known, f"{stem}e" if _MUTE_E.search(stem) else stem)
