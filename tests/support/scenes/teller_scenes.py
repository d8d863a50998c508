"""A small story of the tests' own, step by step: a house, a death in it, and a talk that leads nowhere."""

from __future__ import annotations

from typing import Any

from schemas.game import StepTaken
from tests.support.scenes.builders import a_step

KEY, MATCHES, LAMP = "brass key", "box of matches", "oil lamp"
OPENING = "THE WATCHMAN'S HOUSE\n\n{}Hallway\nA door leads north, steps lead down."
TAKEN = 'Taken. "Mind the oil," says a voice.\n\n[Your score has gone up by five points.]'


def in_the_hallway(number: int, action: str | None, text: str, **told: Any) -> StepTaken:
    fields = {"held": [KEY, MATCHES], "seen": ["coat stand"], "valid": ["down", "unlock door"], **told}
    return a_step(number, action, text=text, room="Hallway", **fields)


def in_the_cellar(number: int, action: str, text: str, **told: Any) -> StepTaken:
    fields = {"held": [KEY, MATCHES, LAMP], "seen": ["hook"], "valid": ["up", "light lamp"], **told}
    return a_step(number, action, text=text, room="Cellar", changed=True, **fields)


AT_FIRST: dict[str, Any] = {"held": [KEY], "valid": ["north", "down", "search coat"], "world": "a"}

HOUSE = (
    in_the_hallway(0, None, OPENING.format("You come to in a cold house.\n\n"), **AT_FIRST),
    in_the_hallway(1, "search coat", "In a pocket you find a box of matches.", world="b", changed=True),
    in_the_hallway(2, "north", "The door is locked.", world="b"),
    in_the_hallway(3, "north", "The door is locked.", world="b"),
    in_the_cellar(4, "down", "Cellar\nIt is damp. A lamp hangs from a hook.", held=[KEY, MATCHES], world="c"),
    in_the_cellar(5, "take lamp", TAKEN, score=5, reward=5, world="d"),
    in_the_hallway(6, "up", "Hallway", held=[KEY, MATCHES, LAMP], score=5, world="e", changed=True),
)

SLIP = "You slip on the oil.\n\n    *** You have died ***"
DEATH = (
    in_the_cellar(7, "down", SLIP, valid=None, score=5, world="f", done=True),
    in_the_hallway(8, "restart", OPENING.format(""), episode=2, changed=True, **AT_FIRST),
    in_the_hallway(9, "wait", "Time passes.", episode=2, **AT_FIRST),
    in_the_hallway(10, "north", "The door is locked.", episode=2, **AT_FIRST),
)

TOPICS = ("lamp", "storm", "boat", "cat", "harbour", "oil", "house", "key", "weather", "fish")
SHRUG, LAMENT = 'The keeper shrugs. "Busy."', 'The keeper looks up. "It took my dog, it did."'


def on_the_quay(number: int, action: str | None, text: str = SHRUG, **told: Any) -> StepTaken:
    fields = {"held": ["tin whistle"], "seen": ["keeper", "net"], "world": f"w{number}", **told}
    return a_step(number, action, text=text, room="Quay", **fields)


TALK = (
    on_the_quay(0, None, "The keeper mends a net."),
    *(
        on_the_quay(n, f"ask keeper about {topic}", LAMENT if topic == "storm" else SHRUG)
        for n, topic in enumerate(TOPICS, start=1)
    ),
)
"""Ten questions to a keeper who answers one of them."""
