"""What the rule-based player does in the dark."""

from __future__ import annotations

from schemas.game import StepTaken
from services.actor.heuristic.behaviours.places.darkness import lights
from tests.support.scenes.builders import a_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of


def a_dark_cellar(*held: str) -> tuple[StepTaken, StepTaken]:
    cellar = a_blind_step(1, "down", "It is pitch black.", room="Cellar", held=held)
    return a_blind_step(0, held=held), cellar


def test_in_the_dark_a_lamp_is_lit() -> None:
    assert ideas_of("light", *a_dark_cellar("brass lamp")) == ["turn on lamp"]


def test_a_lamp_that_cannot_be_turned_on_is_lit_in_another_way() -> None:
    vain = a_blind_step(
        2, "turn on torch", "It is pitch black.", room="Cellar", held=["torch"], changed=False
    )

    assert ideas_of("light", *a_dark_cellar("torch"), vain) == ["light torch"]


def test_a_lamp_that_cannot_be_lit_twice_is_none_in_this_episode() -> None:
    vain = [
        a_blind_step(n, action, text, room="Cellar", held=["lamp"])
        for n, action, text in (
            (2, "turn on lamp", "It has run out."),
            (3, "light lamp", "It has run out."),
            (4, "look", "It is pitch black."),
        )
    ]
    anew = a_blind_step(5, "restart", "Hall", episode=2)
    steps = [*a_dark_cellar("lamp"), *vain]

    assert ideas_of("light", *steps) == ["up"]
    assert not lights(a_situation(*steps).experience)
    assert lights(a_situation(*steps[:-1]).experience) == ("lamp",)
    assert not a_situation(*steps, anew).experience.rooms.failed_lights


def test_a_lamp_that_could_not_be_lit_is_one_again_once_something_was_put_into_it() -> None:
    held = ["lamp", "battery"]
    vain = [
        a_blind_step(n, action, text, room="Cellar", held=held)
        for n, action, text in (
            (2, "turn on lamp", "It has run out."),
            (3, "light lamp", "It is pitch black."),
        )
    ]
    refilled = a_blind_step(
        4, "put battery in lamp", "You put it into the lamp.", room="Cellar", held=["lamp"]
    )
    refused = a_blind_step(4, "put battery in lamp", "It doesn't fit.", room="Cellar", held=held)
    steps = [*a_dark_cellar(*held), *vain]

    assert lights(a_situation(*steps, refilled).experience) == ("lamp",)
    assert not lights(a_situation(*steps, refused).experience)


def test_without_a_light_one_goes_back_the_way_one_came() -> None:
    assert ideas_of("light", *a_dark_cellar("coin")) == ["up"]


def test_where_no_way_back_is_known_the_rooms_own_light_is_tried_once() -> None:
    woken = a_blind_step(0, None, "You wake up. It is pitch black.")
    vain = a_blind_step(1, "turn on light", "You can't see any such thing.", changed=False)

    assert ideas_of("light", woken) == ["turn on light"]
    assert ideas_of("light", woken, vain) == ["wait"]


def test_in_the_dark_one_waits_a_while_for_light_and_knows_when_it_has_come() -> None:
    woken = a_blind_step(0, None, "You wake up. It is pitch black.")
    vain = a_blind_step(1, "turn on light", "You can't see any such thing.", changed=False)
    waits = [a_blind_step(n, "wait", "Time passes.", changed=False) for n in (2, 3, 4)]
    lit = a_blind_step(4, "wait", "The lights come back.\n\nHall\nA bare hall.")

    assert ideas_of("light", woken, vain, *waits[:2]) == ["wait"]
    assert ideas_of("light", woken, vain, *waits) == []
    assert "Hall" in a_situation(woken, vain, *waits[:2]).experience.rooms.dark
    assert not a_situation(woken, vain, *waits[:2], lit).experience.rooms.dark


def test_in_the_dark_nothing_is_handled_but_what_is_held() -> None:
    lit, dark = (
        a_step(0, text=text, seen=["statue"], held=["coin"]) for text in ("A hall.", "It is pitch black.")
    )

    assert {"examine statue", "examine coin"} <= set(ideas_of("things", lit))
    assert ideas_of("things", dark) == ["examine coin"]
    assert not [action for action in ideas_of("experiment", dark) if "statue" in action]


def test_a_lamp_is_kept_for_the_dark() -> None:
    assert ideas_of("light", a_blind_step(0, held=["brass lamp"])) == []


def test_nothing_is_looked_at_in_the_dark_even_where_valid_actions_are_known() -> None:
    lit, dark = (
        a_step(0, text=f"{how} A rusty lever sticks out of the wall.") for how in ("", "It is dark.")
    )

    assert "examine lever" in ideas_of("mentions", lit)
    assert ideas_of("mentions", dark) == []


def in_a_dark_cellar(told: str) -> list[StepTaken]:
    return [
        a_blind_step(0, None, "Stairs lead down."),
        a_blind_step(1, "down", "It is pitch dark.", room="Cellar"),
        a_blind_step(2, "up", "Hall"),
        a_blind_step(3, "take stone", told, held=["stone"]),
    ]


WORD = "She gives you a stone. Say LUMEN where it lacks light."


def test_a_word_that_is_told_together_with_light_is_said_in_the_dark() -> None:
    there = [
        *in_a_dark_cellar(WORD),
        a_blind_step(4, "down", "It is pitch dark.", room="Cellar", held=["stone"]),
    ]

    assert ideas_of("light", *there) == ["say lumen"]
    said = a_blind_step(5, "say lumen", "The stone begins to glow.", room="Cellar", held=["stone"])
    assert a_situation(*there, said).experience.rooms.shining == {"stone"}


def test_one_walks_into_the_dark_with_such_a_word_and_not_with_another() -> None:
    assert ideas_of("travel", *in_a_dark_cellar(WORD)) == ["down"]
    assert ideas_of("travel", *in_a_dark_cellar("Say PLUGH.")) == []


def test_what_somebody_says_of_the_dark_is_not_said_of_the_room() -> None:
    quoted = a_blind_step(1, "take stone", '"Say LUMEN where it is dark," she says.', held=["stone"])

    assert not a_situation(a_blind_step(0), quoted).experience.rooms.dark


def in_the_dark_after(steps: int) -> list[StepTaken]:
    """In a cellar without a light, where nothing was new for so long."""
    known = [a_blind_step(n, "jump", "Whee.", held=["rod"], changed=False) for n in range(3, steps + 3)]
    dark = "It is pitch dark."
    return [
        a_blind_step(0, None, "Hall", held=["rod"]),
        a_blind_step(1, "down", dark, room="Cellar", held=["rod"]),
        a_blind_step(2, "up", "Hall", held=["rod"]),
        *known,
        a_blind_step(steps + 3, "down", dark, room="Cellar", held=["rod"]),
    ]


def test_who_is_lost_tries_what_is_held_and_the_ways_out_in_the_dark() -> None:
    assert "rub rod" not in ideas_of("grope", *in_the_dark_after(10))
    found = ideas_of("grope", *in_the_dark_after(110))

    assert "rub rod" in found and "wave rod" in found and found[-1] == "north"


def test_in_the_dark_without_a_way_back_one_gropes_at_once() -> None:
    fallen = [a_blind_step(0, None, "Hall"), a_blind_step(1, "jump", "It is pitch dark.", room="Pit")]

    assert ideas_of("grope", *fallen) == ["north"]


def test_where_the_dark_has_killed_often_one_gropes_no_more() -> None:
    steps = in_the_dark_after(110)
    for n, way in enumerate(("north", "south", "east")):
        at = steps[-1].step
        steps += [
            a_blind_step(
                at + 1, way, "You fall into a pit. You have died.", room="Cellar", done=True, episode=n + 1
            ),
            a_blind_step(at + 2, "restart", "Hall", episode=n + 2),
            a_blind_step(at + 3, "down", "It is pitch dark.", room="Cellar", episode=n + 2),
        ]

    assert not set(ideas_of("grope", *steps)) & {"north", "south", "east", "west", "up"}


def test_where_the_light_has_gone_out_one_does_not_grope_at_once() -> None:
    steps = [
        a_blind_step(0, None, "Cell", room="Cell"),
        a_blind_step(1, "push switch", "It is pitch dark.", room="Cell"),
    ]

    assert ideas_of("grope", *steps) == []


def test_who_has_been_in_many_dark_rooms_goes_in_circles_and_gropes_no_more() -> None:
    dark = "It is pitch dark."
    steps = [a_blind_step(0), *(a_blind_step(n, "north", dark, room=f"Dark {n}") for n in range(1, 24))]

    assert ideas_of("grope", *steps[:10]) != []
    assert ideas_of("grope", *steps) == []


def test_in_the_dark_one_gropes_for_a_while_in_each_episode() -> None:
    dark = "It is pitch dark."
    first = [a_blind_step(n, None if n == 0 else "wait", dark, room="Bed") for n in range(40)]
    again = a_blind_step(40, "restart", dark, room="Bed", episode=2)

    assert "north" in ideas_of("grope", *first[:20])
    assert ideas_of("grope", *first) == []
    assert "north" in ideas_of("grope", *first, again)
