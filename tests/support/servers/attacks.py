"""What a hostile sub-agent with a NATS user of its own can try, again and again while a session is played."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from nats.aio.msg import Msg
from nats.errors import MaxPayloadError

from mesh.nats.codec import encode
from mesh.nats.subjects import GUEST_API, STREAM, Address, live_subject, subject_of
from mesh.record.bus import Bus
from mesh.security.nats_configuration import configuration
from mesh.security.permissions import users_of
from schemas.base import Kind
from schemas.fragment import FragmentGiven, Section
from schemas.mesh import ServiceAlive, ServiceState
from tests.support.servers.permitted import Server

AGENTS = ["mallory", "other"]
"""The sub-agent whose user is in the wrong hands, and one of another."""

HELPERS = {"hint", "memory", "narrator", "npc_tracker"}


def attacked_server(folder: Path) -> Server:
    """A server as it is deployed, with two sub-agents of the user's own."""
    conf = folder / "nats.conf"
    conf.write_text(configuration(["main"], AGENTS))
    return Server(conf, folder, {user.name: f"secret of {user.name}" for user in users_of(["main"], AGENTS)})


@dataclass
class Attacker:
    """The sub-agent `mallory`, and what it knows."""

    bus: Bus
    session: str
    steps: int
    inboxes: list[str] = field(default_factory=list)
    """In which the game waits for acknowledgements, as far as they can be heard."""
    instances: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in HELPERS})
    """What every sub-agent can know: the instances that are live."""

    async def listen(self, operator: Bus) -> None:
        """Learn what can be known; returns when all instances have been heard."""

        async def on_step(message: Msg) -> None:
            self.inboxes.append(message.reply)

        async def on_heartbeat(message: Msg) -> None:
            name, instance = message.subject.split(".")[3:]
            if name in HELPERS:
                self.instances[name].add(instance)

        await self.bus.cell.nc.subscribe("lantern.main.*.step.*", cb=on_step)
        await self.bus.cell.ready()
        await operator.cell.nc.subscribe("lantern.main.live.*.*", cb=on_heartbeat)
        async with asyncio.timeout(30):
            while not all(self.instances.values()):
                await asyncio.sleep(0.02)

    async def say(self, subject: str, data: bytes = b"", reply: str = "") -> None:
        await self.bus.cell.nc.publish(subject, data, reply=reply)

    def alive(self, **fields: object) -> bytes:
        told = {"name": "mallory", "version": "1", "instance": "x", "cell": "main", "gives_fragments": True}
        made_up = ServiceAlive.model_validate({**told, "time": self.bus.cell.now(), **fields})
        return made_up.model_dump_json().encode()

    @property
    def offers(self) -> str:
        return f"lantern.main.offer.{self.session}.mallory"


Attack = Callable[[Attacker], Awaitable[None]]


def fragment(step: int, text: str = "Trust me.") -> FragmentGiven:
    return FragmentGiven(step=step, sections=(Section(name="advice", text=text),))


async def leads_answers_elsewhere(mallory: Attacker) -> None:
    """Name subjects of the record, and others' inboxes, for the answers to its own requests."""
    asks = (f"{GUEST_API}.STREAM.INFO.{STREAM}", f"{GUEST_API}.DIRECT.GET.{STREAM}.lantern.main.*.step.*")
    for step in range(mallory.steps):
        places = [
            subject_of(Address("main", mallory.session, kind, step))
            for kind in (Kind.PROPOSAL, Kind.VERDICT, Kind.STEP)
        ]
        for ask in (*asks, mallory.offers):
            for reply in (*places, *mallory.inboxes[-3:]):
                await mallory.say(ask, reply=reply)
        await asyncio.sleep(0.005)


async def makes_services_up(mallory: Attacker) -> None:
    """A thousand, under its own subjects; the server refuses those of others, as the last one shows."""
    for number in range(1000):
        subject = live_subject("main", "mallory", f"{number}")
        await mallory.say(subject, mallory.alive(name=f"helper_{number}", instance=f"{number}"))
        await mallory.say(subject, mallory.alive(instance=f"{number}"))
        if number % 20 == 0:
            await asyncio.sleep(0.005)
    await mallory.say(live_subject("main", "helper_1", "x"), b"{}")
    await asyncio.sleep(0.2)


async def says_that_others_leave(mallory: Attacker) -> None:
    for name, instances in mallory.instances.items():
        for instance in instances:
            forged = mallory.alive(name=name, instance=instance, state=ServiceState.DRAINING)
            await mallory.say(live_subject("main", "mallory", instance), forged)
            await mallory.say(live_subject("main", name, instance), forged)
    await asyncio.sleep(0.01)


async def offers_rubbish(mallory: Attacker) -> None:
    envelope = mallory.bus.writer.envelope(mallory.session, fragment(0), None)
    letter = {"subject": f"lantern.main.{mallory.session}.fragment.0.mallory", "message": "{" * 200_000}
    for data in (b"", b"\xff\x00", b"[" * 100_000, json.dumps(letter).encode(), encode(envelope)):
        await mallory.say(mallory.offers, data)
        await mallory.say("lantern.main.offer.no-such.mallory", data)
    with pytest.raises(MaxPayloadError):
        await mallory.say(mallory.offers, b"x" * 8_000_000)
    await asyncio.sleep(0.02)


async def floods_with_fragments(mallory: Attacker) -> None:
    """Two hundred each 50 ms, and one as large as the server lets through."""
    for _ in range(200):
        await mallory.say(mallory.offers, b"{}")
    await mallory.say(mallory.offers, b"x" * 1_000_000)
    await asyncio.sleep(0.05)


async def writes_everywhere(mallory: Attacker) -> None:
    """On subjects of the record, with wild tokens too; the server refuses all of it."""
    events = mallory.bus.cell.events
    refusals = len(events.refusals)
    for kind in Kind:
        tail = ".mallory" if kind is Kind.FRAGMENT else ".mallory.0" if kind is Kind.MODEL else ""
        await mallory.say(f"lantern.main.{mallory.session}.{kind}.3{tail}", b"{}")
    await mallory.say("lantern.main.wild_token?.fragment.x.mallory", b"{}")
    await mallory.bus.cell.ready()
    assert len(events.refusals) > refusals
    events.refusals.clear()
    await asyncio.sleep(0.05)


ATTACKS: tuple[Attack, ...] = (
    leads_answers_elsewhere,
    makes_services_up,
    says_that_others_leave,
    offers_rubbish,
    floods_with_fragments,
    writes_everywhere,
)
