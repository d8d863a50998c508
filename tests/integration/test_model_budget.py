"""A session's budget for language models holds for all of its services, in whichever process they run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress

import pytest

from language_model.budget.budget import Spending, UncountedCalls
from language_model.model import Model, ModelError, Prompt, PromptPart, Reply, Role, Usage
from language_model.scripted import ScriptedModel
from language_model.sub_agents.model_access import ModelAccess
from lantern.nats.connection import connection, identity
from mesh.nats.subjects import shadow_cell
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.game import REFLACT, SessionStarted
from schemas.language_model import Fault, ModelAsked, ModelBudget
from tests.support.sessions.telling import Gated

TOOK = Usage(input_tokens=700, cached_tokens=300, output_tokens=300, cost_usd=0.25)


class Asker(ModelAccess):
    """A service, as far as it asks a model."""

    def __init__(self, bus: Bus, model: Model) -> None:
        self.bus, self.model = bus, model

    async def ask(self, step: int, session: str = "s1") -> str:
        """The reply, or what kind of error there was."""
        prompt = Prompt(parts=(PromptPart(role=Role.USER, text=f"{self.bus.cell.me.name} at {step}"),))
        try:
            return (await self.model_for(session, step).ask(prompt)).text
        except ModelError as error:
            return error.fault.value


def a_model(usage: Usage = TOOK) -> ScriptedModel:
    return ScriptedModel(lambda asked: Reply(model="m", text="yes", usage=usage))


async def start(bus: Bus, budget: ModelBudget | None, session: str = "s1") -> None:
    started = SessionStarted(
        step=0,
        game="g",
        story_md5="0" * 32,
        story_suffix=".z5",
        policy=REFLACT,
        seed=1,
        steps=100,
        budget=budget,
    )
    await bus.writer.publish(session, started)


async def asked(bus: Bus) -> list[ModelAsked]:
    bodies = [envelope.body async for envelope in bus.reader.messages("s1")]
    return [body for body in bodies if isinstance(body, ModelAsked)]


@pytest.fixture
async def another(nats_url: str, cell: str) -> AsyncIterator[Callable[[str], object]]:
    """Connections as other processes have them."""
    async with AsyncExitStack() as stack:

        async def connected(name: str) -> Bus:
            bus = await stack.enter_async_context(connection(nats_url, cell, name))
            return bus.speaking_as(identity(name, "1.0.0"))

        yield connected


@pytest.mark.parametrize(
    ("budget", "replies"),
    [
        (ModelBudget(usd=0.5), ["yes", "yes", "budget", "budget"]),
        (ModelBudget(usd=0.51), ["yes", "yes", "yes", "budget"]),
        (ModelBudget(tokens=1_000), ["yes", "budget", "budget", "budget"]),
        (ModelBudget(calls=3), ["yes", "yes", "yes", "budget"]),
        (None, ["yes"] * 4),
    ],
)
async def test_a_budget_of_money_tokens_or_calls_ends_the_asking(
    bus: Bus, budget: ModelBudget | None, replies: list[str]
) -> None:
    await start(bus, budget)
    asker = Asker(bus, a_model())

    assert [await asker.ask(step) for step in range(4)] == replies


async def test_what_was_refused_for_want_of_a_budget_is_recorded_and_costs_nothing(bus: Bus) -> None:
    await start(bus, ModelBudget(calls=1))
    model = a_model()
    asker = Asker(bus, model)
    await asker.ask(0)
    await asker.ask(1)

    refused = (await asked(bus))[1]
    assert (refused.fault, refused.reply, refused.cost_usd) == (Fault.BUDGET, "", 0.0)
    assert refused.error == "The session's budget for language models is spent: 1 of 1 calls."
    assert len(model.prompts) == 1


async def test_services_of_two_processes_share_the_budget(
    bus: Bus, another: Callable[[str], asyncio.Future[Bus]]
) -> None:
    await start(bus, ModelBudget(calls=4))
    one, other = [Asker(await another(name), a_model()) for name in ("actor", "hint")]
    first = [await one.ask(0), await other.ask(0), await one.ask(1), await other.ask(1)]
    budget_tracker = one._tracker()
    deadline = time.monotonic() + 30
    while (
        await budget_tracker._account("s1")
    ).spending.calls < 4:  # what the other asked last is received soon
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)

    assert first == ["yes"] * 4
    assert [await one.ask(2), await other.ask(2)] == ["budget", "budget"]


@pytest.mark.parametrize(
    ("budget", "second"),
    [
        (ModelBudget(calls=1), "budget"),
        (ModelBudget(calls=2), "yes"),
        (ModelBudget(tokens=500), "budget"),
        (ModelBudget(tokens=50_000), "yes"),
        (ModelBudget(usd=0.001), "budget"),
        (ModelBudget(usd=1), "yes"),
    ],
)
async def test_a_call_under_way_counts_at_the_most_that_it_may_take(
    bus: Bus, another: Callable[[str], asyncio.Future[Bus]], budget: ModelBudget, second: str
) -> None:
    await start(bus, budget)
    slow, uncounted = Gated(lambda prompt: Reply(model="m", text="yes")), UncountedCalls()
    slow.name = "claude-sonnet-5-5"
    one, other = Asker(await another("narrator"), slow), Asker(await another("actor"), a_model(Usage()))
    one.uncounted_calls = other.uncounted_calls = uncounted
    asking = asyncio.create_task(one.ask(0))
    await slow.asked.wait()

    assert await other.ask(0) == second
    slow.let.set()
    assert await asking == "yes"
    tracker = one._tracker()
    account = await tracker._account("s1")
    for in_flight in (True, False):
        left = uncounted.spending(tracker._identity("s1"), account.prompts, in_flight=in_flight)
        assert left == Spending(), "the call is counted"


@pytest.mark.parametrize(
    ("fault", "refused"),
    [
        (None, "The session's budget for language models is spent: 1 of 1 calls."),
        (Fault.SERVER, "The session's budget for language models is spent: 1 of 1 calls."),
        (Fault.BREAKER_OPEN, ""),
    ],
)
async def test_a_call_that_has_ended_is_spent_before_it_is_recorded(
    bus: Bus, another: Callable[[str], asyncio.Future[Bus]], fault: Fault | None, refused: str
) -> None:
    """As a summary is that was asked for at one step and is published at a later one."""
    await start(bus, ModelBudget(calls=1))

    def outcome(prompt: Prompt) -> Reply:
        if fault is not None:
            raise ModelError("No.", fault)
        return Reply(model="m", text="yes", usage=TOOK)

    one, other = (
        Asker(await another("narrator"), ScriptedModel(outcome)),
        Asker(await another("actor"), a_model()),
    )
    one.uncounted_calls = other.uncounted_calls = UncountedCalls()
    with suppress(ModelError):
        await one.model_for("s1", 0).model.ask(Prompt(parts=(PromptPart(role=Role.USER, text="So far?"),)))

    await other.ask(0)

    assert [call.error for call in await asked(bus)] == [refused]


async def test_a_service_s_own_calls_under_way_count(bus: Bus) -> None:
    await start(bus, ModelBudget(calls=2))
    slow = Gated(lambda prompt: Reply(model="m", text="yes"))
    asker = Asker(bus, slow)
    asking = [asyncio.create_task(asker.ask(step)) for step in range(2)]
    async with asyncio.timeout(30):
        while len(slow.prompts) < 2:
            await slow.asked.wait()
            slow.asked.clear()

    assert await asker.ask(2) == "budget"
    slow.let.set()
    assert await asyncio.gather(*asking) == ["yes", "yes"]
    refused = [call.error for call in await asked(bus) if call.error]
    assert refused == [
        "The session's budget for language models may be spent by the calls in flight: 2 of 2 calls."
    ]


async def test_a_service_that_was_started_anew_reads_what_was_spent_before(
    bus: Bus, another: Callable[[str], asyncio.Future[Bus]]
) -> None:
    await start(bus, ModelBudget(calls=2))
    before = Asker(await another("actor"), a_model())
    assert [await before.ask(0), await before.ask(1)] == ["yes", "yes"]

    assert await Asker(await another("actor"), a_model()).ask(2) == "budget"


async def test_a_recorded_reply_is_given_again_when_nothing_is_left(bus: Bus) -> None:
    await start(bus, ModelBudget(calls=1))
    assert await Asker(bus, a_model()).ask(0) == "yes"

    again = Asker(bus, a_model())
    assert [await again.ask(0), await again.ask(1)] == ["yes", "budget"]


async def test_a_failed_call_counts_and_one_that_was_never_made_does_not(bus: Bus) -> None:
    await start(bus, ModelBudget(calls=2))
    faults = iter((Fault.BREAKER_OPEN, Fault.SERVER, Fault.UNAVAILABLE, Fault.TIMEOUT, Fault.SERVER))

    def failing(prompt: Prompt) -> Reply:
        raise ModelError("No.", next(faults))

    asker = Asker(bus, ScriptedModel(failing))
    said = [await asker.ask(step) for step in range(5)]
    assert said == ["breaker_open", "server_error", "unavailable", "timeout", "budget"]


async def test_a_session_that_is_resumed_with_another_budget_has_that_one(bus: Bus) -> None:
    await start(bus, ModelBudget(calls=1))
    asker = Asker(bus, a_model())
    assert [await asker.ask(0), await asker.ask(1)] == ["yes", "budget"]
    begun = await bus.reader.started("s1")
    assert begun is not None
    told = {"step": 1, "resumed": True, "budget": ModelBudget(calls=2)}
    await bus.writer.publish("s1", begun.model_copy(update=told))

    assert [await asker.ask(2), await asker.ask(3)] == ["yes", "budget"]


async def test_a_session_of_the_same_name_after_a_deletion_begins_with_all_of_its_budget(bus: Bus) -> None:
    await start(bus, ModelBudget(calls=1))
    asker = Asker(bus, a_model())
    assert await asker.ask(0) == "yes"
    await bus.writer.delete("s1")
    await asyncio.sleep(0.2)  # the server forgets the id of the message that is published again
    await start(bus, ModelBudget(calls=1))

    assert [await asker.ask(0), await asker.ask(1)] == ["yes", "budget"]


async def test_a_shadow_asks_beside_the_record_with_a_budget_of_its_own(bus: Bus) -> None:
    await start(bus, ModelBudget(calls=1))
    live, shadow = Asker(bus, a_model()), Asker(bus, a_model())
    shadow.is_shadow = True

    assert [await shadow.ask(0), await live.ask(0)] == ["yes", "yes"]
    assert [await shadow.ask(1), await live.ask(1)] == ["budget", "budget"]
    assert [each.call for each in await asked(bus)] == [0, 0]
    beside = raw_messages(bus.cell, f"lantern.{shadow_cell(bus.cell.name)}.s1.{Kind.MODEL}.>")
    assert len([held async for held in beside]) == 2
