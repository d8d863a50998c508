"""The process of the store: the only one that loads Kuzu or Ladybug.

On a full disk these libraries may end their process (an exception in a destructor), wherever they are. Here
that costs nothing: the history is a view, and is built again.

Usage: python -m services.memory.graph.store_worker PARENT DESCRIPTOR LIBRARY BUFFER_BYTES MOST_OPEN
"""

from __future__ import annotations

import resource
import signal
import sys
from multiprocessing.connection import Connection

from mesh.child_process import die_with_parent
from services.memory.graph.graph_files import GraphLibrary
from services.memory.graph.store_files import StoreFiles
from services.memory.store import FileLocked, StoreError


def main() -> None:
    """Answer requests until the pool closes the connection."""
    parent, descriptor, library, buffer_bytes, most_open = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the parent, which ends this
    die_with_parent(int(parent))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    files = StoreFiles(GraphLibrary(library), int(buffer_bytes), int(most_open))
    with Connection(int(descriptor)) as connection:
        try:
            while True:
                connection.send(answer(files, *connection.recv()))
        except (EOFError, ConnectionError):
            files.close_all()


def answer(files: StoreFiles, method: str, *arguments: object) -> object:
    """What the method returned, or the error that it raised."""
    try:
        return getattr(files, method)(*arguments)
    except (StoreError, FileLocked, OSError) as error:
        return StoreError(str(error))


if __name__ == "__main__":
    main()
