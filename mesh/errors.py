"""The errors of Lantern. Each message is one line: what, why, and a hint what to do.

LanternError
├── InputError            the user's input is wrong; exit code 2
│   ├── NameRefused       a session, cell or service name outside its alphabet
│   ├── HomeUnwritable    the directory that sessions are kept in cannot be written
│   ├── OtherMessages     the stream is for other versions of the messages (mesh/nats/message_versions.py)
│   └── SessionRefused    a session's record is unusable, or its story is missing
│       ├── SessionTaken      another session has that id
│       ├── SessionUnknown    no session has that id
│       ├── SessionOver       the session has ended
│       └── SessionPlayed     the session is being played now
└── FailureError          something outside Lantern failed; exit code 1
    ├── BusUnreachable    no NATS server answers, or it refuses the login
    │   └── BusAway       the server has answered before, but does not answer now
    ├── NotAllowed        the NATS user lacks the permission
    ├── BusFull           the server stores no more messages
    ├── OfferFailed       the game service does not take a sub-agent's message (mesh/nats/offering.py)
    └── NobodyAnswers     no live service answered a request
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mesh.suggestions import did_you_mean


class LanternError(Exception):
    """The root of every error that a user may see."""


class InputError(LanternError):
    """The user's input is wrong (exit code 2)."""


class FailureError(LanternError):
    """Lantern could not carry out the command (exit code 1)."""


class NameRefused(InputError):
    """A name that is not valid in a subject."""


class HomeUnwritable(InputError):
    """The directory that Lantern keeps sessions in cannot be written."""

    def __init__(self, home: Path, why: str | None) -> None:
        super().__init__(
            f"Lantern cannot write to {home} ({why}). "
            "Make it writable, or set LANTERN_HOME to a directory that is."
        )


class SessionRefused(InputError):
    """A session's id is taken or unknown, or its record is unusable."""


class SessionTaken(SessionRefused):
    """Another session has that id."""

    def __init__(self, session: str, hint: str = "Choose another, or delete that session.") -> None:
        super().__init__(f"The session id {session!r} is taken. {hint}")


class SessionUnknown(SessionRefused):
    """No session has that id."""

    def __init__(self, session: str, known: Iterable[str] = ()) -> None:
        near = did_you_mean(session, known)
        super().__init__(
            f"There is no session {session!r}.{near} `lantern sessions list` shows those there are."
        )


class SessionOver(SessionRefused):
    """The session has ended."""

    def __init__(self, session: str) -> None:
        super().__init__(f"The session {session!r} has ended. `lantern resume {session}` goes on with it.")


class SessionPlayed(SessionRefused):
    """The session is being played now."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"The session {session!r} is being played now. End it there (Ctrl-C), or wait until it has ended."
        )


class BusUnreachable(FailureError):
    """No NATS server answers, or it refuses the login."""


class BusAway(BusUnreachable):
    """The server (or the stream) has answered before, but not now. The message in hand is not to blame."""


class NotAllowed(FailureError):
    """The NATS user of this process lacks the permission."""

    def __init__(self, who: str, what: str, hint: str = "") -> None:
        usual = (
            "Log in as one who may (LANTERN_NATS_USER), or change its permissions (`lantern nats-config`)."
        )
        super().__init__(f"NATS does not let {who} {what}. {hint or usual}")


STORES_NOTHING = "The NATS server stores nothing more"
MAKE_ROOM = (
    "If its disk is full, make room there and restart it; if its stream is, delete sessions or raise its "
    "limit (`lantern provision --limit`)."
)


class BusFull(FailureError):
    """The server stores no more messages. The message in hand is not to blame."""


class NobodyAnswers(FailureError):
    """No live service answered a request."""
