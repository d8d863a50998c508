"""What a method of searching tells its parent, and asks it."""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from search.environment import SearchStopped
from search.messages import (
    Earned,
    Exchanged,
    FromWorker,
    Improved,
    Inquiry,
    InquiryAnswer,
    Progress,
    ToWorker,
    line_of,
    to_worker,
)

CHUNK = 1 << 16


@dataclass
class Channel:
    """The worker's end of the pipes to its parent."""

    requests: BinaryIO
    answers: BinaryIO
    stopping: bool = False
    """Whether the search has to end at its next probe."""
    _unread: bytes = b""
    _exchanged: list[Exchanged] = field(default_factory=list)

    def send(self, message: FromWorker) -> None:
        """Tell the parent something."""
        self.answers.write(line_of(message))
        self.answers.flush()

    def improved(self, actions: Sequence[str], score: int, probes: int) -> None:
        """Tell of a list that is better than all before. It must have been replayed from the opening."""
        self.send(Improved(tuple(actions), score, probes))

    def earned(self, actions: Sequence[str], score: int, probes: int) -> None:
        """Tell of a list that has earned points in a new way. It must have been replayed from the opening."""
        self.send(Earned(tuple(actions), score, probes))

    def progress(self, probes: int, cells: int = 0, note: str = "") -> None:
        """Tell how far the search has come."""
        self.send(Progress(probes, cells, note))

    def ask(self, question: Any) -> Any:
        """Ask the parent, and wait for its reply. The question is anything that JSON can hold."""
        self.send(Inquiry(question))
        while True:
            message = self.next_message()
            if isinstance(message, InquiryAnswer):
                return message.value
            self._keep(message)

    def exchanged(self) -> list[Exchanged]:
        """The lists that other workers have found since the last call."""
        while b"\n" in self._unread or select.select([self.requests], [], [], 0)[0]:
            self._keep(self.next_message())
        lists, self._exchanged = self._exchanged, []
        return lists

    def next_message(self) -> ToWorker:
        """Wait for the parent's next message. Raises SearchStopped if there will be none."""
        while b"\n" not in self._unread:
            chunk = os.read(self.requests.fileno(), CHUNK)
            if not chunk:
                raise SearchStopped
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return to_worker(line)

    def _keep(self, message: ToWorker) -> None:
        if isinstance(message, Exchanged):
            self._exchanged.append(message)
