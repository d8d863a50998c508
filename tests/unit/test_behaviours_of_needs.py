"""When the rule-based player eats and drinks."""

from __future__ import annotations

import pytest

from tests.support.scenes.player_scenes import a_blind_step, ideas_of


@pytest.mark.parametrize("text", ["You are really hungry by now.", "A growl tells you that you're famished."])
def test_who_is_hungry_eats_and_who_is_thirsty_drinks(text: str) -> None:
    held = ["bread", "water"]
    steps = [a_blind_step(0, held=held), a_blind_step(1, "jump", text, held=held)]

    assert ideas_of("meet_needs", *steps[:1]) == []
    assert ideas_of("meet_needs", *steps) == ["eat bread"]
    assert ideas_of("meet_needs", *steps, a_blind_step(2, "eat bread", "Ah!", held=["water"])) == []
    assert ideas_of("meet_needs", *steps, a_blind_step(2, "jump", "You are thirsty.", held=held)) == [
        "eat bread",
        "drink water",
    ]


def test_who_is_not_hungry_or_only_hears_of_it_does_not_eat() -> None:
    said = a_blind_step(1, "jump", "You are not hungry. The dog looks hungry.", held=["bread"])

    assert ideas_of("meet_needs", a_blind_step(0, held=["bread"]), said) == []
