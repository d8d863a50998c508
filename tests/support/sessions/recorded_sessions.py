"""The sessions that are recorded in `tests/recorded`: how each is played, and by which cast."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from folds.vocabulary.actions import normal
from lantern.play.compose import running
from lantern.play.play import play
from lantern.play.resume import resume
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import PlayOptions, ResumeOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.nats.subjects import REPLAYS
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.record.following import follow
from mesh.runner.fragments import FragmentService, FragmentState
from mesh.runner.service import Service, Session
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import SessionAnswer, SessionStarted, StartSession, StepTaken
from services.actor.service import ActorService
from services.actor.settings import ActorSettings

CELL = "recorded"

A_TALK = (
    "read letter", "north", "east", "examine maren", "ask maren about tobias", "ask maren about key",
    "ask maren about light", "ask maren about lamp", "ask maren about boat", "ask maren about nets",
    "tell maren about letter", "ask maren about harbour", "ask maren about petrel", "ask maren about oil",
    "look", "ask maren about tobias", "ask maren about storm", "give letter to maren", "west", "east",
    "ask maren about fleet", "ask maren about herring",
)  # fmt: skip

TOPICS = (
    "tobias", "key", "light", "lamp", "boat", "nets", "letter", "harbour", "petrel", "oil", "storm", "fleet",
    "herring", "tower", "gate", "stairs", "cellar", "rope", "mother", "sea", "island", "keeper", "chapel",
    "bell", "ghost", "gull", "cat", "fish", "wind", "fog",
)  # fmt: skip

TALKATIVE = (
    "read letter", "north", "east", "examine maren", *(f"ask maren about {topic}" for topic in TOPICS),
    "west", "up", "north", "north", "examine door", "south", "west", "take rug", "open trapdoor",
    "open cupboard", "take lamp", "xyzzy", "down", "up", "east", "down", "east", "give letter to maren",
    *(f"tell maren about {topic}" for topic in TOPICS), "show lamp to maren", "ask maren about logbook",
    "west", "south", "look", "north", "east", "ask maren about eggs", "ask maren about tobias", "wait",
    "take tub", "look under tub", "ask maren about lamp", "inventory", "examine nets",
    "ask maren about ghost", "search nets", "talk to maren", "ask maren about cliff", "ask maren about board",
)  # fmt: skip
"""A hundred actions, most of them said to somebody."""


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

    def initial_state(self, started: SessionStarted) -> Steps:
        return Steps()

    def fragment_for(self, state: Steps) -> Fragment:
        return Fragment(suggestions=("wait",) if state.last % 3 else ("north", "read letter"))

    async def answer(self, session: Session[FragmentState[Steps]], envelope: Envelope) -> Sequence[Message]:
        if (
            envelope.kind is Kind.STEP
            and envelope.step in self.late
            and not self.bus.cell.name.startswith(REPLAYS)
        ):
            while await self.bus.reader.read_at(session.id, Kind.PROPOSAL, envelope.step) is None:
                await asyncio.sleep(0.01)
        return await super().answer(session, envelope)


class Director(Service[None]):
    """Has a script played, whatever the actor proposes."""

    name = "director"
    version = "1.0.0"
    reads = (ActionProposed,)
    folds_steps = False

    def __init__(self, script: Sequence[str]) -> None:
        self.script = script

    def opening(self, started: SessionStarted) -> None:
        return None

    async def answer(self, session: Session[None], envelope: Envelope) -> Sequence[Message]:
        if not isinstance(envelope.body, ActionProposed):
            return ()
        action, proposed = self.script[envelope.step], envelope.body.action
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


def a_wish(session: str, steps: int, **fields: Any) -> PlayOptions:
    told: dict[str, Any] = {"policy": "heuristic", "seed": 1, **fields}
    return PlayOptions(story="bundled", steps=steps, session=session, cell=CELL, **told)


async def heuristic(bus: Bus, settings: MeshSettings) -> None:
    await played(a_wish("heuristic", 40), settings)


async def by_chance(bus: Bus, settings: MeshSettings) -> None:
    await played(a_wish("by-chance", 30, policy="random", seed=2), settings)


async def text_only(bus: Bus, settings: MeshSettings) -> None:
    await played(a_wish("text-only", 30, text_only=True), settings)


async def resumed(bus: Bus, settings: MeshSettings) -> None:
    await played(a_wish("resumed", 10, seed=3), settings)
    await resume(ResumeOptions("resumed", CELL, 10), settings, SilentView())


async def a_talk(bus: Bus, settings: MeshSettings) -> None:
    await talk("a-talk", A_TALK, bus, settings)


async def talkative(bus: Bus, settings: MeshSettings) -> None:
    await talk("talkative", TALKATIVE, bus, settings)


async def talk(session: str, script: Sequence[str], bus: Bus, settings: MeshSettings) -> None:
    named = [service_named(name, settings.home) for name in SERVICES if name != "critic"]
    await directed(session, len(script), [*named, Director(script)], bus, settings)


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


STEPS_ONLY: dict[str, Callable[[Bus, MeshSettings], Awaitable[None]]] = {"talkative": talkative}
"""Sessions of which the steps alone are kept, for tests that fold them."""


async def played(wish: PlayOptions, settings: MeshSettings) -> None:
    await play(wish, checked_story(wish), settings, SilentView())


async def directed(
    session: str, steps: int, cast: Sequence[Service[Any]], bus: Bus, settings: MeshSettings
) -> None:
    """Play a session with a cast of the caller's."""
    story = checked_story(a_wish(session, steps))
    md5 = await stories.put(bus.cell, story.data)
    wish = StartSession(
        session=session, game="kelder.z5", story_md5=md5, policy="heuristic", seed=1, steps=steps
    )
    async with running(cast, settings.nats_url or "", CELL, settings, scope=session):
        answer = await bus.requests.ask("game", "start", wish, SessionAnswer, session=session, timeout=60)
        assert answer.ok, answer.refusal
        async for _ in follow(bus.reader, session, ()):
            pass
