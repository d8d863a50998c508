"""The only name that an installed Lantern takes among an environment's packages.

The wheel holds `lantern`, `services`, `schemas` and the rest in this folder, and importing it puts them on
the path, before anything else of the same name. In a clone they are beside this folder.
"""

import sys
from pathlib import Path

_HERE = Path(__file__).parent
FOLDER = _HERE if (_HERE / "lantern").is_dir() else _HERE.parent
"""Where Lantern's packages are."""

if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))


def main() -> None:
    """The command `lantern`."""
    try:
        from lantern.cli import main as lantern

        lantern()
    except KeyboardInterrupt:  # while modules are imported
        sys.exit(130)
