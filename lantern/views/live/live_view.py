"""Shows a session on a terminal while it is played, or as it was recorded; keys control it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from lantern.views.live.frame import ViewStatus, frame
from lantern.views.live.keyboard import keyboard, may_be_read
from lantern.views.live.step_scene import SessionHistory
from lantern.views.live.view_state import ViewState, replace_hold
from mesh.waiting import at_most
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionPace

TICK = 0.1
"""Seconds between two looks at what has changed."""

KEPT = 1000
"""Steps of a session under way that one can go back."""

NOTICE = 6.0
"""Seconds for which a notice is shown."""

RECORDED_DELAY = 0.5
"""Seconds between two steps of a record, until the user changes it."""


class LiveView:
    """Draws a session. With `recorded`, the view itself goes from step to step, and can go back to any."""

    kinds: Collection[Kind] = tuple(Kind)

    def __init__(self, *, recorded: bool = False, foreword: str = "", console: Console | None = None) -> None:
        """`foreword`: said at the beginning."""
        self.history = SessionHistory(None if recorded else KEPT)
        self.state = ViewState(recorded)
        self.console, self.foreword = console or Console(), foreword
        if recorded:
            self.state.pace = SessionPace(delay=RECORDED_DELAY)
        self._waiting = ""
        """Why nothing comes."""
        self._notice, self._notice_until = foreword, time.monotonic() + NOTICE
        self._stopping, self._changed = False, True
        self._began = self._last_message = self._last_step = time.monotonic()
        self._live: Live | None = None
        self._wake = asyncio.Event()
        self._keys, self._size = False, self.console.size
        self._set_pace: Callable[[SessionPace], None] = lambda pace: None
        self._on_quit: Callable[[], None] = lambda: None

    async def run(self, stopping: asyncio.Event, set_pace: Callable[[SessionPace], None]) -> None:
        """Show the session until cancelled, and leave the terminal as it was, with the last picture.

        A thread writes, so that a terminal which takes nothing (Ctrl-S) does not hold the session up.
        """
        self._set_pace, self._on_quit = set_pace, stopping.set
        if self.foreword:
            self.console.print(Text(self.foreword))
        with ExitStack() as screen:
            self._open(screen)
            while True:
                self._wake.clear()
                self._tick()
                if self._changed and self._live is not None:
                    self._changed = False
                    await asyncio.to_thread(self._live.update, self.picture(), refresh=True)
                await at_most(TICK, self._wake.wait())

    def show_message(self, envelope: Envelope) -> None:
        """Take in a message."""
        self.history.add(envelope)
        state, self._waiting, self._changed = self.state, "", True
        self._last_message = time.monotonic()
        if state.recorded and state.cursor is None:
            state.cursor = self.history.oldest if self.history.scenes else None
        state.oldest, state.newest = self.history.oldest, self.history.newest
        held_after = state.pace.hold_after
        if not state.recorded and held_after is not None and held_after + 1 < state.newest:
            state.pace = replace_hold(state.pace, None)  # someone else has let it go on

    def show_waiting(self, absent: Iterable[str]) -> None:
        """Say why nothing moves."""
        missing = ", ".join(sorted(absent))
        self._waiting = f"waiting; not live: {missing}" if missing else "waiting for a slow service"
        self._changed = True

    def show_outage(self, seconds: float) -> None:
        """Say what is waited for."""
        self._waiting = f"the NATS server is away; waiting {seconds:.0f} s for it"
        self._changed = True

    def show_pace(self, pace: SessionPace) -> None:
        """The pace of the session, which someone else may have set."""
        self.state.pace, self._changed = pace, True

    def show_notice(self, notice: str) -> None:
        """Say something for a while."""
        self._notice, self._notice_until, self._changed = notice, time.monotonic() + NOTICE, True

    def show_stopping(self) -> None:
        """Say at once that the session is about to end."""
        self._stopping = True
        self._draw_at_once()

    def go_through_record(self) -> None:
        """The session has ended: stay where it is, and go through its record from now on."""
        self.state.cursor = self.state.number
        self.state.recorded, self.state.pace = True, SessionPace(hold_after=0, delay=RECORDED_DELAY)
        self._changed = True

    def picture(self, keys: bool = True) -> Group:
        """What is drawn now; without `keys`, what remains of it."""
        width, height = self.console.size
        drawn = frame(self.history, self.state, self._status(), width, height)
        self.state.page, self.state.scroll = drawn.page, drawn.scroll
        return Group(*(drawn.lines if keys else drawn.lines[:-2]))

    def _open(self, screen: ExitStack) -> None:
        """Take the terminal."""
        screen.callback(self._leave_picture)
        self._live = screen.enter_context(Live(console=self.console, screen=True, auto_refresh=False))
        self._keys = may_be_read(sys.stdin)
        screen.enter_context(keyboard(self._press, self._on_quit))
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTSTP, self._suspend, screen)
        screen.callback(loop.remove_signal_handler, signal.SIGTSTP)

    def _leave_picture(self) -> None:
        self._live = None
        if self.history.scenes and not self.state.recorded:
            self.console.print(self.picture(keys=False))

    def _suspend(self, screen: ExitStack) -> None:
        """Ctrl-Z: give the terminal back, stop, and take it again when the shell lets us go on."""
        screen.close()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._open(screen)
        self._draw_at_once()

    def _press(self, key: str) -> None:
        pace = self.state.press(key)
        if self.state.quits:
            self._on_quit()
        if pace is not None and not self.state.recorded:
            self._set_pace(pace)
        self._draw_at_once()

    def _tick(self) -> None:
        now, state = time.monotonic(), self.state
        if state.recorded and not state.held and now - self._last_step >= max(state.pace.delay, TICK):
            self._last_step, self._changed = now, True
            state.advance()
        seconds_change = int(now - self._began) != int(now - TICK - self._began)
        self._changed = self._size_changed() or seconds_change or self._changed

    def _size_changed(self) -> bool:
        before, self._size = self._size, self.console.size
        return before != self._size

    def _draw_at_once(self) -> None:
        self._changed = True
        self._wake.set()

    def _status(self) -> ViewStatus:
        now = time.monotonic()
        under_way = not self.state.recorded and not self.state.held and self.history.ended is None
        notice = self._notice if now < self._notice_until else ""
        return ViewStatus(
            waited=now - self._last_message if under_way else None,
            elapsed=now - self._began,
            stopping=self._stopping,
            notice="stopping after the step under way" if self._stopping else self._waiting or notice,
            keys=self._keys,
        )
