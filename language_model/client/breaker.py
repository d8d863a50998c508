"""A circuit breaker: after repeated failures no calls are made for a while, then one trial call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from language_model.client.call_error import CallError
from language_model.model import ModelError
from schemas.language_model import Fault


class Breaker:
    """Counts failed calls in a row; it opens at `threshold` of them, for `cooldown` seconds of `clock`."""

    def __init__(self, threshold: int, cooldown: float, clock: Callable[[], float]) -> None:
        self.threshold, self.cooldown, self.clock = threshold, cooldown, clock
        self._failures = 0
        self._open_until = 0.0
        self._is_trial_running = False

    @contextmanager
    def call(self) -> Iterator[None]:
        """Make a call in the block; what the block raises tells whether the call failed.

        A call that is cancelled has failed too: the server was too slow for its caller. An error about the
        request itself counts as neither: it says nothing about the next request.

        Raises:
            ModelError: the breaker is open.
        """
        if self._open_until > self.clock() or self._is_trial_running:
            raise ModelError(f"The model is not asked for a while: {self._reason()}.", Fault.BREAKER_OPEN)
        is_trial = self._is_trial_running = self._failures >= self.threshold
        try:
            yield
            self._succeeded()
        except asyncio.CancelledError:
            self._failed(None)
            raise
        except CallError as error:
            if not error.is_about_request:
                self._failed(error.wait)
            raise
        except ModelError:  # the model has answered, and declined
            self._succeeded()
            raise
        finally:
            if is_trial:
                self._is_trial_running = False

    def _succeeded(self) -> None:
        self._failures, self._open_until = 0, 0.0

    def _failed(self, wait: float | None) -> None:
        """Count a failure; `wait`: seconds that the server has asked for."""
        self._failures += 1
        cooldown = self.cooldown if self._failures >= self.threshold else 0.0
        self._open_until = max(self._open_until, self.clock() + max(cooldown, wait or 0.0))

    def _reason(self) -> str:
        if self._failures >= self.threshold:
            return "its calls have failed again and again"
        return "its server has asked for a pause"
