"""Commands whose modules are imported only when they run, so that every command starts quickly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


class GroupWithDefault(TyperGroup):
    """A group whose first command also runs by the group's own name, if no other command is named."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the group; of its first command, if the first word names no command."""
        if args and args[0] in self.commands:
            return super().make_context(info_name, args, parent, **extra)
        default, *_others = self.commands.values()
        return default.make_context(info_name, args, parent, **extra)


def lazy_group(
    name: str, summary: str, *commands: LazyCommand, callback: Callable[..., None] | None = None
) -> TyperGroup:
    """A group of commands; `callback` takes the group's options, and is called before any command."""
    return _group(TyperGroup, name, summary, commands, callback)


def group_with_default(name: str, summary: str, *commands: LazyCommand) -> TyperGroup:
    """A group that is also a command: its first one."""
    return _group(GroupWithDefault, name, summary, commands, None)


def _group(
    kind: type[TyperGroup],
    name: str,
    summary: str,
    commands: Sequence[LazyCommand],
    callback: Callable[..., None] | None,
) -> TyperGroup:
    app = typer.Typer(
        name=name, cls=kind, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False
    )
    app.callback(help=summary)(callback or (lambda: None))
    group = typer.main.get_group(app)
    for command in commands:
        group.add_command(command)
    return group
