"""A service of the user's that cannot be used: one line says where, what is missing, and the mend."""

from __future__ import annotations

import os
import re
import signal
import threading
from pathlib import Path

import pytest

from lantern.play.own import own_services
from lantern.play.own.own_services import OwnServiceBroken, own_service

SOUND = """\
from mesh.runner.fragments import FragmentService

class Mine(FragmentService):
    name = "mine"
    version = "1.0.0"
    def initial_state(self, started): ...
    def fragment_for(self, state): ...
"""


def changed(old: str, new: str) -> str:
    assert old in SOUND
    return SOUND.replace(old, new)


BROKEN = {
    "an import that fails": (
        "import json, nowhere\n",
        ", line 1: ModuleNotFoundError: No module named 'nowhere'",
    ),
    "a message that is not there": (
        "from schemas.game import Step2\n",
        ", line 1: ImportError: cannot import name",
    ),
    "a syntax error": ("x = 1\ny = (\n", ", line 2: '(' was never closed. Correct the syntax."),
    "an exception": (
        "import json\n\njson.loads('{')\n",
        ", line 3: JSONDecodeError: Expecting property name",
    ),
    "an exit": ("import sys\nsys.exit(3)\n", ", line 2: SystemExit: 3."),
    "no name": (changed('    name = "mine"\n', ""), ", line 3: Mine has no `name`. Set it to"),
    "a name with a dot": (changed('"mine"', '"my.own"'), ", line 3: Mine has the `name` 'my.own'."),
    "no version": (changed('    version = "1.0.0"\n', ""), ", line 3: Mine has no `version`. Set it to"),
    "a version that is a number": (changed('"1.0.0"', "2"), ", line 3: Mine has the `version` 2."),
    "a version that is a word": (changed("1.0.0", "newest"), ", line 3: Mine has the `version` 'newest'."),
    "what it reads is no tuple": (
        changed('"1.0.0"', '"1.0.0"; reads = int'),
        ", line 3: Mine has no usable `reads`",
    ),
    "an abstract class": (
        changed("def fragment_for", "def fragments_for"),
        ", line 3: Mine lacks fragment_for.",
    ),
    "an abstract class by far": (
        changed("FragmentService)", "FragmentService, __import__('abc').ABC)").split("    def")[0],
        ", line 3: Mine lacks fragment_for and initial_state. Define them.",
    ),
    "another class": (changed("class Mine", "class Yours"), ": there is no class 'Mine'. Name one of "),
    "no service": ("class Mine: ...\n", ", line 1: Mine is not a service. Derive it from FragmentService"),
    "no class": ("Mine = 3\n", ": Mine is not a service."),
    "a constructor that fails": (
        changed("    def init", "    def __init__(self):\n        1 / 0\n    def init"),
        ", line 7: Mine() failed: ZeroDivisionError: division by zero.",
    ),
    "a constructor with an argument": (
        changed("    def init", "    def __init__(self, what): ...\n    def init"),
        ", line 3: Mine() failed: TypeError:",
    ),
    "no text": ("\0", ": "),
    "too much of it": ("#" * (1 << 21), ": the file cannot be read (it holds more than 1,048,576 bytes)."),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_service_is_told_with_its_line_and_the_mend(tmp_path: Path, case: str) -> None:
    text, told = BROKEN[case]
    path = tmp_path / "mine.py"
    path.write_text(text)

    with pytest.raises(OwnServiceBroken) as error:
        own_service(f"{path}:Mine")

    assert str(error.value).startswith(f"{path}{told}")
    assert "\n" not in str(error.value)


def test_a_sound_service_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SOUND)

    assert own_service(f"{tmp_path / 'mine.py'}:Mine").name == "mine"


def test_without_a_class_the_classes_of_the_file_are_named_and_nothing_of_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SOUND + "raise SystemExit\n")

    with pytest.raises(OwnServiceBroken, match=f"the name of a class is missing. Name one of {path}:Mine."):
        own_service(str(path))


@pytest.mark.parametrize("path", ["/dev/zero", "."])
def test_what_is_no_file_is_refused(path: str) -> None:
    with pytest.raises(OwnServiceBroken, match="the file cannot be read"):
        own_service(f"{path}:Mine")


def test_a_pipe_into_which_nobody_writes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mesh.file_reading.WITHIN", 0.05)
    os.mkfifo(tmp_path / "mine.py")

    with pytest.raises(OwnServiceBroken, match="it did not end within"):
        own_service(f"{tmp_path / 'mine.py'}:Mine")


def test_an_import_without_an_end_is_told_with_its_line_and_ended_by_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, said = tmp_path / "mine.py", threading.Event()
    path.write_text("import time\nwhile True:\n    time.sleep(0.01)\n")
    say_where = own_services._say_where

    def say_and_interrupt(*arguments: object) -> None:
        say_where(*arguments)  # type: ignore[arg-type]
        said.set()
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(own_services, "PATIENCE", 0.05)
    monkeypatch.setattr(own_services, "_say_where", say_and_interrupt)
    before = signal.getsignal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        own_service(f"{path}:Mine")

    assert said.is_set() and signal.getsignal(signal.SIGINT) is before
    told = (
        rf"lantern: {re.escape(str(path))}, line [123]: still being imported after 0.05 s. Ctrl-C ends it.\n"
    )
    assert re.fullmatch(told, capsys.readouterr().err)
