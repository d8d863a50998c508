"""Questions in words and typed, and how their answers read."""

from __future__ import annotations

import pytest

from schemas.game import Thing
from schemas.memory import (
    ANSWER_LENGTH,
    AskExits,
    AskInventory,
    AskWhereIs,
    ExitsAnswer,
    LocationAnswer,
    MemoryAnswer,
)
from services.memory.questions.answers import ANSWERS, QUESTIONS, answer
from services.memory.timeline.world_model import WorldModel
from tests.support.scenes.builders import a_text_step
from tests.support.scenes.memory_builders import (
    ATTIC,
    KITCHEN,
    LAMP,
    LEAFLET,
    MAILBOX,
    SACK,
    SWORD,
    Walk,
    a_world,
    asked,
    inside,
)

AWKWARD = [
    "O'Brien's \"lamp\"",
    "a\nb\\n{x: $y}",
    "ランプ é ü",
    "n" * 10_000,
    "' OR 1=1 //",
    "\ud800",
    "[",
    "] to [",
]


def the_house() -> WorldModel:
    walk, mailbox = Walk(), [MAILBOX, inside(LEAFLET, MAILBOX)]
    walk.then(objects=[*mailbox, LAMP])
    walk.then("take lamp", objects=mailbox, inventory=[LAMP], reward=5)
    walk.then("up", objects=mailbox, inventory=[LAMP])
    walk.then("north", room=KITCHEN, inventory=[LAMP], objects=[SACK, SWORD])
    walk.then("wait", room=KITCHEN, inventory=[LAMP], objects=[SACK])
    return a_world(walk)


@pytest.mark.parametrize(
    ("question", "told", "steps"),
    [
        ("where am I", "You are in Kitchen [kitchen] since step 3.", (3,)),
        ("what do I have", "You have: brass lantern (since step 1).", (1,)),
        ("where is the lantern", "The brass lantern is with you (known since step 1).", (1, 4)),
        (
            "where is the leaflet",
            "The leaflet is in the small mailbox, in West of House [west-of-house] "
            "(known since step 0, last seen at step 2).",
            (0, 2),
        ),
        (
            "where is the sword",
            "The elvish sword was last in Kitchen [kitchen] (steps 3 to 4); it is there no longer.",
            (3, 4),
        ),
        (
            "where was the lantern at step 0",
            "After step 0: The brass lantern is in West of House [west-of-house] "
            "(known since step 0, last seen at step 0).",
            (0,),
        ),
        ("where is the grail", "I have never seen 'the grail'.", ()),
        (
            "exits of west of house",
            "Exits found of West of House [west-of-house]: north to Kitchen (step 3).\n"
            "Blocked there: up (step 2).\n"
            "Not tried yet in West of House [west-of-house]: south, east, west, northeast, northwest, "
            "southeast, southwest, down, in, out.",
            (2, 3),
        ),
        (
            "unexplored exits of west of house",
            "Not tried yet in West of House [west-of-house]: south, east, west, northeast, northwest, "
            "southeast, southwest, down, in, out.",
            (2, 3),
        ),
        ("exits of narnia", "I have never seen 'narnia'.", ()),
        ("go to narnia", "I have never seen 'narnia'.", ()),
        ("what happened with the grail", "I have never seen 'the grail'.", ()),
        (
            "go to west of house",
            "I know no way from Kitchen [kitchen] to West of House [west-of-house].",
            (),
        ),
        ("route from west of house to kitchen", "To Kitchen [kitchen]: north.", (3,)),
        ("go to kitchen", "You are in Kitchen [kitchen] already.", ()),
        (
            "what was tried here",
            "Tried in Kitchen [kitchen], newest first:\nstep 4: wait (+0) 'Nothing happens.'",
            (4,),
        ),
        (
            "what happened with the lantern",
            "What happened with brass lantern:\n"
            "step 0: it is in West of House [west-of-house]\n"
            "step 1: take lamp: it is no longer in West of House [west-of-house]; you have it",
            (0, 1),
        ),
        (
            "what did I do last",
            "step 1: take lamp in West of House\nstep 2: up in West of House\n"
            "step 3: north in West of House\nstep 4: wait in Kitchen",
            (1, 2, 3, 4),
        ),
        ("have I been to the kitchen?", "You first came to Kitchen at step 3.", (3,)),
        (
            "what have I not tried yet in west of house",
            "Not tried yet in West of House [west-of-house]: south, east, west, northeast, northwest, "
            "southeast, southwest, down, in, out.",
            (2, 3),
        ),
        ("why can't I go up at step 2", "After step 2: The game said at step 2 (up): Nothing happens.", (2,)),
        ("who have I met", "You have met nobody, as far as I know.", ()),
        ("where am I at step 99", "There is no step 99: the last I know of is 4.", ()),
    ],
)
def test_an_answer_says_what_is_known_and_which_steps_told(
    question: str, told: str, steps: tuple[int, ...]
) -> None:
    reply = asked(the_house(), question)

    assert (reply.answer, reply.steps) == (told, steps)
    assert not reply.by_text


def test_what_is_not_known_is_marked_so() -> None:
    world = the_house()

    assert asked(world, "where am I").known
    assert not any(
        asked(world, text).known for text in ("where is the grail", "go to narnia", "what is love")
    )


def test_a_question_about_nothing_that_was_read_or_seen_is_honestly_not_answered() -> None:
    reply = asked(the_house(), "who is the murderer?")

    assert reply.answer == "I remember no text about 'who is the murderer'."
    assert (reply.known, reply.steps) == (False, ())


@pytest.mark.parametrize(
    "question", ["where am I", "exits", "what was tried here", "nearest unexplored exit"]
)
def test_nothing_is_claimed_of_here_where_the_room_is_unknown(question: str) -> None:
    walk = Walk()
    walk.then(room=None)

    assert asked(a_world(walk), question).answer == "I do not know which room you are in."


def test_every_room_of_a_name_is_told_of_and_each_may_be_asked_for() -> None:
    walk = Walk()
    walk.then(room="Maze", room_id="1")
    walk.then("north", room="Maze", room_id="2")
    world = a_world(walk)

    both, one = asked(world, "exits of maze"), asked(world, "exits of maze [1]")

    assert [line for line in both.answer.splitlines() if line.startswith("Exits")] == [
        "Exits found of Maze [1]: north to Maze (step 1).",
        "Exits found of Maze [2]: none yet.",
    ]
    assert one.answer.startswith("Exits found of Maze [1]: north to Maze (step 1).")
    assert "[2]" not in one.answer


def test_of_each_action_tried_in_a_room_the_last_outcome_is_told_and_of_many_actions_the_newest() -> None:
    walk = Walk()
    walk.then()
    for number in range(30):
        walk.then(f"push button {number}")
    walk.then("open box", observation="It is locked.")
    walk.then("OPEN the box", observation="Opened.")
    world = a_world(walk)

    lines = asked(world, "what was tried here").answer.splitlines()
    then = asked(world, "what was tried here", at=31).answer.splitlines()

    assert lines[1] == "step 32: OPEN the box (+0) 'Opened.'"
    assert lines[2] == "step 30: push button 29 (+0) 'Nothing happens.'"
    assert lines[-1] == "and 19 more" and len(lines) == 14
    assert then[1] == "step 31: open box (+0) 'It is locked.'" and then[-1] == "and 19 more"


def test_what_happened_here_is_what_happened_in_the_room() -> None:
    assert "step 3: north: you come here" in asked(the_house(), "what happened here").answer
    assert asked(WorldModel(), "what happened here").known is False


def test_a_typed_answer_says_what_the_words_say() -> None:
    world = the_house()

    ways = answer(AskExits(session="s", room="west of house"), world)
    lamp = answer(AskWhereIs(session="s", thing="lantern", at=0), world)

    assert isinstance(ways, ExitsAnswer) and isinstance(lamp, LocationAnswer)
    assert [(way.action, way.room.id, way.walked_back) for way in ways.rooms[0].exits] == [
        ("north", "kitchen", False)
    ]
    assert [way.direction for way in ways.rooms[0].blocked] == ["up"]
    assert [(t.carried, t.room and t.room.id, t.last_seen) for t in lamp.things] == [
        (False, "west-of-house", 0)
    ]


def test_what_a_character_said_is_told_with_the_step() -> None:
    gnome, walk = Thing(id=41, name="grumpy gnome"), Walk()
    walk.then(objects=[gnome])
    walk.then("ask gnome about gold", objects=[gnome], observation="'All mine!'")

    reply = asked(a_world(walk), "what did the gnome say about gold")

    assert reply.answer.endswith("step 1: ask gnome about gold (West of House):\n'All mine!'")
    assert asked(a_world(walk), "what did the gnome say about love").known is False


def test_an_answer_from_text_alone_says_so() -> None:
    world = WorldModel()
    world.after(a_text_step(0, None, "Damp Cave\nA cave. There is a lamp here."))
    world.after(a_text_step(1, "take lamp", "Taken."))

    assert asked(world, "where am I").by_text
    assert asked(world, "what do I have").by_text
    assert asked(world, "where is the lamp").by_text


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize(
    "question", ["where is {}", "exits of {}", "go to {}", "what happened with {}", "{}"]
)
def test_no_name_makes_an_answer_fail_or_long(name: str, question: str) -> None:
    walk, thing = Walk(), Thing(id=7, name=name)
    walk.then(room=name, objects=[thing], observation=name)
    walk.then(name[:150], room=name, objects=[thing, LAMP], observation=name)
    walk.then("north", room=KITCHEN, inventory=[thing])
    world = a_world(walk)

    for text in (question.format(name), "where am I", "what do I have", "exits", "what was tried here"):
        reply = asked(world, text)
        assert len(reply.answer) <= ANSWER_LENGTH
        if name != "\ud800":
            assert MemoryAnswer.model_validate_json(reply.model_dump_json()) == reply


def test_a_thing_with_a_long_name_is_found_by_it() -> None:
    walk = Walk()
    walk.then(objects=[Thing(id=7, name="n" * 10_000)])

    assert asked(a_world(walk), f"where is {'n' * 10_000}").known


def test_every_typed_question_has_a_verb_and_an_answer_to_an_empty_memory() -> None:
    needed = {"thing": "lamp", "about": "lamp", "goal": "kitchen"}
    for question in QUESTIONS.values():
        fields = {name: value for name, value in needed.items() if name in question.model_fields}
        told = answer(question(session="s", **fields), WorldModel())
        assert type(told) is ANSWERS[question]
        assert not told.known or question is AskInventory


def test_what_is_told_of_a_step_is_what_was_believed_then() -> None:
    """The past, from the history of changes, is what the beliefs were when it was the present."""
    walk = Walk()
    world = WorldModel()
    things = [LAMP, SWORD, SACK]
    rooms = ["West of House", KITCHEN, ATTIC]
    told: list[list[str]] = []
    for number in range(40):
        held = things[: number % 4]
        walk.then(
            ["north", "up", "south", "wait"][number % 4],
            room=rooms[(number * 7 // 3) % 3],
            objects=things[number % 4 :] if number % 5 else None,
            inventory=held,
        )
        world.after(walk.steps[-1])
        told.append([asked(world, text).answer for text in PAST])

    for at, then in enumerate(told[:-1]):
        assert [asked(world, text, at=at).answer for text in PAST] == [f"After step {at}: {t}" for t in then]


PAST = ("where am I", "what do I have", "where is the lantern", "where is the sword", "go to kitchen")
