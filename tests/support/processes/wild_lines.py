"""Wild command lines: any command with any of its options, and values that nobody means."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

from typer.core import TyperCommand, TyperGroup

from lantern.cli import COMMANDS
from lantern.configuration import KINDS
from lantern.lazy_command import LazyCommand

WILD = (
    "", " ", "x", "0", "1", "-1", "2", "9" * 20, "9" * 400, "1e400", "nan", "inf", "-inf", "1e-300", "x-1",
    "x1e-300", "0x10", "١٢", "a" * 300, "a/" * 3000, "..", ".", "/", "/dev/zero", "/dev/null", "fifo",
    "folder", "text", "fifo.py:A", "/dev/zero:A", "text:A", "folder:A", ":A", "a:", "mine.gguf", "zero.gguf",
    "\x1b[31mred", "two\nlines", "%s%n{}", "ünïcode", "\udcff\udcfe", "*", ">", "a.b", "-", "--", "---", "-x",
    "nats://", "nats://[::1", "http://x:y", "nats://a%0Ab:c@127.0.0.1:1", "nats://127.0.0.1:99999", "::1",
    "'", '"', "$(x)", "main", "game", "all", "mine", "heuristic", "reflact", "bundled", "json", "svg", "-h",
)  # fmt: skip
"""No value of these is long-lived or leaves the working directory (`..` is a folder of the test's)."""

ALWAYS = {"play": ["--steps", "1"], "resume": ["--steps", "1"], "model-server": ["--model", "text"]}
"""What keeps a line that is valid by chance from taking long."""

NO_SETTING = ("LANTERN_CONFIG", "LANTERN_MODEL_NAME")
"""Variables that are left alone: the first is read before a line is run, the second may start a model."""


def every_leaf(
    group: TyperGroup = COMMANDS, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], LazyCommand]]:
    """Every command that is no group, with its words."""
    for name, command in group.commands.items():
        loaded = command.loaded() if isinstance(command, LazyCommand) else command
        if isinstance(loaded, TyperGroup):
            yield from every_leaf(loaded, (*path, name))
        else:
            assert isinstance(loaded, TyperCommand)
            yield (*path, name), loaded


def wild_lines(count: int, seed: int) -> list[tuple[str, ...]]:
    """So many command lines; the same ones for the same seed."""
    chance, leaves = random.Random(seed), [*every_leaf()]
    return [_line(chance, *leaves[number % len(leaves)]) for number in range(count)]


def wild_settings(chance: random.Random) -> dict[str, str]:
    """One variable with a wild value, or none."""
    variables = [kind.variable(field) for kind in KINDS for field in kind.model_fields]
    variable = chance.choice([each for each in variables if each not in NO_SETTING])
    return {variable: chance.choice(WILD)} if chance.random() < 0.5 else {}


def make_wild_files(folder: Path) -> None:
    """The files that the lines name."""
    os.mkfifo(folder / "fifo")
    os.mkfifo(folder / "fifo.py")
    os.mkfifo(folder / "mine.gguf")
    (folder / "folder").mkdir()
    (folder / "text").write_text("Dear diary,\n" * 99)
    (folder / "zero.gguf").symlink_to("/dev/zero")


def _line(chance: random.Random, words: tuple[str, ...], command: TyperCommand) -> tuple[str, ...]:
    options = [each for each in command.params if each.param_type_name == "option"]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    line = [*words, *ALWAYS.get(words[0], [])]
    line += [chance.choice(WILD) for each in arguments if each.required or chance.random() < 0.5]
    for each in chance.sample(options, k=min(len(options), chance.choice((0, 1, 1, 2, 3)))):
        line.append(chance.choice([*each.opts, *each.secondary_opts]))
        if not getattr(each, "is_flag", False):
            line.append(chance.choice(WILD))
    if chance.random() < 0.1:
        line.insert(chance.randrange(len(words), len(line) + 1), chance.choice(WILD))
    return (
        tuple(line)
        if words != ("sessions", "import")
        else (*words, chance.choice(("fifo", "text", "folder")))
    )
