"""One user per service: everything that is needed is allowed, and nothing else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from nats.errors import TimeoutError as NatsTimeout
from structlog.testing import capture_logs

from language_model.model import ModelError, Prompt, PromptPart, Reply, Role
from language_model.recorded import RecordedModel
from language_model.scripted import ScriptedModel
from language_model.sub_agents.model_access import ModelAccess
from lantern.nats.connection import connection, identity
from lantern.play.compose import running
from lantern.play.play import play
from lantern.play.resume import resume
from lantern.play.services import service_named
from lantern.play.session_options import PlayOptions, ResumeOptions, checked_story
from lantern.play.session_requests import ask_pace, take_controls
from lantern.views.text_view import SilentView
from lantern.web.feed.session_timeline import SessionTimeline
from mesh.errors import NotAllowed
from mesh.nats.subjects import STREAM, Address, durable_name, subject_of
from mesh.observability.liveness import who_serves
from mesh.record.bus import Bus
from mesh.runner import dead_letters
from mesh.runner.consumer import Consumer, kinds_for
from mesh.security.nats_configuration import CONFIGURATION
from mesh.security.permissions import users_of
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, Decision
from schemas.fragment import FragmentGiven
from schemas.game import EndReason, SessionEnded, SessionStarted, StepTaken
from schemas.language_model import ModelBudget
from schemas.memory import AskMemory, MemoryAnswer
from services.narrator.service import NarratorService
from tests.support.servers.consumers import every_consumer
from tests.support.servers.permitted import Server

SERVICES = ("actor", "critic", "game", "hint", "memory", "narrator", "npc_tracker", "planner")

STEPS = 8


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> MeshSettings:
    return MeshSettings(home=tmp_path_factory.mktemp("home"), heartbeat=0.2, dead_after=2.0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, settings: MeshSettings) -> Iterator[Server]:
    """A server with the very file, the stream and the consumers in place, and a session that was played."""
    passwords = {user.name: f"secret: {user.name}/@" for user in users_of(["main"], [])}
    with Server(CONFIGURATION, tmp_path_factory.mktemp("nats"), passwords) as server:
        asyncio.run(_played(server, settings))
        yield server


async def _played(server: Server, settings: MeshSettings) -> None:
    """Play with every service under its own user; resume; ask. Not one of it may be refused."""
    await server.provision(settings)
    player = settings.model_copy(update={"nats_url": server.url("player")})
    wish = PlayOptions("bundled", STEPS, "heuristic", 1, "played", "main")
    async with server.serving(settings):
        first = await play(wish, checked_story(wish), player, SilentView())
        again = await resume(ResumeOptions("played", "main", steps=2), player, SilentView())
        async with connection(server.url("player"), "main") as bus:
            question = AskMemory(session="played", question="where am I")
            said = await bus.requests.ask("memory", "search", question, MemoryAnswer, session="played")
    assert (first.as_json()["steps"], first.as_json()["degraded_steps"]) == (STEPS, 0)
    assert (again.as_json()["steps"], again.as_json()["ended"]) == (STEPS + 2, "budget")
    assert said.answer
    assert server.refusals() == []


@pytest.fixture
async def operator(server: Server) -> AsyncIterator[Bus]:
    async with server.user("operator") as bus:
        yield bus


@pytest.fixture
async def unchanged(operator: Bus) -> AsyncIterator[None]:
    """Whatever the test does, streams and consumers are the same afterwards."""
    before = await everything(operator)
    yield
    assert await everything(operator) == before


async def everything(bus: Bus) -> list[object]:
    streams, consumers = await bus.cell.jsm.streams_info(), await every_consumer(bus)
    kept = [(info.config.as_dict(), info.state.messages, info.state.last_seq) for info in streams]
    return [*kept, *sorted(str(info.config.as_dict()) for info in consumers)]


# -- what is refused


async def refused(bus: Bus, subject: str, data: bytes = b"{}") -> None:
    with pytest.raises(NotAllowed):
        await bus.cell.nc.request(subject, data, timeout=10)


FORGED: dict[Kind, Message] = {
    Kind.STARTED: SessionStarted(
        step=0, game="x", story_md5="0" * 32, story_suffix=".z5", policy="random", seed=1, steps=1
    ),
    Kind.STEP: StepTaken(step=99, action="jump", observation="You win."),
    Kind.FRAGMENT: FragmentGiven(step=99, unchanged=True),
    Kind.PROPOSAL: ActionProposed(step=99, action="jump", policy="random", reason="because"),
    Kind.VERDICT: ActionJudged(
        step=99, action="jump", proposed="jump", decision=Decision.APPROVE, score=0, reason="", by="critic"
    ),
    Kind.ENDED: SessionEnded(step=99, reason=EndReason.STOPPED),
}


async def test_the_viewer_reads_every_record_and_can_play_none(server: Server) -> None:
    async with server.user("viewer") as bus:
        assert "played" in [start.session for start in await bus.reader.sessions()]
        timeline = SessionTimeline()
        async for envelope in bus.reader.messages("played"):
            timeline.after(envelope.body)
        assert timeline.newest > 0
        assert await who_serves(bus.cell) == []
        for asking in (ask_pace("played", bus), take_controls("played", bus, by_hand=True)):
            with pytest.raises(NotAllowed):
                await asking


SAYS = {
    "game": {Kind.STARTED, Kind.STEP, Kind.VERDICT, Kind.ENDED},
    "actor": {Kind.PROPOSAL},
    "critic": {Kind.VERDICT},
    **{name: {Kind.FRAGMENT} for name in ("hint", "memory", "narrator", "npc_tracker")},
    "player": set[Kind](),
    "viewer": set[Kind](),
    "replay": set[Kind](),
}
"""Who publishes what, told once more by hand: the file is made from the catalogue."""


@pytest.mark.parametrize("user", SAYS)
async def test_nobody_says_what_is_anothers_to_say(server: Server, user: str, unchanged: None) -> None:
    async with server.user(user) as bus:
        for kind in FORGED.keys() - SAYS[user]:
            before = len(bus.cell.events.refusals)
            with pytest.raises(NotAllowed, match=f"the user {user} publish lantern.main.forged.{kind}"):
                await bus.writer.publish("forged", FORGED[kind])
            assert len(bus.cell.events.refusals) == before + 1


@pytest.mark.parametrize("user", SAYS)
async def test_nobody_speaks_in_anothers_name(server: Server, user: str, unchanged: None) -> None:
    async with server.user(user) as bus:
        for other in {*SERVICES} - {user}:
            await refused(bus, f"lantern.main.forged.fragment.99.{other}")
            await refused(bus, f"lantern.main.forged.dead.{other}.1")
            await refused(bus, f"lantern.main.live.{other}.x")


@pytest.mark.parametrize("user", SAYS)
async def test_nobody_changes_streams_or_consumers(server: Server, user: str, unchanged: None) -> None:
    narrators = durable_name("main", "narrator", "*")
    streams = (STREAM, "KV_LANTERN_SNAPSHOTS", "OBJ_LANTERN_STORIES")
    async with server.user(user) as bus:
        for stream in streams:
            for verb in ("PURGE", "DELETE", "UPDATE", "CREATE"):
                await refused(bus, f"$JS.API.STREAM.{verb}.{stream}")
            if user != "game" or stream != STREAM:
                await refused(bus, f"$JS.API.STREAM.MSG.DELETE.{stream}", b'{"seq": 1}')
            await refused(bus, f"$JS.API.CONSUMER.CREATE.{stream}")
        await refused(bus, "$JS.API.STREAM.CREATE.MINE")
        for verb in ("CREATE", "DURABLE.CREATE", "DELETE"):
            await refused(bus, f"$JS.API.CONSUMER.{verb}.{STREAM}.{narrators}")
        if user != "replay":
            await refused(bus, f"$JS.API.CONSUMER.CREATE.{STREAM}.mine")


@pytest.mark.parametrize("user", SAYS)
async def test_nobody_takes_anothers_messages(server: Server, user: str, unchanged: None) -> None:
    async with server.user(user) as bus:
        for other in {*SERVICES} - {user}:
            durable = durable_name("main", other, "*")
            await refused(bus, f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{durable}", b'{"batch": 1}')
            await refused(bus, f"$JS.ACK.{STREAM}.{durable}.1.1.1.1.0", b"+ACK")


FOREIGN = {
    "narrator": ("lantern.*.*.verdict.>", "lantern.main.*.proposal.*", "lantern.main.*.fragment.*.*"),
    "critic": ("lantern.main.*.fragment.*.*",),
    "actor": ("lantern.main.*.proposal.*", "lantern.main.ask.game.start"),
    "game": ("lantern.main.*.fragment.*.*",),
    "player": ("lantern.main.*.step.*",),
    "viewer": ("lantern.main.*.step.*", "lantern.main.live.*.*"),
}


@pytest.mark.parametrize("user", SAYS)
async def test_nobody_hears_what_is_not_for_him(server: Server, user: str) -> None:
    inboxes = [f"_INBOX_{other}.>" for other in ("operator", "player", *SERVICES) if other != user]
    for subject in (">", "$JS.>", "$SYS.>", *inboxes, *FOREIGN.get(user, ())):
        async with server.user(user) as bus:
            await bus.cell.nc.subscribe(subject)
            with pytest.raises(NotAllowed, match=f"the user {user} subscribe to"):
                await bus.cell.ready()


@pytest.mark.parametrize("user", sorted({*SERVICES} - {"game"}))
async def test_a_service_reads_what_it_consumes_and_nothing_else(server: Server, user: str) -> None:
    consumed = {
        "actor": {Kind.FRAGMENT, Kind.VERDICT},
        "critic": {Kind.PROPOSAL},
        "memory": {Kind.PROPOSAL},
    }.get(user, set()) | {Kind.STARTED, Kind.STEP, Kind.ENDED}
    async with server.user(user) as bus:
        for kind in consumed:
            assert await bus.reader.newest("played", kind)
        for kind in {Kind.FRAGMENT, Kind.PROPOSAL, Kind.VERDICT} - consumed:
            with pytest.raises(NotAllowed):
                await bus.reader.newest("played", kind)
        await refused(bus, f"$JS.API.DIRECT.GET.{STREAM}", b'{"seq": 1}')
        await refused(bus, f"$JS.API.STREAM.MSG.GET.{STREAM}", b'{"seq": 1}')


@pytest.mark.parametrize("user", ["narrator", "actor", "critic", "player"])
async def test_the_server_carries_nobodys_words_to_a_foreign_subject(
    server: Server, operator: Bus, user: str
) -> None:
    """An answer goes to any subject that the asker names: what one writes, one must not be able to read."""
    target = subject_of(Address("main", f"carried-{user}", Kind.STEP, 1))
    asks = {
        "player": ("$JS.API.DIRECT.GET.OBJ_LANTERN_STORIES", b'{"seq": 1}'),
        "narrator": (f"$JS.API.DIRECT.GET.{STREAM}.lantern.main.carried.fragment.1.narrator", b""),
        "actor": (f"$JS.API.DIRECT.GET.{STREAM}.lantern.main.carried.proposal.1", b""),
        "critic": (f"$JS.API.DIRECT.GET.{STREAM}.lantern.main.carried.verdict.1", b""),
    }
    async with server.user(user) as bus:
        subject, data = asks[user]
        await bus.cell.nc.publish(subject, data, reply=target)
        await bus.cell.ready()

        assert len(bus.cell.events.refusals) == 1
    assert await operator.reader.raw(target) is None


async def test_a_service_is_told_its_own_words_by_the_game(server: Server, settings: MeshSettings) -> None:
    model = ScriptedModel(lambda prompt: Reply(model="m", text=f"reply {len(model.prompts)}"))
    question = Prompt(parts=(PromptPart(role=Role.USER, text="Where?"),))
    refused_before = server.refusals()
    async with server.serving(settings), server.user("narrator") as bus:
        fragment = await bus.reader.read_own(Address("main", "played", Kind.FRAGMENT, 0, "narrator"))
        none = await bus.reader.read_own(Address("main", "played", Kind.FRAGMENT, 99, "narrator"))
        replies = [await RecordedModel(model, bus, "played", 1).ask(question) for _ in range(2)]

    assert fragment is not None
    assert (fragment.step, fragment.service.name) == (0, "narrator")
    assert none is None
    assert [reply.text for reply in replies] == ["reply 1", "reply 1"]
    assert server.refusals() == refused_before


async def test_what_a_model_told_others_is_readable_and_what_it_told_oneself_is_not(server: Server) -> None:
    get = f"$JS.API.DIRECT.GET.{STREAM}.lantern.main.played.model.1"
    async with server.user("actor") as bus:
        assert await bus.reader.read(Address("main", "played", Kind.MODEL, 1, "hint", 0)) is None
        for mine in ("actor", "*", ">"):
            await refused(bus, f"{get}.{mine}.0")


async def test_a_budget_counts_what_a_service_and_others_have_asked_before(
    server: Server, settings: MeshSettings
) -> None:
    before = len(server.refusals())

    async def told(user: str, step: int) -> str:
        """What a service is told that was started just now."""
        async with server.user(user) as bus:
            asker = ModelAccess()
            asker.bus, asker.model = bus, ScriptedModel(lambda prompt: Reply(model="m", text="yes"))
            question = Prompt(parts=(PromptPart(role=Role.USER, text=f"{user}?"),))
            try:
                return (await asker.model_for("budgeted", step).ask(question)).text
            except ModelError as error:
                return error.fault.value

    async with server.serving(settings), server.user("player") as player, server.user("game") as game:
        first = await player.reader.started("played")
        assert first is not None
        changes = {"step": 0, "resumed": False, "budget": ModelBudget(calls=2)}
        await game.writer.publish("budgeted", first.model_copy(update=changes))
        replies = [await told(user, step) for step in range(2) for user in ("hint", "narrator")]

    assert replies == ["yes", "yes", "budget", "budget"]
    assert server.refusals()[before:] == []


async def test_a_replay_lives_in_its_own_cell_and_cannot_touch_a_live_one(server: Server) -> None:
    settings, narrator = MeshSettings(), identity("narrator", "1.0.0")
    async with server.user("replay", "replay-0123abcd") as bus:
        before = [envelope async for envelope in bus.reader.messages("again")]
        await bus.cell.provision()
        assert await bus.writer.publish("again", FORGED[Kind.STARTED]) == ("lost" if before else "stored")
        consumer = Consumer(bus.cell.speaking_as(narrator), kinds_for((StepTaken,)), "again", settings)
        await consumer.provision()
        await consumer.remove()
        assert not bus.cell.events.refusals

        bus = bus.in_cell("main")
        assert await bus.reader.started("played")
        with pytest.raises(NotAllowed):
            await bus.writer.publish("played", FORGED[Kind.ENDED])
        with pytest.raises(NotAllowed):
            await Consumer(bus.cell.speaking_as(narrator), [Kind.STEP], "*", settings).provision()
        await refused(bus, "lantern.main.ask.game.stop", b'{"session": "played"}')
        await refused(bus, "$KV.LANTERN_SNAPSHOTS.main.played.5", b"rubbish")


# -- what a refusal does


async def test_a_refused_publish_is_told_at_once_and_kept_for_health(server: Server) -> None:
    async with server.user("narrator") as bus:
        async with asyncio.timeout(4):  # nats-py alone waits for 5 s, and then blames the network
            with pytest.raises(NotAllowed, match=r"^NATS does not let the user narrator publish lantern\."):
                await bus.writer.publish("forged", FORGED[Kind.STEP])

        [(when, text)] = bus.cell.events.refusals
        assert 0 <= time.monotonic() - when < 60
        assert text == "NATS does not let the user narrator publish lantern.main.forged.step.99"


async def test_a_refused_publish_leaves_requests_beside_it_alone(server: Server) -> None:
    async with server.user("narrator") as bus:
        asked = [bus.writer.publish("forged", FORGED[Kind.STEP]) for _ in range(3)]
        outcomes = await asyncio.gather(
            *asked,
            bus.reader.started("played"),
            bus.reader.holds("lantern.main.none.step.1"),
            return_exceptions=True,
        )

    assert [type(outcome) for outcome in outcomes[:3]] == [NotAllowed] * 3
    assert isinstance(outcomes[3], SessionStarted)
    assert outcomes[4] is False


async def test_what_is_never_answered_is_still_a_time_out(server: Server) -> None:
    async with server.user("operator") as bus:
        silent = await bus.cell.nc.subscribe("lantern.main.ask.nobody")
        await bus.cell.ready()
        with pytest.raises(NatsTimeout):
            await bus.cell.nc.request("lantern.main.ask.nobody", b"", timeout=0.1)
        await silent.unsubscribe()
        assert not bus.cell.events.refusals


async def test_a_service_with_another_ack_wait_than_its_consumer_says_so_and_serves(
    server: Server, settings: MeshSettings
) -> None:
    slower = settings.model_copy(update={"ack_wait": 30.0})
    with capture_logs() as logs:
        hint = service_named("hint", settings.home)
        async with running([hint], server.url("hint"), "main", slower) as [it]:
            assert it.presence.alive().problems == ()
            assert it.consumer.ack_wait == settings.ack_wait

    [told] = [line for line in logs if line["event"] == "consumer_outdated"]
    assert (told["ack_wait"], told["wanted"]) == (settings.ack_wait, 30.0)
    assert "lantern provision" in told["hint"]


async def test_a_service_whose_consumer_is_gone_says_so_and_goes_on_when_it_is_back(
    server: Server, operator: Bus, settings: MeshSettings
) -> None:
    durable = durable_name("main", "narrator", "*")
    async with running([NarratorService()], server.url("narrator"), "main", settings) as [runner]:
        refusals = runner.bus.cell.events.refusals
        await operator.cell.jsm.delete_consumer(STREAM, durable)
        await until(lambda: any("consumer.durable.create" in text.lower() for _, text in refusals))
        await until(lambda: "its consumer has been silent" in "".join(runner.presence.alive().problems))

        await Consumer(
            operator.cell.speaking_as(identity("narrator", "1.0.0")),
            kinds_for(NarratorService.reads),
            "*",
            settings,
        ).provision()
        await operator.writer.publish("back", FORGED[Kind.STARTED])
        await operator.writer.publish("back", StepTaken(step=0, action=None, observation="A room."))

        await until(lambda: runner.delivery.handled >= 2)
    assert await operator.reader.read(Address("main", "back", Kind.FRAGMENT, 0, "narrator"))


async def until(it_is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not it_is_so():
            await asyncio.sleep(0.02)


async def test_a_dead_letter_is_kept_skipped_and_retried_under_the_services_own_user(
    server: Server, operator: Bus, settings: MeshSettings
) -> None:
    quick = settings.model_copy(update={"retry_delays": (0.02,)})
    service = Stumbling()
    await operator.writer.publish("stumbled", FORGED[Kind.STARTED])
    async with running([service], server.url("narrator"), "main", quick) as [runner]:
        for number in range(3):
            await operator.writer.publish(
                "stumbled", StepTaken(step=number, action=None, observation="A room.")
            )
        await until(lambda: runner.delivery.handled >= 3)
        assert not runner.bus.cell.events.refusals
    [letter] = [it async for it in dead_letters.every(operator.cell, "stumbled", "narrator")]
    assert letter.subject == "lantern.main.stumbled.step.1"

    async with running([Stumbling()], server.url("narrator"), "main", quick) as [runner]:
        await operator.writer.publish("stumbled", StepTaken(step=3, action=None, observation="A room."))
        await until(lambda: runner.delivery.handled >= 1)
        assert [it async for it in dead_letters.dead_lettered_steps(runner.bus.reader, "stumbled")] == [
            letter.subject
        ]
        assert not runner.bus.cell.events.refusals
    assert await operator.reader.read(Address("main", "stumbled", Kind.FRAGMENT, 3, "narrator"))

    async with running([NarratorService()], server.url("narrator"), "main", quick) as [runner]:
        assert (await dead_letters.retry(operator, letter.number)).ok
        assert not runner.bus.cell.events.refusals
    assert await operator.reader.read(Address("main", "stumbled", Kind.FRAGMENT, 1, "narrator"))


class Stumbling(NarratorService):
    """A narrator that cannot fold step 1."""

    def fold(self, state: Any, step: StepTaken) -> Any:
        if step.step == 1:
            raise ValueError("stumbled")
        return super().fold(state, step)

    def skim(self, state: Any, step: StepTaken) -> Any:
        return self.fold(state, step)
