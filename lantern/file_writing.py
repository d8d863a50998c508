"""Writes files whole: a reader, and whoever is interrupted, never sees a part of one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from mesh.errors import InputError


def write_file(path: Path, text: str) -> None:
    """Write a file that the user named. If that fails, the file is as it was before.

    Raises:
        InputError: it cannot be written.
    """
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_text(text, encoding="utf-8")
        else:
            _replace(path.resolve(), text)
    except OSError as error:
        raise InputError(f"Cannot write {path} ({error.strerror}). Give another file.") from error


def write_or_print(path: Path | None, text: str) -> None:
    """Write a text into a file that the user named, and say so; None: print it.

    Raises:
        InputError: the file cannot be written.
    """
    if path is None:
        print(text)
    else:
        write_file(path, f"{text}\n")
        print(f"written to {path}")


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name[:200]}.{os.getpid()}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        if path.exists():
            shutil.copymode(path, fresh)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
