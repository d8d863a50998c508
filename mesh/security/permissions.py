"""Who may say and hear what on a NATS server with one user per service.

Everything follows from the catalogue of messages. A service may publish what it is named for there, hear
and read what it consumes, and take from its own consumer. It can make, change and delete nothing.

NATS lets whoever asks name any subject for the answer, and the answer to a direct get is the stored bytes.
So nobody may read back by direct get what he may publish: he could have the server publish it elsewhere.
The game service has to; it is the one that executes. See docs/decisions/0016-one-user-per-service.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mesh.nats.subjects import ROOT, STREAM, durable_name
from mesh.record import snapshots, stories
from mesh.record.reader import PRIVILEGED_READER
from schemas.catalogue import CATALOGUE, PARTIES, CatalogueEntry
from schemas.mesh import RetryDeadLetter, ServiceAlive

COMMANDS = "lantern"
"""How the catalogue names the command line."""

AGENT = "hint"
"""A sub-agent of the user's own may do what this one may, under its own name."""

ANSWER_WITHIN = {PRIVILEGED_READER: "15m"}
"""How long a service may take to answer; a resume plays a whole session again. Others: a minute."""

API = "$JS.API"
ASKS_ALL = "$SRV.*"


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


def _service(name: str, role: str, cells: Sequence[str], all_services: Sequence[str]) -> User:
    said = [entry for entry in CATALOGUE if _is_named(role, entry.publishers)]
    heard = [entry for entry in CATALOGUE if _is_named(role, entry.consumers)]
    says, asks = _without_answer(said), _with_answer(said)
    hears, answers = _without_answer(heard), _with_answer(heard)
    readable = _readable(name, role, cells, all_services)
    own = [durable_name(cell, name, "*") for cell in cells]
    return User(
        name,
        "a service",
        publish=_some(
            ("what it says", _each(says, cells, name)),
            ("what it asks", [*_each(asks, cells, name), *_scoped(asks, cells, name)]),
            ("asks who is there", [ASKS_ALL] if _hears_who_is_live(hears) else []),
            ("looks whether the stream is in order", [f"{API}.STREAM.INFO.{STREAM}"]),
            ("reads the record", [f"{API}.DIRECT.GET.{STREAM}.{it}" for it in readable]),
            ("looks after its consumer", [f"{API}.CONSUMER.INFO.{STREAM}.{it}" for it in own]),
            ("takes from its consumer", [f"{API}.CONSUMER.MSG.NEXT.{STREAM}.{it}" for it in own]),
            ("acknowledges", [f"$JS.ACK.{STREAM}.{it}.>" for it in own]),
            *(_keeps(cells) if role == PRIVILEGED_READER else ()),
        ),
        hear=_some(
            ("answers to what it asks", [f"_INBOX_{name}.>"]),
            ("what it consumes", _each(hears, cells, "*")),
            ("what it is asked", [*_each(answers, cells, name), *_scoped(answers, cells, name)]),
            ("is found (NATS micro)", [ASKS_ALL, f"{ASKS_ALL}.{name}", f"{ASKS_ALL}.{name}.*"]),
        ),
        answers_within=ANSWER_WITHIN.get(name, "1m"),
    )


def _readable(name: str, role: str, cells: Sequence[str], all_services: Sequence[str]) -> list[str]:
    """The subjects of the record that a service reads: what it consumes, but for its own; the game, all."""
    recorded = [entry for entry in CATALOGUE if entry.recorded]
    if role == PRIVILEGED_READER:
        return _each(recorded, cells, "*")
    read = [entry for entry in recorded if _is_named(role, entry.consumers)]
    said_too = [entry for entry in read if _is_named(role, entry.publishers)]
    foreign = [entry for entry in read if entry not in said_too]
    others = [other for other in all_services if other != name]  # by name: a `*` could stand for its own
    return [*_each(foreign, cells, "*"), *(it for other in others for it in _each(said_too, cells, other))]


def _keeps(cells: Sequence[str]) -> list[tuple[str, list[str]]]:
    """What the game service keeps, and takes away."""
    return [
        ("an earlier end or resume at the same step makes room", [f"{API}.STREAM.MSG.DELETE.{STREAM}"]),
        ("reads stories", _reads(stories.STREAM)),
        ("reads snapshots", _reads(snapshots.STREAM)),
        ("keeps snapshots", [f"$KV.{snapshots.BUCKET}.{cell}.>" for cell in cells]),
    ]


def _player(cells: Sequence[str]) -> User:
    said = [entry for entry in CATALOGUE if COMMANDS in entry.publishers]
    asks = [entry for entry in _with_answer(said) if entry.message is not RetryDeadLetter]
    hears = [entry for entry in CATALOGUE if entry.message is ServiceAlive]
    return User(
        "player",
        "the command line: plays and looks, and changes no record",
        publish=_some(
            ("what it asks", [*_each(asks, cells, "*"), *_scoped(asks, cells, "*")]),
            ("asks who is there", [ASKS_ALL]),
            ("looks whether the stream is in order", [f"{API}.STREAM.INFO.{STREAM}"]),
            ("reads every record", [f"{API}.DIRECT.GET.{STREAM}", f"{API}.DIRECT.GET.{STREAM}.>"]),
            ("brings stories", [*_reads(stories.STREAM), f"$O.{stories.BUCKET}.>"]),
        ),
        hear=_some(
            ("answers to what it asks", ["_INBOX_player.>"]),
            ("who is there", _each(hears, cells, "*")),
        ),
    )


def _operator() -> User:
    buckets = [f"$O.{stories.BUCKET}.>", f"$KV.{snapshots.BUCKET}.>"]
    return User(
        "operator",
        "provisions, imports and deletes; retries and drops dead letters",
        publish=_some(
            ("streams, buckets, consumers", [f"{API}.>", *buckets]),
            ("imports and asks", [f"{ROOT}.>", "$SRV.>"]),
        ),
        hear=_some(
            ("answers to what it asks", ["_INBOX_operator.>"]),
            ("everything", [f"{ROOT}.>"]),
        ),
    )


def _replay(cells: Sequence[str], services: Iterable[str]) -> User:
    live = [durable_name(cell, name, "*") for cell in cells for name in services]
    return User(
        "replay",
        "plays recorded sessions again, in cells of its own: it can do nothing in a live one",
        publish=_some(
            ("what its services say and ask", [f"{ROOT}.>", ASKS_ALL]),
            ("looks whether the stream is in order", [f"{API}.STREAM.INFO.{STREAM}"]),
            ("reads every record", [f"{API}.DIRECT.GET.{STREAM}", f"{API}.DIRECT.GET.{STREAM}.>"]),
            ("makes and reads consumers", [f"{API}.CONSUMER.{it}" for it in _consumer_verbs()]),
            ("acknowledges", [f"$JS.ACK.{STREAM}.>"]),
            ("reads stories", _reads(stories.STREAM)),
            ("reads and keeps snapshots", [*_reads(snapshots.STREAM), f"$KV.{snapshots.BUCKET}.>"]),
        ),
        never=_some(
            ("live cells", [f"{ROOT}.{cell}.>" for cell in cells]),
            ("live snapshots", [f"$KV.{snapshots.BUCKET}.{cell}.>" for cell in cells]),
            ("live consumers", [f"{API}.CONSUMER.*.{STREAM}.{it}" for it in live]),
            ("", [f"{API}.CONSUMER.*.*.{STREAM}.{it}" for it in live]),
            ("", [f"{API}.CONSUMER.CREATE.{STREAM}.{it}.>" for it in live]),
            ("", [f"$JS.ACK.{STREAM}.{it}.>" for it in live]),
        ),
        hear=_some(
            ("answers to what it asks", ["_INBOX_replay.>"]),
            ("what its services consume and are asked", [f"{ROOT}.>", "$SRV.>"]),
        ),
        answers_within=ANSWER_WITHIN[PRIVILEGED_READER],
    )


def _consumer_verbs() -> list[str]:
    made = [f"CREATE.{STREAM}.*", f"CREATE.{STREAM}.*.>", f"DURABLE.CREATE.{STREAM}.*"]
    return [*made, *(f"{verb}.{STREAM}.*" for verb in ("INFO", "DELETE", "MSG.NEXT"))]


def _reads(bucket: str) -> list[str]:
    return [f"{API}.STREAM.INFO.{bucket}", f"{API}.STREAM.MSG.GET.{bucket}"]


def _with_answer(entries: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    return [entry for entry in entries if entry.answer is not None]


def _without_answer(entries: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    return [entry for entry in entries if entry.answer is None]


def _is_named(role: str, parties: Iterable[str]) -> bool:
    return role in parties or "every service" in parties


def _hears_who_is_live(entries: Iterable[CatalogueEntry]) -> bool:
    return any(entry.message is ServiceAlive for entry in entries)


def _each(entries: Iterable[CatalogueEntry], cells: Sequence[str], service: str) -> list[str]:
    """The subjects of messages in these cells: of one service, or of all (`*`)."""
    anything = dict.fromkeys(("session", "step", "call", "instance", "sequence"), "*")
    return [
        entry.subject.format(cell=cell, service=service, **anything) for entry in entries for cell in cells
    ]


def _scoped(questions: Iterable[CatalogueEntry], cells: Sequence[str], service: str) -> list[str]:
    """Questions to the instance that serves one session."""
    return [f"{subject}.*" for subject in _each(questions, cells, service)]


def _some(*grants: tuple[str, list[str]]) -> tuple[Grant, ...]:
    return tuple(Grant(why, tuple(subjects)) for why, subjects in grants if subjects)
