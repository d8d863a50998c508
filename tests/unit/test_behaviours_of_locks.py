"""How the rule-based player opens and unlocks things."""

from __future__ import annotations

from schemas.game import StepTaken
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of


def test_every_key_held_is_tried_on_what_was_found_locked() -> None:
    held = ["iron key", "plastic card", "coin"]
    steps = (
        a_blind_step(0, held=held, seen=["chest", "safe"]),
        a_blind_step(1, "open chest", "It is locked.", held=held, seen=["chest", "safe"], changed=False),
    )

    assert set(ideas_of("unlock", *steps)) == {
        "unlock chest with key",
        "unlock chest with card",
        "unlock chest",
    }
    assert ideas_of("unlock", *steps[:1]) == []


def test_a_key_is_tried_again_that_was_not_at_hand_before() -> None:
    steps = (
        a_blind_step(0, seen=["chest"]),
        a_blind_step(1, "open chest", "It is locked.", seen=["chest"], changed=False),
        a_blind_step(2, "unlock chest with key", "You have no key.", seen=["chest"], changed=False),
        a_blind_step(3, "take key", "Taken.", held=["iron key"], seen=["chest"]),
        a_blind_step(4, "unlock chest with key", "It won't fit.", held=["iron key"], seen=["chest"]),
    )

    assert "unlock chest with key" in ideas_of("unlock", *steps[:4])
    assert "unlock chest with key" not in ideas_of("unlock", *steps)


def test_what_a_text_calls_closed_is_opened() -> None:
    steps = (a_blind_step(0), a_blind_step(1, "examine hatch", "The hatch is closed."))

    assert ideas_of("unlock", *steps) == ["open hatch"]
    assert ideas_of("unlock", *steps[:1]) == []


def test_what_is_said_to_be_locked_is_tried_with_a_key_at_once_whatever_it_is() -> None:
    steps = (
        a_blind_step(0, held=["keys"], seen=["car", "bench"]),
        a_blind_step(
            1, "enter car", "The car is locked.", held=["keys"], seen=["car", "bench"], changed=False
        ),
    )

    assert ideas_of("unlock", *steps) == ["unlock car with keys", "unlock car"]
    assert utility_of("unlock car with keys", *steps) > utility_of("enter bench", *steps) > 0


def test_what_was_unlocked_is_opened_though_it_would_not_open_before() -> None:
    seen, held = ["grate"], ["iron key"]
    steps = (
        a_blind_step(0, held=held, seen=seen),
        a_blind_step(1, "open grate", "It seems to be locked.", held=held, seen=seen, changed=False),
        a_blind_step(2, "unlock grate with key", "You unlock the grate.", held=held, seen=seen),
        a_blind_step(3, "wait", "Time passes.", held=held, seen=seen),
        a_blind_step(4, "open grate", "You open the grate.", held=held, seen=seen),
    )

    assert "open grate" not in ideas_of("unlock", *steps[:2])
    assert "open grate" in ideas_of("unlock", *steps[:3])
    assert "open grate" in ideas_of("unlock", *steps[:4])
    assert "open grate" not in ideas_of("unlock", *steps)


def test_what_a_key_did_not_fit_is_not_taken_to_be_unlocked() -> None:
    seen, held = ["grate"], ["iron key"]
    steps = (
        a_blind_step(0, held=held, seen=seen),
        a_blind_step(1, "examine grate", "The grate is closed.", held=held, seen=seen),
        a_blind_step(2, "open grate", "It seems to be locked.", held=held, seen=seen, changed=False),
        a_blind_step(3, "unlock grate with key", "It doesn't seem to work.", held=held, seen=seen),
    )

    assert "open grate" not in ideas_of("unlock", *steps)
    assert "enter grate" not in ideas_of("go_through", *steps)


def test_what_a_text_calls_closed_is_opened_whatever_it_is() -> None:
    steps = (a_blind_step(0, None, "The obelisk is closed.", seen=["obelisk"]),)

    assert ideas_of("unlock", *steps) == ["open obelisk"]
    assert utility_of("open obelisk", *steps) > utility_of("push obelisk", *steps)


def test_what_is_locked_is_forced_where_no_key_is_held() -> None:
    def steps(held: list[str]) -> list[StepTaken]:
        locked = a_blind_step(1, "open gate", "It is locked.", held=held, seen=["gate"], changed=False)
        return [a_blind_step(0, held=held, seen=["gate"]), locked]

    assert ideas_of("unlock", *steps([])) == ["break gate", "kick gate"]
    assert not {"break gate", "kick gate"} & set(ideas_of("unlock", *steps(["iron key"])))


def test_a_locked_door_says_nothing_against_its_direction() -> None:
    refused, locked = "You can't go that way.", "It seems to be locked."
    rates = [
        a_situation(a_blind_step(0), a_blind_step(1, "north", text, changed=False)).experience.rates
        for text in (refused, locked)
    ]

    assert [each.of_verb("north").tries for each in rates] == [1, 0]


def test_a_key_that_does_not_fit_the_lock_is_not_locked_itself() -> None:
    steps = (
        a_blind_step(0, held=["key"], seen=["gate"]),
        a_blind_step(1, "open gate", "It is locked.", held=["key"], seen=["gate"], changed=False),
        a_blind_step(2, "unlock gate with key", "It doesn't fit the lock.", held=["key"], changed=False),
    )

    assert [*a_situation(*steps).experience.rooms.locked.values()] == [{"gate": None}]
