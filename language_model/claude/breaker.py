"""A circuit breaker: a model that fails again and again is left alone for a while, then tried once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from language_model.model import ModelError
from schemas.language_model import Fault


class Breaker:
    """Counts failed calls in a row. Seconds are those of `clock`."""

    def __init__(self, after: int, rest: float, clock: Callable[[], float]) -> None:
        self.after, self.rest, self.clock = after, rest, clock
        self._failed = 0
        self._until = 0.0
        self._trying = False

    @contextmanager
    def trying(self) -> Iterator[None]:
        """A call is made in the block.

        Raises:
            ModelError: none may be made now.
        """
        if self._until > self.clock() or self._trying:
            raise ModelError(f"The model is left alone for a while: {self._why()}.", Fault.BREAKER_OPEN)
        is_trial = self._trying = self._failed >= self.after
        try:
            yield
        finally:
            if is_trial:
                self._trying = False

    def succeeded(self) -> None:
        """A call has got its reply."""
        self._failed, self._until = 0, 0.0

    def failed(self, wait: float | None = None) -> None:
        """A call has failed for a reason that the next one will meet too.

        `wait`: seconds that the server has asked for.
        """
        self._failed += 1
        rest = self.rest if self._failed >= self.after else 0.0
        self._until = max(self._until, self.clock() + max(rest, wait or 0.0))

    def _why(self) -> str:
        if self._failed >= self.after:
            return "it failed again and again"
        return "its server has asked for a pause"
