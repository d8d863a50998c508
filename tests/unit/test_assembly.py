"""The actor's assembly: it waits for who is worth waiting for, and never longer than the deadline."""

from __future__ import annotations

import asyncio
import time

from schemas.fragment import FragmentGiven, Section
from services.actor.context.assembly import FragmentAssembler

DAY = 86_400.0


def a_fragment(step: int, text: str = "hello") -> FragmentGiven:
    return FragmentGiven(step=step, sections=(Section(name="words", text=text),))


def unchanged(step: int) -> FragmentGiven:
    return FragmentGiven(step=step, unchanged=True)


def text_of(assembly: FragmentAssembler, service: str) -> str:
    return assembly.result("s1").fragments[service].sections[0].text


async def test_it_goes_on_as_soon_as_every_live_service_has_answered() -> None:
    assembly = FragmentAssembler(patience=3)
    assembly.begin("s1", 1, {"hint", "memory"})
    waiting = asyncio.create_task(assembly.wait("s1", DAY))

    assembly.note("s1", "hint", a_fragment(1))
    await asyncio.sleep(0)
    assert not waiting.done()
    assembly.note("s1", "memory", unchanged(1))

    await waiting
    assert assembly.result("s1").missing == ()


async def test_an_answer_may_come_before_the_step() -> None:
    assembly = FragmentAssembler(patience=3)
    assembly.note("s1", "hint", a_fragment(1))
    assembly.begin("s1", 1, {"hint"})

    await assembly.wait("s1", DAY)

    assert text_of(assembly, "hint") == "hello"


async def test_at_the_deadline_it_names_who_is_missing() -> None:
    assembly = FragmentAssembler(patience=3)
    assembly.begin("s1", 1, {"hint"})

    started = time.monotonic()
    assert not await assembly.wait("s1", 0.02)

    assert time.monotonic() - started >= 0.02
    assert assembly.result("s1").missing == ("hint",)


async def test_who_misses_three_deadlines_in_a_row_is_not_waited_for_until_it_answers() -> None:
    assembly = FragmentAssembler(patience=3)
    for step in range(3):
        assembly.begin("s1", step, {"slow"})
        await assembly.wait("s1", 0.0)
        assembly.result("s1")

    assembly.begin("s1", 3, {"slow"})
    await assembly.wait("s1", DAY)
    assert assembly.result("s1").missing == ("slow",)

    assembly.note("s1", "slow", a_fragment(3))
    assembly.begin("s1", 4, {"slow"})
    waiting = asyncio.create_task(assembly.wait("s1", DAY))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()


async def test_unchanged_keeps_what_was_said_before() -> None:
    assembly = FragmentAssembler(patience=3)
    assembly.begin("s1", 1, {"hint"})
    assembly.note("s1", "hint", a_fragment(1, "go north"))
    assembly.begin("s1", 2, {"hint"})
    assembly.note("s1", "hint", unchanged(2))

    assert text_of(assembly, "hint") == "go north"


async def test_a_late_fragment_serves_the_next_step() -> None:
    assembly = FragmentAssembler(patience=3)
    assembly.begin("s1", 1, {"hint"})
    assembly.begin("s1", 2, {"hint"})
    assembly.note("s1", "hint", a_fragment(1, "late"))

    assembled = assembly.result("s1")

    assert assembled.missing == ("hint",)
    assert assembled.fragments["hint"].sections[0].text == "late"


async def test_who_has_left_is_not_quoted_any_more() -> None:
    assembly = FragmentAssembler(patience=3)
    assembly.begin("s1", 1, {"hint"})
    assembly.note("s1", "guest", a_fragment(1))
    assembly.begin("s1", 2, {"hint"})

    assert assembly.result("s1").fragments == {}


async def test_a_fragment_that_comes_after_a_newer_one_changes_nothing() -> None:
    assembly = FragmentAssembler(patience=3)
    assembly.begin("s1", 5, {"hint"})
    assembly.note("s1", "hint", a_fragment(5, "new"))
    assembly.note("s1", "hint", a_fragment(2, "stale"))
    assembly.begin("s1", 6, {"hint"})
    assembly.note("s1", "hint", unchanged(6))

    assert text_of(assembly, "hint") == "new"
