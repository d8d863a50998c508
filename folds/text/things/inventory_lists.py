"""Reads the answer to `inventory`: things by lines, or in one sentence, carried or worn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

NAME_LENGTH = 40
_HEADER = re.compile(
    r"\b(?:carrying|holding|wearing|bearing|(?:you|i) (?:also )?have|'ve got|(?:has|have|got)(?=:)|possess|"
    r"possessions|inventory|in (?:your|my) hands?)\b(?: (?:on|with) (?:you|me))?"
    r"(?: (?:now|currently|at present|the following|these things|items?|things))*\s*:?",
    re.I,
)
_NOTHING = re.compile(r"\b(?:nothing|empty[- ]handed|not (?:carrying|holding|wearing))\b", re.I)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_ARTICLE = re.compile(r"^(?:an?|the|some|your|my|two|three|four|five|six|several|half an?)\s+", re.I)
_BETWEEN = re.compile(r"\n|,|;| - |\band (?=an? |the |some |your |my )")
_SENTENCE = re.compile(r"[.!?](?=\s|$)")


@lru_cache(maxsize=128)
def listed_in(text: str) -> tuple[str, ...]:
    """The names of the things that an answer to `inventory` lists, without articles and remarks."""
    names = (_name_of(part) for listing in _listings(text) for part in _BETWEEN.split(listing))
    return tuple(dict.fromkeys(name for name in names if 0 < len(name) <= NAME_LENGTH))


def _listings(text: str) -> Iterator[str]:
    """What stands below each header, or after it in its sentence."""
    expected = False
    for paragraph in re.split(r"\n[ \t]*\n", text.strip("\n")):
        header = _HEADER.search(paragraph.partition("\n")[0])
        if header is None:
            if expected:
                yield _ASIDE.sub("", paragraph)
            expected = False
            continue
        rest = paragraph[header.end() :]
        expected = not rest.strip(" :\n")
        things = _things_in(rest, by_lines=rest.startswith("\n"))
        if not _NOTHING.search(paragraph[: header.end()] + things):
            yield things


def _things_in(rest: str, *, by_lines: bool) -> str:
    rest = _ASIDE.sub("", rest)
    if not by_lines:
        return _SENTENCE.split(" ".join(rest.split()))[0]
    lines = [line for line in rest.split("\n") if line.strip()]
    indented = [line for line in lines if line[0] in " \t"]
    listed = indented or lines
    return "\n".join(line.partition(" - ")[0] for line in listed) if len(listed) > 1 else "".join(listed)


def _name_of(part: str) -> str:
    return _ARTICLE.sub("", part.strip(" .:-*\t")).lower().strip('"')
