"""The errors of the game service. Each message is one line: what, why, and what to do.

LanternError
├── InputError
│   ├── StoryUnreadable     the file is not a story that the emulator may be given
│   └── BudgetUsed          a session is resumed that has no steps left
└── FailureError
    ├── StoryUnplayable     the file looks right, but the emulator fails to start it
    └── EmulatorClosed      the session's emulator was closed
"""

from __future__ import annotations

from mesh.errors import FailureError, InputError
from mesh.printable import counted


class StoryUnreadable(InputError):
    """The file is not a story that the emulator may be given."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        super().__init__(f"{name} cannot be played: {why}. Give a Z-machine story, a .z1 to .z8 file.")


class BudgetUsed(InputError):
    """The session has no steps left."""

    def __init__(self, session: str, steps: int) -> None:
        super().__init__(
            f"The session {session!r} has used its budget of {counted(steps, 'step')}. "
            "Give --steps N to play N more."
        )


class StoryUnplayable(FailureError):
    """The emulator failed to start a story whose header looks right."""

    def __init__(self, md5: str, why: str) -> None:
        self.md5 = md5
        super().__init__(
            f"The story {md5} cannot be run: {why}. If others run, this copy is damaged: get another."
        )


class EmulatorClosed(FailureError):
    """The emulator was asked for something after `close`."""

    def __init__(self) -> None:
        super().__init__("The session's emulator is closed, so it takes no action. Start a new one.")
