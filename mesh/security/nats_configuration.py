"""The configuration of a NATS server with one user per service, as the server reads it.

Usage: python -m mesh.security.nats_configuration [--check]    writes deploy/nats.conf, or checks it
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from mesh.nats.subjects import checked_cell, checked_service
from mesh.security.grants import Grant, Import, User
from mesh.security.permissions import users_of

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nats.conf"

HEAD = """\
# A NATS server with one user per service. Written by `make generate` from the catalogue of messages.
#
# Passwords come from the environment, as LANTERN_PASSWORD_GAME='"..."' (with the double quotes), or from
# lines LANTERN_PASSWORD_GAME: "..." in a file that includes this one; without them the server does not start.
# `lantern nats-config --secrets DIRECTORY` makes passwords and a file that holds them and all of this.
# $LANTERN_NATS_STORE names the directory of the streams.
# The server listens on 127.0.0.1 only. For other machines: `nats-server -c FILE -a 0.0.0.0`.
# For other cells, or with sub-agents of your own: `lantern nats-config --cell C --agent NAME`.
# The operator makes the stream, the buckets and the consumers once: `lantern provision`.
"""

ACCOUNT = "LANTERN"
"""The account of all users but the sub-agents of the user's own."""

SERVER = """\
host: 127.0.0.1
port: 4222
server_name: lantern
max_payload: 1MB
jetstream { store_dir: $LANTERN_NATS_STORE, sync_interval: always }
"""


def configuration(cells: Sequence[str] = ("main",), agents: Sequence[str] = ()) -> str:
    """The text of the server's configuration, for live play in these cells and with these sub-agents.

    Raises:
        NameRefused: a name is not valid in a subject.
    """
    users = users_of([*map(checked_cell, cells)], [*map(checked_service, agents)])
    guests = [user for user in users if user.imports]
    accounts = [_main_account([user for user in users if not user.imports], guests)]
    accounts += [_guest_account(user) for user in guests]
    return f"{HEAD}\n{SERVER}\naccounts {{\n{''.join(accounts)}}}\n"


def password_variable(user: str) -> str:
    """The name of the variable with a user's password in the server's configuration."""
    return f"LANTERN_PASSWORD_{user.upper()}"


def _main_account(users: Sequence[User], guests: Sequence[User]) -> str:
    """The account of all users but the sub-agents of the user's own; it exports what those import."""
    exported: dict[Import, list[str]] = {}
    for guest in guests:
        for each in guest.imports:
            exported.setdefault(each, []).append(_account(guest))
    exports = [
        f'{each.kind}: "{each.subject}", accounts: [{", ".join(names)}]'
        + ", response_type: Stream" * each.many
        for each, names in exported.items()
    ]
    answers = [
        f'service: {{ account: {_account(guest)}, subject: "{subject}" }}'
        for guest in guests
        for subject in guest.exports
    ]
    return _account_block(ACCOUNT, users, exports, answers, "jetstream: enabled")


def _guest_account(guest: User) -> str:
    imports = [
        f'{each.kind}: {{ account: {ACCOUNT}, subject: "{each.subject}" }}'
        + (f', to: "{each.to}"' * bool(each.to))
        for each in guest.imports
    ]
    exports = [f'service: "{subject}", accounts: [{ACCOUNT}]' for subject in guest.exports]
    return _account_block(_account(guest), [guest], exports, imports)


def _account_block(
    name: str, users: Iterable[User], exports: Iterable[str], imports: Iterable[str], also: str = ""
) -> str:
    lists = {
        "users": [",\n".join(map(_user, users))],
        "exports": _braced(exports),
        "imports": _braced(imports),
    }
    blocks = "".join(
        f"    {what}: [\n{chr(10).join(lines)}\n    ]\n" for what, lines in lists.items() if lines
    )
    return f"  {name} {{\n{f'    {also}{chr(10)}' * bool(also)}{blocks}  }}\n"


def _braced(lines: Iterable[str]) -> list[str]:
    return [f"      {{ {line} }}" for line in lines]


def _account(guest: User) -> str:
    return f"AGENT_{guest.name.upper()}"


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
