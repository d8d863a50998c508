"""Goes through the steps of a session, and lets the user give the debugger commands where it stops."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

from lantern.inspect.debugger import Debugger, ShownStep, StepView
from lantern.views.replay_pace import ReplayPace
from lantern.views.text_view import printable
from schemas.game import SessionStarted

Say = Callable[[str], None]
Ask = Callable[[str], Awaitable[str | None]]
"""Shows a prompt and gives a line; None: there are no more."""

THE_END = "This is the last step. r goes back, q leaves."


async def debug(
    steps: AsyncIterator[ShownStep],
    debugger: Debugger,
    say: Say,
    ask: Ask,
    pace: ReplayPace,
    first: int = 0,
) -> None:
    """Show the steps from `first` on, and stop where the debugger stops, until its user quits.

    Where it has stopped once, it stays at the last step, too.

    `steps` must begin with the opening: what is known at a step comes from those before it.
    """
    asked = False
    async for shown in steps:
        view = debugger.add_step(shown)
        if view.number < first:
            continue
        await _show(view, say, pace)
        reasons = debugger.reasons_to_stop()
        if reasons is None:
            continue
        _say_all(reasons, say)
        asked = True
        if not await _take_commands(debugger, say, ask):
            return
        pace.reset()
    while asked:
        debugger.note_end()
        say(THE_END)
        asked = await _take_commands(debugger, say, ask)


async def _take_commands(debugger: Debugger, say: Say, ask: Ask) -> bool:
    """Take commands until one goes on (True) or ends."""
    while (line := await ask(f"step {debugger.current.number}> ")) is not None:
        result = debugger.execute(line)
        _say_all(result.lines, say)
        if result.continues or result.quits:
            return result.continues
    return False


async def _show(view: StepView, say: Say, pace: ReplayPace) -> None:
    for message, lines in view.lines:
        if isinstance(message.body, SessionStarted):
            pace.reset()
        if lines:
            await pace.wait_until(message.time)
            _say_all(lines, say)
    _say_all(map(printable, view.shown.notes), say)


def _say_all(lines: Iterable[str], say: Say) -> None:
    for line in lines:
        say(line)
