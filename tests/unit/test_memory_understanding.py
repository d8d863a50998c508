"""What a question in words asks."""

from __future__ import annotations

import pytest

from schemas.memory import (
    AskExits,
    AskInventory,
    AskMemory,
    AskNearestUnexplored,
    AskRoute,
    AskTried,
    AskWhatHappened,
    AskWhereAmI,
    AskWhereIs,
)
from services.memory.questions.parsing import Question, parse_question


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
    assert parse_question(AskMemory(session="s", question=text)) == question
