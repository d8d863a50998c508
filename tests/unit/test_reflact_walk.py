"""Going to a known room: one action a step, and given up as soon as the world is not as it was known."""

from __future__ import annotations

import pytest

from schemas.game import StepTaken
from schemas.sources import TextKind
from services.actor.reflact.reply import UnusableReply
from services.actor.reflact.scene import scene_of
from services.actor.reflact.walk import Walk, continued_walk, walk_to
from tests.support.scenes.builders import a_step
from tests.support.scenes.scenes import a_proposal, a_situation, a_walk_through, idling

THERE = a_walk_through("ABCD")
BACK = [
    a_step(4, "west", room="Room C", valid=["east", "west"], world="C", changed=True),
    a_step(5, "west", room="Room B", valid=["east", "west"], world="B", changed=True),
]


def meant(action: str, heading: str = "Room A") -> object:
    return a_proposal(action, heading=heading)


def test_the_way_is_the_shortest_one_over_the_map() -> None:
    walk = walk_to("room a", a_situation(THERE))

    assert walk == Walk("Room A", "Room A", ("west", "west", "west"))


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("Attic", "No room 'Attic' is known that could be walked to."),
        ("Room D", "You are in Room D already."),
        ("Room\x1b[2J\nX", "No room 'Room .2J X' is known"),
    ],
)
def test_a_room_to_which_one_cannot_go_does_not_fit(wanted: str, why: str) -> None:
    with pytest.raises(UnusableReply, match=why.replace("[", r"\[")):
        walk_to(wanted, a_situation(THERE))


def test_of_rooms_with_one_name_the_nearest_is_meant_and_an_id_tells_them_apart() -> None:
    steps = [
        step.model_copy(update={"room": step.room.model_copy(update={"name": "Maze"})}) for step in THERE
    ]
    situation = a_situation(steps)

    assert walk_to("Maze [Room B]", situation).actions == ("west", "west")
    assert walk_to("[Room A]", situation).goal == "Room A"
    with pytest.raises(UnusableReply, match=r"already"):
        walk_to("maze", situation)


def test_a_walk_goes_on_step_by_step_until_it_arrives() -> None:
    first, second = (
        continued_walk(meant("west"), a_situation([*THERE, BACK[0]])),
        continued_walk(meant("west"), a_situation([*THERE, *BACK])),
    )
    there = continued_walk(
        meant("west"),
        a_situation([*THERE, *BACK, a_step(6, "west", room="Room A", world="A", changed=True)]),
    )

    assert first == Walk("Room A", "Room A", ("west", "west"))
    assert second == Walk("Room A", "Room A", ("west",))
    assert there == "You have arrived in Room A."


def altered(**changes: object) -> StepTaken:
    return BACK[0].model_copy(update=changes)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (altered(reward=5), "the score has changed"),
        (altered(text_kind=TextKind.QUESTION), "the game asks something"),
        (altered(text_kind=TextKind.MENU), "the game asks something"),
        (altered(done=True), "the game is over"),
        (altered(action="look"), "the critic had 'look' done instead"),
        (altered(observation="A troll swings at you."), "somebody attacks"),
        (altered(observation="It is pitch black."), "it is dark here"),
        (altered(room=THERE[3].room, changed=False), "'west' did not lead where it had led before"),
        (altered(room=THERE[1].room), "'west' did not lead where it had led before"),
    ],
)
def test_a_walk_is_given_up_when_something_is_not_as_it_was_to_be(step: StepTaken, why: str) -> None:
    walked = [
        *THERE,
        a_step(4, "west", room="Room C", world="C", changed=True),
        a_step(5, "east", room="Room D", world="D", changed=True),
    ]
    step = step.model_copy(update={"step": 6})
    situation = a_situation([*walked, step])

    told = continued_walk(meant("west"), situation)

    assert told == f"The walk to Room A was given up: {why}."
    scene, walk = scene_of(situation, {}, meant("west"))
    assert walk is None
    assert scene.mind.heading == ""
    assert scene.notes[0] == told


def test_a_walk_to_where_no_way_is_known_any_more_is_given_up() -> None:
    restarted = a_step(4, "restart", room="Room Z", world="Z", changed=True, episode=2)

    told = continued_walk(meant("restart"), a_situation([*THERE, restarted]))

    assert told == "The walk to Room A was given up: no way there is known from here."


def test_while_the_rules_act_nobody_walks_on() -> None:
    steps = [*THERE, *idling(20, start=4, room="D")]

    scene, walk = scene_of(a_situation(steps), {}, a_proposal("look", step=22, heading="Room A"))

    assert a_situation(steps).stagnation.rules_act
    assert walk is None
    assert scene.mind.heading == ""
