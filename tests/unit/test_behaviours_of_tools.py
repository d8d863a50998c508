"""What the rule-based player does with what is made for something: tools, codes, words, ropes, weapons."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from schemas.game import StepTaken
from services.actor.heuristic.behaviours.things.tools import fits_in
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of

READ = a_blind_step(
    1,
    "read memo",
    "The number of the safe is 42. It cost $7.50, 3% off.\n1. Never tell it.",
    held=["memo"],
    seen=["dial"],
)


def test_a_coil_of_rope_is_rope() -> None:
    step = a_blind_step(0, held=["coil of rope"], seen=["railing"])

    assert ideas_of("use_tools", step) == ["tie coil to railing"]


def test_a_tool_is_used_once_on_what_is_held() -> None:
    held = ["shears", "coil of rope"]
    cut = a_blind_step(1, "cut rope with shears", "That would achieve little.", held=held, changed=False)
    text = "The rope lies here in coils, and a bench stands by the wall."

    assert ideas_of("use_tools", a_blind_step(0, None, text, held=held)) == ["cut rope with shears"]
    elsewhere = a_blind_step(2, "north", text, room="Attic", held=held)
    assert ideas_of("use_tools", a_blind_step(0, None, text, held=held), cut, elsewhere) == []


def test_what_is_held_is_worked_on_as_well_but_not_what_would_be_lost_by_it() -> None:
    held = ["match", "candle", "letter"]

    assert ideas_of("use_tools", a_blind_step(0, held=held)) == ["light candle with match"]
    assert "burn paper with match" not in ideas_of("use_tools", a_blind_step(0, held=["match", "paper"]))
    assert "burn rope with match" in ideas_of("use_tools", a_blind_step(0, held=["match"], seen=["rope"]))


def test_what_was_put_in_vain_into_what_was_missing_is_put_there_when_both_are_held() -> None:
    early = (
        a_blind_step(0, held=["battery"]),
        a_blind_step(
            1, "put battery in flashlight", "You see no such thing.", held=["battery"], changed=False
        ),
    )
    taken = a_blind_step(2, "take flashlight", "Taken.", held=["battery", "flashlight"])
    vain = a_blind_step(3, "put battery in flashlight", "It doesn't fit.", held=["battery", "flashlight"])

    assert ideas_of("use_tools", *early) == []
    assert ideas_of("use_tools", *early, taken) == ["put battery in flashlight"]
    assert ideas_of("use_tools", *early, taken, vain) == []


def test_where_a_rope_is_tied_one_climbs_down() -> None:
    tied = a_blind_step(1, "tie coil to railing", "You let it down.", seen=["railing"])
    steps = (a_blind_step(0, held=["coil of rope"], seen=["railing"]), tied)

    assert ideas_of("use_tools", *steps) == ["down", "up"]
    down = a_blind_step(2, "down", "You can't.", seen=["railing"], changed=False)
    assert ideas_of("use_tools", *steps, down) == ["up"]


def test_nobody_climbs_by_a_rope_to_which_a_bucket_was_tied() -> None:
    tied = a_blind_step(1, "tie bucket to rope", "You tie the bucket to it.", held=["bucket"], seen=["rope"])

    assert ideas_of("use_tools", a_blind_step(0, held=["bucket"], seen=["rope"]), tied) == []


def test_the_player_walks_to_where_a_tool_is_of_use_when_it_has_come_to_hand() -> None:
    slot = "A machine with a slot hums here."
    steps = [a_blind_step(0, None, slot), a_blind_step(1, "north", "A bare attic.", room="Attic")]
    taken = a_blind_step(2, "take coin", "Taken.", room="Attic", held=["coin"])

    assert utility_of("south", *steps, taken) > 30 > utility_of("south", *steps)


@pytest.mark.parametrize(
    ("held", "things"),
    [(["spoon", "shovel"], ["dig ground with shovel"]), (["spoon"], ["dig ground with spoon"])],
)
def test_what_is_made_for_it_completes_a_command(held: list[str], things: list[str]) -> None:
    asked = a_blind_step(
        1, "dig ground", "What do you want to dig the ground with?", held=held, changed=False
    )

    assert ideas_of("complete", a_blind_step(0, held=held), asked) == things


def test_no_lock_is_opened_by_whatever_is_at_hand() -> None:
    held = ["spoon"]
    locked = a_blind_step(0, None, "A safe stands here. The safe is locked.", held=held, seen=["safe"])
    asked = a_blind_step(
        1, "unlock safe", "What do you want to unlock the safe with?", held=held, seen=["safe"], changed=False
    )

    assert ideas_of("complete", locked, asked) == []


def test_numbers_that_were_read_are_entered_where_numbers_are() -> None:
    assert ideas_of("heed", a_blind_step(0, held=["memo"], seen=["dial"])) == []
    assert ideas_of("heed", a_blind_step(0, held=["memo"], seen=["dial"]), READ) == [
        "turn dial to 42",
        "set dial to 42",
        "set safe to 42",
        "enter 42",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('It reads: "Say ALAKAZAM, and the wall will open."', ["say alakazam", "alakazam"]),
        ("Whoever says 'plugh' is carried away.", []),
        ("You have only to whisper 'plugh'.", ["say plugh", "plugh"]),
        ("To speak, 'talk to [someone]'.", []),
        ("You can't say that.", []),
    ],
)
def test_a_word_that_is_to_be_said_is_said(text: str, said: list[str]) -> None:
    assert ideas_of("heed", a_blind_step(0), a_blind_step(1, "examine wall", text))[:2] == said


def test_people_are_asked_about_words_in_capitals_that_were_seen_in_a_letter() -> None:
    letter = a_blind_step(1, "examine letter", "The word is FLAMINGO.", held=["letter"], seen=["man"])

    assert "ask man about flamingo" in ideas_of(
        "talk", a_blind_step(0, held=["letter"], seen=["man"]), letter
    )


def test_a_monster_is_attacked_with_a_weapon_in_hand() -> None:
    assert ideas_of("fight", a_blind_step(0, held=["long sword"], seen=["troll"])) == [
        "attack troll with sword"
    ]
    assert ideas_of("fight", a_blind_step(0, held=["spoon"], seen=["troll"])) == []
    assert ideas_of("fight", a_blind_step(0, held=["long sword"], seen=["maid"])) == []


def put_in(target: str, text: str, *later: StepTaken) -> list[str]:
    """What is taken back after a cup was put into something."""
    before = a_blind_step(0, held=["cup"], seen=[target])
    return ideas_of(
        "take_back", before, a_blind_step(1, f"put cup in {target}", text, held=[], seen=[target]), *later
    )


def test_what_was_put_away_in_vain_is_taken_back() -> None:
    tried = a_blind_step(2, "take cup", "You can't.", held=[], seen=["box"], changed=False)

    assert put_in("box", "You put the cup into the box.") == ["take cup"]
    assert put_in("box", "You put the cup into the box.", tried) == []
    assert put_in("box", "It fits, and something clicks.") == []


def test_what_was_put_where_treasures_are_kept_stays_while_points_may_be_secret() -> None:
    told = a_blind_step(2, "jump", "[Your score has just gone up by one point.]", seen=["case"], reward=1)

    assert put_in("case", "Done.") == []
    assert put_in("case", "Done.", told) == ["take cup"]


def test_what_was_taken_out_of_something_is_not_put_back() -> None:
    told = a_blind_step(1, "examine trunk", "In the trunk is a silver coin.", seen=["trunk"])
    taken = a_blind_step(2, "take coin", "Taken.", held=["silver coin"], seen=["trunk"])
    brought = a_blind_step(1, "examine trunk", "It lacks a coin.", held=["silver coin"], seen=["trunk"])

    assert "put coin in trunk" in ideas_of(
        "put", a_blind_step(0, held=["silver coin"], seen=["trunk"]), brought
    )
    held = a_blind_step(0, held=["silver coin"], seen=["trunk"])
    assert utility_of("put coin in trunk", held, brought) > 50
    assert utility_of("put coin in trunk", a_blind_step(0, seen=["trunk"]), told, taken) < 30


def test_what_sets_something_off_makes_the_room_new_and_what_is_only_put_away_does_not() -> None:
    def changed_at(text: str) -> int:
        steps = (a_blind_step(0, held=["coin"]), a_blind_step(1, "put coin in slot", text))
        return a_situation(*steps).experience.history.changed_at.get("Hall", 0)

    assert (changed_at("It falls with a clink."), changed_at("You put the coin into the slot.")) == (1, 0)


@pytest.mark.parametrize(
    ("held", "seen", "action"),
    [
        ("wooden ladder", "rift", "put ladder across rift"),
        ("air pump", "raft", "inflate raft with pump"),
        ("canteen", "niche", "put canteen in niche"),
        ("cup", "spout", "put cup under spout"),
    ],
)
def test_a_gap_is_bridged_a_raft_inflated_and_a_vessel_put_where_something_flows(
    held: str, seen: str, action: str
) -> None:
    assert action in ideas_of("use_tools", a_blind_step(0, held=[held], seen=[seen]))


def out_of_reach(*, seen: Sequence[str], held: Sequence[str] = ()) -> list[StepTaken]:
    return [
        a_blind_step(0, seen=seen, held=held),
        a_blind_step(1, "take vase", "It is out of reach.", seen=seen, held=held, changed=False),
    ]


def test_what_was_out_of_reach_is_tried_again_from_a_chair() -> None:
    seen = ["vase", "chair"]
    there = out_of_reach(seen=seen)
    standing = a_blind_step(2, "stand on chair", "You get onto the chair.", seen=seen)
    taken = a_blind_step(3, "take vase", "Taken.", seen=["chair"], held=["vase"])

    assert ideas_of("reach", there[0]) == []
    assert ideas_of("reach", *there) == ["stand on chair"]
    assert ideas_of("reach", *there, standing) == ["take vase", "take all"]
    assert ideas_of("reach", *there, standing, taken) == ["take all"]


def test_a_chair_that_is_held_is_laid_down_first_and_a_crate_is_pushed_there() -> None:
    left = [
        *out_of_reach(seen=["vase"]),
        a_blind_step(2, "east", "Shed", room="Shed", seen=["crate"]),
    ]

    assert ideas_of("reach", *out_of_reach(seen=["vase"], held=["chair"])) == ["drop chair"]
    assert ideas_of("reach", *left) == ["push crate west"]


def test_no_lever_is_carried_through_the_house_and_a_gold_bar_is_none() -> None:
    def held_beside(name: str) -> list[StepTaken]:
        return [
            a_blind_step(0, seen=["crate"]),
            a_blind_step(1, "north", "Attic", room="Attic"),
            a_blind_step(2, "take bar", "Taken.", room="Attic", held=[name]),
        ]

    def shut_before(name: str) -> list[StepTaken]:
        return [
            a_blind_step(0, seen=["crate"], held=[name]),
            a_blind_step(1, "open crate", "It will not open.", seen=["crate"], held=[name]),
        ]

    assert "open crate with bar" in ideas_of("use_tools", *shut_before("iron bar"))
    assert "open crate with bar" not in ideas_of("use_tools", *shut_before("iron bar")[:1])
    assert ideas_of("use_tools", *shut_before("gold bar")) == []
    assert not fits_in("Hall", a_situation(*held_beside("iron bar")).experience)
