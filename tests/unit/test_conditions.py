"""What texts say is closed, locked or fixed in its place."""

from __future__ import annotations

import pytest

from folds.playthrough import Playthrough
from tests.support.scenes.builders import a_text_step, folded

HALL = "Hall\nA bare hall with a stone floor and a draught that never stops."


def after(*told: tuple[str, str]) -> dict[str, str]:
    opening = a_text_step(0, None, HALL)
    steps = [a_text_step(n, action, text) for n, (action, text) in enumerate(told, start=1)]
    played = folded(Playthrough(), [opening, *steps])
    return {noun: condition.value for noun, condition in played.conditions.of(played.room).items()}


@pytest.mark.parametrize(
    ("action", "text", "said"),
    [
        ("look", HALL + " To the north is an oak door, which is closed.", {"door": "closed"}),
        ("look", HALL + "\n\nYou can see a sea chest (which is locked) here.", {"chest": "locked"}),
        ("look", HALL + "\n\nA locked iron gate blocks the way.", {"gate": "locked"}),
        ("north", "The oak door is locked.", {"door": "locked"}),
        ("open chest", "It seems to be locked.", {"chest": "locked"}),
        ("take anvil", "That's fixed in place.", {"anvil": "fixed"}),
        ("take all", "lamp: Taken.\nold well: That's hardly portable.", {"well": "fixed"}),
        ("open chest", "You can't see any such thing.", {}),
        ("open chest", "The chest is open.", {}),
        (
            "look",
            HALL + " Bell's shop is closed for today, the gate is shut and locked.",
            {"shop": "closed", "gate": "closed"},
        ),
        (
            "look",
            HALL + "\n\nYou can see a desk (closed) and a lamp (providing light) here.",
            {"desk": "closed"},
        ),
        ("examine lamp", "It warns when switched off.", {}),
        ("look", HALL, {}),
        (
            "read book",
            'It says:\n"The shed is closed.\n\n"The tower is locked and dark."\nThe chest is shut.',
            {"chest": "closed"},
        ),
    ],
)
def test_a_text_says_what_is_closed_locked_or_fixed(action: str, text: str, said: dict[str, str]) -> None:
    assert after((action, text)) == said


def test_what_was_unlocked_is_closed_and_what_was_opened_is_open() -> None:
    locked = ("open chest", "It's locked.")
    unlocked = ("unlock chest with key", "Click!")

    assert after(locked, unlocked) == {"chest": "closed"}
    assert after(locked, unlocked, ("open chest", "You open the chest.")) == {"chest": "open"}
    assert after(locked, ("unlock chest with key", "That doesn't fit the lock.")) == {"chest": "locked"}


def test_a_restart_forgets_what_was_said() -> None:
    assert after(("open chest", "It's locked."), ("restart", HALL)) == {}
