"""An export that was tampered with is refused, and the message is named."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from test_runner import a_step, publish

from mesh.errors import InputError, SessionTaken
from mesh.record import archive
from mesh.record.archive import ArchiveUnreadable, export, read_archive
from mesh.record.bus import Bus
from tests.support.processes.command import Lantern


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


FIELDS = ("subject", "id", "message", "chain")


@pytest.mark.parametrize("field", FIELDS)
async def test_no_field_can_be_left_out_doubled_or_written_otherwise(bus: Bus, field: str) -> None:
    lines = await an_export(bus)
    line = json.loads(lines[3])
    others = [
        json.dumps({key: told for key, told in line.items() if key != field}),
        lines[3].replace(f'"{field}"', f'"{field}": "", "{field}"', 1),
        lines[3].replace("s1", "\\u00731", 1),
        lines[3].replace(f'"{field}": ', f'"{field}":  ', 1),
        json.dumps({**line, field: None}),
    ]

    for other in others:
        assert other != lines[3]
        assert "Line 4 " in refusal([*lines[:3], other, *lines[4:]])


async def test_the_messages_of_an_export_are_read_as_json(bus: Bus) -> None:
    messages = [json.loads(line).get("message") for line in await an_export(bus)]

    assert [message["kind"] for message in messages[1:-1]] == ["started", *["step"] * 5]
    assert messages[2]["body"]["observation"] == "text 0"


async def test_bytes_that_are_not_json_in_one_line_come_back_as_they_were(bus: Bus) -> None:
    lines = await an_export(bus)
    odd = [b"\xff\x00", b"", b'{"a":\n1}', '{"a":"\u2028"}'.encode(), b"{not json", b'{"a": 1}   ']
    for number, data in enumerate(odd, start=5):
        await bus.cell.js.publish(f"lantern.{bus.cell.name}.s1.step.{number}", data)
    longer = [line async for line in export(bus.cell, "s1")]

    assert [message.payload for message in read_archive(longer)[2]][len(lines) - 2 :] == odd


def chained_anew(lines: list[str]) -> list[str]:
    """Lines whose chain fits again after a change."""
    chain = archive._digest("", lines[0])
    anew = [lines[0]]
    for line in lines[1:-1]:
        message = line.rpartition(', "chain"')[0]
        chain = archive._digest(chain, message)
        anew.append(archive._line(message, chain))
    return [*anew, archive._tail(len(lines) - 2, chain)]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda s: [*s[:4], s[3], *s[4:]], "comes a second time"),
        (lambda s: [s[0], s[2], s[1], *s[3:]], "before the session's start"),
        (lambda s: [*s[:4], s[4].replace(".step.", ".stop."), *s[5:]], "on no subject of a session"),
        (lambda s: [*s[:4], s[4].replace(".s1.", ".s2.", 1), *s[5:]], "belongs to another session"),
    ],
)
async def test_a_change_with_a_chain_that_fits_is_refused_before_anything_is_stored(
    bus: Bus, change: Callable[[list[str]], list[str]], named: str
) -> None:
    assert named in refusal(chained_anew(change(await an_export(bus))))


async def test_what_is_left_of_an_import_that_was_cut_short_is_replaced(bus: Bus) -> None:
    _, _, kept = read_archive(await an_export(bus))
    await bus.writer.delete("s1")
    await asyncio.sleep(0.2)  # the server drops a repeated id within 0.1 s
    await archive._put(bus.cell, "s1", kept[:3], len(kept))
    cut_short = await archive.is_cut_short(bus.reader, "s1")

    await archive.store(bus.writer, "s1", kept)

    assert cut_short
    assert not await archive.is_cut_short(bus.reader, "s1")
    assert [message.step async for message in bus.reader.messages("s1")] == [0, 0, 1, 2, 3, 4]
    with pytest.raises(SessionTaken, match="lantern sessions delete s1"):
        await archive.store(bus.writer, "s1", kept)


@pytest.mark.parametrize("kind", ["fifo", "zero", "directory", "long line"])
def test_a_file_that_might_never_end_is_refused_in_one_line(
    lantern: Lantern, tmp_path: Path, kind: str
) -> None:
    file = tmp_path / "file"
    match kind:
        case "fifo":
            os.mkfifo(file)
        case "zero":
            file = Path("/dev/zero")
        case "directory":
            file.mkdir()
        case _:
            file.write_text("[" * (33 << 20))

    done = lantern.run("sessions", "import", str(file))

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


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
    "the head doubled": (lambda s: [s[0], *s], "Line 2 "),
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
