"""How the rule-based player begins, asks for the score, waits, and begins anew."""

from __future__ import annotations

import pytest

from schemas.game import StepTaken, ValidActions
from tests.support.scenes.builders import a_step, a_text_step, things
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, in_a_pit


def test_by_text_alone_rooms_are_wanted_in_full_and_then_what_is_held() -> None:
    opening, verbose = a_text_step(0, None, "Hall\nA bare hall."), a_text_step(1, "verbose", "Verbose.")

    assert ideas_of("open_well", opening) == ["verbose"]
    assert ideas_of("open_well", opening, verbose) == ["inventory"]


def test_a_new_episode_has_forgotten_that_rooms_are_wanted_in_full() -> None:
    opening, again = (a_text_step(n, how, "Hall\nA bare hall.") for n, how in ((0, None), (2, "restart")))
    dead = a_text_step(1, "jump", "You have died.").model_copy(update={"done": True})

    assert ideas_of("open_well", opening, dead, again.model_copy(update={"episode": 2})) == ["verbose"]


@pytest.mark.parametrize(
    ("action", "answer", "is_asked"),
    [
        ("climb tree", "A rope hangs from the tree. You take it.", True),
        ("search rug", "Under it lies a coin, so you pick up the coin.", True),
        ("listen", "You take a step closer, but hear nothing.", False),
        ("take rope", "You take the rope.", False),
    ],
)
def test_what_has_come_to_hand_by_another_action_is_asked_for(
    action: str, answer: str, is_asked: bool
) -> None:
    steps = [a_text_step(0, None, "Hall\nA bare hall."), a_text_step(1, "inventory", "You carry nothing.")]

    found = ideas_of("open_well", *steps, a_text_step(2, action, answer))

    assert found == (["inventory"] if is_asked else [])


def test_what_is_held_is_asked_for_again_after_a_long_time() -> None:
    steps = [a_text_step(0, None, "Hall\nA bare hall."), a_text_step(1, "inventory", "You carry a coin.")]
    steps += [a_text_step(n, f"push b{n}", f"Click {n}.") for n in range(2, 90)]

    assert ideas_of("open_well", *steps[:20]) == []
    assert ideas_of("open_well", *steps) == ["inventory"]


@pytest.mark.parametrize("text", ["You can't see any such thing.", "You're not holding the coin."])
def test_what_is_held_is_asked_for_where_something_held_proved_to_be_missing(text: str) -> None:
    opening, listed = (
        a_text_step(0, None, "Hall\nA bare hall."),
        a_text_step(1, "inventory", "You are carrying:\n  a coin"),
    )
    busy = [a_text_step(n, f"push b{n}", f"Click {n}.") for n in range(2, 15)]
    missed, another = a_text_step(15, "rub coin", text), a_text_step(15, "rub lamp", text)

    assert ideas_of("open_well", opening, listed, *busy, missed) == ["inventory"]
    assert ideas_of("open_well", opening, listed, *busy, another) == []
    assert ideas_of("open_well", opening, listed, missed.model_copy(update={"step": 2})) == []


def test_where_rooms_are_known_nothing_needs_to_be_typed_first() -> None:
    assert ideas_of("open_well", a_step(0)) == []


def test_the_player_asks_what_has_been_taken_where_neither_the_text_nor_the_world_tells() -> None:
    taken = a_step(1, "take all", text="You took one object")

    assert ideas_of("open_well", a_step(0), taken) == ["inventory"]
    assert ideas_of("open_well", a_step(0), taken.model_copy(update={"inventory": things(["plank"])})) == []


def test_where_nothing_untried_is_done_for_long_an_episode_is_given_up() -> None:
    walked = (a_blind_step(0), a_blind_step(1, "north", room="Attic"), a_blind_step(2, "south"))
    known = [a_blind_step(n, f"push b{n % 5}", f"Click {n % 5}.", changed=False) for n in range(3, 40)]
    untried = [a_blind_step(n, f"push b{n}", f"Click {n % 5}.", changed=False) for n in range(3, 40)]

    assert ideas_of("restart", *walked, *known[:20]) == []
    assert ideas_of("restart", *walked, *known) == ["restart"]
    assert ideas_of("restart", *walked, *untried) == []
    assert ideas_of("restart", *walked, *known, budget=80) == ["restart"]
    assert ideas_of("restart", *walked, *known, budget=60) == []


def test_what_an_episode_begins_with_is_asked_for_once_in_a_session() -> None:
    opening, again = (a_text_step(n, how, "Hall\nA bare hall.") for n, how in ((0, None), (4, "restart")))
    verbose = a_text_step(1, "verbose", "Verbose.")
    listed = a_text_step(2, "inventory", "You are carrying:\n  a brass lamp")
    dead = a_text_step(3, "jump", "You have died.").model_copy(update={"done": True})
    second = [each.model_copy(update={"step": n, "episode": 2}) for n, each in ((4, again), (5, verbose))]
    steps = (opening, verbose, listed, dead, *second)

    assert ideas_of("open_well", *steps[:2]) == ["inventory"]
    assert ideas_of("open_well", *steps) == []
    assert a_situation(*steps).experience.belongings.names == ("brass lamp",)


def test_the_longer_the_best_route_is_the_sooner_an_episode_without_anything_untried_is_given_up() -> None:
    rooms = [f"Cave {n}" for n in range(12)]
    walk = [a_blind_step(n, "north", rooms[n], room=rooms[n]) for n in range(1, 12)]
    crown = a_blind_step(12, "take crown", "Taken.", room=rooms[11], held=["crown"], reward=5)
    known = [
        a_blind_step(n, f"push b{n % 5}", f"Click {n % 5}.", room=rooms[11], held=["crown"], changed=False)
        for n in range(13, 32)
    ]
    far = (a_blind_step(0, None, rooms[0], room=rooms[0]), *walk, crown)
    near = (far[0], *walk, crown.model_copy(update={"reward": 0}))

    assert ideas_of("restart", *far, *known[:8]) == []
    assert ideas_of("restart", *far, *known) == ["restart"]
    assert ideas_of("restart", *near, *known) == []


def test_where_all_valid_actions_are_known_an_episode_without_any_effect_is_given_up() -> None:
    walked = (a_step(0), a_step(1, "north", room="Attic", world="v", changed=True))
    vain = [a_step(n, f"push b{n}", text=f"Click {n}.", room="Attic", world="v") for n in range(2, 30)]
    unsure = [step.model_copy(update={"valid_actions": ValidActions(complete=False)}) for step in vain]
    effect = a_step(15, "pull lever", text="Clack.", room="Attic", world="u", changed=True)

    assert ideas_of("restart", *walked, *vain[:20]) == []
    assert ideas_of("restart", *walked, *vain) == ["restart"]
    assert ideas_of("restart", *walked, *unsure) == []
    assert ideas_of("restart", *walked, *vain[:13], effect, *vain[14:]) == []


def test_while_waiting_brings_news_one_waits_on() -> None:
    steps = [
        a_blind_step(0),
        a_blind_step(1, "wait", "A train arrives."),
        a_blind_step(2, "wait", "It leaves."),
    ]

    assert ideas_of("wait", *steps) == ["wait"]
    assert ideas_of("wait", *steps, a_blind_step(3, "wait", "A train arrives.")) == []
    assert ideas_of("wait", *steps, a_blind_step(3, "look", "The platform is empty now.")) == []


def test_the_score_is_asked_for_early() -> None:
    steps = [a_text_step(n, f"push b{n}" if n else None, f"Click {n}.") for n in range(4)]

    assert ideas_of("probe_score", *steps[:2]) == []
    assert ideas_of("probe_score", *steps) == ["score"]


def a_probed_session(answer: str, *, then: int) -> list[StepTaken]:
    """The score was asked for, and then new rooms were found."""
    steps = [a_text_step(n, f"push b{n}" if n else None, f"Click {n}.") for n in range(4)]
    steps.append(a_text_step(4, "score", answer))
    return steps + [a_blind_step(n, "north", f"Room {n}", room=f"Room {n}") for n in range(5, 5 + then)]


def test_the_score_is_asked_for_again_after_something_was_gained() -> None:
    told = "Your score is 0 of a possible 50, in 4 turns."

    assert ideas_of("probe_score", *a_probed_session(told, then=5)) == []
    assert ideas_of("probe_score", *a_probed_session(told, then=60)) == ["score"]
    assert ideas_of("probe_score", *a_probed_session(told, then=60), budget=160) == []


def test_the_score_is_not_asked_for_again_where_nothing_was_gained() -> None:
    told = a_probed_session("Your score is 0 of a possible 50, in 4 turns.", then=1)
    waits = [a_blind_step(n, "wait", f"Noise {n}.", room="Room 5") for n in range(6, 80)]
    asked = a_blind_step(80, "score", "Your score is 0 of a possible 50, in 80 turns.", room="Room 5")
    more = [a_blind_step(n, "wait", f"Noise {n}.", room="Room 5") for n in range(81, 150)]

    assert ideas_of("probe_score", *told, *waits) == ["score"]
    assert ideas_of("probe_score", *told, *waits, asked, *more) == []


def test_a_game_that_does_not_tell_its_score_is_not_asked_again() -> None:
    assert ideas_of("probe_score", *a_probed_session("I don't know that verb.", then=60)) == []


def test_a_game_that_announces_points_is_not_asked() -> None:
    told = "[Your score has just gone up by five points.]"
    steps = [a_text_step(n, f"push b{n}" if n else None, told if n == 1 else f"Click {n}.") for n in range(4)]

    assert ideas_of("probe_score", *steps) == []


def test_where_the_score_is_known_it_is_not_asked_for() -> None:
    assert ideas_of("probe_score", *(a_step(n, "look" if n else None, valid=None) for n in range(5))) == []


def a_dull_session(steps: int) -> list[StepTaken]:
    """Nothing new after a walk to another room and back."""
    walk = [
        a_blind_step(0, None, "Hall"),
        a_blind_step(1, "north", "Attic", room="Attic"),
        a_blind_step(2, "south", "Hall"),
    ]
    return [*walk, *(a_blind_step(n, "jump", "Whee.") for n in range(3, steps))]


def test_long_without_anything_new_a_session_begins_anew() -> None:
    assert ideas_of("restart", *a_dull_session(20)) == []
    assert ideas_of("restart", *a_dull_session(80)) == ["restart"]


def test_near_its_end_a_session_does_not_begin_anew() -> None:
    assert ideas_of("restart", *a_dull_session(80), budget=100) == []


def test_a_room_without_a_way_out_is_given_up_sooner() -> None:
    cell = [a_blind_step(0, None, "Cell"), *(a_blind_step(n, "jump", "Whee.") for n in range(1, 30))]

    assert ideas_of("restart", *cell) == ["restart"]


def test_a_room_without_a_way_out_is_given_up_though_all_answers_are_new_and_sooner_the_next_time() -> None:
    once = in_a_pit(60)
    again = in_a_pit(30, first=len(once), episode=2)

    assert ideas_of("give_up", *once[:-1]) == []
    assert ideas_of("give_up", *once) == ["restart"]
    assert ideas_of("give_up", *once, *again[:-1]) == []
    assert ideas_of("give_up", *once, *again) == ["restart"]


def test_a_room_is_not_given_up_after_quiet_steps_nor_near_the_end_nor_before_the_way_back_is_tried() -> None:
    shut_in = in_a_pit(60)
    quiet = [a_blind_step(n, "jump", "Whee.", room="Pit", changed=False) for n in range(63, 110)]
    untried = [step for step in shut_in if step.action != "up"]

    assert ideas_of("give_up", *shut_in, *quiet) == []
    assert ideas_of("give_up", *shut_in, budget=120) == []
    assert ideas_of("give_up", *untried) == []


def test_where_every_known_way_out_kills_a_session_begins_anew_as_where_none_is_known() -> None:
    steps = [
        a_blind_step(0),
        a_blind_step(1, "up", "Branch", room="Branch"),
        a_blind_step(2, "down", "Hall"),
        a_blind_step(3, "up", "Branch", room="Branch"),
        a_blind_step(4, "down", "You fall.", room="Branch", done=True),
        a_blind_step(5, "restart", "Hall", episode=2),
        a_blind_step(6, "up", "Branch", room="Branch", episode=2),
    ]
    dull = [a_blind_step(n, "jump", "Whee.", room="Branch", episode=2, changed=False) for n in range(7, 50)]

    assert ideas_of("restart", *steps) == []
    assert ideas_of("restart", *steps, *dull) == ["restart"]
