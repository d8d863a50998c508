"""How the rule-based player does what an answer demands or suggests."""

from __future__ import annotations

import pytest

from services.actor.heuristic.behaviours.session.demands import demands_of
from tests.support.scenes.builders import a_step
from tests.support.scenes.player_scenes import a_blind_step, ideas_of, utility_of


@pytest.mark.parametrize(
    ("refusal", "done"),
    [
        ("You'll have to open the box first.", "open box"),
        ("You aren't holding the rope!", "take rope"),
        ("You need to be holding the rope before you can do that.", "take rope"),
        ("The glass door is closed.", "open door"),
        ("You'd have to get off the chair first.", "stand up"),
        ("It's a good idea to take off one's hat before kneeling.", "take off hat"),
    ],
)
def test_what_a_refusal_asks_for_is_done(refusal: str, done: str) -> None:
    steps = (a_blind_step(0), a_blind_step(1, "enter box", refusal, changed=False))

    assert done in ideas_of("obey", *steps)


@pytest.mark.parametrize(
    ("answer", "demands"),
    [
        ("You should probably put on your coat before going out.", ["put on coat"]),
        ("Maybe you should ask the librarian.", ["ask librarian"]),
        ("You ought to turn off the alarm.", ["turn off alarm"]),
        ("Why not climb the ladder?", ["climb ladder"]),
        ("It won't budge until you remove the wedge.", ["remove wedge"]),
        ("It would be wise to wear shoes.", ["wear shoes"]),
        ("Better take off your boots.", ["take off boots"]),
        ("Remove the cat first.", ["remove cat"]),
        ("Try lifting the lid.", ["lift lid"]),
        ("You can't leave without paying the waiter.", ["pay waiter"]),
        ("Perhaps if you turned on the light.", ["turn on light"]),
        ("You must supply a noun.", []),
        ("You have to be more specific!", []),
        ("Your hands are full.", ["drop all"]),
        ("You need both hands free to climb that.", ["drop all"]),
        ("You're carrying too much to swim.", ["drop all"]),
        ("Not with your boots on!", ["take off boots"]),
        ("You cannot wear the ring while you're wearing gloves.", ["take off gloves"]),
        (
            "You have to unlock the type 6 chest with the type 6 key first.",
            ["unlock type 6 chest with type 6 key"],
        ),
        ("The window is firmly latched.", ["unlatch window", "pull latch"]),
        ("Better to leave it where it is.", []),
        ("You should be able to see it better from here.", []),
        ("It is best known for its wine, and you should be proud.", []),
    ],
)
def test_what_an_answer_suggests_is_a_demand_where_players_use_the_verb(
    answer: str, demands: list[str]
) -> None:
    assert list(demands_of("north", answer)) == demands


def test_who_carries_too_much_to_take_more_lays_down_only_some_of_it() -> None:
    assert demands_of("take vase", "You're carrying too much already.") == ()
    assert demands_of("take bath", "Not with your belongings!") == ("drop all",)


def test_what_an_answer_calls_it_is_what_the_action_named() -> None:
    assert demands_of("play record", "You must put it on the player.") == ("put record on player",)


FLAP = "You have to open the glass flap of the gauge first."


def test_what_else_an_answer_asks_for_is_done_where_the_first_is_in_vain() -> None:
    steps = [
        a_blind_step(0, seen=["button"]),
        a_blind_step(1, "push button", FLAP, seen=["button"], changed=False),
        a_blind_step(2, "open glass flap of gauge", "You can't see any of.", seen=["button"], changed=False),
    ]

    assert ideas_of("obey", *steps) == ["open glass flap"]
    assert ideas_of("obey", *steps, a_blind_step(3, "open glass flap", "It opens.", seen=["button"])) == [
        "push button"
    ]
    elsewhere = a_blind_step(3, "examine button", "It is red.", seen=["button"], changed=False)
    assert ideas_of("obey", *steps, elsewhere) == []


def test_what_is_to_be_worn_has_to_be_here() -> None:
    cold = a_blind_step(1, "north", "You should put on your coat first.", changed=False)

    assert ideas_of("obey", a_blind_step(0), cold) == []
    asked = a_blind_step(1, "north", "You should put on your coat first.", held=["coat"], changed=False)
    assert ideas_of("obey", a_blind_step(0, held=["coat"]), asked) == ["put on coat"]


def test_a_demand_is_worth_the_same_whatever_its_verb_has_brought_so_far() -> None:
    vain = ("desk", "bench", "shelf", "lamp", "clock", "stove")
    seen = [*vain, "button"]
    steps = [a_blind_step(0, seen=seen)]
    steps += [
        a_blind_step(n, f"open {noun}", "That's not something you can open.", seen=seen, changed=False)
        for n, noun in enumerate(vain, 1)
    ]
    steps.append(a_blind_step(9, "push button", "You have to open the flap first.", seen=seen, changed=False))

    assert utility_of("open flap", *steps) > 90


CUT_SHORT = "I only understood you as far as wanting to cut the tall tree."


def test_of_a_sentence_that_was_understood_in_part_this_part_is_done() -> None:
    steps = (a_blind_step(0), a_blind_step(1, "cut tree with axe", CUT_SHORT, changed=False))

    assert ideas_of("obey", *steps) == ["cut tree"]
    assert ideas_of("obey", *steps, a_blind_step(2, "cut tree", "Not with your hands.", changed=False)) == []


def test_what_the_answer_calls_that_is_what_the_action_named() -> None:
    refused = a_blind_step(1, "put brass coin in slot", "But you aren't holding that.", changed=False)

    assert ideas_of("obey", a_blind_step(0), refused) == ["take brass coin"]


def test_what_somebody_demands_is_given_to_them() -> None:
    demand = a_blind_step(
        1, "ask clerk about key", '"You need to give me the card first."', held=["card"], seen=["clerk"]
    )

    assert "give card to clerk" in ideas_of("obey", a_blind_step(0, held=["card"], seen=["clerk"]), demand)


def test_what_was_done_already_is_not_done_again_for_a_refusal() -> None:
    refusal = "You aren't holding the rope!"
    steps = (
        a_step(0, valid=None),
        a_step(1, "take rope", text="It is tied to the wall.", valid=None),
        a_step(2, "tie rope to hook", text=refusal, valid=None),
    )

    assert ideas_of("obey", *steps) == []


def test_what_is_nowhere_to_be_seen_is_not_taken_for_a_refusal() -> None:
    asked = a_blind_step(1, "open chest", "You do not have any key.", changed=False)

    assert ideas_of("obey", a_blind_step(0), asked) == []
    assert ideas_of("obey", a_blind_step(0, None, "There is a key here."), asked) == ["take key"]


def test_a_long_story_asks_for_nothing() -> None:
    story = "You aren't holding the rope! " + "The wind howls around the tower. " * 20

    assert ideas_of("obey", a_blind_step(0), a_blind_step(1, "wait", story)) == []


@pytest.mark.parametrize(
    ("action", "answer", "demand"),
    [
        ("extend ladder", "You can't extend it while you are holding it.", "drop ladder"),
        ("enter raft", "It is not inflated.", "inflate raft"),
        ("push button", "Soup splashes off the closed cup.", "open cup"),
        ("open drawer", "It is stuck. Perhaps a good pull would help.", "pull drawer"),
    ],
)
def test_what_a_refusal_asks_to_do_with_the_thing_is_done(action: str, answer: str, demand: str) -> None:
    noun = action.rpartition(" ")[2]
    steps = (a_blind_step(0, seen=[noun]), a_blind_step(1, action, answer, seen=[noun], changed=False))

    assert ideas_of("obey", *steps)[0] == demand


@pytest.mark.parametrize(
    "answer", ["You must tell me how to do that to a door.", "You must drink something soon."]
)
def test_what_no_command_can_do_is_not_obeyed(answer: str) -> None:
    steps = [
        a_blind_step(0, seen=["door"]),
        a_blind_step(1, "open door", answer, seen=["door"], changed=False),
    ]

    assert ideas_of("obey", *steps) == []
