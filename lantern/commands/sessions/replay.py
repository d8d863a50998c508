"""`lantern replay`: go through a recorded session, and see whether services say the same again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated

import typer

from lantern.command_options import (
    AsJson,
    NatsUrl,
    SessionName,
    service_names,
    settings_with,
    with_session_bus,
)
from lantern.inspect.debug_loop import debug
from lantern.inspect.debugger import Debugger, ShownStep
from lantern.inspect.replay_report import ReplayReport, difference_line
from lantern.inspect.replaying import replay_services, replaying_named
from lantern.views.replay_pace import ReplayPace
from lantern.views.standard_input import StandardInput
from mesh.errors import InputError
from mesh.log import log_to_file
from mesh.record.bus import Bus
from mesh.record.following import walk
from mesh.settings import MeshSettings
from schemas.base import Kind


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """The services that are replayed beside the record."""

    names: tuple[str, ...]
    code: tuple[str, ...]
    live_model: bool


def replay_command(
    session: SessionName,
    services: Annotated[
        list[str] | None,
        typer.Argument(
            autocompletion=service_names,
            metavar="[SERVICE...|all]",
            help="Services to give their recorded inputs again.",
        ),
    ] = None,
    code: Annotated[
        list[str] | None,
        typer.Option("--code", metavar="PATH.PY:CLASS", help="Your version of a service, in its place."),
    ] = None,
    live_model: Annotated[
        bool, typer.Option("--live-model", help="Ask the language model anew, not the record.")
    ] = False,
    step: Annotated[
        bool, typer.Option("--step", help="Stop at each step, and take commands (h lists them).")
    ] = False,
    first: Annotated[int, typer.Option("--from", metavar="N", help="The first step to show.")] = 0,
    last: Annotated[int | None, typer.Option("--to", metavar="M", help="The last step to show.")] = None,
    breakpoints: Annotated[
        list[str] | None,
        typer.Option(
            "--break",
            metavar="EXPRESSION",
            help="Stop where it holds: 'score > 10', 'room == \"Kitchen\"'; may be given several times.",
        ),
    ] = None,
    speed: Annotated[
        str, typer.Option(help="instant, original, or xN: N times as fast as it was played.")
    ] = "instant",
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> int:
    """Show a session again as it was recorded, and compare what services say now; nothing is executed.

    With services (or --code) the exit code is 1 if anything differs.
    """
    options = ReplayOptions(tuple(services or ()), tuple(code or ()), live_model)
    debugger = Debugger(stepping=step)
    for expression in breakpoints or []:
        debugger.add_breakpoint(expression)
    pace = ReplayPace.of(speed)
    shows = step or breakpoints or first or last is not None or speed != "instant"
    if not (options.names or options.code):
        if as_json or live_model:
            raise InputError("--json and --live-model need services to replay. Name some, or give --code.")
        with_session_bus(nats, session, lambda bus: _go_through(bus, session, debugger, pace, first, last))
        return 0
    settings = settings_with(nats)
    with log_to_file(settings.home / "lantern.log"):
        if not shows:
            replayed = replay_services(
                session, options.names, options.code, settings, as_json=as_json, live_model=live_model
            )
            return asyncio.run(replayed)
        if as_json:
            raise InputError(
                "--json tells a replay at once: leave out --step, --break, --from, --to and --speed."
            )
        return asyncio.run(_go_through_again(session, options, settings, debugger, pace, first, last))


async def _go_through(
    bus: Bus, session: str, debugger: Debugger, pace: ReplayPace, first: int, last: int | None
) -> None:
    await _check_range(bus, session, first, last)
    steps = (ShownStep(moment) async for moment in walk(bus.reader, session, max(first - 1, 0), last))
    await debug(steps, debugger, _say, _standard_input().ask, pace, first)


async def _go_through_again(
    session: str,
    options: ReplayOptions,
    settings: MeshSettings,
    debugger: Debugger,
    pace: ReplayPace,
    first: int,
    last: int | None,
) -> int:
    """The same, with what services say now told at each step; the exit code."""
    report = ReplayReport()

    async def shown() -> AsyncIterator[ShownStep]:
        async for replayed in steps:
            number = replayed.number
            if last is not None and number > last:
                return
            if number >= first:
                for _ in report.after(replayed):
                    pass
            yield ShownStep(
                replayed.step_messages,
                tuple(f"  differs: {difference_line(each)}" for each in replayed.differences),
            )

    async with replaying_named(
        session, options.names, options.code, settings, live_model=options.live_model
    ) as steps:
        await debug(shown(), debugger, _say, _standard_input().ask, pace, first)
    _say(report.total())
    return 0 if report.same else 1


def _standard_input() -> StandardInput:
    return StandardInput(settings_with(None).home / "debugger_history")


def _say(line: str) -> None:
    """Print a line; on a terminal wrapped at its width, between words."""
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    if 0 < width < len(line):
        indent = " " * (len(line) - len(line.lstrip()))
        line = fill(line, width, subsequent_indent=indent, break_on_hyphens=False)
    print(line, flush=True)


async def _check_range(bus: Bus, session: str, first: int, last: int | None) -> None:
    """Raises InputError for a range without any step."""
    newest = await bus.reader.newest(session, Kind.STEP)
    steps = newest.step if newest else 0
    if not 0 <= first <= steps:
        raise InputError(f"--from cannot be {first}: the session {session!r} has steps 0 to {steps}.")
    if last is not None and last < first:
        raise InputError(f"--to cannot be {last}: the first step to show is {first}.")
