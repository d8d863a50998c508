"""Everything that was said about one step, as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from lantern.views.transcript import prompt_text, reply_text
from mesh.nats.subjects import ROOT, address_of
from mesh.record.bus import Bus
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.language_model import ModelAsked

ORDER = tuple(Kind)
LOOKED_BACK = 60
"""Earlier answers of a service that are looked through for the text that it still stands by."""


def step_page(
    number: int, messages: Sequence[Envelope], held: Mapping[str, FragmentGiven], next_time: str | None = None
) -> dict[str, Any]:
    """The page of a step. `held`: by service, the fragment that still holds where it said `unchanged`."""
    said = sorted(messages, key=lambda each: (ORDER.index(each.kind), each.time))
    return {
        "step": number,
        "messages": [_message(each) for each in said],
        "held": {name: given.model_dump(mode="json") for name, given in sorted(held.items())},
        "next_time": next_time,
    }


def held_fragments(messages: Sequence[Envelope]) -> dict[str, int | None]:
    """The services that said `unchanged`, and the step of the text that they meant, if the actor tells it."""
    silent = [
        each.service.name for each in messages if isinstance(each.body, FragmentGiven) and each.body.unchanged
    ]
    proposals = (each.body for each in messages if isinstance(each.body, ActionProposed))
    used = {each.service: each.step for proposal in proposals for each in proposal.fragments}
    return {name: used.get(name) for name in silent}


async def read_step_page(bus: Bus, session: str, number: int) -> dict[str, Any]:
    """The page of a recorded step of the bus's cell."""
    prefix = f"{ROOT}.{bus.cell.name}.{session}.*.{number}"
    found = await asyncio.gather(*(bus.reader.subjects(prefix + tail) for tail in ("", ".*", ".*.*")))
    addresses = [address_of(subject) for subjects in found for subject in subjects]
    reads = (bus.reader.read(address) for address in addresses if address is not None)
    messages = [each for each in await asyncio.gather(*reads) if each is not None]
    texts = {
        name: await _text_of(bus, session, name, number, step)
        for name, step in held_fragments(messages).items()
    }
    following = await bus.reader.read_at(session, Kind.STEP, number + 1)
    held = {name: given for name, given in texts.items() if given is not None}
    return step_page(number, messages, held, following.time.isoformat() if following else None)


async def _text_of(
    bus: Bus, session: str, service: str, number: int, step: int | None
) -> FragmentGiven | None:
    """The fragment that a service stood by at a step; None: it is not found."""
    if step is not None:
        return await _fragment(bus, session, service, step)
    earlier = sorted(
        (each for each in await bus.reader.steps_answered(session, service) if each < number), reverse=True
    )
    for each in earlier[:LOOKED_BACK]:
        given = await _fragment(bus, session, service, each)
        if given is not None and not given.unchanged:
            return given
    return None


async def _fragment(bus: Bus, session: str, service: str, step: int) -> FragmentGiven | None:
    found = await bus.reader.read_at(session, Kind.FRAGMENT, step, service)
    return found.body if found and isinstance(found.body, FragmentGiven) else None


def _message(envelope: Envelope) -> dict[str, Any]:
    body = envelope.body
    told = envelope.model_dump(mode="json", exclude={"body"})
    told["body"] = body.model_dump(mode="json")
    if isinstance(body, ModelAsked):
        told["prompt_text"], told["reply_text"] = prompt_text(body.prompt), reply_text(body.reply)
    return told
