"""The child process in which a play runs its model: a fault in llama.cpp cannot end or block the play.

Usage: python -m language_model.local PARENT FILE. It reads the key from a line on standard input, and writes
one line of JSON to standard output: its address, or an error. It ends with its parent.
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
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # the parent handles Ctrl-C, because it may have a step to finish
    key = SecretStr(sys.stdin.readline().strip())
    try:
        asyncio.run(_serve(Path(sys.argv[2]), key, local_settings()))
    except LanternError as error:
        print(json.dumps({"error": str(error)}), flush=True)
    return 1


async def _serve(path: Path, key: SecretStr, settings: LocalSettings) -> None:
    from language_model.local.api.server import serving  # llama.cpp may not be loadable
    from mesh.http_serving import listening, url_of

    file = model_file(path, settings.context)
    with listening("The model", LOOPBACK, 0) as listener:
        async with serving(file, listener, key, settings):
            print(json.dumps({"url": url_of(listener)}), flush=True)
            await asyncio.Event().wait()


if __name__ == "__main__":
    sys.exit(main())
