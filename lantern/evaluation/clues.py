"""Clues of a story, which the user gives to agents that ask a model.

Phan et al., TextQuests (arXiv 2507.23701): agents play with and without the clues of a story's hint book.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from mesh.errors import InputError
from mesh.file_reading import read_limited_text
from mesh.runner.fragments import FragmentService
from schemas.fragment import SECTION_LENGTH, Fragment, Section
from schemas.game import SessionStarted, StepTaken

CLUES_LENGTH = 16_000
"""The most characters of a story's clues: they are in every prompt."""


def read_clues(directory: str, story: str) -> str:
    """The clues of a story, from STORY.txt in a directory.

    Raises:
        InputError: there are none, or too many.
    """
    path = Path(directory) / f"{story}.txt"
    try:
        text = read_limited_text(path, 4 * CLUES_LENGTH)
    except OSError as error:
        mend = "Give every story of the plan such a file, or leave clues out."
        raise InputError(f"Cannot read the clues {path} ({error.strerror}). {mend}") from error
    if len(text) > CLUES_LENGTH:
        raise InputError(f"{path} has {len(text)} characters, and clues {CLUES_LENGTH} at most. Shorten it.")
    return text


@dataclass(frozen=True, slots=True)
class UnchangingState:
    """A state that no step changes."""

    def after(self, step: StepTaken) -> UnchangingState:
        """The same."""
        return self


class Clues(FragmentService[UnchangingState]):
    """A sub-agent that tells the actor a story's clues, at every step the same."""

    name = "clues"
    version = "1.0.0"

    def __init__(self, text: str) -> None:
        self._text = text

    def initial_state(self, started: SessionStarted) -> UnchangingState:
        """Nothing but the clues is known."""
        return UnchangingState()

    def fragment_for(self, state: UnchangingState) -> Fragment:
        """The clues, in as many sections as they need."""
        parts = wrap(self._text, SECTION_LENGTH, replace_whitespace=False, drop_whitespace=False)
        sections = (Section(name=f"clues_{n}", text=part) for n, part in enumerate(parts, start=1))
        return Fragment(sections=tuple(sections))
