"""Golovin's generators, each a function that proposes a command, or has none to propose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random

from folds.text.phrases import PITCH_DARK
from folds.vocabulary.actions import DIRECTIONS, OPPOSITE, normal
from services.actor.baselines.affordance_table import CREATURE
from services.actor.baselines.affordances import commands_for, commands_for_two, is_a
from services.actor.baselines.golovin.memory import BLOWS, FIGHTING, GolovinMemory
from services.actor.baselines.roulette import spin
from services.actor.policy import Choice

GATHERED = 7
"""How many nouns of a place are taken one by one before `take all`."""
FIRST_ACTIONS, MOVES_PER_ACTION = 15, 7
"""Commands in a place before it is left, and moves that allow each further one."""
PRIMARY = DIRECTIONS[:4]
"""The ways that are tried before all others."""

Generator = Callable[[GolovinMemory, Random], Choice | None]


def battle(memory: GolovinMemory, random: Random) -> Choice | None:
    """Strikes five times in a row at whoever is an enemy."""
    last = normal(memory.last.action or "") if memory.last else ""
    if 0 < memory.blows < BLOWS:
        return Choice(last, f"battle: blow {memory.blows + 1} of {BLOWS}")
    enemies = [noun for noun in memory.here.nouns if is_a(noun, CREATURE)]
    commands = _commands(memory, enemies, memory.things)
    return _spun(memory, random, ((c, w) for c, w in commands if c.startswith(FIGHTING)), "battle")


def retreat(memory: GolovinMemory, random: Random) -> Choice | None:
    """Leaves the dark by the way that led into it."""
    if memory.last is None or not PITCH_DARK.search(memory.last.observation):
        return None
    back = OPPOSITE.get(normal(memory.last.action or ""))
    return Choice(back, "it is dark") if back and not memory.bans(memory.room, back) else None


def gathering(memory: GolovinMemory, random: Random) -> Choice | None:
    """Takes the rarest nouns of the place, and then all."""
    nouns = sorted(memory.here.nouns, key=memory.rarity, reverse=True)[:GATHERED]
    for command in (*(f"take {noun}" for noun in nouns), "take all"):
        if command not in memory.here.gathered and not memory.bans(memory.room, command):
            return Choice(command, "gathering")
    return None


def inventory(memory: GolovinMemory, random: Random) -> Choice | None:
    """Uses what was just taken."""
    if not memory.tries_with_taken:
        return None
    return _spun(memory, random, _commands(memory, [memory.taken], memory.here.nouns), "inventory")


def general(memory: GolovinMemory, random: Random) -> Choice | None:
    """Does anything with the things here, until the place has had its share of commands."""
    if memory.here.actions - FIRST_ACTIONS > memory.moves / MOVES_PER_ACTION:
        return None
    return _spun(memory, random, _commands(memory, memory.things, memory.things), "general")


def exploration(memory: GolovinMemory, random: Random) -> Choice | None:
    """Walks an untried way, or towards a place that promises more, or any way."""
    untried = memory.untried_ways(memory.room)
    if ways := [way for way in untried if way in PRIMARY] or untried:
        return Choice(random.choice(ways), "exploration: an untried way")
    if first := _towards_promising(memory):
        return Choice(first, "exploration: towards a promising place")
    return Choice(random.choice(DIRECTIONS), "exploration: any way")


GENERATORS: tuple[Generator, ...] = (battle, retreat, gathering, inventory, general, exploration)
"""In the order in which they are asked."""


def _towards_promising(memory: GolovinMemory) -> str:
    """The first move towards the place with most to try for its distance; empty: there is none."""
    best, first = 0.0, ""
    for route in memory.map.reachable(memory.room, memory.bans):
        if route.actions:
            promise = _left_to_try(memory, route.room) / len(route.actions)
            best, first = max((best, first), (promise, route.actions[0]), key=lambda each: each[0])
    return first


def _left_to_try(memory: GolovinMemory, room: str) -> float:
    place = memory.places.get(room)
    left = max(0, FIRST_ACTIONS - place.actions) / FIRST_ACTIONS if place else 1.0
    return left + len(memory.untried_ways(room))


def _commands(
    memory: GolovinMemory, nouns: Iterable[str], others: Iterable[str]
) -> Iterator[tuple[str, float]]:
    """Commands with their weights: how well they suit, less for each noun that many texts have."""
    others = tuple(others)
    for noun in nouns:
        yield from _weighted(commands_for(noun), memory.rarity(noun))
        for other in others:
            if other != noun:
                rarity = memory.rarity(noun) * memory.rarity(other)
                yield from _weighted(commands_for_two(noun, other), rarity)
                yield from _weighted(commands_for_two(other, noun), rarity)


def _weighted(commands: Iterable[tuple[str, float]], by: float) -> Iterator[tuple[str, float]]:
    return ((command, suits * by) for command, suits in commands)


def _spun(
    memory: GolovinMemory, random: Random, weighted: Iterable[tuple[str, float]], generator: str
) -> Choice | None:
    weights = {command: weight for command, weight in weighted if not memory.bans(memory.room, command)}
    chosen = spin(random, weights)
    return Choice(chosen, generator) if chosen else None
