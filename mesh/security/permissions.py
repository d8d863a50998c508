"""The permissions of the users on a NATS server with one user per service.

They follow from the catalogue. A service may publish the messages for which the catalogue names it,
subscribe to and read those that it consumes, and read its own consumer. It may not create, change or delete
streams and consumers.

In NATS a request may name any subject for the answer, and the answer to a direct get is the stored bytes. So
no user may read by direct get what it may publish: it could have the server publish it on another subject.
Only the game service may, because it executes actions. See docs/decisions/0016-one-user-per-service.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mesh.nats.subjects import API, GUEST_API, ROOT, STREAM, durable_name, offer_subject
from mesh.record import snapshots, stories
from mesh.record.reader import PRIVILEGED_READER
from mesh.security.grants import Grant, Import, User, grants
from mesh.security.service_subjects import (
    ServiceSubjects,
    requests_in,
    scoped_subjects,
    subjects_in,
    subjects_of,
)
from schemas.catalogue import CATALOGUE, PARTIES
from schemas.experience import ForgetExperience
from schemas.fragment import FragmentGiven
from schemas.language_model import ModelAsked
from schemas.memory import AskMemory
from schemas.mesh import DeadLetter, RetryDeadLetter, ServiceAlive

COMMANDS = "lantern"
"""The name of the command line in the catalogue."""

AGENT = "hint"
"""A sub-agent of the user's own has the permissions of this one, under its own name."""

ANSWER_WITHIN = {PRIVILEGED_READER: "15m"}
"""The time limit of a service's answers, because a resume replays a whole session. Others: a minute."""

EMULATING = (PRIVILEGED_READER, "planner")
"""The services that play stories in emulators."""

ASKS_ALL = "$SRV.*"

OPERATORS = (RetryDeadLetter, ForgetExperience)
"""The requests of the command line that change what is kept: the player may not make them."""


def users_of(cells: Sequence[str], agents: Sequence[str]) -> list[User]:
    """All users: our services, the sub-agents, the command line, the operator, and replays."""
    ours = [name for name in PARTIES if name != COMMANDS]
    return [
        *(_service(name, cells, [*ours, *agents]) for name in ours),
        *(_agent(name, cells, [*ours, *agents]) for name in agents),
        _player(cells),
        _viewer(cells),
        _operator(),
        _replay(cells, [*ours, *agents]),
    ]


def _service(name: str, cells: Sequence[str], all_services: Sequence[str]) -> User:
    own = subjects_of(name, name, cells, all_services)
    return User(
        name,
        "a service",
        publish=grants(
            ("its messages", own.messages),
            ("its requests", own.asks),
            ("asks which services are live", [ASKS_ALL] if own.asks_who_is_live else []),
            ("checks the stream", own.checks_stream),
            ("reads the record", own.reads),
            ("checks its consumer", own.checks_consumer),
            ("reads its consumer", own.takes),
            ("acknowledges", own.acknowledges),
            *(_game_grants(cells, all_services) if name == PRIVILEGED_READER else ()),
            ("reads stories", _reads(stories.STREAM) if name in EMULATING else []),
        ),
        subscribe=_heard(name, own),
        answers_within=ANSWER_WITHIN.get(name, "1m"),
    )


def _agent(name: str, cells: Sequence[str], all_services: Sequence[str]) -> User:
    """A sub-agent of the user's own, in an account of its own.

    No answer can be led to a subject of another account, so it can neither occupy a subject of the record nor
    reach another's inbox. It writes nothing into the stream, but offers its messages to the game.
    """
    own = subjects_of(name, AGENT, cells, all_services)
    offers = [offer_subject(cell, "*", name) for cell in cells]
    asks = [*own.heartbeats, *own.asks]
    once = _as_guest([*own.checks_stream, *own.reads, *own.checks_consumer])
    many = _as_guest(own.takes)
    return User(
        name,
        "a sub-agent of the user's own",
        publish=grants(
            ("offers its messages to the game", offers),
            ("its requests and its heartbeat", asks),
            ("finds out which account it has", own.checks_stream),
            ("reads the record and its consumer", [*once.values(), *many.values()]),
            ("acknowledges", own.acknowledges),
            ("asks which services are live", [ASKS_ALL]),
        ),
        subscribe=_heard(name, own),
        answers_within=ANSWER_WITHIN.get(name, "1m"),
        imports=(
            *(Import("service", subject) for subject in (*offers, *asks, *own.acknowledges)),
            *(Import("service", subject, guest) for subject, guest in once.items()),
            *(Import("service", subject, guest, many=True) for subject, guest in many.items()),
            *(Import("stream", subject) for subject in own.hears),
        ),
        exports=tuple(own.answers),
    )


def _heard(name: str, own: ServiceSubjects) -> tuple[Grant, ...]:
    return grants(
        ("answers to its requests", [f"_INBOX_{name}.>"]),
        ("messages that it consumes", own.hears),
        ("requests to it", own.answers),
        ("discovery (NATS micro)", [ASKS_ALL, f"{ASKS_ALL}.{name}", f"{ASKS_ALL}.{name}.*"]),
    )


def _as_guest(subjects: Iterable[str]) -> dict[str, str]:
    """The names under which an account of its own imports subjects of the JetStream API."""
    return {subject: GUEST_API + subject.removeprefix(API) for subject in subjects}


def _game_grants(cells: Sequence[str], all_services: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The further permissions of the game service."""
    agents = [name for name in all_services if name not in PARTIES]
    taken = [entry for entry in CATALOGUE if entry.message in (FragmentGiven, ModelAsked, DeadLetter)]
    return [
        ("stores what sub-agents offer", [it for name in agents for it in subjects_in(taken, cells, name)]),
        ("replaces an earlier end or resume at the same step", [f"{API}.STREAM.MSG.DELETE.{STREAM}"]),
        ("reads snapshots", _reads(snapshots.STREAM)),
        ("writes snapshots", [f"$KV.{snapshots.BUCKET}.{cell}.>" for cell in cells]),
    ]


def _player(cells: Sequence[str]) -> User:
    published = [entry for entry in CATALOGUE if COMMANDS in entry.publishers]
    asks = [entry for entry in requests_in(published) if entry.message not in OPERATORS]
    heartbeats = [entry for entry in CATALOGUE if entry.message is ServiceAlive]
    return User(
        "player",
        "the command line: plays and inspects sessions, and changes no record",
        publish=grants(
            ("its requests", [*subjects_in(asks, cells, "*"), *scoped_subjects(asks, cells, "*")]),
            ("asks which services are live", [ASKS_ALL]),
            ("checks the stream", [f"{API}.STREAM.INFO.{STREAM}"]),
            ("reads every record", [f"{API}.DIRECT.GET.{STREAM}", f"{API}.DIRECT.GET.{STREAM}.>"]),
            ("stores stories", [*_reads(stories.STREAM), f"$O.{stories.BUCKET}.>"]),
        ),
        subscribe=grants(
            ("answers to its requests", ["_INBOX_player.>"]),
            ("heartbeats", subjects_in(heartbeats, cells, "*")),
        ),
    )


def _viewer(cells: Sequence[str]) -> User:
    asks = [entry for entry in CATALOGUE if entry.message is AskMemory]
    return User(
        "viewer",
        "the web page without --control: reads every record, and can neither play nor change anything",
        publish=grants(
            ("asks the memory", [*subjects_in(asks, cells, "*"), *scoped_subjects(asks, cells, "*")]),
            ("asks which services are live", [ASKS_ALL]),
            ("checks the stream", [f"{API}.STREAM.INFO.{STREAM}"]),
            ("reads every record", [f"{API}.DIRECT.GET.{STREAM}", f"{API}.DIRECT.GET.{STREAM}.>"]),
        ),
        subscribe=grants(("answers to its requests", ["_INBOX_viewer.>"])),
    )


def _operator() -> User:
    buckets = [f"$O.{stories.BUCKET}.>", f"$KV.{snapshots.BUCKET}.>"]
    return User(
        "operator",
        "provisions, imports and deletes; retries and drops dead letters",
        publish=grants(
            ("streams, buckets, consumers", [f"{API}.>", *buckets]),
            ("imports and requests", [f"{ROOT}.>", "$SRV.>"]),
        ),
        subscribe=grants(
            ("answers to its requests", ["_INBOX_operator.>"]),
            ("all messages", [f"{ROOT}.>"]),
        ),
    )


def _replay(cells: Sequence[str], services: Iterable[str]) -> User:
    live = [durable_name(cell, name, "*") for cell in cells for name in services]
    return User(
        "replay",
        "replays recorded sessions in cells of its own; it can change nothing in a live cell",
        publish=grants(
            ("messages and requests of its services", [f"{ROOT}.>", ASKS_ALL]),
            ("checks the stream", [f"{API}.STREAM.INFO.{STREAM}"]),
            ("reads every record", [f"{API}.DIRECT.GET.{STREAM}", f"{API}.DIRECT.GET.{STREAM}.>"]),
            ("creates and reads consumers", [f"{API}.CONSUMER.{it}" for it in _consumer_verbs()]),
            ("acknowledges", [f"$JS.ACK.{STREAM}.>"]),
            ("reads stories", _reads(stories.STREAM)),
            ("reads and writes snapshots", [*_reads(snapshots.STREAM), f"$KV.{snapshots.BUCKET}.>"]),
        ),
        deny=grants(
            ("live cells", [f"{ROOT}.{cell}.>" for cell in cells]),
            ("live snapshots", [f"$KV.{snapshots.BUCKET}.{cell}.>" for cell in cells]),
            ("live consumers", [f"{API}.CONSUMER.*.{STREAM}.{it}" for it in live]),
            ("", [f"{API}.CONSUMER.*.*.{STREAM}.{it}" for it in live]),
            ("", [f"{API}.CONSUMER.CREATE.{STREAM}.{it}.>" for it in live]),
            ("", [f"$JS.ACK.{STREAM}.{it}.>" for it in live]),
        ),
        subscribe=grants(
            ("answers to its requests", ["_INBOX_replay.>"]),
            ("messages and requests to its services", [f"{ROOT}.>", "$SRV.>"]),
        ),
        answers_within=ANSWER_WITHIN[PRIVILEGED_READER],
    )


def _consumer_verbs() -> list[str]:
    made = [f"CREATE.{STREAM}.*", f"CREATE.{STREAM}.*.>", f"DURABLE.CREATE.{STREAM}.*"]
    return [*made, *(f"{verb}.{STREAM}.*" for verb in ("INFO", "DELETE", "MSG.NEXT"))]


def _reads(bucket: str) -> list[str]:
    return [f"{API}.STREAM.INFO.{bucket}", f"{API}.STREAM.MSG.GET.{bucket}"]
