"""Commands that suit a thing, by its kind and the broader kinds, each with how well it suits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from folds.vocabulary.words import head_of, is_person
from services.actor.baselines.affordance_table import FIXED, HOLDING, KINDS, PAIRS, PERSON, THING

OWN, BROADER, ANY = 1.0, 0.5, 0.2
"""How well a verb suits a thing: as one of its kind, of a broader kind, or of the kind of all things."""
LAST = 0.5
"""What the last verb of a kind has of the first one's share."""
TAKING = 0.6
"""How well `take` suits any thing that is not known to be fixed."""


@lru_cache(maxsize=4096)
def kinds_of(noun: str) -> tuple[str, ...]:
    """The kinds of a thing by its noun; `thing`, if nothing more is known."""
    head = head_of(noun)
    names = (head, head.removesuffix("s"))
    found = [kind for kind, row in KINDS.items() if not row.nouns.isdisjoint(names)]
    if is_person(head) and not any(PERSON in _chain(kind) for kind in found):
        found.append(PERSON)
    return tuple(found) or (THING,)


def is_a(noun: str, kind: str) -> bool:
    """Whether a thing is of a kind, or of a narrower one."""
    return kind in _roles(noun)


def is_fixed(noun: str) -> bool:
    """Whether a thing is of a kind that nobody takes."""
    return HOLDING not in _roles(noun)


@lru_cache(maxsize=4096)
def commands_for(noun: str) -> tuple[tuple[str, float], ...]:
    """The commands that suit a thing, with how well, the best first."""
    suits: dict[str, float] = {}
    for kind in kinds_of(noun):
        for verb, share in _verbs_of(kind):
            suits[verb] = max(share, suits.get(verb, 0.0))
    if not is_fixed(noun):
        suits["take"] = max(TAKING, suits["take"])
    ranked = sorted(suits.items(), key=lambda each: -each[1])
    return tuple((f"{verb} {noun}", share) for verb, share in ranked)


@lru_cache(maxsize=16_384)
def commands_for_two(noun: str, other: str) -> tuple[tuple[str, float], ...]:
    """The commands that suit two things together, in this order, with how well, the best first."""
    roles, others = _roles(noun), _roles(other)
    return tuple(
        (f"{verb} {noun} {between} {other}", OWN - (OWN - LAST) * at / len(PAIRS))
        for at, (verb, kind, between, with_kind) in enumerate(PAIRS)
        if kind in roles and with_kind in others
    )


@lru_cache(maxsize=4096)
def _roles(noun: str) -> frozenset[str]:
    """The kinds of a thing and all broader ones; `HOLDING`, unless it is fixed."""
    kinds = frozenset(each for kind in kinds_of(noun) for each in _chain(kind))
    return kinds if kinds & FIXED else kinds | {HOLDING}


def _verbs_of(kind: str) -> Iterator[tuple[str, float]]:
    for depth, name in enumerate(_chain(kind)):
        verbs = KINDS[name].verbs
        share = ANY if name == THING else OWN if depth == 0 else BROADER
        for at, verb in enumerate(verbs):
            yield verb, share * (1 - (1 - LAST) * at / len(verbs))


def _chain(kind: str) -> tuple[str, ...]:
    """A kind and the broader ones."""
    return (kind, *_chain(KINDS[kind].broader)) if kind else ()
