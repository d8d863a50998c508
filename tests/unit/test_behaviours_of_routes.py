"""How the rule-based player goes its best route again, and how a session ends."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.game import StepTaken
from tests.support.scenes.builders import a_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of


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

    assert ideas_of("replay_the_best", *steps, *again[:28]) == ["north"]
    assert ideas_of("replay_the_best", *steps, *again[:38], budget=90) == ["north"], "no time"
    assert ideas_of("replay_the_best", *steps, *again[:41], budget=96)[0] == "examine lamp", "it is too long"
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
    assert ideas_of("replay_the_best", *begun, *known, late) == [
        "listen",
        "smell",
        "wait",
        "sing",
        "north",
    ]


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
