"""What has killed is dared again after a change, and what shields is kept on."""

from __future__ import annotations

import pytest

from folds.text.phrases import is_fruitless
from folds.text.things.listings import things_in
from folds.vocabulary.words import head_of
from schemas.game import StepTaken
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.behaviours.session.demands import demands_of
from services.actor.heuristic.options import options
from tests.support.scenes.builders import a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of

SHOT = (
    a_blind_step(0),
    a_blind_step(1, "open door", "You are shot!", done=True),
    a_blind_step(2, "restart", episode=2),
)


def test_what_killed_is_dared_after_something_else_had_an_effect_there() -> None:
    slept = a_blind_step(3, "sleep", "You dream of a long march through the night.", episode=2)

    assert "open door" not in ideas_of("dare", *SHOT)
    assert "open door" in ideas_of("dare", *SHOT, slept)


def worth_of_daring(*steps: StepTaken) -> float:
    """Of the only thing that has killed."""
    others = [name for name in BEHAVIOUR_NAMES if name != "dare"]
    return options(a_situation(*steps, without=others))[0].utility


def test_what_was_put_on_against_a_death_makes_daring_worth_more() -> None:
    held = a_blind_step(3, "take jacket", "Taken.", held=["steel jacket"], episode=2)
    worn = a_blind_step(4, "wear jacket", "You put it on.", held=["steel jacket"], episode=2)

    assert worth_of_daring(*SHOT, held, worn) > worth_of_daring(*SHOT, held) > 0


def test_what_is_worn_is_neither_taken_off_nor_dropped_to_make_room() -> None:
    worn = (
        a_blind_step(0, held=["steel jacket"], seen=["key"]),
        a_blind_step(1, "wear jacket", "You put it on.", held=["steel jacket"], seen=["key"]),
    )
    full = a_blind_step(
        2, "take key", "You carry too many things already.", held=["steel jacket", "rug"], seen=["key"]
    )
    full = full.model_copy(update={"observation": "Your hands are full."})

    assert {"remove jacket", "throw jacket"}.isdisjoint(ideas_of("experiment", *worn))
    assert ideas_of("unburden", *worn, full) == ["drop rug"]


def test_a_shield_that_helped_is_no_hindrance() -> None:
    assert demands_of("examine stone", "It was painful, even with the steel jacket on.") == ()
    assert demands_of("swim", "You cannot swim with the jacket on.") == ("take off jacket",)


def test_what_is_carried_in_is_given_away_last() -> None:
    step = a_blind_step(0, None, "A man is here.", held=["satchel", "lamp"], seen=["man"])

    assert utility_of("give lamp to man", step) > utility_of("give satchel to man", step)


@pytest.mark.parametrize(
    ("text", "is_vain"),
    [
        ("You're unable to.", True),
        ("You're no longer sleepy.", True),
        ("O.K. Nothing useful happens.", True),
        ("There's nothing else to do, so you settle down for a nap.", False),
        ("There's nothing here, so you can't.", True),
    ],
)
def test_answers_in_vain(text: str, is_vain: bool) -> None:
    assert is_fruitless(text) is is_vain


@pytest.mark.parametrize(
    ("action", "text", "demands"),
    [
        ("turn on lamp", "The lamp must be securely placed before being lit.", ("drop lamp",)),
        ("take lamp", "It is too hot to lift while it's switched on.", ("turn off lamp",)),
        ("fire cannon", "The cannon has to be loaded first.", ("load cannon",)),
        ("wait", "Maybe you should have a snooze.", ("sleep",)),
    ],
)
def test_what_has_to_come_first_in_other_words(action: str, text: str, demands: tuple[str, ...]) -> None:
    assert demands_of(action, text) == demands


def test_a_pair_of_gloves_are_gloves() -> None:
    assert (head_of("pair of white gloves"), head_of("bottle of beer")) == ("gloves", "bottle")


def test_what_is_held_out_is_here() -> None:
    assert things_in("She holds out a pen for you.") == ("pen",)


def test_a_pile_of_cloth_that_was_put_somewhere_is_no_longer_in_hand() -> None:
    steps = (
        a_text_step(0, None, "Hall\nA bare hall."),
        a_text_step(1, "inventory", "You are carrying:\n  a pile of fabric"),
        a_text_step(2, "put pile in sink", "You put the pile of fabric into the sink."),
    )

    assert a_situation(*steps[:2]).experience.belongings.names == ("pile of fabric",)
    assert a_situation(*steps).experience.belongings.names == ()


def test_an_animal_that_bars_a_way_is_attacked_and_a_man_is_not() -> None:
    barred = a_blind_step(1, "north", "The dog blocks your path.", held=["broken limb"], changed=False)
    guarded = a_blind_step(1, "north", "The guard blocks your path.", held=["broken limb"], changed=False)

    ideas = ideas_of("fight", a_blind_step(0, held=["broken limb"]), barred)
    assert ideas == ["attack dog", "attack dog with limb", "throw limb at dog"]
    assert ideas_of("fight", a_blind_step(0, held=["broken limb"]), guarded) == []


DIVED = (
    a_blind_step(0, held=["snorkel"]),
    a_blind_step(1, "north", "You drown.", held=["snorkel"], done=True),
    a_blind_step(2, "restart", held=["snorkel"], episode=2),
    a_blind_step(3, "wear snorkel", "You put it on.", held=["snorkel"], episode=2),
    a_blind_step(4, "north", room="Sea", held=["snorkel"], episode=2),
    a_blind_step(5, "south", held=["snorkel"], episode=2),
)


def test_what_was_survived_with_something_on_is_deadly_again_without_it() -> None:
    thrown = a_blind_step(6, "throw snorkel", "You take it off and drop it.", episode=2)

    assert not a_situation(*DIVED).experience.is_deadly("Hall", "north")
    assert a_situation(*DIVED, thrown).experience.is_deadly("Hall", "north")


def test_what_was_thrown_away_is_not_thrown_again_in_a_new_episode() -> None:
    thrown = a_blind_step(1, "throw lamp", "It lands with a clatter.")
    again = a_blind_step(2, "restart", held=["lamp"], episode=2)

    assert ideas_of("redo", a_blind_step(0, held=["lamp"]), thrown, again) == []
