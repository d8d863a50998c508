"""Situations of an actor that asks a model, small and large."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemas.actor import ActionProposed, Mind
from schemas.fragment import Fragment, Section
from schemas.game import REFLACT, StepTaken
from services.actor.knowledge.situation import Situation
from services.actor.policies import initial_situation
from services.actor.reflact.scene import Past, PromptScene, scene_of
from tests.support.scenes.builders import a_session, a_step, folded

Steps = Sequence[StepTaken]

OPENING = a_step(
    0,
    text="THE WATCH\n\nThe last boat has gone.\n\nQuay\nA quay of wet stone. Steps lead up; east is a shed.",
    room="Quay",
    held=["whistle"],
    seen=["iron ring", "steps"],
    valid=["up", "east", "pull ring"],
    world="a",
)
EVENING = (
    OPENING,
    a_step(1, "pull ring", text="It holds.", room="Quay", held=["whistle"], valid=["up", "east"], world="a"),
    a_step(
        2,
        "east",
        text="Shed\nNets and tar. A keeper mends a net.",
        room="Shed",
        held=["whistle"],
        seen=["keeper", "nets"],
        valid=["west", "ask keeper about boat"],
        world="b",
        changed=True,
    ),
    a_step(
        3,
        "ask keeper about boat",
        text='"She comes back with the light," says the keeper, and gives you a lantern.',
        room="Shed",
        held=["whistle", "lantern"],
        seen=["keeper", "nets"],
        valid=["west", "light lantern"],
        world="c",
        score=5,
        reward=5,
        changed=True,
    ),
)
SAID = {
    "room_state": "ROOM: Shed (id 7) | step 3 | score 5\nALL_TRIED_IN_THIS_ROOM: ask keeper about boat\n"
    "VALID_ACTIONS: west, light lantern\nOBJECTS_HERE: keeper, nets\nINVENTORY: whistle, lantern",
    "belief": "YOU_ARE: Shed (since step 2)\nHELD: whistle, lantern\nUNEXPLORED_EXITS_HERE: north, up",
    "hints": "Untried here, most promising first:\n1. light lantern\n2. examine nets",
    "narrative": "At step 3 you are in Shed with score 5 of 50, and know 2 rooms. You hold whistle, lantern.",
    "compass": "west leads to Quay",
}
"""What sub-agents say of the last of these steps, by section."""


def a_situation(steps: Iterable[StepTaken], *, budget: int = 100, max_score: int | None = 50) -> Situation:
    """What was folded over steps in a session that asks models."""
    return folded(initial_situation(a_session(policy=REFLACT, steps=budget, max_score=max_score)), steps)


def a_scene(
    steps: Iterable[StepTaken], *, said: Mapping[str, str] | None = None, before: ActionProposed | None = None
) -> PromptScene:
    """A scene; `said` are sections by name, all of one sub-agent."""
    sections = tuple(Section(name=name, text=text) for name, text in (said or {}).items())
    fragments = {"memory": Fragment(sections=sections)} if sections else {}
    return scene_of(a_situation(steps), fragments, Past(before))[0]


def a_proposal(
    action: str, *, step: int = 0, objective: str = "", heading: str = "", advice: tuple[str, ...] = ()
) -> ActionProposed:
    mind = Mind(objective=objective, heading=heading, advice=advice)
    return ActionProposed(step=step, action=action, policy=REFLACT, reason="", mind=mind)


def a_walk_through(rooms: str, *, start: int = 0, world: str = "") -> list[StepTaken]:
    """Steps east through rooms named by letters, from an opening on if they start at 0."""
    return [
        a_step(
            n,
            None if n == 0 else "east",
            text=f"Room {room}\nA bare room.",
            room=f"Room {room}",
            valid=["east", "west"],
            world=f"{room}{world}",
            changed=True,
        )
        for n, room in enumerate(rooms, start=start)
    ]


def idling(count: int, *, start: int, room: str, action: str = "look", world: str = "") -> list[StepTaken]:
    """Steps in which nothing new comes up."""
    return [
        a_step(
            n,
            action,
            text="Nothing new.",
            room=f"Room {room}",
            valid=["east", "west"],
            world=f"{room}{world}",
            world_seen=n,
        )
        for n in range(start, start + count)
    ]
