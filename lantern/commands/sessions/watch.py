"""`lantern watch`: show a session that others play, or that is recorded."""

from __future__ import annotations

from lantern.command_options import NatsUrl, SessionName, settings_with, with_session_bus
from lantern.commands.playing.outcome import can_draw
from lantern.inspect.spectating import is_played, show_record, spectate
from lantern.play.signals import StopOnSignal
from lantern.views.live.live_view import LiveView
from lantern.views.text_view import TextView
from mesh.log import log_to_file
from mesh.record.bus import Bus


def watch_command(session: SessionName, nats: NatsUrl = None) -> int:
    """Show a session while it is played, or as it was recorded; space pauses it, q leaves."""
    settings = settings_with(nats)

    async def work(bus: Bus) -> None:
        played = await is_played(session, bus)
        view = LiveView(recorded=not played) if can_draw() else TextView()
        with StopOnSignal() as stopping:
            if played:
                await spectate(session, bus, view, stopping, settings.patience)
            else:
                await show_record(session, bus, view, stopping)

    with log_to_file(settings.home / "lantern.log"):
        with_session_bus(nats, session, work)
    return 0
