"""The error of a failed call."""

from __future__ import annotations

from language_model.model import ModelError, Usage
from schemas.language_model import Fault


class CallError(ModelError):
    """A call to the model's server failed."""

    def __init__(
        self,
        why: str,
        fault: Fault,
        *,
        is_transient: bool = False,
        wait: float | None = None,
        is_about_request: bool = False,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(why, fault, usage)
        self.is_transient = is_transient
        """Whether the same call may succeed later."""
        self.wait = wait
        """Seconds until the server wants the next call; None: it did not say."""
        self.is_about_request = is_about_request
        """Whether another request may succeed now."""
