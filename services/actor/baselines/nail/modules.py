"""NAIL's decision modules: each is a function that bids for the next command, or has none to give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from random import Random
from typing import NamedTuple

from folds.text.phrases import DARK
from folds.vocabulary.actions import DIRECTIONS, direction_of, directions_in, normal
from services.actor.baselines.affordance_table import BARE
from services.actor.baselines.affordances import commands_for, commands_for_two
from services.actor.baselines.nail.knowledge_graph import EXAMINE, TAKE_ALL, GameEntity, KnowledgeGraph
from services.actor.baselines.reading import YES_OR_NO

AT_ONCE, EXAMINING, LOOKING_FOR_MORE, WALKING, WALKING_AGAIN, IDLING = 1.0, 0.9, 0.11, 0.1, 0.01, 0.05
"""The fixed bids (NAIL's published code): questions, darkness and taking all; a known thing; a noun that may
be one; an untried way; any way; idling."""
PLAUSIBLE = 0.8
"""The bid for the most plausible command with a thing; the square of how well it suits decides."""
TURN_ON = "turn on"
RETRY = 0.3
"""The chance that a walker who knows all ways tries any of them, not one that has led somewhere."""
ALONE, WITH_ONE = 0.1, 0.8
"""Of the idler's commands, the part without a thing; and that part with those with one thing."""


class Bid(NamedTuple):
    """A command, and how eager a module is to give it."""

    eagerness: float
    command: str


Module = Callable[[KnowledgeGraph, Random], Bid | None]


def yes_no(graph: KnowledgeGraph, random: Random) -> Bid | None:
    """Answers a question that wants yes or no, by chance."""
    asked = graph.last is not None and YES_OR_NO.search(graph.last.observation)
    return Bid(AT_ONCE, random.choice(("yes", "no"))) if asked else None


def darkness(graph: KnowledgeGraph, random: Random) -> Bid | None:
    """Asks for light where it has become dark, once for each such text."""
    dark = graph.last is not None and DARK.search(graph.last.observation)
    in_vain = _last_command(graph) == TURN_ON or not graph.allows(TURN_ON)
    return Bid(AT_ONCE, TURN_ON) if dark and not in_vain else None


def hoarder(graph: KnowledgeGraph, random: Random) -> Bid | None:
    """Takes all in a new place, once; again after a death, where something could be taken."""
    wanted = TAKE_ALL not in graph.here.tried and graph.allows(TAKE_ALL)
    return Bid(AT_ONCE, TAKE_ALL) if wanted else None


def examiner(graph: KnowledgeGraph, random: Random) -> Bid | None:
    """Examines the things without a description, then the nouns that may be things."""
    for entity in graph.entities():
        command = f"{EXAMINE} {entity.name}"
        if not entity.description and command not in entity.tried and graph.allows(command):
            return Bid(EXAMINING, command)
    nouns = (f"{EXAMINE} {noun}" for noun in graph.here.candidates)
    command = next(filter(graph.allows, nouns), "")
    return Bid(LOOKING_FOR_MORE, command) if command else None


def interactor(graph: KnowledgeGraph, random: Random) -> Bid | None:
    """Does what is most plausible with the things here, of all that has not been tried with them."""
    best: Bid | None = None
    for suits, command in _interactions(graph):
        if best is None or PLAUSIBLE * suits**2 > best.eagerness:
            best = Bid(PLAUSIBLE * suits**2, command)
    return best


def navigator(graph: KnowledgeGraph, random: Random) -> Bid | None:
    """Walks: where an answer pointed, where the text points, an untried way, a known one, any."""
    untried = [way for way in DIRECTIONS if way not in graph.here.tried and graph.allows(way)]
    eagerness = WALKING if untried else random.choice((WALKING, WALKING_AGAIN))
    return Bid(eagerness, _way(graph, untried, random))


def idler(graph: KnowledgeGraph, random: Random) -> Bid | None:
    """Anything at all, by chance."""
    things, kind = [entity.name for entity in graph.entities()], random.random()
    if kind < ALONE or not things:
        commands = [command for command in BARE if graph.allows(command)]
    elif kind < WITH_ONE or len(things) < 2:
        commands = [command for command, _ in commands_for(random.choice(things))]
    else:
        commands = [command for command, _ in commands_for_two(*random.sample(things, 2))]
    commands = [command for command in commands if graph.allows(normal(command))]
    return Bid(IDLING, random.choice(commands)) if commands else None


MODULES: tuple[Module, ...] = (yes_no, darkness, hoarder, examiner, interactor, navigator, idler)
"""All modules; of equal bids the first counts."""


def elected(graph: KnowledgeGraph, random: Random) -> tuple[str, Bid]:
    """The name of the module that bids most, and its bid."""
    bids = [(module.__name__, bid) for module in MODULES if (bid := module(graph, random))]
    return max(bids, key=lambda each: each[1].eagerness)


def _interactions(graph: KnowledgeGraph) -> Iterator[tuple[float, str]]:
    """The first untried command with each thing, and with each two of them, and how well it suits."""
    entities = list(graph.entities())
    suiting = [(entity, commands_for(entity.name)) for entity in entities]
    suiting += (
        (entity, commands_for_two(entity.name, other.name)) for entity, other in permutations(entities, 2)
    )
    for entity, commands in suiting:
        for command, suits in commands:
            if _is_untried(graph, entity, command):
                yield suits, command
                break


def _is_untried(graph: KnowledgeGraph, entity: GameEntity, command: str) -> bool:
    said = normal(command)
    in_hand = said == f"take {entity.name}" and graph.is_held(entity)
    return said not in entity.tried and not in_hand and graph.allows(said)


def _way(graph: KnowledgeGraph, untried: list[str], random: Random) -> str:
    suggested = [way for way in graph.suggested if graph.allows(way) and way != _last_command(graph)]
    if suggested:
        return random.choice(suggested)
    text = graph.last.observation if graph.last else ""
    mentioned = [way for way in directions_in(text) if way in untried]
    known = [way for way in graph.map.exits.get(graph.room, {}) if direction_of(way) and graph.allows(way)]
    if mentioned:
        return mentioned[0]
    if untried:
        return random.choice(untried)
    if known and random.random() > RETRY:
        return random.choice(known)
    return random.choice(DIRECTIONS)


def _last_command(graph: KnowledgeGraph) -> str:
    return normal(graph.last.action or "") if graph.last else ""
