"""Runs the class of an agent from outside, in a process of its own: `class_host.py FILE CLASS`.

It reads one line of JSON for each step, and answers with the action as one line of JSON (see protocol.py).
It imports the standard library only, so that it starts fast and the class meets nothing of Lantern's. What
the class prints goes to standard error; so does, in one line, the error that ends it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any


def main(path: str, class_name: str) -> None:
    """Answer each line until there is no more."""
    sys.excepthook = partial(exit_with, path)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    choose = created(path, class_name).choose
    for line in sys.stdin.buffer:
        told = json.loads(line)
        answers.write(json.dumps(checked(choose(told["observation"], told["info"]))) + "\n")
        answers.flush()


def created(path: str, class_name: str) -> Any:
    """An instance of the class. The file's own folder is searched for what it imports."""
    sys.path.insert(0, str(Path(path).resolve().parent))
    spec = importlib.util.spec_from_file_location("agent", path)
    if spec is None or spec.loader is None:
        raise ImportError("this is not a .py file")
    module = sys.modules["agent"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    make: Callable[[], Any] = getattr(module, class_name)
    return make()


def checked(action: object) -> str:
    """The action that `choose` has returned."""
    if not isinstance(action, str):
        raise TypeError(f"choose() returned {type(action).__name__}, not a string")
    return action


def exit_with(
    path: str, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an error in one line, with the last line of the file that led to it, and exit at once."""
    here = Path(path).resolve()
    frames = [frame for frame in traceback.extract_tb(trace) if Path(frame.filename).resolve() == here]
    place = f"{path}, line {frames[-1].lineno}" if frames else path
    what = " ".join(str(error).split())[:150].rstrip(".")
    print(f"{place}: {kind.__name__}: {what}", file=sys.stderr, flush=True)
    os._exit(1)  # whatever threads the class has started


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
