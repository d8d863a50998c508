"""Parts of Lantern that need packages which are not always installed."""

from __future__ import annotations

from mesh.errors import FailureError


class ExtraMissing(FailureError):
    """A package of an extra is not installed."""

    def __init__(self, what: str, extra: str, error: ModuleNotFoundError) -> None:
        super().__init__(
            f"{what} needs the extra {extra!r}: {error.name} is not installed. "
            f"Run `pip install 'lantern-mesh[{extra}]'`; in a clone, `make install`."
        )
