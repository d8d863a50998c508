"""The text adventure that comes with Lantern: The Kelder Light, ours to ship and to play anywhere."""

from pathlib import Path
from typing import Final

BUNDLED: Final[Path] = Path(__file__).with_name("kelder.z5")
"""The compiled story file (Z-machine version 5)."""
