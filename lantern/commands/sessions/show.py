"""`lantern sessions show`: what happened in a session."""

from __future__ import annotations

import json

from folds.text.reader import TextReader
from lantern.command_options import AsJson, NatsUrl, SessionName, with_session_bus
from lantern.commands.sessions.listing import summary_line
from lantern.play.summary import Summary
from lantern.views.budget_notice import BudgetNotice
from lantern.views.text_view import lines_of
from mesh.record.bus import Bus


def show_command(session: SessionName, nats: NatsUrl = None, as_json: AsJson = False) -> int:
    """Show a session, message by message."""

    async def work(bus: Bus) -> Summary:
        summary, by_text, budget = Summary(session, bus.cell.name), TextReader(), BudgetNotice()
        async for envelope in bus.reader.messages(session):
            summary.after(envelope)
            shown = None if as_json else budget.without_repeats(envelope)
            for line in lines_of(shown, by_text) if shown else ():
                print(line)
        return summary

    summary = with_session_bus(nats, session, work)
    print(json.dumps(summary.as_json()) if as_json else "\n".join([summary_line(summary), *summary.lines()]))
    return 0
