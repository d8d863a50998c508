"""What kind of deed an action is, and how much such deeds are worth trying, best first."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from folds.vocabulary.actions import ALL_DIRECTIONS, CONVERSATION, normal


class Deed(StrEnum):
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


_WORDS: Mapping[Deed, str] = {
    Deed.MOVE: "enter board climb exit leave cross descend ascend follow disembark crawl stand",
    Deed.TAKE: "take pick grab carry catch collect obtain steal",
    Deed.OPEN: "open unlock unwrap uncover unlatch unfasten unseal pry raise",
    Deed.LIGHT: "light ignite",
    Deed.READ: "read",
    Deed.EXAMINE: "examine inspect describe study watch",
    Deed.SEARCH: "look search listen smell sniff taste feel consult",
    Deed.USE: (
        "use untie fill plug mix connect play blow ring wind set type dial repair fix oil dig pour dip apply"
    ),
    Deed.HANDLE: (
        "push pull turn move lift press touch rub shake wave knock twist rotate slide switch flip "
        "kick roll squeeze swing tug shove clean polish wipe wash start activate"
    ),
    Deed.GIVE: "give show offer feed pay bribe hand",
    Deed.WEAR: "wear don",
    Deed.CONSUME: "eat drink swallow sip bite chew",
    Deed.PLACE: "put insert place hang attach stick tie fasten hide load",
    Deed.ATTACK: (
        "attack kill hit break smash cut fight burn destroy stab shoot throw strike punch tear "
        "slice chop murder squash torch hurl"
    ),
    Deed.UNDO: ("close lock shut extinguish remove disrobe doff empty detach deflate lower sit lie sleep"),
    Deed.DROP: "drop discard",
    Deed.WAIT: (
        "wait inventory score verbose brief yes no again save quit restart undo pray think wish curse"
    ),
    Deed.TALK: " ".join((*sorted(CONVERSATION), "greet hello thank yell shout sing wake kiss hug")),
}
_DEED = {word: deed for deed, words in _WORDS.items() for word in words.split()}
_SHOVING = frozenset("push pull move slide drag shove".split())
"""Verbs with which a thing is put elsewhere, where it is said to what."""
_PHRASES: Mapping[str, Deed] = {
    "turn on": Deed.LIGHT, "switch on": Deed.LIGHT, "turn off": Deed.UNDO, "switch off": Deed.UNDO,
    "blow out": Deed.UNDO, "put out": Deed.UNDO, "put down": Deed.DROP, "put on": Deed.WEAR,
    "take off": Deed.UNDO, "get off": Deed.MOVE, "get out": Deed.MOVE, "get in": Deed.MOVE,
    "get on": Deed.MOVE, "get into": Deed.MOVE, "get onto": Deed.MOVE, "get up": Deed.MOVE,
    "get down": Deed.MOVE, "take inventory": Deed.WAIT, "pick up": Deed.TAKE, "stand up": Deed.MOVE,
    "stand on": Deed.MOVE, "go through": Deed.MOVE, "go in": Deed.MOVE, "go around": Deed.MOVE,
    "throw away": Deed.DROP, "light up": Deed.LIGHT, "lie down": Deed.UNDO, "sit on": Deed.MOVE,
}  # fmt: skip

WORTH: Mapping[Deed, int] = {
    Deed.TAKE: 100, Deed.OPEN: 80, Deed.MOVE: 70, Deed.LIGHT: 56, Deed.READ: 54, Deed.USE: 48,
    Deed.HANDLE: 66, Deed.EXAMINE: 44, Deed.GIVE: 36, Deed.WEAR: 34, Deed.SEARCH: 32, Deed.PLACE: 28,
    Deed.TALK: 26, Deed.OTHER: 24, Deed.CONSUME: 8, Deed.ATTACK: 14, Deed.UNDO: 6, Deed.WAIT: 4,
    Deed.DROP: 2,
}  # fmt: skip
"""How much an untried action of a kind is worth: what opens the world before what merely rearranges it."""


@lru_cache(maxsize=8192)
def deed_of(action: str) -> Deed:
    """The kind of deed that an action is, by its verb."""
    words = normal(action).split()
    if not words:
        return Deed.WAIT
    if words[0] in ALL_DIRECTIONS and len(words) == 1:
        return Deed.MOVE
    phrase = _PHRASES.get(" ".join(words[:2]))
    if phrase is Deed.WEAR and len(words) > 3:  # `put on the table` is written `put X on table`
        phrase = Deed.PLACE
    if words[0] in _SHOVING and "to" in words[2:]:
        return Deed.PLACE
    return phrase or _DEED.get(words[0], Deed.OTHER)


def worth_of(action: str) -> int:
    """How much an untried action is worth, from 0 to 100."""
    return WORTH[deed_of(action)]
