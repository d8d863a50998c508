"""What a text says that a thing can be set to: `It can be turned to low, medium or high.`"""

from __future__ import annotations

import re
from collections.abc import Iterator

from folds.vocabulary.words import FUNCTION_WORDS

_OPTION = r"[\"'“‘]?[A-Za-z0-9][A-Za-z0-9&-]*[\"'”’]?"
_OPTIONS = rf"(?P<options>(?:{_OPTION}, )*{_OPTION},? (?:or|and) {_OPTION})(?=[^\w-]|$)"
_SET_TO = re.compile(
    r"\b(?:set|turned|switched|moved|adjusted|rotated|twisted|slid|pointed) to (?:either )?" + _OPTIONS,
    re.I,
)
"""`It can be set to low, medium or high.`"""
_SETTINGS = re.compile(
    r"\b(?:settings|positions|options|modes|speeds)(?:,? (?:which are|are|of|marked|labell?ed|called|named))?"
    r"[:,-]? " + _OPTIONS,
    re.I,
)
"""`The dial has two settings: warm and cool.`"""
_NUMBERED = re.compile(
    r"\b(?:numbered|numbers|calibrated|marked|settings|positions|set to|turned to)"
    r"(?: (?:with|the|numbers|anything|any|number))*"
    r"(?: from| between)? (?P<first>\d{1,2}) ?(?:to|through|and|-) ?(?P<last>\d{1,2})\b",
    re.I,
)
"""`The dial is numbered from 1 to 8.`"""
_NOW = re.compile(
    r"\b(?:currently|at the moment|now|presently|is|it's)\b(?: it's| it is)?(?: set| turned| pointing)?"
    r" (?:(?:on|at|to|in) )?(?:the )?(?P<now>" + _OPTION + r")(?=[ .,;]|$)",
    re.I,
)
"""`At the moment it's set on medium.`"""
_BETWEEN = re.compile(r",? (?:or|and) |, ")
_NO_SETTINGS = FUNCTION_WORDS - {*"left right up down in out on off open top bottom middle center".split()}
_MOST_NUMBERS = 10


def settings_in(text: str) -> tuple[str, ...]:
    """What a text about a thing says that it can be set to; what it is set to already comes last."""
    options = dict.fromkeys(_options_in(text))
    now = {_word(found["now"]) for found in _NOW.finditer(text)}
    return tuple(sorted(options, key=now.__contains__))


def _options_in(text: str) -> Iterator[str]:
    for pattern in (_SET_TO, _SETTINGS):
        for found in pattern.finditer(text):
            options = tuple(map(_word, _BETWEEN.split(found["options"])))
            yield from options if _NO_SETTINGS.isdisjoint(options) else ()
    for found in _NUMBERED.finditer(text):
        first, last = int(found["first"]), int(found["last"])
        if first < last < first + _MOST_NUMBERS:
            yield from map(str, range(first, last + 1))


def _word(option: str) -> str:
    return option.strip("\"'“”‘’").lower()
