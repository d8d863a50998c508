"""Who may say and hear what: the configuration of a NATS server with one user per service.

Everything follows from the catalogue of messages. A service may publish what it is named for there, hear
and read what it consumes, and take from its own consumer. It can make, change and delete nothing.

NATS lets whoever asks name any subject for the answer, and the answer to a direct get is the stored bytes.
So nobody may read back by direct get what he may publish: he could have the server publish it elsewhere.
The game service has to; it is the one that executes. See docs/decisions/0016-one-user-per-service.md.

Usage: python -m mesh.permissions [--check]    writes deploy/nats.conf, or checks that it is up to date
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mesh import snapshots, stories
from mesh.bus import KEEPER
from mesh.subjects import ROOT, STREAM, checked_cell, checked_service, durable_name, holding_subject
from schemas.catalogue import CATALOGUE, PARTIES, Entry
from schemas.mesh import RetryDeadLetter, ServiceAlive

CONFIGURATION = Path(__file__).parent.parent / "deploy" / "nats.conf"

COMMANDS = "lantern"
"""How the catalogue names the command line."""

AGENT = "hint"
"""A sub-agent of the user's own may do what this one may, under its own name."""

ANSWER_WITHIN = {KEEPER: "15m"}
"""How long a service may take to answer; a resume plays a whole session again. Others: a minute."""

API = "$JS.API"
ASKS_ALL = "$SRV.*"

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


@dataclass(frozen=True, slots=True)
class Grant:
    """Subjects, and why."""

    why: str
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class User:
    """Who may log in, and what he may then do."""

    name: str
    about: str
    publish: tuple[Grant, ...]
    hear: tuple[Grant, ...]
    never: tuple[Grant, ...] = field(default=())
    """What he may not publish, whatever `publish` says."""
    answers_within: str = ""
    """How long he may answer what he was asked; empty: he is asked nothing."""


def configuration(cells: Sequence[str] = ("main",), agents: Sequence[str] = ()) -> str:
    """The text of the server's configuration, for live play in these cells and with these sub-agents.

    Raises:
        NameRefused: a name that cannot stand in a subject.
    """
    users = ",\n".join(map(_user, users_of([*map(checked_cell, cells)], [*map(checked_service, agents)])))
    return f"{HEAD}\n{SERVER}\nauthorization {{\n  users: [\n{users}\n  ]\n}}\n"


def users_of(cells: Sequence[str], agents: Sequence[str]) -> list[User]:
    """Everybody: our services, the sub-agents, the command line, the operator, and replays."""
    ours = [name for name in PARTIES if name != COMMANDS]
    return [
        *(_service(name, name, cells, [*ours, *agents]) for name in ours),
        *(_service(name, AGENT, cells, [*ours, *agents]) for name in agents),
        _player(cells),
        _operator(),
        _replay(cells, [*ours, *agents]),
    ]


def password_variable(user: str) -> str:
    """The variable of a user's password in the server's configuration."""
    return f"LANTERN_PASSWORD_{user.upper()}"


# -- who may what


def _service(name: str, role: str, cells: Sequence[str], all_services: Sequence[str]) -> User:
    others = [other for other in all_services if other != name]
    says = [entry for entry in CATALOGUE if entry.answer is None and _is_named(role, entry.publishers)]
    asks = [entry for entry in CATALOGUE if entry.answer is not None and _is_named(role, entry.publishers)]
    hears = [entry for entry in CATALOGUE if entry.answer is None and _is_named(role, entry.consumers)]
    answers = [entry for entry in CATALOGUE if entry.answer is not None and _is_named(role, entry.consumers)]
    recorded = [entry for entry in CATALOGUE if entry.recorded]
    both = [entry for entry in recorded if entry in hears and entry in says and role != KEEPER]
    read = recorded if role == KEEPER else [e for e in recorded if e in hears and e not in both]
    readable = [*_each(read, cells, "*"), *_of_the_others(both, cells, others)]
    own = [durable_name(cell, name, "*") for cell in cells]
    twins = [holding_subject(cell, name) for cell in cells]
    return User(
        name,
        "a service",
        publish=tuple(
            _some(
                ("what it says", _each(says, cells, name)),
                ("what it asks", [*_each(asks, cells, name), *_scoped(asks, cells, name)]),
                ("asks who is there", [ASKS_ALL] if _hears_who_is_live(hears) else []),
                ("looks whether the stream is in order", [f"{API}.STREAM.INFO.{STREAM}"]),
                ("reads the record", [f"{API}.DIRECT.GET.{STREAM}.{it}" for it in readable]),
                ("looks after its consumer", [f"{API}.CONSUMER.INFO.{STREAM}.{it}" for it in own]),
                ("takes from its consumer", [f"{API}.CONSUMER.MSG.NEXT.{STREAM}.{it}" for it in own]),
                ("acknowledges", [f"$JS.ACK.{STREAM}.{it}.>" for it in own]),
                ("asks its twins what they have in hand", twins),
                *(_keeps(cells) if role == KEEPER else ()),
            )
        ),
        hear=tuple(
            _some(
                ("answers to what it asks", [f"_INBOX_{name}.>"]),
                ("what it consumes", _each(hears, cells, "*")),
                ("what it is asked", [*_each(answers, cells, name), *_scoped(answers, cells, name)]),
                ("is asked by its twins what it has in hand", twins),
                ("is found (NATS micro)", [ASKS_ALL, f"{ASKS_ALL}.{name}", f"{ASKS_ALL}.{name}.*"]),
            )
        ),
        answers_within=ANSWER_WITHIN.get(name, "1m"),
    )


def _keeps(cells: Sequence[str]) -> list[tuple[str, list[str]]]:
    """What the game service keeps, and takes away."""
    return [
        ("an earlier end or resume at the same step makes room", [f"{API}.STREAM.MSG.DELETE.{STREAM}"]),
        ("reads stories", _reads(stories.STREAM)),
        ("reads snapshots", _reads(snapshots.STREAM)),
        ("keeps snapshots", [f"$KV.{snapshots.BUCKET}.{cell}.>" for cell in cells]),
    ]


def _player(cells: Sequence[str]) -> User:
    asked = [entry for entry in CATALOGUE if entry.answer is not None and COMMANDS in entry.publishers]
    asks = [entry for entry in asked if entry.message is not RetryDeadLetter]
    hears = [entry for entry in CATALOGUE if entry.message is ServiceAlive]
    return User(
        "player",
        "the command line: plays and looks, and changes no record",
        publish=tuple(
            _some(
                ("what it asks", [*_each(asks, cells, "*"), *_scoped(asks, cells, "*")]),
                ("asks who is there", [ASKS_ALL]),
                ("looks whether the stream is in order", [f"{API}.STREAM.INFO.{STREAM}"]),
                ("reads every record", [f"{API}.DIRECT.GET.{STREAM}", f"{API}.DIRECT.GET.{STREAM}.>"]),
                ("brings stories", [*_reads(stories.STREAM), f"$O.{stories.BUCKET}.>"]),
            )
        ),
        hear=tuple(
            _some(
                ("answers to what it asks", ["_INBOX_player.>"]),
                ("who is there", _each(hears, cells, "*")),
            )
        ),
    )


def _operator() -> User:
    buckets = [f"$O.{stories.BUCKET}.>", f"$KV.{snapshots.BUCKET}.>"]
    return User(
        "operator",
        "provisions, imports and deletes; retries and drops dead letters",
        publish=tuple(
            _some(
                ("streams, buckets, consumers", [f"{API}.>", *buckets]),
                ("imports and asks", [f"{ROOT}.>", "$SRV.>"]),
            )
        ),
        hear=tuple(
            _some(
                ("answers to what it asks", ["_INBOX_operator.>"]),
                ("everything", [f"{ROOT}.>"]),
            )
        ),
    )


def _replay(cells: Sequence[str], services: Iterable[str]) -> User:
    live = [durable_name(cell, name, "*") for cell in cells for name in services]
    return User(
        "replay",
        "plays recorded sessions again, in cells of its own: it can do nothing in a live one",
        publish=tuple(
            _some(
                ("what its services say and ask", [f"{ROOT}.>", ASKS_ALL]),
                ("looks whether the stream is in order", [f"{API}.STREAM.INFO.{STREAM}"]),
                ("reads every record", [f"{API}.DIRECT.GET.{STREAM}", f"{API}.DIRECT.GET.{STREAM}.>"]),
                ("makes and reads consumers", [f"{API}.CONSUMER.{it}" for it in _consumer_verbs("*")]),
                ("acknowledges", [f"$JS.ACK.{STREAM}.>"]),
                ("reads stories", _reads(stories.STREAM)),
                ("reads and keeps snapshots", [*_reads(snapshots.STREAM), f"$KV.{snapshots.BUCKET}.>"]),
            )
        ),
        never=tuple(
            _some(
                ("live cells", [f"{ROOT}.{cell}.>" for cell in cells]),
                ("live snapshots", [f"$KV.{snapshots.BUCKET}.{cell}.>" for cell in cells]),
                ("live consumers", [f"{API}.CONSUMER.*.{STREAM}.{it}" for it in live]),
                ("", [f"{API}.CONSUMER.*.*.{STREAM}.{it}" for it in live]),
                ("", [f"{API}.CONSUMER.CREATE.{STREAM}.{it}.>" for it in live]),
                ("", [f"$JS.ACK.{STREAM}.{it}.>" for it in live]),
            )
        ),
        hear=tuple(
            _some(
                ("answers to what it asks", ["_INBOX_replay.>"]),
                ("what its services consume and are asked", [f"{ROOT}.>", "$SRV.>"]),
            )
        ),
        answers_within="15m",
    )


def _consumer_verbs(name: str) -> list[str]:
    made = [f"CREATE.{STREAM}.{name}", f"CREATE.{STREAM}.{name}.>", f"DURABLE.CREATE.{STREAM}.{name}"]
    return [*made, *(f"{verb}.{STREAM}.{name}" for verb in ("INFO", "DELETE", "MSG.NEXT"))]


def _reads(bucket: str) -> list[str]:
    return [f"{API}.STREAM.INFO.{bucket}", f"{API}.STREAM.MSG.GET.{bucket}"]


def _is_named(role: str, parties: Iterable[str]) -> bool:
    return role in parties or "every service" in parties


def _hears_who_is_live(entries: Iterable[Entry]) -> bool:
    return any(entry.message is ServiceAlive for entry in entries)


def _each(entries: Iterable[Entry], cells: Sequence[str], service: str) -> list[str]:
    """The subjects of messages in these cells: of one service, or of all (`*`)."""
    anything = dict.fromkeys(("session", "step", "call", "instance", "sequence"), "*")
    return [
        entry.subject.format(cell=cell, service=service, **anything) for entry in entries for cell in cells
    ]


def _of_the_others(entries: Iterable[Entry], cells: Sequence[str], others: Sequence[str]) -> list[str]:
    """Each by its name: a `*` could stand for one's own, also in what is asked."""
    return [subject for other in others for subject in _each(entries, cells, other)]


def _scoped(questions: Iterable[Entry], cells: Sequence[str], service: str) -> list[str]:
    """Questions to the instance that serves one session."""
    return [f"{subject}.*" for subject in _each(questions, cells, service)]


def _some(*grants: tuple[str, list[str]]) -> Iterator[Grant]:
    return (Grant(why, tuple(subjects)) for why, subjects in grants if subjects)


# -- as the server reads it


def _user(user: User) -> str:
    never = f", deny: [\n{_grants(user.never)}        ]" if user.never else ""
    within = f'allow_responses {{ max: 1, expires: "{user.answers_within}" }}'
    answers = f"\n        {within}" if user.answers_within else ""
    return f"""\
    {{
      # {user.about}
      user: {user.name}, password: ${password_variable(user.name)}
      permissions {{
        publish {{ allow: [
{_grants(user.publish)}        ]{never} }}
        subscribe {{ allow: [
{_grants(user.hear)}        ] }}{answers}
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
