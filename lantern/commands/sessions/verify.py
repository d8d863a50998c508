"""`lantern sessions verify`: check a record, and execute its actions again."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lantern.command_options import AsJson, NatsUrl, SessionName, settings_with, with_session_bus
from lantern.inspect.verify import Verified, lines_about, verify
from lantern.nats.session_index import SessionIndex
from lantern.play.story_files import load_story
from mesh.record.bus import Bus


def verify_command(
    session: SessionName,
    story: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Its story, where the store has it not; it is kept there."),
    ] = None,
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> int:
    """Check a session's record, execute its actions again and compare; exit code 1 if anything differs."""
    given = load_story(story) if story is not None else None

    async def work(bus: Bus) -> tuple[Verified, bool]:
        damage = await SessionIndex(settings_with(nats)).damage_of(bus, session)
        return await verify(bus, session, given), damage is None

    found, is_whole = with_session_bus(nats, session, work)
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        for line in lines_about(found):
            print(line)
    return 0 if found.ok and is_whole else 1
