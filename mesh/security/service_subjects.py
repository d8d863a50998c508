"""The subjects that each service needs, by use: they follow from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mesh.nats.subjects import API, STREAM, durable_name
from mesh.record.reader import PRIVILEGED_READER
from schemas.catalogue import CATALOGUE, CatalogueEntry
from schemas.mesh import ServiceAlive


@dataclass(frozen=True, slots=True)
class ServiceSubjects:
    """The subjects that a service needs, by use."""

    messages: list[str]
    """Its heartbeats are among them."""
    heartbeats: list[str]
    asks: list[str]
    checks_stream: list[str]
    reads: list[str]
    checks_consumer: list[str]
    takes: list[str]
    acknowledges: list[str]
    hears: list[str]
    answers: list[str]
    asks_who_is_live: bool


def subjects_of(name: str, role: str, cells: Sequence[str], all_services: Sequence[str]) -> ServiceSubjects:
    """The subjects of a service that has a role in the catalogue."""
    published = [entry for entry in CATALOGUE if _is_named(role, entry.publishers)]
    consumed = [entry for entry in CATALOGUE if _is_named(role, entry.consumers)]
    heartbeats = [entry for entry in published if entry.message is ServiceAlive]
    asks, answers, receives = requests_in(published), requests_in(consumed), messages_in(consumed)
    own = [durable_name(cell, name, "*") for cell in cells]
    readable = _readable(name, role, cells, all_services)
    return ServiceSubjects(
        messages=subjects_in(messages_in(published), cells, name),
        heartbeats=subjects_in(heartbeats, cells, name),
        asks=[*subjects_in(asks, cells, name), *scoped_subjects(asks, cells, name)],
        checks_stream=[f"{API}.STREAM.INFO.{STREAM}"],
        reads=[f"{API}.DIRECT.GET.{STREAM}.{it}" for it in readable],
        checks_consumer=[f"{API}.CONSUMER.INFO.{STREAM}.{it}" for it in own],
        takes=[f"{API}.CONSUMER.MSG.NEXT.{STREAM}.{it}" for it in own],
        acknowledges=[f"$JS.ACK.{STREAM}.{it}.>" for it in own],
        hears=subjects_in(receives, cells, "*"),
        answers=[*subjects_in(answers, cells, name), *scoped_subjects(answers, cells, name)],
        asks_who_is_live=any(entry.message is ServiceAlive for entry in receives),
    )


def _readable(name: str, role: str, cells: Sequence[str], all_services: Sequence[str]) -> list[str]:
    """The subjects of the record that a service reads: those it consumes but its own; for the game, all."""
    recorded = [entry for entry in CATALOGUE if entry.recorded]
    if role == PRIVILEGED_READER:
        return subjects_in(recorded, cells, "*")
    read = [entry for entry in recorded if _is_named(role, entry.consumers)]
    published_too = [entry for entry in read if _is_named(role, entry.publishers)]
    foreign = [entry for entry in read if entry not in published_too]
    others = [other for other in all_services if other != name]  # by name: a `*` would match its own
    return [
        *subjects_in(foreign, cells, "*"),
        *(it for other in others for it in subjects_in(published_too, cells, other)),
    ]


def requests_in(entries: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    """Those of the entries that are answered."""
    return [entry for entry in entries if entry.answer is not None]


def messages_in(entries: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    """Those of the entries that nobody answers."""
    return [entry for entry in entries if entry.answer is None]


def _is_named(role: str, parties: Iterable[str]) -> bool:
    return role in parties or "every service" in parties


def subjects_in(entries: Iterable[CatalogueEntry], cells: Sequence[str], service: str) -> list[str]:
    """The subjects of messages in these cells: of one service, or of all (`*`)."""
    anything = dict.fromkeys(("session", "step", "call", "instance", "sequence", "agent"), "*")
    return [
        entry.subject.format(cell=cell, service=service, **anything) for entry in entries for cell in cells
    ]


def scoped_subjects(questions: Iterable[CatalogueEntry], cells: Sequence[str], service: str) -> list[str]:
    """The subjects of requests to the instance that serves one session."""
    return [f"{subject}.*" for subject in subjects_in(questions, cells, service)]
