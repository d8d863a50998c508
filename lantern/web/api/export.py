"""A session as one HTML file that opens from disk: the page's own styles and scripts, and what they show."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from lantern.web.feed.session_timeline import SessionTimeline
from lantern.web.feed.step_page import held_fragments, step_page
from mesh.record.bus import Bus
from mesh.record.following import walk
from schemas.base import Kind
from schemas.fragment import FragmentGiven

STATIC = Path(__file__).parents[1] / "static"
MODULES = ("base", "store", "transcript", "plot", "map", "mesh", "dialogs", "controls", "session")
"""The modules of a session's page, each after those that it imports."""

PAGES = 1500
"""Steps whose messages an export holds, at most: more would make a file that no browser opens."""

_IMPORT = re.compile(r'^import (?:\* as (\w+)|(\{[^}]*\})) from "\./(\w+)\.js";$', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) ([\w$]+))", re.M)


async def exported(bus: Bus, session: str) -> AsyncIterator[str]:
    """The parts of the file."""
    timeline, pages, held = SessionTimeline(), dict[str, Any](), dict[str, FragmentGiven]()
    texts: dict[str, str] = {}
    async for moment in walk(bus.reader, session):
        for envelope in moment.messages:
            timeline.after(envelope.body)
            if isinstance(envelope.body, FragmentGiven) and not envelope.body.unchanged:
                held[envelope.service.name] = envelope.body
        if (row := timeline.rows.get(moment.number)) is not None and row.text is not None:
            texts[str(row.step)] = row.text
        if len(pages) < PAGES:
            said = [each for each in moment.messages if each.kind is not Kind.STARTED]
            own = {name: held[name] for name in held_fragments(said) if name in held}
            pages[str(moment.number)] = step_page(moment.number, said, own)
    recorded = {
        "about": about(timeline, bus.cell.name, session),
        "rows": timeline.since(0),
        "map": {**timeline.map.whole(), "whole": True},
        "texts": texts,
        "pages": pages,
    }
    for part in _file(session, msgspec.json.encode(recorded).decode()):
        yield part


def about(timeline: SessionTimeline, cell: str, session: str) -> dict[str, Any]:
    """What is said about a session as a whole."""
    started, ended = timeline.started, timeline.ended
    return {
        "session": session,
        "cell": cell,
        "started": started.model_dump(mode="json", exclude={"experience"}) if started else None,
        "ended": ended.model_dump(mode="json", exclude={"score_changes"}) if ended else None,
        "last": timeline.newest,
        "whole": True,
        "away": False,
        "gone": False,
    }


def _file(session: str, recorded: str) -> Iterator[str]:
    script = f"{(STATIC / 'theme.js').read_text()}\n{bundled()}"
    style = (STATIC / "lantern.css").read_text() + (STATIC / "session.css").read_text()
    hashes = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in (script, style)]
    policy = (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; img-src data:"
    )
    body = (STATIC / "session.html").read_text().partition("<body")[2]
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{html.escape(session)} · Lantern</title><style>{style}</style></head>\n<body"
    yield body.replace("</body>\n</html>\n", "")
    yield '<script type="application/json" id="recorded">'
    yield recorded.replace("<", "\\u003c")
    yield f"</script>\n<script>{script}</script>\n</body></html>\n"


def bundled() -> str:
    """The modules as one script: each is a function that is called with what it imports."""
    return "const modules = {};\n" + "\n".join(_wrapped(name) for name in MODULES)


def _wrapped(name: str) -> str:
    source = (STATIC / "js" / f"{name}.js").read_text()
    exports = [found[1] for found in _EXPORT.finditer(source)]

    def imported(found: re.Match[str]) -> str:
        names = found[1] or found[2].replace(" as ", ": ")
        return f'const {names} = modules["{found[3]}"];'

    plain = _EXPORT.sub("", _IMPORT.sub(imported, source))
    return f'modules["{name}"] = (() => {{\n{plain}\nreturn {{ {", ".join(exports)} }};\n}})();'
