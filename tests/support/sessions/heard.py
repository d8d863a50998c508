"""What the actor hears at each step of a recorded session: the fragments that the sub-agents fold by rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.fragment import Fragment
from schemas.game import REFLACT, SessionStarted, StepTaken
from services.actor.knowledge.situation import Situation
from services.actor.policies import initial_situation
from services.hint.logic import Hints
from services.hint.logic import fragment as hint_fragment
from services.memory.logic import fragment as memory_fragment
from services.memory.timeline.world_model import WorldModel
from services.narrator.story import StorySoFar
from services.narrator.story import fragment as narrator_fragment
from services.npc_tracker.logic import Talk
from services.npc_tracker.logic import fragment as npc_fragment
from tests.support.sessions.recorded import recorded


def start_of(name: str) -> SessionStarted:
    """The start of a recorded session, as if its actor asked a model."""
    [start] = [m.body for m in recorded(name) if isinstance(m.body, SessionStarted) and not m.body.resumed]
    return start.model_copy(update={"policy": REFLACT})


def steps_of(name: str) -> list[StepTaken]:
    return [m.body for m in recorded(name) if isinstance(m.body, StepTaken)]


def heard(
    started: SessionStarted, steps: Iterable[StepTaken]
) -> Iterator[tuple[Situation, dict[str, Fragment]]]:
    """The situation after each step, with the fragments by service. The situation is one and the same."""
    situation, world = initial_situation(started), WorldModel()
    hints, story, talk = Hints.opening(started), StorySoFar.opening(started), Talk.opening(started)
    for step in steps:
        situation = situation.after(step)
        world, hints, story, talk = (
            world.after(step),
            hints.after(step),
            story.after(step),
            talk.after(step),
        )
        said = {
            "memory": memory_fragment(world.beliefs),
            "hint": hint_fragment(hints),
            "narrator": narrator_fragment(story),
            "npc_tracker": npc_fragment(talk),
        }
        yield situation, {service: fragment for service, fragment in said.items() if fragment is not None}
