"""A hostile sub-agent with a NATS user of its own can neither stop nor spoil a session.

What it may do is in deploy/nats.conf: it has an account of its own, and offers its messages to the game.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from lantern.inspect.verify import verify
from lantern.nats.connection import connection
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.nats.codec import encode
from mesh.nats.offering import OfferFailed, offer
from mesh.nats.subjects import Address, address_of
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.fragment import Fragment
from tests.support.servers.attacks import ATTACKS, HELPERS, Attack, Attacker, attacked_server, fragment
from tests.support.servers.permitted import Server

STEPS = 25


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> MeshSettings:
    return MeshSettings(home=tmp_path_factory.mktemp("home"), heartbeat=0.2, dead_after=10.0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, settings: MeshSettings) -> Iterator[Server]:
    """A server with the sub-agent `mallory`, whose user is in the wrong hands, and one of another."""
    with attacked_server(tmp_path_factory.mktemp("nats")) as server:
        asyncio.run(server.provision(settings))
        yield server


# -- what it does, again and again while a session is played


@asynccontextmanager
async def under(attack: Attack, mallory: Attacker) -> AsyncIterator[None]:
    """Within the block, the attack goes on; it must have been carried out at least once."""
    rounds = 0

    async def go_on() -> None:
        nonlocal rounds
        while True:
            await attack(mallory)
            rounds += 1

    attacking = asyncio.create_task(go_on())
    try:
        yield
        async with asyncio.timeout(60):
            while not rounds and not attacking.done():
                await asyncio.sleep(0.01)
    finally:
        attacking.cancel()
        ended = (await asyncio.gather(attacking, return_exceptions=True))[0]
    assert isinstance(ended, asyncio.CancelledError), ended


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
async def test_a_session_is_played_as_if_it_were_not_there(
    server: Server, settings: MeshSettings, attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANTERN_ACTOR_DEADLINE", "10")
    monkeypatch.setenv("LANTERN_GAME_VERDICT_DEADLINE", "30")
    session = attack.__name__.replace("_", "-")
    wish = PlayOptions("bundled", STEPS, "heuristic", 1, session, "main", valid_actions=False)
    player = settings.model_copy(update={"nats_url": server.url("player")})
    async with server.serving(settings), server.user("mallory") as bus, server.user("operator") as operator:
        mallory = Attacker(bus, session, STEPS)
        await mallory.listen(operator)
        before = set(await operator.reader.subjects("lantern.main.>"))
        async with under(attack, mallory):
            summary = await play(wish, checked_story(wish), player, SilentView())
        counts = summary.as_json()
        assert (counts["steps"], counts["ended"]) == (STEPS, "budget")
        assert counts["degraded"].keys() <= {"mallory"}, "nobody else is late or missing"
        record = [envelope async for envelope in operator.reader.messages(session)]
        stored = set(await operator.reader.subjects("lantern.main.>")) - before

    proposals = [each.body for each in record if isinstance(each.body, ActionProposed)]
    assert {used.service for body in proposals for used in body.fragments} == HELPERS
    assert all({used.service for used in body.fragments} == HELPERS for body in proposals)
    assert all(map(address_of, stored))
    assert not [subject for subject in stored if "mallory" in subject]
    async with connection(server.url("operator"), "main") as bus:
        assert (await verify(bus, session, checked_story(wish))).ok


# -- what is taken, and what is not


@pytest.fixture
async def played(server: Server, settings: MeshSettings) -> AsyncIterator[Bus]:
    """The sub-agent's connection, while the game is served; the session `there` has steps 0 and 1."""
    player = settings.model_copy(update={"nats_url": server.url("player")})
    wish = PlayOptions("bundled", 1, "random", 1, "there", "main", valid_actions=False)
    async with server.serving(settings), server.user("mallory") as bus, server.user("player") as asking:
        if not await asking.reader.started("there"):
            await play(wish, checked_story(wish), player, SilentView())
        yield bus


async def test_a_fragment_and_a_dead_letter_are_stored_once(played: Bus, server: Server) -> None:
    first = await played.writer.publish("there", fragment(1, "Listen."))
    again = await played.writer.publish("there", fragment(1, "Something else."))
    await played.writer.dead_letter("lantern.main.there.step.1", 7, b"?", "cannot be read", tries=1)

    assert (first, again) == (PublishOutcome.STORED, PublishOutcome.LOST)
    async with server.user("operator") as operator:
        kept = await operator.reader.read(Address("main", "there", Kind.FRAGMENT, 1, "mallory"))
        assert kept is not None and isinstance(kept.body, Fragment)
        assert kept.body.sections[0].text == "Listen."
        assert await operator.reader.holds("lantern.main.there.dead.mallory.7")


def bad_offers(bus: Bus) -> dict[str, tuple[str, bytes]]:
    """By a part of the refusal: a subject and a message."""

    def about(step: int, text: str = "", session: str = "there") -> bytes:
        return encode(bus.writer.envelope(session, fragment(step, text), None))

    def at(rest: str) -> str:
        return f"lantern.main.there.{rest}"

    forged = bus.speaking_as(bus.cell.me.model_copy(update={"name": "narrator"}))
    return {
        "not there": (at("fragment.2.mallory"), about(2)),
        "about step 999999": (at("fragment.999999.mallory"), about(999_999)),
        "none of mallory's": (at("fragment.1.narrator"), about(1)),
        "none of mallory's ": (at("verdict.1"), about(1)),
        "no session 'elsewhere'": ("lantern.main.elsewhere.fragment.1.mallory", about(1)),
        "none of mallory's  ": (at("fragment.*.mallory"), about(1)),
        "service.name: it is 'narrator', and 'mallory' in the subject": (
            at("fragment.0.mallory"),
            encode(forged.writer.envelope("there", fragment(0), None)),
        ),
        "longer than 65536": (at("fragment.0.mallory"), b"x" * 70_000),
        "no dead letter": (at("dead.mallory.3"), b"{}"),
    }


async def test_what_is_refused_says_why(played: Bus) -> None:
    for reason, (subject, data) in bad_offers(played).items():
        with pytest.raises(OfferFailed) as refused:
            await offer(played.cell, subject, data)
        assert reason.strip() in str(refused.value), (subject, str(refused.value))
    with pytest.raises(OfferFailed, match="There is no session 'nowhere'"):
        await played.writer.publish("nowhere", fragment(0))
