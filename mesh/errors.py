"""The errors of Lantern. Each message is one line: what, why, and the mend.

LanternError
├── InputError            what the user gave is wrong; exit code 2
│   ├── NameRefused       a session, cell or service name outside its alphabet
│   └── SessionRefused    the id is taken, or no such session
└── FailureError          the world did not play along; exit code 1
    ├── BusUnreachable    no NATS there, or it refuses us
    ├── BusFull           the stream takes no more
    └── NobodyAnswers     no live service for a request
"""

from __future__ import annotations


class LanternError(Exception):
    """The root of every error that a user may see."""


class InputError(LanternError):
    """What the user gave is wrong (exit code 2)."""


class FailureError(LanternError):
    """Lantern could not do what was asked (exit code 1)."""


class NameRefused(InputError):
    """A name that may not stand in a subject."""


class SessionRefused(InputError):
    """A session's id is taken, unknown, or its record is unfit."""


class BusUnreachable(FailureError):
    """No NATS server could be reached, or it refused us."""


class BusFull(FailureError):
    """The stream takes no more messages."""


class NobodyAnswers(FailureError):
    """No live service answered a request."""
