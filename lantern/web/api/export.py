"""A session as one HTML file that opens from disk: the page's own styles and scripts, and what they show."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import html
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
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
MODULES = ("unpack", "base", "store", "transcript", "plot", "map", "mesh", "dialogs", "controls", "session")
"""The modules of a session's page, each after those that it imports."""

PART = 100
"""Steps whose texts and messages lie in one compressed part, which is opened when one of them is shown."""

UNOPENED = (
    "This browser cannot open the file (it needs DecompressionStream: Chrome 80, Firefox 113, Safari 16.4)."
)

_IMPORT = re.compile(r'^import (?:\* as (\w+)|(\{[^}]*\})) from "\./(\w+)\.js";$', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) ([\w$]+))", re.M)


@dataclass(slots=True)
class _Part:
    """Some steps: by the step's number, what the game printed, and everything that was said."""

    texts: dict[str, str] = field(default_factory=dict)
    pages: dict[str, dict[str, Any]] = field(default_factory=dict)


async def exported(bus: Bus, session: str) -> AsyncIterator[str]:
    """The parts of the file."""
    script, style = _script(), _style()
    for line in _beginning(session, script, style):
        yield line
    timeline, held = SessionTimeline(), dict[str, FragmentGiven]()
    part, number = _Part(), 0
    async for moment in walk(bus.reader, session):
        if moment.number // PART != number:
            yield await _packed(f"part-{number}", part)
            part, number = _Part(), moment.number // PART
        for envelope in moment.messages:
            timeline.after(envelope.body)
            if isinstance(envelope.body, FragmentGiven) and not envelope.body.unchanged:
                held[envelope.service.name] = envelope.body
        if (row := timeline.rows.get(moment.number)) is not None and isinstance(row.text, str):
            part.texts[str(row.step)] = row.text
        said = [each for each in moment.messages if each.kind is not Kind.STARTED]
        own = {name: held[name] for name in held_fragments(said) if name in held}
        part.pages[str(moment.number)] = step_page(moment.number, said, own)
    yield await _packed(f"part-{number}", part)
    recorded = {
        "about": about(timeline, bus.cell.name, session),
        "rows": timeline.since(0),
        "map": {**timeline.map.whole(), "whole": True},
        "part": PART,
    }
    yield await _packed("recorded", recorded)
    yield f"<script>{script}</script>\n</body></html>\n"


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


async def _packed(name: str, told: object) -> str:
    """An element with data that the script opens; in a thread, because it takes a while."""
    return await asyncio.to_thread(_pack, name, told)


def _pack(name: str, told: object) -> str:
    packed = base64.b64encode(gzip.compress(msgspec.json.encode(told), 6)).decode()
    return f'<script type="application/gzip" id="{name}">{packed}</script>\n'


def _beginning(session: str, script: str, style: str) -> Iterator[str]:
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


def _style() -> str:
    return (STATIC / "lantern.css").read_text() + (STATIC / "session.css").read_text()


def _script() -> str:
    """What opens the data, and then the page's own modules."""
    opener, *modules = (_wrapped(name) for name in MODULES)
    return "\n".join(
        [
            (STATIC / "theme.js").read_text(),
            "(async () => {\nconst modules = {};",
            opener,
            'globalThis.recorded = await modules["unpack"].unpacked("recorded");',
            *modules,
            "})().catch((error) => {",
            f'  document.getElementById("fault").textContent = `{UNOPENED} ${{error.message}}`;',
            '  document.getElementById("fault").hidden = false;\n});',
        ]
    )


def _wrapped(name: str) -> str:
    source = (STATIC / "js" / f"{name}.js").read_text()
    exports = [found[1] for found in _EXPORT.finditer(source)]

    def imported(found: re.Match[str]) -> str:
        names = found[1] or found[2].replace(" as ", ": ")
        return f'const {names} = modules["{found[3]}"];'

    plain = _EXPORT.sub("", _IMPORT.sub(imported, source))
    return f'modules["{name}"] = (() => {{\n{plain}\nreturn {{ {", ".join(exports)} }};\n}})();'
