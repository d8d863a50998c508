"""A fight goes on until it is decided."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, is_person, words_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.people.talking import people_here
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.kinds import ANIMALS, MONSTERS, WEAPONS
from services.actor.knowledge.texts import HOSTILE

_IMPROVISED = frozenset(
    "shovel spade branch limb stick pole rod bar wrench bottle torch cane broom shears scissors".split()
)
"""Weapons for who has none that is made for it."""
_THROWN = frozenset("axe knife dagger spear hammer rock".split())
_MISSILE = re.compile(
    r"\b(?:throws|hurls|flings|lobs|tosses) (?:an?|the|his|her|its) (?P<thing>[a-z' -]{2,40}?) at you\b"
    r"(?=[^.!?]*\bmiss)",
    re.I,
)
_BARRING = re.compile(
    r"\b(?P<foe>[a-z-]+) (?:blocks|bars|stands in|guards|(?:wo|do|does)n't let|will not let|"
    r"refuses? to let|stops you|prevents you|snarls|growls)\b",
    re.I,
)
"""Who is in the way: `The dog blocks your path.`"""
_BARE_HANDS = re.compile(r"\bbare[ -]hand", re.I)
_THROWING = re.compile(r"throw (?P<thing>\S+) at ")
_BLOWS = 8
_GOES_ON, _ARMED, _THROW, _UNARMED = 80.0, 78.0, 74.0, 50.0
_PICK_UP, _BEGUN = 96.0, 50.0
_IN_THE_WAY, _THROW_AT = 34.0, 16.0


def fight(context: OptionContext) -> Iterator[Idea]:
    """A blow is repeated, up to eight times, while the answers change; whoever attacks is attacked, and a
    monster, with a weapon in hand.

    What was thrown is picked up.
    """
    blow = normal(context.step.action or "")
    yield from _thrown(blow, context) if context.blind else ()
    if _is_undecided(blow, context):
        yield Idea(blow, "the fight goes on", _GOES_ON, insists=True)
    held = context.known.belongings.names
    kinds = (WEAPONS, _IMPROVISED)
    made = (head_of(name) for kind in kinds for name in held if not kind.isdisjoint(words_of(name)))
    weapons = tuple(dict.fromkeys(made))
    for foe in (noun for noun in context.scope if context.blind and noun in MONSTERS):
        for weapon in weapons:
            yield Idea(normal(f"attack {foe} with {weapon}"), "a monster, and a weapon in hand", _BEGUN)
    yield from _at_who_is_in_the_way(weapons, context) if context.blind else ()
    if context.known.dangers.attacked:
        attackers = list(_attackers_in(context.step.observation))
        for foe in dict.fromkeys((*people_here(context), *attackers)):
            fit = (each for each in weapons if not context.has_failed(f"attack {foe} with {each}"))
            weapon = next(chain(fit, weapons), "")
            armed = normal(f"attack {foe} with {weapon}")
            is_armed = bool(weapon) and not context.known.refusals.is_unknown_verb_of(armed)
            action = armed if is_armed else f"attack {foe}"
            insists = foe in attackers and context.done.get(action, 0) < _BLOWS
            yield Idea(action, "it attacks", _ARMED if is_armed else _UNARMED, insists)
            if weapon in _THROWN:
                yield Idea(normal(f"throw {weapon} at {foe}"), "it attacks", _THROW, insists)


def _at_who_is_in_the_way(weapons: Iterable[str], context: OptionContext) -> Iterator[Idea]:
    """An animal or a monster that bars a way is attacked, and things are thrown at it."""
    said = " ".join(context.known.map.barred(context.room).values())
    for foe in dict.fromkeys(found["foe"].lower() for found in _BARRING.finditer(said)):
        if {foe, foe.removesuffix("s")}.isdisjoint(MONSTERS | ANIMALS):
            continue
        yield Idea(f"attack {foe}", "it is in the way", _IN_THE_WAY)
        yield from (
            Idea(normal(f"attack {foe} with {each}"), "it is in the way", _IN_THE_WAY) for each in weapons
        )
        for noun in context.held_nouns:
            yield Idea(normal(f"throw {noun} at {foe}"), "it is in the way", _THROW_AT)


def _attackers_in(text: str) -> Iterator[str]:
    """Who does it, where a text tells of an attack: `The dwarf throws a nasty little knife at you`."""
    for attack in HOSTILE.finditer(text):
        before = words_of(re.split(r"[.!?]", text[: attack.start()])[-1])
        yield from islice((word for word in reversed(before) if is_person(word) or word in ANIMALS), 1)


def _thrown(action: str, context: OptionContext) -> Iterator[Idea]:
    """What was thrown at the player and has missed, unless it proved to be gone before; or by the player."""
    held = context.known.belongings
    for missile in _MISSILE.finditer(context.step.observation):
        noun = head_of(missile["thing"])
        if f"take {noun}" not in context.done_anywhere or noun in held.once_held:
            yield Idea(f"take {noun}", "it was thrown, and has missed", _PICK_UP, insists=True)
    thrown = _THROWING.match(action)
    if thrown and thrown["thing"] in held.once_held and thrown["thing"] not in held.words:
        yield Idea(f"take {thrown['thing']}", "it was thrown", _PICK_UP, insists=True)


def _is_undecided(blow: str, context: OptionContext) -> bool:
    """Whether a blow was struck just now, and answered in other words than the one before it."""
    if action_kind_of(blow) is not ActionKind.ATTACK or context.done.get(blow, 0) >= _BLOWS:
        return False
    known = context.known
    is_answered = known.dangers.attacked or known.rates.of_verb("attack").effects > 0
    is_news = len(known.answers.streak) < 2 and not known.answers.is_stock(blow, context.step.observation)
    is_refused = known.refusals.is_unknown_verb_of(blow) or _BARE_HANDS.search(context.step.observation)
    return is_answered and is_news and not is_refused
