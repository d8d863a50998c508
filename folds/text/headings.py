"""Finds the headings of rooms in a game's text: short lines without a full stop, a description below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

BY_TEXT = "name:"
"""The prefix of the id of a room that is known only by its heading."""

HEADING_LENGTH = 45
_INSIDE = re.compile(
    r"\s*(\((?:in|on|at|under|behind|sitting|standing|lying)\b.*\)|, (?:in|on|at|under|behind) .*)$"
)
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_DECORATION = "<>*=~ "
_FRAME = "-_|#+=~*<> "
"""What a name may stand in, if on both sides: `-= Kitchen =-`. Before it alone, a dash is of another kind."""
_SMALL = frozenset("of the in on at a an and to by with from under near for de la".split())
_NOT_HEADINGS = ("release", "serial", "copyright", "version", "inform", "revision")
_GOING_ON = frozenset("of a an the and to by from with under for".split())
"""Words with which no name ends."""
_IN_SENTENCES = frozenset(
    """
    i you he she it they we that this there here what which who how when if as but then nothing nobody
    something is are am was were be been being isn't aren't can can't cannot could do does did don't doesn't
    didn't has have had will won't would must may not you're i'm it's that's there's you've i've and says
    say said please press type taken dropped ok okay done yes
    """.split()
)
"""Words that make a line with small letters a sentence, or part of one, and no name."""
_LONGEST_PLAIN = 6
"""Words of a name that is written like a sentence: `On the upper deck`."""
_LONGEST_SMALL = 3
"""The same of one without capitals that a description follows: `your room`."""
_LISTS = re.compile(r"\n\s*\nYou can (?:also )?see [^\n]+ here\.")
"""What the library lists below a description, which may lack its full stop."""
_DESCRIBES = re.compile(r"(?:you(?:'re)?|this|there|it|an?|the|to|on|in) .{30,}[.!?]$")
"""A description that begins with a small letter; the rest of a sentence might, too."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that looks like the name of a room."""

    name: str
    below: str
    """The text below it."""
    line: str
    """The line as it was printed."""
    first: bool
    """Whether no text comes before it."""
    plain: bool = False
    """Whether it is written like a sentence: `On the deck`. Any short line may look like that."""

    @property
    def described(self) -> bool:
        """Whether a text follows directly below, like a room's description."""
        line = self.below[1:].partition("\n")[0].strip()
        if not self.below.startswith("\n") or not line:
            return False
        names_it = self.name.lower() in line.lower()
        is_told = names_it or line[-1] in ".!?" or _LISTS.search(self.below) is not None
        is_small = self.name.count(" ") < _LONGEST_SMALL and is_told
        if line[0].islower() and self.plain:
            return is_small and _DESCRIBES.match(line) is not None
        return not self.plain or self.name[0].isupper() or is_small


@lru_cache(maxsize=128)
def headings_in(text: str) -> tuple[Heading, ...]:
    """The headings that begin a paragraph, in order; also one at the end of the text."""
    return tuple(_headings(text.strip()))


def _headings(text: str) -> Iterator[Heading]:
    at, begins = 0, True
    for line in text.split("\n"):
        end = at + len(line)
        name, plain = _named_by(line) if begins else ("", False)
        if name:
            yield Heading(name, text[end:], line, first=at == 0, plain=plain)
        begins, at = not line.strip() or line.rstrip()[-1] in ".!?\")'", end + 1


def without_headings(text: str) -> str:
    """The text without the lines that name its rooms."""
    named = {found.line for found in headings_in(text)}
    return "\n".join(line for line in text.split("\n") if line not in named) if named else text


def described_in(opening: str) -> Heading | None:
    """The heading of the first room in an opening, after the preface."""
    return next((found for found in reversed(headings_in(opening)) if found.described), None)


def _named_by(line: str) -> tuple[str, bool]:
    """The room that a line names, without a place in it: `Kitchen (on the table)`; whether it is plain."""
    written = line.strip()
    if not written or len(written) > 2 * HEADING_LENGTH:
        return "", False
    is_framed = written[0] in _FRAME and written[-1] in _FRAME
    bare = written.strip(_FRAME if is_framed else _DECORATION)
    name = _INSIDE.sub("", bare)
    if name != bare and bare.endswith(")"):
        name = name.removeprefix("The ")
    words = _ASIDE.sub("", name).split()
    if not words or not _may_be_a_name(name, words):
        return "", False
    if bare != written or all(map(_is_large, words)):
        return name, False
    return (name, True) if _reads_like_a_place(words) else ("", False)


def _may_be_a_name(name: str, words: list[str]) -> bool:
    if len(name) > HEADING_LENGTH or words[-1][-1] in ".!?:;,\"'])>":
        return False
    if words[-1] in _GOING_ON:
        return False
    if name.lower().startswith(_NOT_HEADINGS) or not name[0].isalnum():
        return False
    return any(c.isalpha() for c in name)


def _is_large(word: str) -> bool:
    return word[0].isupper() or not word[0].isalpha() or word in _SMALL


def _reads_like_a_place(words: list[str]) -> bool:
    """Whether words are a phrase without a verb, as far as that can be seen."""
    is_short = len(words) <= _LONGEST_PLAIN
    return is_short and _IN_SENTENCES.isdisjoint(word.lower().strip(",") for word in words)
