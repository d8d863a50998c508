"""What is read of a model's file before it is loaded."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from language_model.local.gguf import Header, NotGguf, header_of
from language_model.local.memory import free_bytes
from tests.support.scenes.gguf_builder import a_gguf, a_llama


def read(data: bytes) -> Header:
    return header_of(io.BytesIO(data), len(data))


def test_a_header_tells_the_kind_of_model_and_what_memory_it_takes() -> None:
    header = read(a_llama())

    assert (header.architecture, header.context) == ("llama", 1024)
    cache_of_a_token = 2 * 2 * (16 + 16) * 2  # layers, heads, a key and a value of 16 numbers, 2 bytes each
    assert header.memory(context=100) == 100 * cache_of_a_token + 512 * 2 * 4


@pytest.mark.parametrize(
    ("data", "why"),
    {
        "nothing": (b"", "not a GGUF file"),
        "a text": (b"Dear diary", "not a GGUF file"),
        "an old version": (a_gguf({}, version=1), "version 1"),
        "the magic alone": (b"GGUF", "cut short within its header"),
        "half a header": (a_llama()[:200], "cut short within its header"),
        "no data": (a_llama()[:-64], "cut short: "),
        "an endless name": (b"GGUF\3\0\0\0" + bytes(8) + b"\1" + bytes(7) + b"\xff" * 8, "damaged"),
        "an unknown kind of value": (a_llama().replace(b"count\n\0\0\0", b"count\x63\0\0\0", 1), "damaged"),
    }.values(),
)
def test_what_is_no_whole_file_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(NotGguf, match=why):
        read(data)


def test_no_damage_does_more_than_to_have_a_file_refused() -> None:
    chance, whole = random.Random(1), a_llama()
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(whole))] = chance.randrange(256)
        try:
            read(bytes(damaged)).memory(100)
        except NotGguf:
            continue


def test_a_container_s_limit_counts_where_it_is_lower(tmp_path: Path) -> None:
    machine, group = tmp_path / "meminfo", tmp_path / "group"
    machine.write_text("MemTotal:  9000 kB\nMemAvailable:  4000 kB\n")
    assert free_bytes(machine, group) == 4000 * 1024

    group.mkdir()
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("900\n")
    (group / "memory.stat").write_text("anon 500\ninactive_file 300\n")
    assert free_bytes(machine, group) == 4000 * 1024

    (group / "memory.max").write_text("1000\n")
    assert free_bytes(machine, group) == 1000 - 900 + 300
