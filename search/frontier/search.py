"""The frontier search: epochs from the opening and from ancestors of the best way."""

from __future__ import annotations

from functools import partial

from search.frontier.bursts import Burster
from search.frontier.calibration import Calibration, absent_answers, absent_nouns
from search.frontier.deeds import DeedReader
from search.frontier.empty_hands import EmptyHands
from search.frontier.expansion import FIRST, Expander
from search.frontier.facts.reader import FactReader
from search.frontier.nodes import CellKind, DeedCell, Frontier
from search.frontier.parts import FrontierOptions, SearchPart
from search.frontier.persistence import WAIT, AnswerMemory, Persister
from search.frontier.scene import SceneReader
from search.frontier.spoken_verbs import SpokenVerbs
from search.frontier.sweep import Walker
from search.frontier.trying import Trier
from search.frontier.units.units import Units
from search.grafting import Grafter
from search.shortening import shorten
from search.task import Task
from zmachine.grammar.phrases import Phrase, phrases_in
from zmachine.grammar.topics import topic_phrases, word_phrases

EPOCH, LONGER = 8_000, 1.3
"""Probes without a better score, after which an epoch ends; by the factor more after each epoch in vain."""

GRAFTED = 0.5
"""Of an epoch's probes, so many more may be spent on grafting, at most."""
ROUGHLY = 4
"""Actions that are left out of the best list at once, at least, after an epoch in vain: what is done sooner
has more light and time before it."""


def frontier_search(task: Task) -> None:
    """Search until the probes are spent."""
    environment, without = task.environment, FrontierOptions.of(task.order.options).without
    facts, scenes = FactReader(environment), SceneReader(environment)
    walker = Walker(environment, facts, scenes, task.random)
    start = environment.save()

    def examinable() -> list[str]:
        return [thing.noun for thing in scenes.scene(environment.tree(), ()).things]

    phrases = (*phrases_in(environment.frotz.story(), environment.tables.dictionary), Phrase(WAIT, ()))
    single = [phrase.text for phrase in phrases]
    absent = absent_nouns(environment, scenes)
    Calibration(environment, facts, walker.directions, examinable, single, absent).run()
    facts.keep()
    environment.restore(start)
    base = facts.vector()
    story, dictionary = environment.frotz.story(), environment.tables.dictionary
    topical = (*topic_phrases(story, dictionary), *word_phrases(story, dictionary))
    opening = DeedCell(start, None, (), 0)
    deeds = DeedReader(environment, facts, walker, Frontier(task.random), base)
    walker.is_news = lambda score, memory, changed: bool(
        deeds.news(score, tuple((at, int(memory[at])) for at in changed))
    )
    persister = Persister(deeds, AnswerMemory(scenes), without)
    spoken = SpokenVerbs(environment, scenes)

    def new_units() -> Units:
        units = Units(phrases, topical, walker.topics, task.random, without)
        units.add(spoken.phrases)
        return units

    unseen = absent_answers(environment, absent)
    trier = Trier(deeds, walker, new_units(), persister, spoken, task.random, unseen, without)
    burster = Burster(deeds, walker, trier.units, task.random, without)
    empty_hands = EmptyHands(deeds, walker, task.random, without)
    expander = Expander(
        environment, facts, walker, trier, deeds, burster, empty_hands, partial(report, task), without
    )
    forgets = SearchPart.FORGETTING not in without and task.order.number % 2 == 0
    grafter = Grafter(task)
    grafter.learn(task.best)
    patience, first, shortened = float(EPOCH), opening, task.best_score
    while True:
        deeds.frontier = Frontier(task.random)
        expander.best = None
        expander.earned.clear()
        empty_hands.forget()
        trier.units = burster.units = new_units()
        if forgets:
            facts.forget()
            walker.forget_ways()
        best, began = task.best_score, environment.probes
        epoch(task, expander, grafter, opening, first, patience)
        if SearchPart.GRAFTING not in without:
            graft(task, expander, grafter, int(GRAFTED * (environment.probes - began)))
        in_vain = task.best_score <= best
        patience = patience * LONGER if in_vain else EPOCH
        if in_vain and task.best_score > shortened and SearchPart.SHORTENING not in without:
            shorten(task, ROUGHLY)
            shortened = task.best_score
        if SearchPart.ANCESTORS not in without:
            first = starting_node(task, opening)


def starting_node(task: Task, opening: DeedCell) -> DeedCell:
    """Of an epoch but the first: the opening, or a position on the best way so far."""
    environment = task.environment
    if not task.best or task.random.random() < 0.4:
        return opening
    cut = task.random.randrange(len(task.best))
    environment.restart()
    for action in task.best[:cut]:
        environment.step(action)
    return opening.after(task.best[:cut], environment.save())


def graft(task: Task, expander: Expander, grafter: Grafter, most: int) -> None:
    """Do an epoch's best list, and the best of all, again together with what others have earned.

    Tells other processes of what was new. `most`: probes for each of the two.
    """
    for node in expander.earned.values():
        known = len(grafter)
        trace = grafter.learn(node.route())
        if len(grafter) > known:
            task.channel.earned(trace.actions, trace.score, task.environment.probes)
    if expander.best is not None:
        grafter.improve(expander.best.route(), most)
    grafter.improve_best(most)


def exchange(task: Task, frontier: Frontier, grafter: Grafter, opening: DeedCell) -> None:
    """Learn how another process has earned points; expand next what is better than all here."""
    for exchanged in task.channel.exchanged():
        grafter.learn(exchanged.actions)
        if exchanged.score > task.best_score and task.offer(exchanged.actions) == exchanged.score:
            position = task.environment.save()
            if not position.done:
                frontier.push(CellKind.NEW, FIRST, opening.after(exchanged.actions, position))


def epoch(
    task: Task, expander: Expander, grafter: Grafter, opening: DeedCell, first: DeedCell, patience: float
) -> None:
    """Expand cells until none is left, or nothing better comes."""
    environment, frontier = task.environment, expander.frontier
    node: DeedCell | None = first
    began, best = environment.probes, first.score
    last = began
    while node is not None and environment.probes - last < max(patience, last - began):
        expander.expand(node)
        if expander.best is not None and expander.best.score > best:
            last, best = environment.probes, expander.best.score
        expander.report_best()
        exchange(task, frontier, grafter, opening)
        task.channel.progress(environment.probes, len(frontier))
        node = frontier.pop()


def report(task: Task, node: DeedCell) -> None:
    """Replay what leads to a node, and tell of it if it is better than the best."""
    if node.score > task.best_score and (got := task.offer(node.route())) != node.score:
        task.channel.progress(task.environment.probes, note=f"false claim {node.score} {got}")
