"""Loads a service from a file of the user's (`path/to/file.py:Class`), and says what is wrong with it."""

from __future__ import annotations

import ast
import inspect
import re
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from lantern.error_output import print_warning
from mesh.errors import InputError
from mesh.file_reading import read_limited
from mesh.runner.service import Service
from mesh.suggestions import did_you_mean
from schemas.base import NAME_PATTERN, Message

LARGEST = 1 << 20
"""The most bytes of a file with a service."""

PATIENCE = 5.0
"""Seconds after which the user is told that a file is still being imported."""


class OwnServiceBroken(InputError):
    """A service or an agent of the user's cannot be used."""

    def __init__(self, path: Path, line: int | None, what: str) -> None:
        place = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{place}: {what}")


def looks_like_a_file(name: str) -> bool:
    """Whether a name of a service means a file."""
    return ":" in name or "/" in name or name.endswith(".py")


def own_service(name: str) -> Service[Any]:
    """An instance of the class that `path/to/file.py:Class` names.

    While the file is imported, Ctrl-C ends the command at once.

    Raises:
        OwnServiceBroken: there is no such file, it cannot be imported, or the class is not a usable service.
    """
    named, _, class_name = name.rpartition(":") if not name.endswith(".py") else (name, "", "")
    path = Path(named)
    tree = parsed_file(path)
    lines = {node.name: node.lineno for node in tree.body if isinstance(node, ast.ClassDef)}
    if not class_name:
        raise OwnServiceBroken(path, None, f"the name of a class is missing. {_choice(path, [*lines])}")
    with _interruptible(path):
        module = _imported(path, tree)
        kind = _checked(path, lines, module, class_name)
        try:
            return kind()
        except Exception as error:
            line = _line_in(path, error) or lines.get(class_name)
            what = f"{class_name}() failed: {_told(error)}. Correct it; it is called without arguments."
            raise OwnServiceBroken(path, line, what) from error


def parsed_file(path: Path) -> ast.Module:
    """The syntax of a Python file of the user's.

    Raises:
        OwnServiceBroken: there is no such file, or it is not Python.
    """
    try:
        return ast.parse(read_limited(path, LARGEST), str(path))
    except OSError as error:
        what = f"the file cannot be read ({error.strerror}). Name it as path/to/file.py:Class."
        raise OwnServiceBroken(path, None, what) from error
    except SyntaxError as error:
        raise OwnServiceBroken(path, error.lineno, f"{error.msg}. Correct the syntax.") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise OwnServiceBroken(path, None, f"this is not Python ({error}). Name a .py file.") from error


def _imported(path: Path, tree: ast.Module) -> ModuleType:
    module = ModuleType(f"lantern_own_{re.sub(r'[^A-Za-z0-9_]', '_', path.stem)}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # pydantic looks up the names in annotations there
    try:
        exec(compile(tree, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        install = f"Install it for {sys.executable}, or correct the import."
        mend = install if isinstance(error, ModuleNotFoundError) else "Correct the file."
        raise OwnServiceBroken(path, _line_in(path, error), f"{_told(error)}. {mend}") from error
    return module


def _checked(path: Path, lines: dict[str, int], module: ModuleType, class_name: str) -> type[Service[Any]]:
    """The class, if it is a service that can be run."""
    found = getattr(module, class_name, None)
    if found is None:
        services = [each for each in lines if _is_service(getattr(module, each, None))]
        what = f"there is no class {class_name!r}.{did_you_mean(class_name, services)}"
        raise OwnServiceBroken(path, None, f"{what} {_choice(path, services)}")
    fault = fault_of(found)
    if fault or not _is_service(found):
        raise OwnServiceBroken(path, lines.get(class_name), f"{class_name} {fault}")
    kind: type[Service[Any]] = found
    return kind


def _is_service(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Service)


def fault_of(found: Any) -> str:
    """What keeps a class from being run as a service, and the mend; empty: nothing does."""
    if not _is_service(found):
        return "is not a service. Derive it from FragmentService (mesh.runner.fragments)."
    name, version, reads = (getattr(found, field, None) for field in ("name", "version", "reads"))
    if missing := sorted(found.__abstractmethods__):
        return f"lacks {' and '.join(missing)}. Define {'it' if len(missing) == 1 else 'them'}."
    if not isinstance(name, str) or not re.fullmatch(NAME_PATTERN.rstrip("$"), name):
        given = "no `name`" if name is None else f"the `name` {name!r}"
        return f"has {given}. Set it to up to 32 small letters, digits and '_': name = \"compass\"."
    if not isinstance(version, str) or not re.fullmatch(r"\d+(\.\d+){1,3}[\w.+-]*", version):
        given = "no `version`" if version is None else f"the `version` {version!r}"
        return f'has {given}. Set it to the version of your service: version = "1.0.0".'
    if not isinstance(reads, tuple) or not all(map(_is_message, reads)):
        return "has no usable `reads`. Set it to a tuple of messages: reads = (StepTaken,)."
    return ""


def _is_message(read: object) -> bool:
    return isinstance(read, type) and issubclass(read, Message) and not inspect.isabstract(read)


def _choice(path: Path, classes: list[str]) -> str:
    named = ", ".join(f"{path}:{each}" for each in classes)
    return f"Name one of {named}." if named else "Write one that derives from FragmentService."


def _told(error: BaseException) -> str:
    text = " ".join(str(error).split())[:300].rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line_in(path: Path, error: BaseException) -> int | None:
    """The last line of the file that led to the error."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == str(path)), None)


@contextmanager
def _interruptible(path: Path) -> Iterator[None]:
    """Say that the import of a file still goes on after a while; Ctrl-C and SIGTERM end it at once.

    (Inside an event loop they would wait for the import, which may never end.)
    """
    thread = threading.current_thread()
    warning = threading.Timer(PATIENCE, _say_where, (path, thread.ident))
    warning.daemon = True
    signals = (signal.SIGINT, signal.SIGTERM) if thread is threading.main_thread() else ()
    before = {number: signal.signal(number, signal.default_int_handler) for number in signals}
    warning.start()
    try:
        yield
    finally:
        warning.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def _say_where(path: Path, thread: int | None) -> None:
    frame = sys._current_frames().get(thread or 0)
    while frame is not None and frame.f_code.co_filename != str(path):
        frame = frame.f_back
    place = f"{path}, line {frame.f_lineno}" if frame is not None else f"{path}"
    print_warning(f"{place}: still being imported after {PATIENCE:g} s. Ctrl-C ends it.")
