"""Whether NATS can start: reads each file that is named, writes to each directory, says what cannot be."""

import sys
import tempfile
from pathlib import Path

ENOUGH = 1 << 20
"""Bytes that must find room."""


def main() -> int:
    """The exit code: 0 where NATS can start."""
    for path in map(Path, sys.argv[1:]):
        try:
            if path.is_dir():
                with tempfile.TemporaryFile(dir=path) as trial:
                    trial.write(bytes(ENOUGH))
            elif not path.read_bytes():
                raise OSError(0, "it is empty")
        except OSError as error:
            what = f"cannot use {path.name} ({error.strerror})"
            mend = "Make room on its disk, then run" if path.is_dir() else "Run"
            print(f"deploy: NATS {what}. {mend} `make deploy`.")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
