"""Services that other packages of the environment bring."""

from __future__ import annotations

from typing import Any

from lantern.play.own.own_services import fault_of
from mesh.plugins import PluginBroken, made, plugins
from mesh.runner.service import Service

GROUP = "lantern.services"
"""The entry points that name a class derived from `Service`, such as `FragmentService`."""


def installed_names() -> list[str]:
    """The names by which they are served."""
    return [*plugins(GROUP)]


def installed_service(name: str) -> Service[Any] | None:
    """The service of a name; None: no package brings one.

    Raises:
        PluginBroken: it cannot be used.
    """
    entry = plugins(GROUP).get(name)
    if entry is None:
        return None
    service = made(entry)
    if fault := fault_of(type(service)):
        raise PluginBroken(entry, fault.rstrip("."))
    if service.name != name:
        raise PluginBroken(entry, f"has another `name`, {service.name!r}")
    assert isinstance(service, Service)
    return service
