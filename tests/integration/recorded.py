"""The recorded sessions of `tests/recorded`: how they are played, written and read.

`make record` plays them anew, rewrites the files that came out otherwise, and tells what has changed; the
transcript beside each export shows it in a diff, too.
Whatever no behaviour decides is written the same each time: times, instances, and the order of what is said
at once.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import os
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from command import REPEATABLE
from nats.js.api import Header

from folds.actions import normal
from lantern.compose import SERVICES, connection, running, service_named
from lantern.embedded_nats import embedded_nats
from lantern.play import play, resume
from lantern.replay_report import told
from lantern.show import Silent
from lantern.wishes import Again, Wish, check_wish
from mesh import archive, record, stories
from mesh.bus import Bus
from mesh.codec import decode, encode, place_named_by
from mesh.comparing import Difference, differences
from mesh.following import follow
from mesh.fragments import FragmentService, Telling
from mesh.log import log_to
from mesh.service import Service, Session
from mesh.settings import MeshSettings
from mesh.subjects import REPLAYS, Place, message_id, subject_of
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import SessionAnswer, SessionEnded, SessionStarted, StartSession, StepTaken
from services.actor.service import ActorService
from services.actor.settings import ActorSettings

DIRECTORY = Path(__file__).parents[1] / "recorded"
CELL = "recorded"
PATIENT = {**REPEATABLE, "LANTERN_ACTOR_DEADLINE": "60", "LANTERN_GAME_VERDICT_DEADLINE": "60"}
"""With these nothing that is recorded depends on the machine's speed."""

A_TALK = (
    "read letter", "north", "east", "examine maren", "ask maren about tobias", "ask maren about key",
    "ask maren about light", "ask maren about lamp", "ask maren about boat", "ask maren about nets",
    "tell maren about letter", "ask maren about harbour", "ask maren about petrel", "ask maren about oil",
    "look", "ask maren about tobias", "ask maren about storm", "give letter to maren", "west", "east",
    "ask maren about fleet", "ask maren about herring",
)  # fmt: skip


class Steps:
    """How many steps there were."""

    def __init__(self) -> None:
        self.last = -1

    def after(self, step: StepTaken) -> Steps:
        self.last = step.step
        return self


class Straggler(FragmentService[Steps]):
    """At some steps it answers when the actor has given it up (but not where it is replayed)."""

    name = "straggler"
    version = "1.0.0"
    late = (2, 3, 6)

    def begin(self, started: SessionStarted) -> Steps:
        return Steps()

    def says(self, state: Steps) -> Fragment:
        return Fragment(suggestions=("wait",) if state.last % 3 else ("north", "read letter"))

    async def answer(self, session: Session[Telling[Steps]], envelope: Envelope) -> Sequence[Message]:
        if (
            envelope.kind is Kind.STEP
            and envelope.step in self.late
            and not self.bus.cell.startswith(REPLAYS)
        ):
            while await self.bus.read(Place(self.bus.cell, session.id, Kind.PROPOSAL, envelope.step)) is None:
                await asyncio.sleep(0.01)
        return await super().answer(session, envelope)


class Director(Service[None]):
    """Has a script played, whatever the actor proposes."""

    name = "director"
    version = "1.0.0"
    reads = (ActionProposed,)
    folds_steps = False

    def opening(self, started: SessionStarted) -> None:
        return None

    async def answer(self, session: Session[None], envelope: Envelope) -> Sequence[Message]:
        if not isinstance(envelope.body, ActionProposed):
            return ()
        action, proposed = A_TALK[envelope.step], envelope.body.action
        same = normal(action) == normal(proposed)
        decision = Decision.APPROVE if same else Decision.SUBSTITUTE
        verdict = ActionJudged(
            step=envelope.step,
            action=action,
            proposed=proposed,
            decision=decision,
            score=0,
            reason="it is in the script",
            by=self.name,
        )
        return (verdict,)


def a_wish(session: str, steps: int, **fields: Any) -> Wish:
    told: dict[str, Any] = {"policy": "heuristic", "seed": 1, **fields}
    return Wish(story="bundled", steps=steps, session=session, cell=CELL, **told)


async def heuristic(bus: Bus, settings: MeshSettings) -> None:
    await played(a_wish("heuristic", 40), settings)


async def by_chance(bus: Bus, settings: MeshSettings) -> None:
    await played(a_wish("by-chance", 30, policy="random", seed=2), settings)


async def text_only(bus: Bus, settings: MeshSettings) -> None:
    await played(a_wish("text-only", 30, text_only=True), settings)


async def resumed(bus: Bus, settings: MeshSettings) -> None:
    await played(a_wish("resumed", 10, seed=3), settings)
    await resume(Again("resumed", CELL, 10), settings, Silent())


async def a_talk(bus: Bus, settings: MeshSettings) -> None:
    named = [service_named(name, settings.home) for name in SERVICES if name != "critic"]
    await directed("a-talk", len(A_TALK), [*named, Director()], bus, settings)


async def late(bus: Bus, settings: MeshSettings) -> None:
    named = [service_named(name, settings.home) for name in SERVICES if name != "actor"]
    unhurried = ActorService(ActorSettings(deadline=3))
    await directed("late", 10, [*named, unhurried, Straggler()], bus, settings)


SESSIONS: dict[str, Callable[[Bus, MeshSettings], Awaitable[None]]] = {
    "heuristic": heuristic,
    "by-chance": by_chance,
    "text-only": text_only,
    "resumed": resumed,
    "a-talk": a_talk,
    "late": late,
}


async def played(wish: Wish, settings: MeshSettings) -> None:
    await play(wish, check_wish(wish), settings, Silent())


async def directed(
    session: str, steps: int, cast: Sequence[Service[Any]], bus: Bus, settings: MeshSettings
) -> None:
    """Play a session with a cast of the caller's."""
    story = check_wish(a_wish(session, steps))
    md5 = await stories.put(bus, story.data)
    wish = StartSession(
        session=session, game="kelder.z5", story_md5=md5, policy="heuristic", seed=1, steps=steps
    )
    async with running(cast, settings.nats_url or "", CELL, settings, scope=session):
        answer = await bus.ask("game", "start", wish, SessionAnswer, session=session, timeout=60)
        assert answer.ok, answer.refusal
        async for _ in follow(bus, session, ()):
            pass


def plain(messages: Iterable[Envelope]) -> list[Envelope]:
    """The messages of a record in one order and at one time, said by one instance of each service."""
    listed = list(messages)
    missed = {(m.step, name) for m in listed for name in getattr(m.body, "missing", ())}
    ordered = sorted(listed, key=lambda message: _place_in_beat(message, missed))
    began = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        message.model_copy(
            update={
                "time": began + timedelta(milliseconds=10 * number),
                "service": message.service.model_copy(update={"instance": "recorded"}),
            }
        )
        for number, message in enumerate(ordered)
    ]


def _place_in_beat(message: Envelope, missed: set[tuple[int, str]]) -> tuple[int, int, str]:
    match message.body:
        case SessionStarted(resumed=resumed):
            place = 4 if resumed else 0
        case StepTaken():
            place = 1
        case SessionEnded():
            place = 3
        case _:
            place = {Kind.MODEL: 2, Kind.FRAGMENT: 2, Kind.PROPOSAL: 5, Kind.VERDICT: 6}[message.kind]
    if (message.step, message.service.name) in missed:
        place = 7
    return message.step, place, message.service.name


async def put(bus: Bus, messages: Iterable[Envelope]) -> None:
    """Put a record into the bus's cell, as an import would."""
    for message in messages:
        here = message.model_copy(update={"cell": bus.cell})
        place = place_named_by(here)
        headers = {Header.MSG_ID: message_id(place), archive.IMPORTED: "1"}
        await bus.js.publish(subject_of(place), encode(here), headers=headers)


def recorded(name: str) -> list[Envelope]:
    """The messages of a recorded session; none where there is no such file."""
    path = path_of(name)
    return read(gzip.decompress(path.read_bytes()).decode()) if path.exists() else []


def read(text: str) -> list[Envelope]:
    """The messages of an export."""
    kept = archive.read_archive(text.splitlines())[2]
    return [decode(message.subject, message.payload) for message in kept]


def path_of(name: str) -> Path:
    return DIRECTORY / f"{name}.jsonl.gz"


def transcript(messages: Iterable[Envelope]) -> str:
    """All that a record says, in lines, so that a diff of two shows what has changed."""
    lines: list[str] = []
    for message in messages:
        lines.append(f"{message.step} {message.service.name} {message.kind}")
        told = message.body.model_dump(mode="json", exclude={"step"}, exclude_defaults=True)
        for name, value in told.items():
            lines += _lines_of(name, value)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _lines_of(name: str, value: Any) -> list[str]:
    if name == "sections":
        return [line for section in value for line in _lines_of(section["name"], section["text"])]
    if isinstance(value, str):
        return [f"    {name} | {line}" for line in value.splitlines()]
    return [f"    {name}: {json.dumps(value)}"]


def transcript_of(name: str) -> Path:
    return DIRECTORY / f"{name}.txt"


async def exported(name: str, bus: Bus, settings: MeshSettings) -> str:
    """Play a session, and export it in its plain form."""
    await SESSIONS[name](bus, settings)
    messages = plain([message async for message in record.messages(bus, name)])
    await record.delete(bus, name)
    await asyncio.sleep(0.2)  # the server forgets the ids
    await put(bus, messages)
    return "".join([f"{line}\n" async for line in archive.export(bus, name)])


def changes(before: Sequence[Envelope], after: Sequence[Envelope]) -> list[tuple[int, Difference]]:
    """What differs between two records of a session, in the order of the newer."""
    old, new = ({_key(message): message for message in messages} for messages in (before, after))
    return [
        (key[0], difference)
        for key in dict.fromkeys((*new, *old))
        for difference in differences(key[2], key[1], old.get(key), new.get(key))
    ]


def _key(message: Envelope) -> tuple[int, Kind, str]:
    return message.step, message.kind, message.service.name


async def record_anew(name: str, bus: Bus, settings: MeshSettings) -> AsyncIterator[str]:
    """Play a session anew and write its file where it came out otherwise; what has changed, in lines."""
    before, text = recorded(name), await exported(name, bus, settings)
    path = path_of(name)
    transcript_of(name).write_text(transcript(read(text)))
    if path.exists() and gzip.decompress(path.read_bytes()).decode() == text:
        yield f"{name}: unchanged"
        return
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    found = changes(before, read(text))
    counts = Counter(difference.service for _, difference in found)
    by_service = ", ".join(f"{service} {number}" for service, number in counts.most_common())
    yield f"{name}: {len(found)} differences ({by_service})" if before else f"{name}: new"
    for step, difference in found[:5] if before else ():
        yield f"  step {step} {told(difference)}"


async def main() -> None:
    DIRECTORY.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        settings = MeshSettings(home=Path(home))
        async with embedded_nats(settings.home) as url, connection(url, CELL) as bus:
            settings = settings.model_copy(update={"nats_url": url})
            for name in SESSIONS:
                async for line in record_anew(name, bus, settings):
                    print(line, flush=True)


if __name__ == "__main__":
    os.environ.update(PATIENT)
    log_to(sys.stderr, level=logging.ERROR)
    asyncio.run(main())
