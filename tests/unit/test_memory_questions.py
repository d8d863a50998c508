"""Questions in words, and how their answers read."""

from __future__ import annotations

import pytest

from schemas.memory import MemoryAnswer
from services.memory.answers import answer
from services.memory.questions import (
    ExitsOf,
    NotUnderstood,
    Question,
    TriedIn,
    UnexploredExitsOf,
    WhatDoIHave,
    WhereAmI,
    WhereIs,
    understood,
)
from tests.contract.plain_graph import PlainGraph
from tests.unit.memory_builders import KITCHEN, LAMP, LEAFLET, MAILBOX, SACK, SWORD, Walk, inside


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("where am I", WhereAmI()),
        ("Where am I?", WhereAmI()),
        ("what do I have", WhatDoIHave()),
        ("inventory", WhatDoIHave()),
        ("exits", ExitsOf(None)),
        ("exits here", ExitsOf(None)),
        ("exits of the Kitchen", ExitsOf("kitchen")),
        ("what exits of Up a Tree", ExitsOf("up tree")),
        ("unexplored exits", UnexploredExitsOf(None)),
        ("unexplored exits from  Kitchen ?", UnexploredExitsOf("kitchen")),
        ("where is the lamp", WhereIs("lamp")),
        ("where are my keys?", WhereIs("keys")),
        ("what was tried here", TriedIn(None)),
        ("what have I tried in the kitchen", TriedIn("kitchen")),
        ("who am I", NotUnderstood("who am I")),
        ("", NotUnderstood("")),
    ],
)
def test_a_question_is_understood_or_honestly_not(text: str, question: Question) -> None:
    assert understood(text) == question


async def asked(graph: PlainGraph, question: str) -> MemoryAnswer:
    return await answer(understood(question), graph)


async def a_graph() -> PlainGraph:
    walk, graph = Walk(), PlainGraph()
    await graph.write([
        walk.then(objects=[MAILBOX, inside(LEAFLET, MAILBOX), LAMP]),
        walk.then("take lamp", objects=[MAILBOX, inside(LEAFLET, MAILBOX)], inventory=[LAMP], reward=5),
        walk.then("up", objects=[MAILBOX, inside(LEAFLET, MAILBOX)], inventory=[LAMP]),
        walk.then("north", room=KITCHEN, inventory=[LAMP], objects=[SACK, SWORD]),
        walk.then("wait", room=KITCHEN, inventory=[LAMP], objects=[SACK]),
    ])  # fmt: skip
    return graph


@pytest.mark.parametrize(
    ("question", "told", "steps"),
    [
        ("where am I", "You are in Kitchen [kitchen] since step 3.", (3,)),
        ("what do I have", "You have: brass lantern (since step 1).", (1,)),
        ("where is the lantern", "The brass lantern is with you (known since step 1).", (1,)),
        (
            "where is the leaflet",
            "The leaflet is in the small mailbox, in West of House [west-of-house] (known since step 0).",
            (0,),
        ),
        (
            "where is the sword",
            "The elvish sword was last in Kitchen [kitchen] (steps 3 to 4); it is there no longer.",
            (3, 4),
        ),
        ("where is the grail", "I have never seen 'grail'.", ()),
        (
            "exits of west of house",
            "Exits found of West of House [west-of-house]: north to Kitchen (step 3).\n"
            "Blocked there: up (step 2).",
            (2, 3),
        ),
        ("exits", "Exits found of Kitchen [kitchen]: none yet.", ()),
        (
            "unexplored exits of west of house",
            "Not tried yet in West of House [west-of-house]: south, east, west, northeast, northwest, "
            "southeast, southwest, down, in, out.",
            (2, 3),
        ),
        ("exits of narnia", "I have never seen 'narnia'.", ()),
        (
            "what was tried here",
            "Tried in Kitchen [kitchen], newest first:\nstep 4: wait (+0) 'Nothing happens.'",
            (4,),
        ),
    ],
)
async def test_an_answer_says_what_is_known_and_which_steps_told(
    question: str, told: str, steps: tuple[int, ...]
) -> None:
    assert await asked(await a_graph(), question) == MemoryAnswer(answer=told, steps=steps)


async def test_a_question_that_is_none_of_ours_is_answered_with_those_that_are() -> None:
    reply = await asked(await a_graph(), "who is the murderer?")

    assert reply.answer.startswith("I do not understand 'who is the murderer?'. Ask one of: where am I; ")
    assert reply.steps == ()


@pytest.mark.parametrize("question", ["where am I", "exits", "what was tried here"])
async def test_nothing_is_claimed_of_here_where_the_room_is_unknown(question: str) -> None:
    assert (await asked(PlainGraph(), question)).answer == "I do not know which room you are in."


async def test_every_room_of_a_name_is_told_of() -> None:
    walk, graph = Walk(), PlainGraph()
    await graph.write([
        walk.then(room="Maze", room_id="1"),
        walk.then("north", room="Maze", room_id="2"),
    ])  # fmt: skip

    reply = await asked(graph, "exits of maze")

    assert reply.answer.splitlines() == [
        "Exits found of Maze [1]: north to Maze (step 1).",
        "Exits found of Maze [2]: none yet.",
    ]
