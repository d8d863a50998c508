"""The errors of a local model: for the user (one line each), and for a client (as the API reports them)."""

from __future__ import annotations

from pathlib import Path

from mesh.errors import FailureError, InputError

NEEDED = ("xllamacpp", "httpx2", "starlette", "uvicorn", "jsonschema")


class LocalMissing(FailureError):
    """A package that a local model needs is not installed."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"A local model needs {what}, which is not installed. In a clone run `make install`, "
            "or `.venv/bin/pip install -e '.[local]'`."
        )


class LocalBroken(FailureError):
    """llama.cpp is installed, but cannot be loaded."""

    def __init__(self, why: str) -> None:
        super().__init__(f"A local model cannot run: {why}. Install what is missing (on Debian: libgomp1).")


class ModelFileRefused(InputError):
    """The file of a model cannot be used."""

    def __init__(self, file: Path, why: str, hint: str = "Give another GGUF file.") -> None:
        super().__init__(f"The model {file} cannot be used: {why}. {hint}")


class ModelDidNotStart(FailureError):
    """llama.cpp did not load a model, or does not answer."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"The local model {what} did not start: {why}.")


class ApiFault(Exception):
    """An error response of the Messages API."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, kind

    def as_json(self) -> dict[str, object]:
        """The body of the answer."""
        return {"type": "error", "error": {"type": self.kind, "message": str(self)}}


def bad_request(message: str) -> ApiFault:
    """An error in the client's request."""
    return ApiFault(400, "invalid_request_error", message)
