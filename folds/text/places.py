"""Finds the place in a text without a heading: `You are in a rock garden. There are paths …`"""

from __future__ import annotations

import re
from functools import lru_cache

from folds.text.headings import HEADING_LENGTH
from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import directions_in

_WHERE = (
    "in|on|at|by|inside|outside|near|beside|under|underneath|below|above|between|within|before|beneath|atop|"
    "upon|along|among|amongst|behind|aboard|surrounded|facing|next to|halfway|deep|high|part way|somewhere"
)
_TOLD = re.compile(
    r"^\W*(?:you(?:'re| are| stand| find yourself)|i(?:'m| am| stand))"
    r"(?: (?:now|still|back|again|once more|just|currently))?"
    r"(?: (?:standing|sitting|lying|walking|wandering|travelling|crouching|swimming))?"
    rf" (?P<where>(?:{_WHERE})\b(?! (?:no|a hurry|trouble|danger|luck)\b)[^.!?;:]*)",
    re.I,
)
_LIKE_A_PLACE = re.compile(r"^\W*(?:this is|here is|the|a|an)\b", re.I)
_HERE = re.compile(r"\b(?:here|there (?:is|are)|leads?|exits?|paths?|passages?)\b", re.I)
_LONG = 120
"""Characters of what is hardly said of a way that leads nowhere."""
_BARE = re.compile(r"^(?:(?:in|on|at) )?(?:the|a|an|some) ", re.I)
_BARRING = re.compile(r"\b(?:blocks?|bars?|blocking|barring|in) (?:your|the|my|our) (?:way|path)\b", re.I)
_LISTING = re.compile(r"[.!] there (?:is|are) [^.!]*\bhere\b", re.I)
"""What only a description ends with: `A wall blocks your way. There is an ogre here.`"""
_SENTENCE = re.compile(r"(?<=[.!?]) ")


@lru_cache(maxsize=128)
def place_told_in(text: str, *, surely: bool = True) -> str:
    """The place that the first sentence of a text names, as a name; empty: it names none.

    Not `surely`: a later sentence is enough (`Your lamp goes on. You are in a tunnel.`), and any first one in
    a text that describes, and refuses nothing.
    """
    flat = " ".join(text.partition("\n\n")[0].split())
    found = _TOLD.match(flat)
    if found is not None:
        return _name(found["where"])
    if surely or is_fruitless(flat):
        return ""
    told = next(filter(None, map(_TOLD.match, _SENTENCE.split(flat)[1:])), None)
    if told is not None:
        return _name(told["where"])
    return beginning_of(flat) if _describes(flat) else ""


def beginning_of(text: str) -> str:
    """The first sentence of a text, as a name."""
    return _name(re.split(r"[.!?;:]", " ".join(text.split()))[0])


def _describes(text: str) -> bool:
    if _BARRING.search(text) and not _LISTING.search(text):
        return False
    tells_ways = len(text) >= _LONG or bool(directions_in(text))
    return bool(_LIKE_A_PLACE.match(text) and _HERE.search(text)) and tells_ways


def _name(where: str) -> str:
    """A short name: `Rock garden` for `in the rock garden`."""
    name = _BARE.sub("", where.strip())
    if len(name) > HEADING_LENGTH:
        name = name[:HEADING_LENGTH].rpartition(" ")[0]
    return name[:1].upper() + name[1:].rstrip(" ,")
