"""What a session teaches for later ones, and what of it fits into a message."""

from __future__ import annotations

import pytest

from schemas.experience import MOST_BYTES, MOST_REFLECTIONS, MOST_STAGES
from schemas.game import StepTaken
from services.memory.experience.lessons import Lessons, SessionLessons, lessons_of
from services.memory.experience.story_experience import StoryRows, story_experience
from services.memory.logic import fragment
from services.memory.timeline.world_model import WorldModel
from tests.support.scenes.builders import a_step


def taught(*steps: StepTaken, learned_up_to: int = -1) -> SessionLessons:
    world = WorldModel(Lessons(learned_up_to))
    for step in (*steps, *steps[-2:]):  # the bus may deliver twice
        world.after(step)
    assert world.lessons is not None
    return lessons_of("s", steps[-1].step, world.lessons, world.beliefs.map)


def rows(**changes: object) -> StoryRows:
    nothing = {"sessions": 1, "score": None, "best": ("s", 5), "route": [], "rooms": []}
    return StoryRows(**{**nothing, "exits": [], "earned": [], "deaths": [], **changes})  # type: ignore[arg-type]


def a_death(number: int, *, room: str = "Hall", text: str = "You fall.") -> tuple[StepTaken, StepTaken]:
    died = a_step(number, "jump", room=room, text=text, done=True, changed=True)
    return died, a_step(number + 1, "restart", room="Hall", world="w", episode=2)


def test_what_earned_and_where_a_way_led_is_kept() -> None:
    known = taught(
        a_step(0),
        a_step(1, "north", room="Yard", world="x"),
        a_step(2, "take lamp", room="Yard", score=5, reward=5, world="y", changed=True),
        a_step(3, "s", room="Hall", score=5, world="z"),
    )

    assert known.exits == ((("Hall", "north"), "Yard"), (("Yard", "south"), "Hall"))
    assert known.earned == ((("Yard", "take lamp"), 5),)
    assert (known.points, known.score, known.steps) == (5, 5, 3)
    assert [(move.action, move.room, move.arrives) for move in known.route] == [
        ("north", "Hall", "Yard"), ("take lamp", "Yard", "Yard"),
    ]  # fmt: skip


def test_the_route_is_of_the_best_episode_without_what_came_to_nothing() -> None:
    known = taught(
        a_step(0),
        a_step(1, "take egg", score=1, reward=1, world="a", changed=True),
        a_step(2, "restart", world="b", episode=2),
        a_step(3, "wait", world="b", episode=2),
        a_step(4, "north", room="Yard", world="b", episode=2),
        a_step(5, "south", world="b", episode=2),
        a_step(6, "take lamp", score=5, reward=5, world="c", changed=True, episode=2),
        a_step(7, "drop lamp", score=5, world="d", changed=True, episode=2),
    )

    assert known.points == 5
    assert [move.action for move in known.route] == ["take lamp"]


def test_after_going_back_in_time_an_episode_teaches_no_route() -> None:
    known = taught(
        a_step(0),
        a_step(1, "take lamp", score=5, reward=5, world="a", changed=True),
        a_step(2, "undo", score=0, world="w", changed=True),
        a_step(3, "take egg", score=9, reward=9, world="c", changed=True),
    )

    assert (known.points, [move.action for move in known.route]) == (5, ["take lamp"])


def test_deaths_are_counted_with_what_did_it_and_whether_it_was_dark() -> None:
    dark = a_step(2, "restart", text="It is pitch dark here.", episode=2)
    known = taught(a_step(0), a_death(1)[0], dark, a_death(3)[0].model_copy(update={"episode": 2}))

    assert known.deaths == ((("Hall", "jump"), False, 1), (("Hall", "jump"), True, 1))


def test_a_fork_does_not_count_the_deaths_of_its_parent_again() -> None:
    steps = (a_step(0), *a_death(1), a_death(3)[0].model_copy(update={"episode": 2}))

    assert taught(*steps, learned_up_to=2).deaths == ((("Hall", "jump"), False, 1),)


def test_a_room_that_has_no_name_or_an_endless_one_is_left_out() -> None:
    known = taught(a_step(0, room=None, world="", score=None), a_step(1, "north", room="x" * 500))

    assert (known.exits, known.rooms, known.route) == ((), {}, ())


def test_whatever_was_found_it_fits_into_a_message() -> None:
    long = "ж" * 118
    known = story_experience(
        rows(
            route=[(f"{long}{n}"[-120:], f"{n:03}", f"{n:03}") for n in range(900)],
            rooms=[(f"{n:03}{long}"[:120], long[:60]) for n in range(999)],
            exits=[(f"{n:03}{long}"[:120], f"{way}", long) for n in range(999) for way in range(50)],
            deaths=[(f"{n:03}{long}"[:120], f"{long}{way}", True, 2) for n in range(99) for way in range(50)],
        )
    )

    assert len(known.model_dump_json().encode()) <= MOST_BYTES
    assert known.cut and known.best_route and known.rooms
    assert [stage.room for stage in known.best_route] == [f"{n:03}" for n in range(len(known.best_route))]


def test_the_rooms_of_the_route_and_the_deadly_ones_are_kept_first() -> None:
    many = [(f"{n:04}", "") for n in range(2000)]
    known = story_experience(
        rows(
            route=[("north", "1999", "1998")] * (MOST_STAGES + 5),
            rooms=many,
            deaths=[("1500", "jump", False, 2), ("1500", "dig", False, 1)],
        )
    )

    assert [room.id for room in known.rooms[:2]] == ["1999", "1500"]
    assert (known.deaths, len(known.best_route), known.cut) == (3, MOST_STAGES, True)


def test_the_newest_end_of_a_way_counts() -> None:
    known = story_experience(rows(rooms=[("a", "A")], exits=[("a", "north", "b"), ("a", "north", "c")]))

    assert known.rooms[0].exits == (("north", "c"),)


@pytest.mark.parametrize("deaths", [2, 4])
def test_the_last_three_failures_are_told_in_a_sentence_each_after_those_of_earlier_sessions(
    deaths: int,
) -> None:
    world, steps = WorldModel(known=("Do not run.", "Do not wake the bear.")), [a_step(0)]
    for number in range(1, 2 * deaths, 2):
        steps += a_death(number, text=f"You fall {number} times.")
    for step in (*steps, *steps[-2:]):
        world.after(step)

    [told] = [
        section.text
        for section in fragment(world.beliefs, world.failures.text).sections
        if section.name == "failures"
    ]

    assert (
        told.splitlines()
        == [
            "- in an earlier session: Do not wake the bear.",
            "- At step 1, 'jump' in Hall was the end: You fall 1 times.",
            "- At step 3, 'jump' in Hall was the end: You fall 3 times.",
            "- At step 5, 'jump' in Hall was the end: You fall 5 times.",
            "- At step 7, 'jump' in Hall was the end: You fall 7 times.",
        ][deaths - 2 : deaths + 1]
    )


def test_who_has_not_failed_is_told_of_no_failure() -> None:
    won = a_step(1, "win", done=True).model_copy(update={"victory": True})
    world = WorldModel().after(a_step(0)).after(won)

    sections = fragment(world.beliefs, world.failures.text).sections
    assert [section.name for section in sections] == ["room_state", "belief"]


def test_what_failures_have_taught_is_kept_within_bounds() -> None:
    kept = lessons_of("s", 1, Lessons(), WorldModel().beliefs.map, ("", *("x" * 1_000 for _ in range(5))))

    assert [len(text) for text in kept.reflections] == [240] * MOST_REFLECTIONS
    assert story_experience(rows(reflections=kept.reflections)).reflections == kept.reflections
