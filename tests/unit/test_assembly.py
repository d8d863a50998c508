"""The actor's assembly: it waits for who is worth waiting for, and never longer than the deadline."""

from __future__ import annotations

import asyncio
import time

from schemas.fragment import FragmentGiven, Section
from services.actor.context.assembly import FragmentAssembler, MissedDeadlines

DAY = 86_400.0


def a_fragment(step: int, text: str = "hello") -> FragmentGiven:
    return FragmentGiven(step=step, sections=(Section(name="words", text=text),))


def unchanged(step: int) -> FragmentGiven:
    return FragmentGiven(step=step, unchanged=True)


def text_of(assembly: FragmentAssembler, service: str) -> str:
    return assembly.result().fragments[service].sections[0].text


async def test_it_goes_on_as_soon_as_every_live_service_has_answered() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    assembly.begin(1, {"hint", "memory"})
    waiting = asyncio.create_task(assembly.wait(DAY))

    assembly.note("hint", a_fragment(1))
    await asyncio.sleep(0)
    assert not waiting.done()
    assembly.note("memory", unchanged(1))

    await waiting
    assert assembly.result().missing == ()


async def test_an_answer_may_come_before_the_step() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    assembly.note("hint", a_fragment(1))
    assembly.begin(1, {"hint"})

    await assembly.wait(DAY)

    assert text_of(assembly, "hint") == "hello"


async def test_at_the_deadline_it_names_who_is_missing() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    assembly.begin(1, {"hint"})

    started = time.monotonic()
    assert not await assembly.wait(0.02)

    assert time.monotonic() - started >= 0.02
    assert assembly.result().missing == ("hint",)


async def test_who_misses_three_deadlines_in_a_row_is_not_waited_for_until_it_answers() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    for step in range(3):
        assembly.begin(step, {"slow"})
        await assembly.wait(0.0)
        assembly.result()

    assembly.begin(3, {"slow"})
    await assembly.wait(DAY)
    assert assembly.result().missing == ("slow",)

    assembly.note("slow", a_fragment(3))
    assembly.begin(4, {"slow"})
    waiting = asyncio.create_task(assembly.wait(DAY))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()


async def test_unchanged_keeps_what_was_said_before() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    assembly.begin(1, {"hint"})
    assembly.note("hint", a_fragment(1, "go north"))
    assembly.begin(2, {"hint"})
    assembly.note("hint", unchanged(2))

    assert text_of(assembly, "hint") == "go north"


async def test_a_late_fragment_serves_the_next_step() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    assembly.begin(1, {"hint"})
    assembly.begin(2, {"hint"})
    assembly.note("hint", a_fragment(1, "late"))

    assembled = assembly.result()

    assert assembled.missing == ("hint",)
    assert assembled.fragments["hint"].sections[0].text == "late"


async def test_who_has_left_is_not_quoted_any_more() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    assembly.begin(1, {"hint"})
    assembly.note("guest", a_fragment(1))
    assembly.begin(2, {"hint"})

    assert assembly.result().fragments == {}


async def test_a_fragment_that_comes_after_a_newer_one_changes_nothing() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    assembly.begin(5, {"hint"})
    assembly.note("hint", a_fragment(5, "new"))
    assembly.note("hint", a_fragment(2, "stale"))
    assembly.begin(6, {"hint"})
    assembly.note("hint", unchanged(6))

    assert text_of(assembly, "hint") == "new"


async def test_who_has_stopped_is_missing_and_not_waited_for_until_it_answers() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    missing = []
    for step, expected in enumerate((["hint"], [], [], ["hint"], [])):
        assembly.begin(step, expected)
        if step == 3:
            assembly.note("hint", a_fragment(step))
        await assembly.wait(0.0 if step == 0 else DAY)
        missing.append(assembly.result().missing)

    assert missing == [("hint",), ("hint",), ("hint",), (), ()]


async def test_a_sub_agent_of_the_users_that_joins_is_waited_for_once_it_has_answered() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    assembly.begin(0, {"hint"})
    assembly.note("hint", a_fragment(0))

    assembly.begin(1, {"joined"})
    assert await assembly.wait(DAY)
    assert assembly.result().missing == ("joined",)

    assembly.note("joined", a_fragment(1))
    assembly.begin(2, {"joined"})
    assert not await assembly.wait(0.01)


async def test_a_sub_agent_of_the_users_that_was_there_at_the_start_costs_one_deadline_at_most() -> None:
    assembly = FragmentAssembler(MissedDeadlines(patience=3))
    in_time = []
    for step in range(3):
        assembly.begin(step, {"mute"})
        in_time.append(await assembly.wait(0.01))
        assert assembly.result().missing == ("mute",)

    assert in_time == [False, True, True]
