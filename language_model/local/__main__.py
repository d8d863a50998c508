"""The child process in which a play runs its model: a fault in llama.cpp cannot end the play, nor hold it up.

Usage: python -m language_model.local PARENT FILE. It is told the key in a line on standard input; it says in
one line of JSON on standard output where it listens, or why it does not. It dies with its parent.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

from pydantic import SecretStr

from language_model.local.files import model_file
from language_model.local.settings import LocalSettings, local_settings
from mesh.child_process import die_with_parent
from mesh.errors import LanternError

LOOPBACK = "127.0.0.1"


def main() -> int:
    """Serve until killed."""
    die_with_parent(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which may have a step to finish
    key = SecretStr(sys.stdin.readline().strip())
    try:
        asyncio.run(_serve(Path(sys.argv[2]), key, local_settings()))
    except LanternError as error:
        print(json.dumps({"error": str(error)}), flush=True)
    return 1


async def _serve(path: Path, key: SecretStr, settings: LocalSettings) -> None:
    from language_model.local.api.server import listening, serving, url_of  # llama.cpp may not be loadable

    file = model_file(path, settings.context)
    with listening(LOOPBACK, 0) as listener:
        async with serving(file, listener, key, settings):
            print(json.dumps({"url": url_of(listener)}), flush=True)
            await asyncio.Event().wait()


if __name__ == "__main__":
    sys.exit(main())
