"""`lantern sessions verify`: check a record, and execute its actions again."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lantern.command_options import AsJson, NatsUrl, SessionName, with_bus
from lantern.inspect.verify import lines_about, verify
from lantern.play.story_files import load_story


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
    found = with_bus(nats, "main", lambda bus: verify(bus, session, given))
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        for line in lines_about(found):
            print(line)
    return 0 if found.ok else 1
