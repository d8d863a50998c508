"""Reads the answer to `take all`: a line for each thing, `lamp: Taken.`"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from folds.text.phrases import TAKEN
from folds.vocabulary.words import head_of

_LINE = re.compile(r"^[ \t]*(?:the )?([a-z][a-z' -]{1,40}):[ \t]*(\S.*)$", re.I | re.M)


class EachAnswer(NamedTuple):
    """A thing, by its noun, and whether it was taken."""

    name: str
    taken: bool


def answers_to_take_all(text: str) -> Iterator[EachAnswer]:
    """The things that the answer names."""
    for name, answer in _LINE.findall(text):
        yield EachAnswer(head_of(name), TAKEN.search(answer) is not None)
