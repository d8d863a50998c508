"""How the rule-based player begins, asks for the score, waits, begins anew, and ends."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.game import StepTaken
from tests.support.scenes.builders import a_step, a_text_step, things
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of


def test_by_text_alone_rooms_are_wanted_in_full_and_then_what_is_held() -> None:
    opening, verbose = a_text_step(0, None, "Hall\nA bare hall."), a_text_step(1, "verbose", "Verbose.")

    assert ideas_of("open_well", opening) == ["verbose"]
    assert ideas_of("open_well", opening, verbose) == ["inventory"]


def test_a_new_episode_has_forgotten_that_rooms_are_wanted_in_full() -> None:
    opening, again = (a_text_step(n, how, "Hall\nA bare hall.") for n, how in ((0, None), (2, "restart")))
    dead = a_text_step(1, "jump", "You have died.").model_copy(update={"done": True})

    assert ideas_of("open_well", opening, dead, again.model_copy(update={"episode": 2})) == ["verbose"]


def test_what_is_held_is_asked_for_again_after_a_long_time() -> None:
    steps = [a_text_step(0, None, "Hall\nA bare hall."), a_text_step(1, "inventory", "You carry a coin.")]
    steps += [a_text_step(n, f"push b{n}", f"Click {n}.") for n in range(2, 90)]

    assert ideas_of("open_well", *steps[:20]) == []
    assert ideas_of("open_well", *steps) == ["inventory"]


def test_what_is_held_is_asked_for_where_something_held_proved_to_be_missing() -> None:
    opening, listed = (
        a_text_step(0, None, "Hall\nA bare hall."),
        a_text_step(1, "inventory", "You are carrying:\n  a coin"),
    )
    busy = [a_text_step(n, f"push b{n}", f"Click {n}.") for n in range(2, 15)]
    missed = a_text_step(15, "rub coin", "You can't see any such thing.")
    another = a_text_step(15, "rub lamp", "You can't see any such thing.")

    assert ideas_of("open_well", opening, listed, *busy, missed) == ["inventory"]
    assert ideas_of("open_well", opening, listed, *busy, another) == []
    assert ideas_of("open_well", opening, listed, missed.model_copy(update={"step": 2})) == []


def test_where_rooms_are_known_nothing_needs_to_be_typed_first() -> None:
    assert ideas_of("open_well", a_step(0)) == []


def test_the_player_asks_what_has_been_taken_where_neither_the_text_nor_the_world_tells() -> None:
    taken = a_step(1, "take all", text="You took one object")

    assert ideas_of("open_well", a_step(0), taken) == ["inventory"]
    assert ideas_of("open_well", a_step(0), taken.model_copy(update={"inventory": things(["plank"])})) == []


def test_after_a_restart_the_way_to_the_best_score_is_gone_again() -> None:
    steps = (
        a_blind_step(0),
        a_blind_step(1, "north", "Attic", room="Attic"),
        a_blind_step(2, "take crown", "Taken.", room="Attic", held=["crown"], reward=5),
        a_blind_step(3, "south", "Hall", held=["crown"]),
        a_blind_step(4, "restart", "Hall", episode=2),
        a_blind_step(5, "north", "Attic", room="Attic", episode=2),
    )

    assert ideas_of("replay_the_best", *steps[:4]) == []
    assert ideas_of("replay_the_best", *steps[:5]) == ["north"]
    assert ideas_of("replay_the_best", *steps) == ["take crown"]


def a_route_past_a_death(*, held: Sequence[str]) -> list[StepTaken]:
    """The leap over the pit has killed, and then earned points with the rope in hand."""
    return [
        a_blind_step(0, None, "Pit", room="Pit"),
        a_blind_step(1, "jump", "You fall.", room="Pit", done=True),
        a_blind_step(2, "restart", "Pit", room="Pit", held=["rope"], episode=2),
        a_blind_step(3, "jump", "You are across.", room="Ledge", held=["rope"], reward=5, episode=2),
        a_blind_step(4, "restart", "Pit", room="Pit", held=held, episode=3),
    ]


def test_on_the_best_route_what_has_killed_is_dared_with_as_much_in_hand() -> None:
    assert ideas_of("replay_the_best", *a_route_past_a_death(held=[])) == []
    assert ideas_of("replay_the_best", *a_route_past_a_death(held=["rope"])) == ["jump"]


def test_what_kills_in_the_same_state_is_not_dared() -> None:
    again = a_route_past_a_death(held=["rope"])
    dead = a_blind_step(5, "jump", "You fall.", room="Pit", held=["rope"], episode=3, done=True)
    more = a_blind_step(6, "restart", "Pit", room="Pit", held=["rope"], episode=4)

    assert ideas_of("replay_the_best", *again, dead, more) == []


def test_a_victory_at_the_end_of_the_route_waits_for_the_last_step() -> None:
    won = a_blind_step(2, "dig", "You have won.", room="Attic", done=True, reward=5)
    steps = [
        a_blind_step(0),
        a_blind_step(1, "north", room="Attic"),
        won.model_copy(update={"victory": True}),
        *(a_blind_step(n, "restart", episode=n - 1) for n in (3, 4, 5)),
        a_blind_step(6, "north", room="Attic", episode=4),
    ]

    assert ideas_of("replay_the_best", *steps) == ["dig"]
    assert ideas_of("replay_the_best", *steps, budget=9) == ["look", "dig"]
    assert ideas_of("replay_the_best", *steps, budget=7) == ["dig"]


def test_on_a_long_way_something_is_looked_at() -> None:
    rooms = [f"Cave {n}" for n in range(48)]
    walk = [a_blind_step(n, "north", rooms[n], room=rooms[n], seen=["lamp"]) for n in range(1, 47)]
    crown = a_blind_step(47, "take crown", "Taken.", room=rooms[46], held=["crown"], reward=5)
    anew = a_blind_step(48, "restart", rooms[0], room=rooms[0], seen=["lamp"], episode=2)
    again = [
        each.model_copy(update={"step": 48 + each.step, "episode": 2, "changed": False}) for each in walk
    ]
    steps = (a_blind_step(0, None, rooms[0], room=rooms[0], seen=["lamp"]), *walk, crown, anew)

    assert ideas_of("replay_the_best", *steps, *again[:38]) == ["north"]
    assert ideas_of("replay_the_best", *steps, *again[:41], budget=96) == ["north"]
    looks = ideas_of("replay_the_best", *steps, *again[:41])
    assert looks[0] == "examine lamp" and "search lamp" in looks and looks[-1] == "north"


def test_on_the_way_one_looks_about_also_where_nothing_was_new_before_the_restart() -> None:
    begun = [
        a_blind_step(0, None, "Hall"),
        a_blind_step(1, "north", "Attic", room="Attic"),
        a_blind_step(2, "take crown", "Taken.", room="Attic", held=["crown"], reward=5),
        a_blind_step(3, "south", "Hall", held=["crown"]),
    ]
    known = [a_blind_step(n, "jump", "Whee.", held=["crown"], changed=False) for n in range(4, 50)]
    soon, late = (
        a_blind_step(last.step + 1, "restart", "Hall", episode=2) for last in (begun[-1], known[-1])
    )

    assert ideas_of("replay_the_best", *begun, soon) == ["north"]
    assert ideas_of("replay_the_best", *begun, *known, late) == ["listen", "smell", "north"]


def test_where_nothing_untried_is_done_for_long_an_episode_is_given_up() -> None:
    walked = (a_blind_step(0), a_blind_step(1, "north", room="Attic"), a_blind_step(2, "south"))
    known = [a_blind_step(n, f"push b{n % 5}", f"Click {n % 5}.", changed=False) for n in range(3, 40)]
    untried = [a_blind_step(n, f"push b{n}", f"Click {n % 5}.", changed=False) for n in range(3, 40)]

    assert ideas_of("restart", *walked, *known[:20]) == []
    assert ideas_of("restart", *walked, *known) == ["restart"]
    assert ideas_of("restart", *walked, *untried) == []
    assert ideas_of("restart", *walked, *known, budget=80) == ["restart"]
    assert ideas_of("restart", *walked, *known, budget=60) == []


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


def a_session_behind_its_best(*, steps: int) -> list[StepTaken]:
    """It has earned points in its first episode, and none since."""
    begun = [
        a_blind_step(0),
        a_blind_step(1, "take crown", "Taken.", held=["crown"], reward=5),
        a_blind_step(2, "restart", "Hall", episode=2),
        a_blind_step(3, "east", "Pit", room="Pit", episode=2),
    ]
    return begun + [
        a_blind_step(n, "wait", f"Noise {n}.", room="Pit", episode=2) for n in range(4, steps + 1)
    ]


def test_at_the_end_the_best_known_route_is_gone_once_more() -> None:
    assert ideas_of("end_well", *a_session_behind_its_best(steps=91), budget=100) == []
    assert ideas_of("end_well", *a_session_behind_its_best(steps=95), budget=100) == ["restart"]


CAVES = [a_blind_step(n, "north", room=f"Cave {n}") for n in range(1, 16)]
CROWN = a_blind_step(16, "take crown", "Taken.", room="Cave 15", held=["crown"], reward=5)


def pits(first: int, end: int, *, episode: int) -> list[StepTaken]:
    """A walk that earns nothing."""
    return [a_blind_step(n, "east", room=f"Pit {n}", episode=episode) for n in range(first, end)]


def test_a_long_route_is_begun_earlier() -> None:
    begun = [a_blind_step(0), *CAVES, CROWN, a_blind_step(17, "restart", "Hall", episode=2)]

    assert ideas_of("end_well", *begun, *pits(18, 170, episode=2), budget=200) == []
    assert ideas_of("end_well", *begun, *pits(18, 180, episode=2), budget=200) == ["restart"]


def test_a_route_that_is_being_followed_is_not_begun_anew() -> None:
    begun = [a_blind_step(0), *CAVES, CROWN, *pits(17, 85, episode=1)]
    again = [a_blind_step(85, "restart", "Hall", episode=2)]
    again += [each.model_copy(update={"step": 85 + each.step, "episode": 2}) for each in CAVES]

    assert ideas_of("end_well", *begun, *again, budget=120) == []


def test_a_route_that_brings_nothing_on_is_begun_anew() -> None:
    """In the same room its next stage has not been done for ten steps."""
    begun = [*a_session_behind_its_best(steps=3)[:2], a_blind_step(2, "restart", "Hall", episode=2)]
    held_up = [a_blind_step(n, "jump", f"Whee {n}.", episode=2) for n in range(3, 96)]

    assert a_situation(*begun, *held_up).best_route.is_under_way
    assert ideas_of("end_well", *begun, *held_up, budget=100) == ["restart"]


def test_the_best_known_route_is_not_begun_where_too_few_steps_are_left_for_it() -> None:
    assert ideas_of("end_well", *a_session_behind_its_best(steps=98), budget=100) == []


def test_a_session_that_is_at_its_best_ends_where_it_is() -> None:
    best = a_blind_step(92, "take crown", "Taken.", room="Pit", held=["crown"], reward=5, episode=2)

    assert ideas_of("end_well", *a_session_behind_its_best(steps=91), best, budget=100) == []


def a_victory() -> list[StepTaken]:
    """Won with points to spare, and begun anew."""
    won = a_step(1, "dig", reward=5, score=5, world="v", done=True, valid=None)
    return [
        a_step(0, valid=["dig"]),
        won.model_copy(update={"victory": True}),
        a_step(2, "restart", episode=2, valid=["dig"]),
    ]


def test_a_victory_is_taken_where_there_is_time_for_more() -> None:
    assert ideas_of("win_again", *a_victory()) == ["dig"]
    assert ideas_of("win_again", *a_victory(), budget=3) == []


def test_after_a_victory_only_every_third_episode_is_played_by_the_recipe() -> None:
    steps = [a_blind_step(0), a_blind_step(1, "drink potion", "You feel taller.", reward=5)]
    steps += [a_blind_step(2, "dig", "You have won.", done=True).model_copy(update={"victory": True})]
    steps += [a_blind_step(n, "restart", episode=n - 1) for n in (3, 4, 5)]
    free = [a_situation(*steps[:n]).best_route.is_free for n in (4, 5, 6)]

    assert free == [True, True, False]


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
