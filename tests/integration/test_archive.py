"""An export that was tampered with is refused, and the message is named."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest
from test_runner import a_step, publish

from mesh.errors import InputError
from mesh.record.archive import ArchiveUnreadable, export, read_archive
from mesh.record.bus import Bus


async def an_export(bus: Bus, steps: int = 5) -> list[str]:
    await publish(bus, "s1", range(steps))
    return [line async for line in export(bus.cell, "s1")]


def refusal(lines: list[str]) -> str:
    """What the reader says; it must refuse."""
    with pytest.raises(InputError) as caught:
        read_archive(lines)
    return str(caught.value)


async def test_an_untouched_export_is_read(bus: Bus) -> None:
    session, cell, kept = read_archive(await an_export(bus))

    assert (session, cell, len(kept)) == ("s1", bus.cell.name, 6)


async def test_no_byte_can_be_changed_and_the_line_is_named(bus: Bus) -> None:
    lines, chance = await an_export(bus, steps=1), random.Random(5)

    for number, line in enumerate(lines, start=1):
        for at, byte in enumerate(line):
            other = chance.choice([c for c in '0aZ9"{}:, /=+' if c != byte])
            told = refusal([*lines[: number - 1], line[:at] + other + line[at + 1 :], *lines[number:]])
            assert f"line {number} " in told.lower() or number == 1, (told, at, other)


FIELDS = ("subject", "id", "payload", "chain")


@pytest.mark.parametrize("field", FIELDS)
async def test_no_field_can_be_left_out_doubled_or_written_otherwise(bus: Bus, field: str) -> None:
    lines = await an_export(bus)
    line = json.loads(lines[3])
    value = json.dumps(line[field])
    spelt = value.replace(line[field][0], f"\\u{ord(line[field][0]):04x}", 1)
    others = [
        json.dumps({key: told for key, told in line.items() if key != field}),
        lines[3].replace(f'"{field}"', f'"{field}": "", "{field}"', 1),
        lines[3].replace(value, spelt, 1),
        lines[3].replace(value, "null", 1),
    ]

    for other in others:
        assert other != lines[3]
        assert "Line 4 " in refusal([*lines[:3], other, *lines[4:]])


TAMPERINGS: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "two messages swapped": (lambda s: [*s[:3], s[4], s[3], *s[5:]], "Line 4 "),
    "a message removed": (lambda s: [*s[:3], *s[4:]], "Line 4 "),
    "the first message removed": (lambda s: [s[0], *s[2:]], "line 2 "),
    "the last message removed": (lambda s: [*s[:-2], s[-1]], "Line 7 "),
    "a message doubled": (lambda s: [*s[:4], s[3], *s[4:]], "Line 5 "),
    "the last message doubled": (lambda s: [*s[:-1], s[-2], s[-1]], "Line 8 "),
    "a field added": (lambda s: [*s[:3], s[3][:-1] + ', "more": 1}', *s[4:]], "Line 4 "),
    "an empty line": (lambda s: [*s[:3], "", *s[3:]], "Line 4 "),
    "nested without end": (lambda s: [*s[:3], "[" * 100_000, *s[4:]], "Line 4 "),
    "the head removed": (lambda s: s[1:], "not an export"),
    "the head doubled": (lambda s: [s[0], *s], "line 2 "),
    "another session in the head": (lambda s: [s[0].replace('"s1"', '"s2"'), *s[1:]], "Line 1 "),
    "a field added to the head": (lambda s: [s[0][:-1] + ', "more": 1}', *s[1:]], "Line 1 "),
    "the tail removed": (lambda s: s[:-1], "ends after 6 messages"),
    "the tail doubled": (lambda s: [*s, s[-1]], "Line 9 "),
    "a message after the tail": (lambda s: [*s, s[-2]], "Line 9 "),
    "another number in the tail": (lambda s: [*s[:-1], s[-1].replace("6", "5", 1)], "Line 8 "),
    "a number that equals it": (lambda s: [*s[:-1], s[-1].replace("6", "6.0", 1)], "Line 8 "),
    "cut in the middle": (lambda s: [*s[:4], s[4][:40]], "Line 5 "),
    "nothing left": (lambda s: [], "Line 1 "),
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
async def test_lines_cannot_be_moved_removed_or_added(bus: Bus, tampering: str) -> None:
    tamper, named = TAMPERINGS[tampering]

    assert named in refusal(tamper(await an_export(bus)))


async def test_a_message_of_another_export_does_not_fit(bus: Bus) -> None:
    lines = await an_export(bus)
    await bus.writer.publish("s1", a_step(5))
    longer = [line async for line in export(bus.cell, "s1")]

    with pytest.raises(ArchiveUnreadable, match="Line 8 "):
        read_archive([*lines[:-1], longer[-1]])
