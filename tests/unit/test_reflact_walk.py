"""Going to a known room: one action a step, and given up as soon as the world is not as it was known."""

from __future__ import annotations

import pytest

from schemas.fragment import Fragment
from schemas.game import StepTaken
from schemas.sources import TextKind
from services.actor.knowledge.situation import Situation
from services.actor.reflact.prompt import prompt_of
from services.actor.reflact.reply import UnusableReply
from services.actor.reflact.scene import Past, scene_of
from services.actor.reflact.tools import ToolName
from services.actor.reflact.walk import Walk, continued_walk, label_of, rooms_ahead, walk_to
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
        ("Attic", "No room 'Attic' is known. Known are Room C, Room B and Room A."),
        ("Room", "'Room' may be Room C, Room B or Room A. Name one of them."),
        ("the room d", "You are in Room D already."),
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


def rooms_called(*names: str) -> list[StepTaken]:
    """A walk through rooms of these names, one after the other to the east."""
    steps = a_walk_through("ABCDEFGHIJ"[: len(names)])
    return [
        step.model_copy(update={"room": step.room.model_copy(update={"name": name})})
        for step, name in zip(steps, names, strict=True)
    ]


@pytest.mark.parametrize(
    ("wanted", "goal"),
    [
        ("the jetty", "Room A"),
        ("THE OLD JETTY", "Room A"),
        ("Old Jetty", "Room A"),
        ("kitchen", "Room B"),
        ("a kitchen of stone", "Room B"),
        ("stone kitchen", "Room B"),
        ("hall", "Room C"),
    ],
)
def test_a_room_is_found_by_a_part_of_its_name_whatever_its_case_and_articles(wanted: str, goal: str) -> None:
    steps = rooms_called("The Old Jetty", "Kitchen of Stone", "Great Hall", "Entrance Hall")

    assert walk_to(wanted, a_situation(steps)).goal == goal


def test_a_part_of_two_names_is_asked_about_again() -> None:
    steps = rooms_called("Great Hall", "Small Hall", "Yard")

    with pytest.raises(
        UnusableReply, match=r"^'the hall' may be Small Hall or Great Hall\. Name one of them\.$"
    ):
        walk_to("the hall", a_situation(steps))


def test_a_correction_names_the_nearest_rooms_only() -> None:
    steps = rooms_called(*(f"Cave {number}" for number in range(10)))

    with pytest.raises(UnusableReply, match=r"Known are Cave 8, .*, Cave 1 and 1 more\.$"):
        walk_to("Attic", a_situation(steps))


def test_a_tool_is_offered_only_when_it_can_be_used() -> None:
    assert tools(a_situation(THERE[:1])) == ["play_action"], "nothing to look up, nowhere to walk to"
    assert tools(a_situation(THERE[:2])) == ["play_action", "ask_memory", "go_to"]
    with pytest.raises(UnusableReply, match=r"^No room 'Attic' is known\.$"):
        walk_to("Attic", a_situation(THERE[:1]))


def test_a_session_without_a_memory_offers_no_look_up() -> None:
    assert tools(a_situation(THERE), memory=False) == ["play_action", "go_to"]


def test_the_rooms_that_can_be_named_are_those_that_can_be_walked_to_and_not_this_one() -> None:
    scene = scene_of(a_situation(THERE), {})[0]
    [going] = [tool for tool in prompt_of(scene).tools if tool.name == ToolName.GO_TO]

    assert going.choices == {"room": tuple(label for _, label in rooms_ahead(scene.situation))}
    assert label_of(scene.situation.room, scene.situation) not in going.choices["room"]


def tools(situation: Situation, memory: bool = True) -> list[str]:
    fragments = {"memory": Fragment()} if memory else {}
    return [tool.name for tool in prompt_of(scene_of(situation, fragments)[0]).tools]


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
    scene, walk = scene_of(situation, {}, Past(meant("west")))
    assert walk is None
    assert scene.mind.heading == ""
    assert scene.notes[0] == told


def test_a_walk_to_where_no_way_is_known_any_more_is_given_up() -> None:
    restarted = a_step(4, "restart", room="Room Z", world="Z", changed=True, episode=2)

    told = continued_walk(meant("restart"), a_situation([*THERE, restarted]))

    assert told == "The walk to Room A was given up: no way there is known from here."


def test_while_the_rules_act_nobody_walks_on() -> None:
    steps = [*THERE, *idling(20, start=4, room="D")]

    scene, walk = scene_of(a_situation(steps), {}, Past(a_proposal("look", step=22, heading="Room A")))

    assert a_situation(steps).stagnation.rules_act
    assert walk is None
    assert scene.mind.heading == ""
