"""Steps for the memory's tests, named by what they show."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.game import Room, StepTaken, Thing, ValidActions
from schemas.memory import AskMemory, MemoryAnswer
from services.memory.beliefs.beliefs import Beliefs
from services.memory.beliefs.facts import Changes
from services.memory.questions.free_text import answer_free_text
from services.memory.timeline.world_model import WorldModel

LAMP = Thing(id=11, name="brass lantern")
SWORD = Thing(id=12, name="elvish sword")
MAILBOX = Thing(id=13, name="small mailbox")
LEAFLET = Thing(id=14, name="leaflet")
SACK = Thing(id=15, name="brown sack")
LUNCH = Thing(id=16, name="lunch")

HOUSE, KITCHEN, ATTIC = "West of House", "Kitchen", "Attic"


def inside(thing: Thing, container: Thing) -> Thing:
    """A thing that lies in (or on) another one."""
    return thing.model_copy(update={"container": container.id})


def a_room(name: str, *, number: str | None = None) -> Room:
    return Room(id=number or name.lower().replace(" ", "-"), name=name)


class Walk:
    """A session told step by step; what is not told stays as it was."""

    def __init__(self) -> None:
        self.steps: list[StepTaken] = []
        self.beliefs = Beliefs()

    def then(
        self,
        action: str | None = None,
        *,
        room: str | None = HOUSE,
        room_id: str | None = None,
        objects: Iterable[Thing] | None = (),
        inventory: Iterable[Thing] | None = (),
        observation: str = "Nothing happens.",
        score: int | None = 0,
        reward: int = 0,
        world_seen: int = 0,
        valid: Iterable[str] | None = None,
        done: bool = False,
        episode: int = 1,
        world: str | None = None,
    ) -> Changes:
        """Fold one more step; what it changed."""
        step = StepTaken(
            step=len(self.steps),
            action=action if self.steps else None,
            observation=observation,
            room=None if room is None else a_room(room, number=room_id),
            objects=None if objects is None else tuple(objects),
            inventory=None if inventory is None else tuple(inventory),
            score=score,
            reward=reward,
            world=f"world-{len(self.steps)}" if world is None else world,
            world_seen=world_seen,
            valid_actions=None if valid is None else ValidActions(actions=tuple(valid), complete=True),
            done=done,
            episode=episode,
        )
        self.steps.append(step)
        changes = self.beliefs.after(step).changes
        assert changes is not None
        return changes


def a_world(walk: Walk) -> WorldModel:
    world = WorldModel()
    for step in walk.steps:
        world.after(step)
    return world


def asked(world: WorldModel, question: str, at: int | None = None) -> MemoryAnswer:
    return answer_free_text(AskMemory(session="s", question=question, at=at), world)
