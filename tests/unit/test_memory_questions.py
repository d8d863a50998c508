"""Questions in words and typed, and how their answers read."""

from __future__ import annotations

import pytest

from schemas.game import Thing
from schemas.memory import (
    ANSWER_LENGTH,
    AskExits,
    AskInventory,
    AskMemory,
    AskNearestUnexplored,
    AskRoute,
    AskTried,
    AskWhatHappened,
    AskWhereAmI,
    AskWhereIs,
    ExitsAnswer,
    MemoryAnswer,
    RouteAnswer,
    WhereaboutsAnswer,
)
from services.memory.answers import ANSWERS, QUESTION_OF, answer
from services.memory.in_words import answer_words
from services.memory.questions import Question, understood
from services.memory.sections import belief_section
from services.memory.world import World
from tests.unit.builders import a_text_step
from tests.unit.memory_builders import ATTIC, KITCHEN, LAMP, LEAFLET, MAILBOX, SACK, SWORD, Walk, inside

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


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("where am I", AskWhereAmI(session="s")),
        ("Where am I?", AskWhereAmI(session="s")),
        ("where was I at step 5", AskWhereAmI(session="s", at=5)),
        ("what do I have", AskInventory(session="s")),
        ("What did I have after step 12?", AskInventory(session="s", at=12)),
        ("inventory", AskInventory(session="s")),
        ("exits", AskExits(session="s")),
        ("exits here", AskExits(session="s")),
        ("exits of the Kitchen", AskExits(session="s", room="the Kitchen")),
        ("what exits of Up a Tree", AskExits(session="s", room="Up a Tree")),
        ("unexplored exits", AskExits(session="s", only_unexplored=True)),
        ("unexplored exits from  Kitchen ?", AskExits(session="s", room="Kitchen", only_unexplored=True)),
        ("nearest unexplored exit", AskNearestUnexplored(session="s")),
        ("where is the nearest unexplored exit?", AskNearestUnexplored(session="s")),
        ("where is the lamp", AskWhereIs(session="s", thing="the lamp")),
        ("where was the lamp at step 3", AskWhereIs(session="s", thing="the lamp", at=3)),
        ("where are my keys?", AskWhereIs(session="s", thing="my keys")),
        ("what happened with the egg", AskWhatHappened(session="s", about="the egg")),
        ("what did the gnome say", AskWhatHappened(session="s", about="the gnome", topic="")),
        ("what did the gnome say about gold", AskWhatHappened(session="s", about="the gnome", topic="gold")),
        ("go to the attic", AskRoute(session="s", goal="the attic")),
        ("how do I get to the attic?", AskRoute(session="s", goal="the attic")),
        ("route from kitchen to attic", AskRoute(session="s", goal="attic", start="kitchen")),
        ("what was tried here", AskTried(session="s")),
        ("what have I tried in the kitchen", AskTried(session="s", room="the kitchen")),
        ("where can I go", AskExits(session="s")),
        ("exits of", AskExits(session="s")),
        ("what exits are there in the attic?", AskExits(session="s", room="the attic")),
        ("which exits are unexplored", AskExits(session="s", only_unexplored=True)),
        ("what is unexplored in the attic", AskExits(session="s", room="the attic", only_unexplored=True)),
        ("go to the nearest unexplored exit", AskNearestUnexplored(session="s")),
        ("Where's the lamp?", AskWhereIs(session="s", thing="the lamp")),
        ("where is “the lamp”?", AskWhereIs(session="s", thing="the lamp")),
        ("where did I leave the lamp", AskWhereIs(session="s", thing="the lamp")),
        ("please tell me where 'lamp' is", None),
        ("what happened here", AskWhatHappened(session="s", about="here")),
        ("way to attic", AskRoute(session="s", goal="attic")),
        ("which way is the attic", AskRoute(session="s", goal="the attic")),
        ("how do I get from here to the attic", AskRoute(session="s", goal="the attic")),
        ("how to get to the attic from kitchen", AskRoute(session="s", goal="the attic", start="kitchen")),
        ("what did I do here", AskTried(session="s")),
        ("where was I at step 9999999999999999", AskWhereAmI(session="s", at=9999999999999999)),
        ("who am I", None),
        ("", None),
    ],
)
def test_a_question_is_understood_or_honestly_not(text: str, question: Question | None) -> None:
    assert understood(AskMemory(session="s", question=text)) == question


def a_world(walk: Walk) -> World:
    world = World()
    for step in walk.steps:
        world.after(step)
    return world


def the_house() -> World:
    walk, mailbox = Walk(), [MAILBOX, inside(LEAFLET, MAILBOX)]
    walk.then(objects=[*mailbox, LAMP])
    walk.then("take lamp", objects=mailbox, inventory=[LAMP], reward=5)
    walk.then("up", objects=mailbox, inventory=[LAMP])
    walk.then("north", room=KITCHEN, inventory=[LAMP], objects=[SACK, SWORD])
    walk.then("wait", room=KITCHEN, inventory=[LAMP], objects=[SACK])
    return a_world(walk)


def asked(world: World, question: str, at: int | None = None) -> MemoryAnswer:
    return answer_words(AskMemory(session="s", question=question, at=at), world)


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


def test_a_question_that_is_none_of_ours_is_answered_with_those_that_are() -> None:
    reply = asked(the_house(), "who is the murderer?")

    assert reply.answer.startswith("I do not understand 'who is the murderer?'. Ask one of: where am I; ")
    assert reply.steps == ()


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


def test_a_thing_goes_by_the_words_it_was_taken_by() -> None:
    walk = Walk()
    walk.then(objects=[LAMP, SWORD])
    walk.then("pick up the torch from the floor", objects=[SWORD], inventory=[LAMP])
    walk.then("take all", inventory=[LAMP, SWORD])
    world = a_world(walk)

    assert asked(world, "where is the torch").answer.startswith("The brass lantern is with you")
    assert not asked(world, "where is the torch", at=0).known
    assert not asked(world, "where is all").known


def test_a_thing_is_found_by_more_words_than_its_name_has_and_a_room_is_not() -> None:
    walk = Walk()
    walk.then(room=KITCHEN, objects=[Thing(id=7, name="sword"), Thing(id=8, name="Tom's (old) map")])

    assert asked(a_world(walk), "where is the elvish sword").answer.startswith("The sword is in Kitchen")
    assert asked(a_world(walk), "where is toms map").known is False
    assert asked(a_world(walk), "where is the old map").answer.startswith("The Tom's (old) map is in Kitchen")
    assert asked(a_world(walk), "go to the secret kitchen").known is False


def test_a_thing_met_later_does_not_hide_what_was_called_so_before() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("wait", objects=[LAMP, Thing(id=77, name="lantern")])

    assert asked(a_world(walk), "where is the lantern", at=0).answer.startswith(
        "After step 0: The brass lantern is in"
    )


def test_where_a_room_is_is_how_to_get_there_though_a_thing_has_its_name_in_it() -> None:
    walk, table = Walk(), Thing(id=7, name="kitchen table")
    walk.then()
    walk.then("north", room=KITCHEN, objects=[table])
    walk.then("south")
    world = a_world(walk)

    assert asked(world, "where is the kitchen").answer == "To Kitchen [kitchen]: north."
    assert asked(world, "where is the table").answer.startswith("The kitchen table is in Kitchen")


def test_what_happened_here_is_what_happened_in_the_room() -> None:
    assert "step 3: north: you come here" in asked(the_house(), "what happened here").answer
    assert asked(World(), "what happened here").known is False


DOOR = Thing(id=40, name="oak door")


def a_house_with_a_locked_door() -> World:
    walk = Walk()
    walk.then(objects=[DOOR])
    walk.then("east", room=KITCHEN, objects=[DOOR])
    walk.then("west", objects=[DOOR])
    walk.then("lock door", objects=[DOOR], observation="You lock it.")
    return a_world(walk)


def test_a_route_avoids_what_is_known_to_be_locked() -> None:
    world = a_house_with_a_locked_door()

    before = answer(AskRoute(session="s", goal="kitchen", at=2), world)
    now = answer(AskRoute(session="s", goal="kitchen"), world)

    assert isinstance(before, RouteAnswer) and before.actions == ("east",)
    assert isinstance(now, RouteAnswer) and now.actions == () and not now.known
    assert now.answer.endswith("shut on the way: east of West of House [west-of-house].")


def a_walk_to_a_way_found_shut(*seen: Thing) -> Walk:
    walk = Walk()
    walk.then(objects=seen)
    walk.then("north", room=KITCHEN, objects=seen)
    walk.then("south", objects=seen)
    walk.then("north", objects=seen, observation="The door is locked.")
    return walk


@pytest.mark.parametrize("seen", [(), (DOOR,)], ids=["unseen", "seen"])
def test_a_way_that_is_found_shut_still_leads_where_it_led_and_is_open_when_its_door_is(
    seen: tuple[Thing, ...],
) -> None:
    walk = a_walk_to_a_way_found_shut(*seen)
    shut = asked(a_world(walk), "go to kitchen")
    exits = asked(a_world(walk), "exits")
    told = belief_section(walk.beliefs, ()).text.splitlines()
    walk.then("open the mailbox", objects=seen, observation="You open the mailbox.")
    still_shut = asked(a_world(walk), "go to kitchen")
    walk.then("unlock door with key", objects=seen, observation="Unlocked.")
    opened = asked(a_world(walk), "go to kitchen")

    assert shut.answer.endswith("shut on the way: north of West of House [west-of-house].")
    assert exits.answer.splitlines()[0].startswith(
        "Exits found of West of House [west-of-house]: north to Kitchen (shut"
    )
    assert "EXITS_FOUND_HERE: north -> Kitchen" in told and "BLOCKED_HERE: none" in told
    assert not still_shut.known
    assert opened.answer == "To Kitchen [kitchen]: north."


def test_a_way_that_no_longer_leads_on_is_no_exit_though_it_was_shut_before() -> None:
    walk = a_walk_to_a_way_found_shut()
    walk.then("north", observation="There is only rubble.")

    assert asked(a_world(walk), "exits").answer.startswith(
        "Exits found of West of House [west-of-house]: none yet."
    )


def test_a_way_around_a_locked_door_is_found() -> None:
    walk = Walk()
    walk.then(objects=[DOOR])
    walk.then("east", room=KITCHEN, objects=[DOOR])
    walk.then("up", room=ATTIC)
    walk.then("down", room=KITCHEN, objects=[DOOR])
    walk.then("west", objects=[DOOR])
    walk.then("climb", room=ATTIC)
    walk.then("jump", objects=[DOOR])
    walk.then("lock door", objects=[DOOR], observation="You lock it.")

    told = answer(AskRoute(session="s", goal="kitchen"), a_world(walk))

    assert isinstance(told, RouteAnswer) and told.actions == ("climb", "down")


def test_the_nearest_untried_way_is_a_likely_one_of_another_room() -> None:
    walk = Walk()
    walk.then(valid=["north"])
    walk.then("north", room=KITCHEN, valid=["up", "south"])
    walk.then("south", valid=["north"])

    told = answer(AskNearestUnexplored(session="s"), a_world(walk))

    assert isinstance(told, RouteAnswer)
    assert (told.actions, told.room and told.room.name, told.then) == (("north",), KITCHEN, "up")


def test_a_typed_answer_says_what_the_words_say() -> None:
    world = the_house()

    ways = answer(AskExits(session="s", room="west of house"), world)
    lamp = answer(AskWhereIs(session="s", thing="lantern", at=0), world)

    assert isinstance(ways, ExitsAnswer) and isinstance(lamp, WhereaboutsAnswer)
    assert [(way.action, way.room.id, way.back) for way in ways.rooms[0].exits] == [
        ("north", "kitchen", False)
    ]
    assert [way.direction for way in ways.rooms[0].blocked] == ["up"]
    assert [(t.held, t.room and t.room.id, t.seen) for t in lamp.things] == [(False, "west-of-house", 0)]


def test_what_a_character_said_is_told_with_the_step() -> None:
    gnome, walk = Thing(id=41, name="grumpy gnome"), Walk()
    walk.then(objects=[gnome])
    walk.then("ask gnome about gold", objects=[gnome], observation="'All mine!'")

    reply = asked(a_world(walk), "what did the gnome say about gold")

    assert reply.answer.endswith("step 1: ask gnome about gold: \"'All mine!'\"")
    assert asked(a_world(walk), "what did the gnome say about love").known is False


def test_an_answer_from_text_alone_says_so() -> None:
    world = World()
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
    for question in QUESTION_OF.values():
        fields = {name: value for name, value in needed.items() if name in question.model_fields}
        told = answer(question(session="s", **fields), World())
        assert type(told) is ANSWERS[question]
        assert not told.known or question is AskInventory


def test_what_is_told_of_a_step_is_what_was_believed_then() -> None:
    """The past, from the history of changes, is what the beliefs were when it was the present."""
    walk = Walk()
    world = World()
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
