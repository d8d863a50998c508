"""Commands whose modules are imported only when they run, so that every command starts quickly."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class LazyCommand(TyperCommand):
    """A command, or a group of commands, that is listed before its module is imported."""

    def __init__(self, name: str, target: str, summary: str) -> None:
        """`target`: `module:attribute`, where a function, a `typer.Typer` or a `TyperGroup` is."""
        super().__init__(name, help=summary)
        self.target = target

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """The context in which the imported command runs."""
        return self.loaded().make_context(*arguments, **extra)

    def loaded(self) -> TyperCommand | TyperGroup:
        """The imported command."""
        module, _, attribute = self.target.partition(":")
        found = getattr(import_module(module), attribute)
        if isinstance(found, TyperGroup):
            return found
        command = typer.main.get_command(found if isinstance(found, typer.Typer) else self._alone(found))
        assert isinstance(command, (TyperCommand, TyperGroup))
        return command

    def _alone(self, function: Callable[..., int]) -> typer.Typer:
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command(self.name)(function)
        return app


def lazy_group(
    name: str, summary: str, *commands: LazyCommand, callback: Callable[[], None] | None = None
) -> TyperGroup:
    """A group of commands; `callback` is called before any of them runs."""
    return TyperGroup(name=name, help=summary, commands=commands, no_args_is_help=True, callback=callback)
