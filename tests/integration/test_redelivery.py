"""What fails or comes again on a real server: retries, the order of redelivery, dead letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from conftest import Mesh
from nats.aio.msg import Msg
from test_runner import Counter, Faulty, a_step, eventually, fragments, letters, publish, some_letters

from lantern.play.compose import running
from mesh.nats.subjects import STREAM, subject_of
from mesh.record.bus import Bus
from mesh.runner import dead_letters
from mesh.runner.deliveries import delivery
from mesh.runner.deliveries.acknowledgements import sequence_of
from mesh.runner.service import Session
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.game import StepTaken


class Choosy(Counter):
    """Cannot stand the second step."""

    name = "choosy"

    def fold(self, state: Any, step: StepTaken) -> Any:
        if step.step == 1:
            raise ValueError("not this one")
        return super().fold(state, step)


class Crowded(Faulty):
    """Notes how many of its messages are handled at the same time."""

    now = most = 0

    async def answer(self, session: Session[list[int]], envelope: Envelope) -> Sequence[Message]:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await super().answer(session, envelope)
        finally:
            self.now -= 1


@pytest.mark.parametrize(
    ("failures", "beside"), [(2, True), (4, False)], ids=["not the last try", "the last"]
)
async def test_a_slow_message_at_its_last_try_has_no_other_beside_it_for_which_it_could_be_blamed(
    failures: int, beside: bool, bus: Bus, mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "ALONE_FOR", 0.05)
    service = Crowded(failures={0: failures}, slow=0.3)
    await mesh.run(service)
    await publish(bus, "s1", [0])
    await publish(bus, "s2", [0])

    await eventually(lambda: len(service.done) == 2)

    assert len(mesh.settings.retry_delays) == 2
    assert service.most == (2 if beside else 1)


async def test_a_passing_fault_is_tried_again(bus: Bus, mesh: Mesh) -> None:
    service = Faulty(failures={0: 2})
    await mesh.run(service)

    await publish(bus, "s1", [0])

    await eventually(lambda: service.done["s1"] == [0])
    assert service.seen == [("s1", 0)] * 3
    assert await letters(bus) == []


async def test_a_message_that_always_fails_is_a_dead_letter_while_the_next_ones_flow(
    bus: Bus, mesh: Mesh
) -> None:
    service = Faulty(failures={1: 99})
    await mesh.run(service)

    await publish(bus, "s1", range(4))

    await eventually(lambda: service.seen.count(("s1", 1)) == 3 and service.done["s1"] == [0, 2, 3])
    [letter] = await some_letters(bus, 1)
    assert letter.subject == subject_of(bus.cell.address("s1", Kind.STEP, 1))
    assert "step 1 is too much" in letter.letter.error
    assert letter.letter.tries == 3


@pytest.mark.parametrize("in_vain", [0, 2], ids=["their last time", "even more often"])
async def test_redelivered_steps_are_handled_in_order_whatever_order_they_come_in(
    in_vain: int, bus: Bus, mesh: Mesh
) -> None:
    async with running([Choosy()], mesh.url, mesh.cell, mesh.settings) as [runner]:
        durable = runner.consumer.durable
    await publish(bus, "s1", range(5))
    await deliver_in_vain(bus, durable, 6, times=len(mesh.settings.retry_delays) + in_vain)

    await mesh.run(Choosy())

    said = [(await fragments(bus, "s1", step, "choosy")).sections[0].text for step in (0, 2, 3, 4)]
    assert said == ["steps [0]", "steps [0, 2]", "steps [0, 2, 3]", "steps [0, 2, 3, 4]"]
    [letter] = await letters(bus)
    assert letter.subject == subject_of(bus.cell.address("s1", Kind.STEP, 1))
    assert letter.letter.error == "ValueError: not this one"


async def test_without_a_file_that_tells_many_deliveries_in_vain_are_held_to_have_ended_the_service(
    bus: Bus, mesh: Mesh
) -> None:
    async with running([Counter()], mesh.url, mesh.cell, mesh.settings) as [runner]:
        durable = runner.consumer.durable
        await publish(bus, "s1", [0])
        await fragments(bus, "s1", 0, "counter")
    await bus.writer.publish("s1", a_step(1))
    await deliver_in_vain(bus, durable, 1, times=len(mesh.settings.retry_delays) + 1 + delivery.IN_VAIN)

    await mesh.run(Counter())

    [letter] = await some_letters(bus, 1)
    assert letter.subject == subject_of(bus.cell.address("s1", Kind.STEP, 1))
    assert letter.letter.error == "it ended this service each time"


async def test_a_step_that_is_handled_after_later_ones_is_answered_as_of_itself(bus: Bus, mesh: Mesh) -> None:
    class Moody(Counter):
        """Cannot stand the second step at first."""

        name = "moody"
        failures = 1

        def fold(self, state: Any, step: StepTaken) -> Any:
            if step.step == 1 and self.failures > 0:
                self.failures -= 1
                raise ValueError("not now")
            return super().fold(state, step)

    await mesh.run(Moody())
    await publish(bus, "s1", range(4))

    said = [(await fragments(bus, "s1", step, "moody")).sections[0].text for step in (3, 1)]
    assert said == ["steps [0, 1, 2, 3]", "steps [0, 1]"]


async def deliver_in_vain(bus: Bus, durable: str, number: int, *, times: int) -> None:
    """Take a consumer's messages and give them back, the last ones first; they come in that order then."""
    pull = await bus.cell.nc.jetstream().pull_subscribe_bind(durable=durable, stream=STREAM)
    for _ in range(times):
        taken: list[Msg] = []
        while len(taken) < number:
            taken += await pull.fetch(number - len(taken), timeout=10)
        for message in sorted(taken, key=sequence_of, reverse=True):
            await message.nak()
    await pull.unsubscribe()


async def test_a_dead_letter_can_be_retried_once_the_fault_is_mended(bus: Bus, mesh: Mesh) -> None:
    service = Faulty(failures={0: 3})
    await mesh.run(service)
    await publish(bus, "s1", [0])
    buried = await some_letters(bus, 1)

    answer = await dead_letters.retry(bus, buried[0].number)

    assert answer.ok
    assert service.done["s1"] == [0]
    assert await letters(bus) == []


async def test_a_step_that_cannot_be_folded_does_not_keep_the_others_from_it(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(Choosy())
    await publish(bus, "s1", range(4))

    said = await fragments(bus, "s1", 3, "choosy")
    assert said.sections[0].text == "steps [0, 2, 3]"
    assert [letter.service for letter in await letters(bus)] == ["choosy"]
