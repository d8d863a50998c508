"""`lantern nats-url`: where programs that are not Lantern's connect to."""

from __future__ import annotations

from lantern.command_options import settings_with
from lantern.nats.embedded_nats import running_nats
from mesh.errors import FailureError


def nats_url_command() -> int:
    """Print the address of the NATS server, with its login: the one that is set, or the embedded one."""
    settings = settings_with(None)
    url = settings.server() or running_nats(settings.home)
    if url is None:
        raise FailureError(
            f"No embedded NATS server runs for {settings.home}. "
            "It runs as long as a `lantern play` or `lantern serve` with this LANTERN_HOME: start one."
        )
    print(url)
    return 0
