"""The permissions of one NATS user: what it may publish and subscribe to, and the reason for each."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Grant:
    """Subjects, and the reason for them."""

    why: str
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Import:
    """Subjects that an account imports: messages (`stream`), or requests that another account answers."""

    kind: str
    subject: str
    to: str = ""
    """Its name in the importing account; empty: the same."""
    many: bool = False
    """Whether a request has many answers."""


@dataclass(frozen=True, slots=True)
class User:
    """A NATS user and its permissions."""

    name: str
    description: str
    publish: tuple[Grant, ...]
    subscribe: tuple[Grant, ...]
    deny: tuple[Grant, ...] = field(default=())
    """Subjects that it may not publish to, whatever `publish` says."""
    answers_within: str = ""
    """The time limit of its answers; empty: it gets no requests."""
    imports: tuple[Import, ...] = ()
    """Not empty: it has an account of its own, which imports these from the account of all others."""
    exports: tuple[str, ...] = ()
    """The requests that it answers, which the account of all others imports."""


def grants(*given: tuple[str, list[str]]) -> tuple[Grant, ...]:
    """Grants of subjects, each with its reason; those without a subject are left out."""
    return tuple(Grant(why, tuple(subjects)) for why, subjects in given if subjects)
