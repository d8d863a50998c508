"""Answers of a language model in a file, so that a search can be repeated without asking."""

from __future__ import annotations

import json
from pathlib import Path

from mesh.errors import InputError
from mesh.printable import one_line

LARGEST = 1 << 30
"""Bytes of a file that is read."""


class AnswersUnusable(InputError):
    """The file of answers cannot be read or written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"The model's answers in {path} cannot be used ({why}). Name another file, or remove it."
        )


class AnswerFile:
    """Answers by their key, one line of JSON each. An answer is in the file before it is used.

    A last line that was cut off by a crash is dropped; any other line that is none of ours is refused.
    """

    def __init__(self, path: Path) -> None:
        """Raises AnswersUnusable."""
        self.path = path
        self._answers: dict[str, object] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                self._read()
            self._file = path.open("ab")
        except OSError as error:
            raise AnswersUnusable(path, error.strerror or str(error)) from error

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: str) -> object | None:
        """The answer of a key; None: there is none."""
        return self._answers.get(key)

    def put(self, key: str, answer: object) -> None:
        """Add an answer. Raises AnswersUnusable."""
        self._answers[key] = answer
        try:
            self._file.write(json.dumps([key, answer]).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise AnswersUnusable(self.path, error.strerror or str(error)) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self) -> None:
        if self.path.stat().st_size > LARGEST:
            raise AnswersUnusable(self.path, f"it has more than {LARGEST:,} bytes")
        data = self.path.read_bytes()
        complete, newline, _ = data.rpartition(b"\n")
        for number, line in enumerate(complete.splitlines(), start=1):
            try:
                key, answer = json.loads(line)
            except (ValueError, TypeError) as error:
                raise AnswersUnusable(self.path, f"line {number}: {one_line(str(error))}") from error
            self._answers[str(key)] = answer
        if len(complete) + len(newline) < len(data):
            with self.path.open("r+b") as file:
                file.truncate(len(complete) + len(newline))
