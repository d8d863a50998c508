"""Bad input: one line at once, an exit code, and nothing left behind."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes.command import ROOT, Lantern


def a_file(name: str, data: bytes) -> Callable[[Path], list[str]]:
    def arguments(directory: Path) -> list[str]:
        path = directory / name
        path.write_bytes(data)
        return ["play", str(path)]

    return arguments


def given(*arguments: str) -> Callable[[Path], list[str]]:
    return lambda directory: list(arguments)


BUNDLED = (ROOT / "games" / "kelder.z5").read_bytes()


def with_word(at: int, value: int) -> bytes:
    return BUNDLED[:at] + value.to_bytes(2, "big") + BUNDLED[at + 2 :]


BAD_INPUT = {
    "a missing story": (given("play", "nowhere.z5"), 2, "No story at nowhere.z5"),
    "a directory as story": (lambda directory: ["play", str(directory)], 2, "No story at"),
    "an empty story": (a_file("empty.z5", b""), 2, "empty.z5 cannot be played"),
    "a truncated story": (a_file("short.z5", BUNDLED[:5000]), 2, "short.z5 cannot be played"),
    "a Glulx story": (a_file("game.ulx", b"Glul" + bytes(5000)), 2, "Glulx"),
    "a Blorb": (a_file("game.blb", b"FORM\0\1\0\0IFRSRIdx" + bytes(5000)), 2, "Blorb"),
    "a story of version 6": (a_file("journey.z6", b"\6" + BUNDLED[1:]), 2, "version 6"),
    "a story of no version": (a_file("odd.z5", b"\x2a" + BUNDLED[1:]), 2, "odd.z5 cannot be played"),
    "a header and no more": (a_file("head.z5", BUNDLED[:64]), 2, "head.z5 cannot be played"),
    "a few bytes": (a_file("few.z3", b"\3\0\0\1"), 2, "few.z3 cannot be played"),
    "an endless story": (a_file("vast.z8", BUNDLED + bytes(600_000)), 2, "vast.z8 cannot be played"),
    "random bytes": (a_file("noise.z5", random.Random(1).randbytes(9000)), 2, "noise.z5 cannot be played"),
    "tables outside the file": (a_file("wild.z5", with_word(0x0A, 0xFFF0)), 2, "object table"),
    "a bad file without a suffix": (a_file("story", BUNDLED[:5000]), 2, "story cannot be played"),
    "a text as story": (a_file("notes.txt", b"Dear diary, today\n" * 99), 2, "notes.txt cannot be played"),
    "no steps": (given("play", "--steps", "0"), 2, "--steps cannot be 0"),
    "steps below none": (given("play", "--steps", "-1"), 2, "--steps cannot be -1"),
    "steps that are no number": (given("play", "--steps", "many"), 2, "--steps"),
    "a seed that is none": (given("play", "--seed", "0"), 2, "--seed cannot be 0"),
    "text only, and valid actions": (
        given("play", "--text-only", "--valid-actions"),
        2,
        "--text-only and --valid-actions exclude each other",
    ),
    "an unknown policy": (given("play", "--policy", "brave"), 2, "heuristic, random"),
    "an unknown behaviour": (given("play", "--without-behaviour", "dance"), 2, "no behaviour 'dance'"),
    "behaviours of a policy that has none": (
        given("play", "--policy", "random", "--without-behaviour", "put"),
        2,
        "The policy random has no behaviours",
    ),
    "a session id with a dot": (given("play", "--session", "a.b"), 2, "A session id cannot be 'a.b'"),
    "a reserved session id": (given("play", "--session", "ask"), 2, "A session id cannot be 'ask'"),
    "a cell with a star": (given("play", "--cell", "*"), 2, "A cell cannot be '*'"),
    "a NATS that is not there": (given("play", "--nats", "nats://127.0.0.1:1"), 1, "127.0.0.1:1"),
    "an unknown command": (given("dance"), 2, "dance"),
    "an unknown option": (given("play", "--fast"), 2, "--fast"),
    "an unknown service": (given("serve", "weather"), 2, "no service 'weather'"),
    "an unknown session": (given("sessions", "show", "nobody"), 2, "no session 'nobody'"),
    "an unknown dead letter": (given("dead-letters", "show", "7"), 2, "no dead letter 7"),
    "an import of no export": (a_file("x.z5", BUNDLED), 2, "x.z5"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_line_at_once_and_leaves_nothing(
    lantern: Lantern, tmp_path: Path, case: str
) -> None:
    arguments, code, told = BAD_INPUT[case]
    wish = arguments(tmp_path)
    if case == "an import of no export":
        wish = ["sessions", "import", *wish[1:]]

    started = time.monotonic()
    done = lantern.run(*wish)

    assert time.monotonic() - started < 15
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert done.stderr.startswith("lantern: ")
    assert done.stderr.count("\n") == 1
    assert lantern.sessions() == []


def test_a_story_without_a_suffix_is_played_all_the_same(lantern: Lantern, tmp_path: Path) -> None:
    (tmp_path / "story").write_bytes(BUNDLED)

    done = lantern.run("play", str(tmp_path / "story"), "--steps", "1")

    assert (done.returncode, done.stderr) == (0, "")
    assert "\n[1] " in done.stdout


def test_a_home_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    lantern = Lantern(tmp_path / "file" / "home")

    done = lantern.run("play", "--steps", "2")

    assert done.returncode == 2
    assert "LANTERN_HOME" in done.stderr
    assert done.stderr.count("\n") == 1
    lantern.wait_until_gone()
