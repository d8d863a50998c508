"""The service runner on a real server: order, catch-up, coming and going (see also test_redelivery.py)."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from conftest import Mesh

from mesh.nats.subjects import STREAM, subject_of
from mesh.observability.liveness import LivenessTracker, who_is_live
from mesh.record.bus import Bus
from mesh.runner import dead_letters
from mesh.runner.fragments import FragmentService
from mesh.runner.service import Endpoint, Service, Session
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import EndReason, SessionEnded, SessionStarted, StepTaken
from schemas.memory import AskMemory, MemoryAnswer
from schemas.mesh import ServiceState
from tests.support.servers.consumers import every_consumer


class Steps:
    """All steps that were folded."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def after(self, step: StepTaken) -> Steps:
        self.numbers.append(step.step)
        return self


class Counter(FragmentService[Steps]):
    """Says how many steps there were."""

    name = "counter"
    version = "1.0.0"

    def initial_state(self, started: SessionStarted) -> Steps:
        return Steps()

    def fragment_for(self, state: Steps) -> str:
        return f"steps {state.numbers}"


class Faulty(Service[list[int]]):
    """Fails as often as it is told to; notes what it was given."""

    name = "faulty"
    version = "1.0.0"
    reads: ClassVar[tuple[type[Message], ...]] = (StepTaken,)

    def __init__(self, *, failures: dict[int, int], slow: float = 0.0) -> None:
        self.failures, self.slow = failures, slow
        self.seen: list[tuple[str, int]] = []
        self.done: dict[str, list[int]] = defaultdict(list)

    def opening(self, started: SessionStarted) -> list[int]:
        return []

    def fold(self, state: list[int], step: StepTaken) -> list[int]:
        return [*state, step.step]

    async def answer(self, session: Session[list[int]], envelope: Envelope) -> Sequence[Message]:
        if not isinstance(envelope.body, StepTaken):
            return ()
        self.seen.append((session.id, envelope.step))
        if self.failures.get(envelope.step, 0) > 0:
            self.failures[envelope.step] -= 1
            raise RuntimeError(f"step {envelope.step} is too much")
        await asyncio.sleep(self.slow)
        self.done[session.id].append(envelope.step)
        return ()


def a_start(**fields: Any) -> SessionStarted:
    told = {"step": 0, "game": "g", "story_md5": "0" * 32, "story_suffix": ".z5", "policy": "random"}
    return SessionStarted.model_validate({**told, "seed": 1, "steps": 9, **fields})


def a_step(number: int) -> StepTaken:
    return StepTaken(step=number, action=None, observation=f"text {number}")


async def publish(bus: Bus, session: str, steps: Sequence[int]) -> None:
    await bus.writer.publish(session, a_start())
    for number in steps:
        await bus.writer.publish(session, a_step(number))


async def fragments(bus: Bus, session: str, step: int, service: str) -> FragmentGiven:
    """The fragment for a step, as soon as it is there."""
    async with asyncio.timeout(60):
        while True:
            found = await bus.reader.read_at(session, Kind.FRAGMENT, step, service)
            if found is not None:
                assert isinstance(found.body, FragmentGiven)
                return found.body
            await asyncio.sleep(0.01)


async def eventually(condition: Any) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def letters(bus: Bus) -> list[dead_letters.StoredDeadLetter]:
    return [letter async for letter in dead_letters.every(bus.cell)]


async def some_letters(bus: Bus, number: int) -> list[dead_letters.StoredDeadLetter]:
    """The dead letters, as soon as there are so many."""
    async with asyncio.timeout(10):
        while len(found := await letters(bus)) < number:
            await asyncio.sleep(0.01)
    return found


async def test_each_step_is_answered_in_order_with_all_steps_before_it_folded(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(Counter())
    await publish(bus, "s1", range(5))

    said = [(await fragments(bus, "s1", number, "counter")).sections[0].text for number in range(5)]

    assert said == [f"steps {list(range(number + 1))}" for number in range(5)]


async def test_a_service_that_comes_late_catches_up_from_the_record(bus: Bus, mesh: Mesh) -> None:
    await publish(bus, "s1", range(100))
    await mesh.run(Counter())

    await bus.writer.publish("s1", a_step(100))

    said = await fragments(bus, "s1", 100, "counter")
    assert said.sections[0].text == f"steps {list(range(101))}"


async def test_two_instances_share_the_work_and_say_the_same(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(Counter(), Counter())
    await publish(bus, "s1", range(20))

    said = [await fragments(bus, "s1", number, "counter") for number in range(20)]

    assert [given.sections[0].text for given in said] == [f"steps {list(range(n + 1))}" for n in range(20)]


async def test_saying_the_same_again_is_unchanged(bus: Bus, mesh: Mesh) -> None:
    class Constant(Counter):
        """Says the same for ever."""

        name = "constant"

        def fragment_for(self, state: Steps) -> str:
            return "hello"

    await mesh.run(Constant())
    await publish(bus, "s1", range(2))

    first, second = [await fragments(bus, "s1", number, "constant") for number in range(2)]
    assert (first.unchanged, second.unchanged) == (False, True)


async def test_sessions_do_not_wait_for_each_other(bus: Bus, mesh: Mesh) -> None:
    service = Faulty(failures={}, slow=0.3)
    await mesh.run(service)

    async with asyncio.timeout(2):
        await asyncio.gather(*(publish(bus, f"s{number}", [0]) for number in range(10)))
        await eventually(lambda: len(service.done) == 10)


async def test_rubbish_and_unknown_versions_are_dead_letters_and_the_session_goes_on(
    bus: Bus, mesh: Mesh
) -> None:
    await mesh.run(Counter())
    await publish(bus, "s1", [0])
    newer = bus.writer.envelope("s1", a_step(7), None).model_copy(update={"version": "2.0"})
    await bus.cell.js.publish(
        subject_of(bus.cell.address("s1", Kind.STEP, 7)), newer.model_dump_json().encode()
    )
    await bus.cell.js.publish(subject_of(bus.cell.address("s1", Kind.STEP, 8)), b"rubbish")

    await bus.writer.publish("s1", a_step(1))

    assert (await fragments(bus, "s1", 1, "counter")).sections[0].text == "steps [0, 1]"
    buried = await some_letters(bus, 2)
    assert "version 2.0" in buried[0].letter.error
    assert buried[1].payload == b"rubbish"


async def test_a_leaving_service_finishes_what_it_has_in_hand(bus: Bus, mesh: Mesh) -> None:
    service = Faulty(failures={}, slow=0.3)
    [runner] = await mesh.run(service)
    await publish(bus, "s1", [0])
    await eventually(lambda: service.seen)

    await mesh.stack.aclose()

    assert service.done["s1"] == [0]
    assert runner.bus.cell.nc.is_closed


async def test_services_are_found_with_version_scope_and_counts(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(Counter())
    await publish(bus, "s1", range(3))
    await fragments(bus, "s1", 2, "counter")

    [alive] = await who_is_live(bus.cell)

    assert (alive.name, alive.version, alive.scope, alive.state) == (
        "counter",
        "1.0.0",
        "*",
        ServiceState.READY,
    )
    assert alive.gives_fragments
    assert alive.handled >= 3


async def test_the_roll_knows_who_came_before_it_and_forgets_who_left(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(Counter())
    liveness = LivenessTracker(dead_after=0.8)
    await liveness.open(bus.cell)

    assert liveness.fragment_services("s1", bus.cell.now()) == {"counter"}
    await mesh.stack.aclose()
    await eventually(lambda: liveness.fragment_services("s1", bus.cell.now()) == frozenset())


async def test_a_service_whose_consumer_is_deleted_makes_it_anew(bus: Bus, mesh: Mesh) -> None:
    [runner] = await mesh.run(Counter())
    await bus.cell.jsm.delete_consumer(STREAM, runner.consumer.durable)
    async with asyncio.timeout(10):
        while True:
            names = [info.name for info in await every_consumer(bus)]
            if runner.consumer.durable in names:
                break
            await asyncio.sleep(0.05)

    await publish(bus, "s1", [0])

    assert (await fragments(bus, "s1", 0, "counter")).sections[0].text == "steps [0]"


async def test_a_service_for_one_session_leaves_the_others_alone_and_no_consumer_behind(
    bus: Bus, mesh: Mesh
) -> None:
    [runner] = await mesh.run(Counter(), scope="mine")
    await publish(bus, "other", [0])
    await publish(bus, "mine", [0])
    await fragments(bus, "mine", 0, "counter")
    await mesh.stack.aclose()

    assert await bus.reader.read_at("other", Kind.FRAGMENT, 0, "counter") is None
    names = [info.name for info in await every_consumer(bus)]
    assert runner.consumer.durable not in names


async def test_a_session_that_has_ended_is_let_go(bus: Bus, mesh: Mesh) -> None:
    let_go: list[str] = []

    class Holding(Counter):
        """Notes the sessions that it is asked to close."""

        name = "holding"

        async def close_session(self, session: Any) -> None:
            let_go.append(session.id)

    await mesh.run(Holding())
    await publish(bus, "s1", [0])
    await bus.writer.publish("s1", SessionEnded(step=0, reason=EndReason.STOPPED))

    await eventually(lambda: let_go == ["s1"])


async def test_a_question_about_a_session_is_answered_with_its_resources_if_the_session_is_served_here(
    bus: Bus, mesh: Mesh
) -> None:
    class Noting(Faulty):
        """Notes the steps of each session in the session's own list."""

        name = "noting"

        def open_session(self, session: Session[list[int], list[int]]) -> list[int]:
            return []

        async def answer(self, session: Session[list[int]], envelope: Envelope) -> Sequence[Message]:
            session.resources.append(envelope.step)
            return ()

        def asked(self) -> Mapping[str, Endpoint]:
            return {"noted": (AskMemory, self.noted)}

        async def noted(self, asked: AskMemory, session: Session[list[int]] | None) -> MemoryAnswer:
            return MemoryAnswer(answer=str(session.resources if session else "elsewhere"), known=True)

    async def noted(session: str) -> str:
        question = AskMemory(session=session, question="?")
        return (await bus.requests.ask("noting", "noted", question, MemoryAnswer, session=session)).answer

    await mesh.run(Noting(failures={}))
    await publish(bus, "s1", [0, 1])
    await publish(bus, "s2", [0])
    async with asyncio.timeout(10):
        while (await noted("s1"), await noted("s2")) != ("[0, 0, 1]", "[0, 0]"):
            await asyncio.sleep(0.01)
    await bus.writer.publish("s1", SessionEnded(step=1, reason=EndReason.STOPPED))
    async with asyncio.timeout(10):
        while await noted("s1") != "elsewhere":
            await asyncio.sleep(0.01)


async def test_copies_that_came_while_the_loop_was_stuck_are_acknowledged_and_not_handled_again(
    bus: Bus, mesh: Mesh
) -> None:
    class Stuck(Faulty):
        """Keeps the event loop from everything else while it folds step 1."""

        def fold(self, state: list[int], step: StepTaken) -> list[int]:
            if step.step == 1:
                time.sleep(2)
            return super().fold(state, step)

    mesh.settings = mesh.settings.model_copy(update={"ack_wait": 0.5, "retry_delays": ()})
    stuck = Stuck(failures={})
    [runner] = await mesh.run(stuck)
    await publish(bus, "s1", [0, 1, 2])
    await eventually(lambda: stuck.done["s1"] == [0, 1, 2])
    consumer = runner.consumer

    async def open_messages() -> int:
        return (await bus.cell.jsm.consumer_info(STREAM, consumer.durable)).num_ack_pending or 0

    async with asyncio.timeout(10):
        while await open_messages():
            await asyncio.sleep(0.05)
    assert stuck.seen == [("s1", 0), ("s1", 1), ("s1", 2)]
    assert [letter async for letter in dead_letters.every(bus.cell, "s1")] == []
