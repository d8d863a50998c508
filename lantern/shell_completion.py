"""Completion of commands and options by a shell, which asks this command what a word may become.

Typer does the work; it is told here of the commands, which it did not make.
"""

from __future__ import annotations

COMPLETE = "_LANTERN_COMPLETE"
"""The variable by which a shell asks."""


def completion_script(shell: str) -> str:
    """What a shell reads to complete this command."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    return get_completion_script(prog_name="lantern", complete_var=COMPLETE, shell=shell)


def prepare_completion() -> None:
    """Let Typer answer a shell's question."""
    from typer.completion import get_completion_inspect_parameters

    get_completion_inspect_parameters()  # makes the shells known
