"""The errors of Lantern. Each message is one line: what, why, and a hint what to do.

LanternError
├── InputError            what the user gave is wrong; exit code 2
│   ├── NameRefused       a session, cell or service name outside its alphabet
│   ├── HomeUnwritable    the directory that sessions are kept in cannot be written
│   ├── OtherMessages     the stream is for other versions of the messages (mesh/nats/message_versions.py)
│   └── SessionRefused    a session's record is unfit, or its story is gone
│       ├── SessionTaken      there is one of that id
│       ├── SessionUnknown    there is none of that id
│       └── SessionPlayed     it is being played now
└── FailureError          the world did not play along; exit code 1
    ├── BusUnreachable    no NATS there, or it refuses us
    │   └── BusAway       it was there, and does not answer now
    ├── NotAllowed        the user that we log in as may not do this
    ├── BusFull           the stream takes no more
    └── NobodyAnswers     no live service for a request
"""

from __future__ import annotations

from pathlib import Path


class LanternError(Exception):
    """The root of every error that a user may see."""


class InputError(LanternError):
    """What the user gave is wrong (exit code 2)."""


class FailureError(LanternError):
    """Lantern could not do what was asked (exit code 1)."""


class NameRefused(InputError):
    """A name that may not stand in a subject."""


class HomeUnwritable(InputError):
    """The directory that Lantern keeps sessions in cannot be written."""

    def __init__(self, home: Path, why: str | None) -> None:
        super().__init__(
            f"Lantern cannot write to {home} ({why}). "
            "Make it writable, or set LANTERN_HOME to a directory that is."
        )


class SessionRefused(InputError):
    """A session's id is taken, unknown, or its record is unfit."""


class SessionTaken(SessionRefused):
    """There is a session of that id."""

    def __init__(self, session: str, hint: str = "Choose another, or delete that session.") -> None:
        super().__init__(f"The session id {session!r} is taken. {hint}")


class SessionUnknown(SessionRefused):
    """There is no session of that id."""

    def __init__(self, session: str) -> None:
        super().__init__(f"There is no session {session!r}. `lantern sessions list` shows those there are.")


class SessionPlayed(SessionRefused):
    """The session is being played now."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"The session {session!r} is being played now. End it there (Ctrl-C), or wait until it has ended."
        )


class BusUnreachable(FailureError):
    """No NATS server could be reached, or it refused us."""


class BusAway(BusUnreachable):
    """The server (or the stream) was there, and does not answer now: no fault of what was being done."""


class NotAllowed(FailureError):
    """NATS does not let the user that we log in as do this."""

    def __init__(self, who: str, what: str, hint: str = "") -> None:
        usual = (
            "Log in as one who may (LANTERN_NATS_USER), or change its permissions (`lantern nats-config`)."
        )
        super().__init__(f"NATS does not let {who} {what}. {hint or usual}")


class BusFull(FailureError):
    """The stream takes no more messages."""


class NobodyAnswers(FailureError):
    """No live service answered a request."""
