"""Answers of the memory, whether or not its service is live."""

from __future__ import annotations

from mesh.errors import NobodyAnswers
from mesh.observability.liveness import who_serves
from mesh.record.bus import Bus
from schemas.memory import AskMemory, MemoryAnswer
from schemas.mesh import ServiceAlive
from services.memory.graph.recorded_sessions import world_from_record
from services.memory.questions.free_text import answer_free_text

PATIENCE = 30.0
"""Seconds for an answer: the first that needs the meaning of many texts takes some."""


async def answered(bus: Bus, asked: AskMemory) -> MemoryAnswer:
    """By the live memory of the session; where there is none, from the record in this process."""
    try:
        return await bus.requests.ask(
            "memory", "search", asked, MemoryAnswer, session=asked.session, timeout=PATIENCE
        )
    except NobodyAnswers:
        if any(_serves(alive, asked.session) for alive in await who_serves(bus.cell)):
            raise
    return answer_free_text(asked, await world_from_record(bus, asked.session))


def _serves(alive: ServiceAlive, session: str) -> bool:
    return alive.name == "memory" and alive.scope in ("*", session)
