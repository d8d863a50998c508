"""The messages between an environment's process and its parent: MessagePack, the length in front."""

from __future__ import annotations

import os
from struct import Struct as Packing

from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder

LENGTH = Packing("<I")
CHUNK = 1 << 16


class RemoteMessage(Struct, frozen=True, array_like=True, tag=True):
    """A request or its answer."""


class LoadRemoteStory(RemoteMessage, frozen=True):
    """Start this story; the first request. Answered by RemoteMoment: the opening."""

    path: str
    seed: int
    facts: tuple[str, ...]
    """What each moment shall tell beside text and score: see `RemoteMoment`."""


class Step(RemoteMessage, frozen=True):
    """Execute an action, which is one line of printable ASCII. Answered by RemoteMoment."""

    action: str


class Restart(RemoteMessage, frozen=True):
    """Go back to the opening. Answered by RemoteMoment."""


class TakePosition(RemoteMessage, frozen=True):
    """Tell everything that decides how the game goes on. Answered by RemotePosition."""


class RemotePosition(RemoteMessage, frozen=True):
    """A moment that can be gone back to, in any process with the same story. As a request: go there."""

    ram: bytes
    stack: bytes
    registers: tuple[int, ...]
    random: tuple[int, int, int]
    narrative: bytes
    score: int
    done: bool


class RemoteMoment(RemoteMessage, frozen=True):
    """What has come of a request. None: unknown, or not asked for."""

    text: str
    score: int
    done: bool
    victory: bool
    refused: bool = False
    """The action was taken back: a menu, a fault of the story, or no answer."""
    max_score: int | None = None
    moves: int | None = None
    room: str | None = None
    inventory: tuple[str, ...] | None = None
    valid_actions: tuple[str, ...] | None = None


ROOM, INVENTORY, VALID_ACTIONS = "room", "inventory", "valid_actions"
"""The facts that cost time."""

Request = LoadRemoteStory | Step | Restart | TakePosition | RemotePosition
Answer = RemoteMoment | RemotePosition

_ENCODER = Encoder()
_REQUESTS: Decoder[Request] = Decoder(Request)
_ANSWERS: Decoder[Answer] = Decoder(Answer)


def send(pipe: int, message: Request | Answer) -> None:
    """Write a message with its length."""
    body = _ENCODER.encode(message)
    data = LENGTH.pack(len(body)) + body
    while data:
        data = data[os.write(pipe, data) :]


def receive(pipe: int) -> bytes:
    """The body of the next message; empty: the other end has left. Only one is ever under way."""
    data = os.read(pipe, CHUNK)
    size = LENGTH.size + LENGTH.unpack_from(data)[0] if len(data) >= LENGTH.size else LENGTH.size
    while len(data) < size:
        more = os.read(pipe, CHUNK)
        if not more:
            return b""
        data += more
        size = LENGTH.size + LENGTH.unpack_from(data)[0] if len(data) >= LENGTH.size else LENGTH.size
    return data[LENGTH.size :]


def request_in(body: bytes) -> Request:
    """The request in a body."""
    return _REQUESTS.decode(body)


def answer_in(body: bytes) -> Answer:
    """The answer in a body."""
    return _ANSWERS.decode(body)
