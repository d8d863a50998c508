"""When the rule-based player dares again what has killed."""

from __future__ import annotations

from schemas.game import StepTaken
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of


def deaths(times: int, *, held: str = "") -> list[StepTaken]:
    """Episodes that a jump has ended, and the beginning of the next."""
    steps = [a_blind_step(0)]
    for episode in range(1, times + 1):
        at, holding = len(steps), [held] if held else []
        steps += [
            a_blind_step(at, "take all", "Taken.", held=holding, episode=episode),
            a_blind_step(at + 1, "jump", "You drown.", held=holding, done=True, episode=episode),
            a_blind_step(at + 2, "restart", "Hall", episode=episode + 1),
        ]
    return steps


def with_a_snorkel(steps: list[StepTaken]) -> list[StepTaken]:
    return [*steps, a_blind_step(len(steps), "take snorkel", "Taken.", held=["snorkel"], episode=9)]


def test_what_killed_is_done_again_with_something_else_in_hand() -> None:
    assert ideas_of("dare", *deaths(1)) == []
    assert ideas_of("dare", *with_a_snorkel(deaths(1))) == ["jump"]
    assert ideas_of("dare", *with_a_snorkel(deaths(1, held="snorkel"))) == []


def test_what_killed_is_done_again_in_what_was_put_on_since() -> None:
    carried = deaths(1, held="snorkel")
    worn = a_blind_step(
        len(carried) + 1, "wear snorkel", "You put on the snorkel.", held=["snorkel"], episode=9
    )

    assert ideas_of("dare", *with_a_snorkel(carried)) == []
    assert ideas_of("dare", *with_a_snorkel(carried), worn) == ["jump"]


def test_what_killed_twice_is_left_alone_and_so_is_all_danger_near_the_end() -> None:
    assert ideas_of("dare", *with_a_snorkel(deaths(2))) == []
    assert ideas_of("dare", *with_a_snorkel(deaths(1)), budget=50) == []


def test_what_was_survived_is_no_danger_until_the_next_beginning() -> None:
    steps = with_a_snorkel(deaths(1))
    dived = a_blind_step(len(steps), "jump", "You dive.", held=["snorkel"], episode=9)
    again = a_blind_step(len(steps) + 1, "restart", "Hall", episode=10)

    assert "jump" in a_situation(*steps).experience.deadly("Hall")
    assert "jump" not in a_situation(*steps, dived).experience.deadly("Hall")
    assert ideas_of("dare", *steps, dived) == []
    assert "jump" in a_situation(*steps, dived, again).experience.deadly("Hall")


def test_deaths_by_an_alarm_make_nothing_deadly_that_was_done_when_it_came() -> None:
    steps = [a_blind_step(0)]
    for episode, last in enumerate(("examine lamp", "open chest", "wave rod"), start=1):
        at = len(steps)
        steps += [
            a_blind_step(at, "break window", "It shatters, and an alarm rings.", episode=episode),
            a_blind_step(at + 1, last, "They arrest you. *** You have lost ***", done=True, episode=episode),
            a_blind_step(at + 2, "restart", "Hall", episode=episode + 1),
        ]
    known = a_situation(*steps).experience

    assert a_situation(*steps[:-2]).experience.deadly("Hall") == {"examine lamp", "open chest"}
    assert known.deadly("Hall") == frozenset()
    assert known.dangers.deaths_in_light["Hall"] == 2


def test_a_death_is_not_put_down_to_a_way_that_is_walked_every_day() -> None:
    walks = [a_blind_step(0)]
    for day in range(1, 5, 2):
        walks += [a_blind_step(day, "north", "Attic", room="Attic"), a_blind_step(day + 1, "south", "Hall")]
    starved = [
        a_blind_step(5, "north", "You starve.", room="Attic", done=True),
        a_blind_step(6, "restart", "Hall", episode=2),
    ]

    assert a_situation(*walks, *starved).experience.deadly("Hall") == frozenset()
    assert a_situation(walks[0], *starved).experience.deadly("Hall") == {"north"}


def test_a_verb_that_killed_once_in_many_tries_is_no_danger_elsewhere() -> None:
    killed = deaths(1)
    later = [a_blind_step(n, f"jump {n}", f"Whee {n}.", episode=2) for n in range(len(killed), 12)]

    assert a_situation(*killed).experience.dangers.is_deadly("jump", 1)
    known = a_situation(*killed, *later).experience
    assert not known.dangers.is_deadly("jump", known.rates.of_verb("jump").tries)


def killed_by(*ways: str) -> list[StepTaken]:
    """Episodes that ways out of the hall have ended, and the beginning of the next."""
    steps = [a_blind_step(0, None, "Hall. Doors lead north, south and east.")]
    for episode, way in enumerate(ways, start=1):
        end = a_blind_step(len(steps), way, f"You fall {way}.", done=True, episode=episode)
        steps += [end, a_blind_step(len(steps) + 1, "restart", "Hall", episode=episode + 1)]
    return steps


def test_where_two_ways_have_killed_the_others_are_gone_later() -> None:
    once, twice = utility_of("east", *killed_by("north")), utility_of("east", *killed_by("north", "south"))

    assert once == utility_of("east", *killed_by()) > 0
    assert twice < once
