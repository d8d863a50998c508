"""`lantern --version` and `lantern completion`."""

from __future__ import annotations

import subprocess
import sys
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from lantern.nats.embedded_nats import nats_server_binary
from lantern.shell_completion import completion_script
from mesh.errors import FailureError

DISTRIBUTION = "lantern-mesh"


class Shell(StrEnum):
    """A shell that completes commands."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion_command(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> int:
    """Print what makes a shell complete commands and options: eval "$(lantern completion bash)"."""
    print(completion_script(shell.value))
    return 0


def versions() -> str:
    """The versions of Lantern, Python and the NATS server, a line each."""
    try:
        ours = version(DISTRIBUTION)
    except PackageNotFoundError:
        ours = "(not installed)"
    return f"{DISTRIBUTION} {ours}\nPython {sys.version.split()[0]}\nnats-server {_server_version()}"


def _server_version() -> str:
    try:
        told = subprocess.run(
            [nats_server_binary(), "--version"], capture_output=True, text=True, timeout=5, check=True
        )
    except FailureError:
        return "(not installed)"
    except (OSError, subprocess.SubprocessError):
        return "(does not start)"
    return told.stdout.split()[-1].lstrip("v") if told.stdout else "(unknown)"
