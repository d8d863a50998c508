"""What becomes of an actor's choice, also of one of the user's own."""

from __future__ import annotations

import pytest

from schemas.base import ACTION_LENGTH
from services.actor.logic import Thought, proposal
from services.actor.policy import Choice
from tests.support.scenes.scenes import OPENING, a_situation


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("take lamp\nnorth", "the action that was chosen has 2 lines"),
        ("x" * (ACTION_LENGTH + 1), "the action that was chosen has 151 characters"),
        ("", "the action that was chosen has 0 lines"),
    ],
)
def test_an_action_that_cannot_be_typed_whole_is_not_typed_in_part(action: str, why: str) -> None:
    said = proposal(a_situation([OPENING]), Thought(Choice(action, "a wish")), (), ())

    assert (said.action, said.reason, said.degraded) == ("look", why, why)


def test_any_other_action_is_proposed_as_it_is() -> None:
    said = proposal(a_situation([OPENING]), Thought(Choice("x" * ACTION_LENGTH, "a wish")), (), ())

    assert (said.action, said.reason, said.degraded) == ("x" * ACTION_LENGTH, "a wish", "")
