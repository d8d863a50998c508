"""Writes what is generated from the catalogue, or checks that it is up to date.

Usage: python -m schemas.generation.generate [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from schemas.catalogue import CATALOGUE
from schemas.generation.documents import asyncapi, messages_markdown
from schemas.generation.json_schema import breaking_changes, wire_schema

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "schemas" / "json"


def generated() -> dict[Path, str]:
    """Every generated file with its text."""
    files = {
        ROOT / "docs" / "messages.md": messages_markdown(),
        ROOT / "docs" / "asyncapi.json": _json(asyncapi()),
    }
    for entry in CATALOGUE:
        major = getattr(entry.message, "version", "1.0").split(".")[0]
        files[GOLDEN / f"{entry.message.__name__}.v{major}.json"] = _json(wire_schema(entry))
    return files


def breaking() -> list[str]:
    """Changes to a message that its major version does not allow."""
    faults = []
    for path, text in generated().items():
        if path.parent == GOLDEN and path.exists():
            faults += breaking_changes(json.loads(path.read_text()), json.loads(text))
    return faults


def main(check: bool) -> int:
    """Write, or check; the exit code."""
    if faults := breaking():
        print("These changes need a new major version: " + "; ".join(faults), file=sys.stderr)
        return 1
    stale = [path for path, text in generated().items() if not path.exists() or path.read_text() != text]
    if check and stale:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        print(f"Not up to date: {names}. Run `make generate`.", file=sys.stderr)
        return 1
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(generated()[path])
    return 0


def _json(value: object) -> str:
    return json.dumps(value, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
