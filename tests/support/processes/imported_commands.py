"""Imports the commands and the services, for the fork server of `forked_command.py`."""

from importlib import import_module

import anthropic  # noqa: F401 (the largest part of a start with a model)

from lantern.cli import COMMANDS
from lantern.play.services import SERVICES

_UNFORKABLE = ("search",)
"""Commands that import NumPy, whose threads a fork would lack."""

for _name, _command in COMMANDS.commands.items():
    if _name not in _UNFORKABLE:
        import_module(_command.target.partition(":")[0])
for _name in SERVICES:
    import_module(f"services.{_name}.service")
