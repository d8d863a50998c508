"""Checks that NATS can start: reads the files and writes to the directories that are named."""

import sys
import tempfile
from pathlib import Path

TRIAL_BYTES = 1 << 20
"""Bytes that each directory must have room for."""


def main() -> int:
    """The exit code: 0 if NATS can start."""
    for path in map(Path, sys.argv[1:]):
        try:
            if path.is_dir():
                with tempfile.TemporaryFile(dir=path) as trial:
                    trial.write(bytes(TRIAL_BYTES))
            elif not path.read_bytes():
                raise OSError(0, "it is empty")
        except OSError as error:
            problem = f"cannot use {path.name} ({error.strerror})"
            hint = "Make room on its disk, then run" if path.is_dir() else "Run"
            print(f"deploy: NATS {problem}. {hint} `make deploy`.")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
