"""Whether Jericho's knowledge of a story is used."""

from __future__ import annotations

from typing import Any, cast

import pytest

from zmachine.emulator.frotz import Frotz
from zmachine.emulator.readers import is_well_known


class ScriptedFrotz:
    """A story that answers `score`, and counts its points somewhere."""

    def __init__(self, answer: str, counted: int, *, known: bool = True) -> None:
        self.known, self._answer, self._counted = known, answer, counted
        self._is_asked = False

    def score(self) -> int:
        return self._counted

    def state(self) -> bool:
        return self._is_asked

    def restore(self, state: bool) -> None:
        self._is_asked = state

    def step(self, action: str) -> str:
        assert action == "score"
        self._is_asked = True
        return self._answer


@pytest.mark.parametrize(
    ("answer", "counted", "known", "well_known"),
    [
        ("You have scored 10 points out of a maximum of 250.\n\n>", 10, True, True),
        ("You have scored 10 points out of a maximum of 250.\n\n>", 0, True, False),
        ("There is no scoring in this game.\n\n>", 0, True, True),
        ("You have scored 10 points out of a maximum of 250.\n\n>", 10, False, False),
    ],
)
def test_a_score_that_the_story_itself_tells_otherwise_is_not_believed(
    answer: str, counted: int, known: bool, well_known: bool
) -> None:
    frotz = ScriptedFrotz(answer, counted, known=known)

    assert is_well_known(cast(Frotz, cast(Any, frotz))) is well_known
    assert frotz.state() is False
