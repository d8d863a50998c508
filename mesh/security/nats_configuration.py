"""The configuration of a NATS server with one user per service, as the server reads it.

Usage: python -m mesh.security.nats_configuration [--check]    writes deploy/nats.conf, or checks it
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from mesh.nats.subjects import checked_cell, checked_service
from mesh.security.permissions import Grant, User, users_of

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nats.conf"

HEAD = """\
# A NATS server with one user per service. Written by `make generate` from the catalogue of messages.
#
# Passwords come from the environment, as LANTERN_PASSWORD_GAME='"..."' (with the double quotes), or from
# lines LANTERN_PASSWORD_GAME: "..." in a file that includes this one; without them the server does not start.
# `lantern nats-config --secrets DIRECTORY` makes passwords and a file that holds them and all of this.
# $LANTERN_NATS_STORE names the directory of the streams.
# For other cells, or with sub-agents of your own: `lantern nats-config --cell C --agent NAME`.
# The operator makes the stream, the buckets and the consumers once: `lantern provision`.
"""

SERVER = """\
port: 4222
server_name: lantern
max_payload: 8MB
jetstream { store_dir: $LANTERN_NATS_STORE, sync_interval: always }
"""


def configuration(cells: Sequence[str] = ("main",), agents: Sequence[str] = ()) -> str:
    """The text of the server's configuration, for live play in these cells and with these sub-agents.

    Raises:
        NameRefused: a name is not valid in a subject.
    """
    users = ",\n".join(map(_user, users_of([*map(checked_cell, cells)], [*map(checked_service, agents)])))
    return f"{HEAD}\n{SERVER}\nauthorization {{\n  users: [\n{users}\n  ]\n}}\n"


def password_variable(user: str) -> str:
    """The name of the variable with a user's password in the server's configuration."""
    return f"LANTERN_PASSWORD_{user.upper()}"


def _user(user: User) -> str:
    deny = f", deny: [\n{_grants(user.deny)}        ]" if user.deny else ""
    within = f'allow_responses {{ max: 1, expires: "{user.answers_within}" }}'
    answers = f"\n        {within}" if user.answers_within else ""
    return f"""\
    {{
      # {user.description}
      user: {user.name}, password: ${password_variable(user.name)}
      permissions {{
        publish {{ allow: [
{_grants(user.publish)}        ]{deny} }}
        subscribe {{ allow: [
{_grants(user.subscribe)}        ] }}{answers}
      }}
    }}"""


def _grants(grants: Iterable[Grant]) -> str:
    lines = [
        line
        for grant in grants
        for line in ([f"# {grant.why}"] if grant.why else []) + [f'"{subject}"' for subject in grant.subjects]
    ]
    return "".join(f"          {line}\n" for line in lines)


def main(check: bool) -> int:
    """Write the file, or check it; the exit code."""
    if CONFIGURATION.exists() and CONFIGURATION.read_text() == configuration():
        return 0
    if check:
        print("Not up to date: deploy/nats.conf. Run `make generate`.", file=sys.stderr)
        return 1
    CONFIGURATION.parent.mkdir(exist_ok=True)
    CONFIGURATION.write_text(configuration())
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
