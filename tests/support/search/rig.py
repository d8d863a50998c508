"""The parts of the frontier search on a story, and a task whose channel leads nowhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, cast

from search.channel import Channel
from search.environment import Environment, SearchStopped
from search.frontier.calibration import Calibration
from search.frontier.deeds import DeedReader
from search.frontier.facts.reader import FactReader
from search.frontier.nodes import Frontier
from search.frontier.persistence import AnswerMemory, Persister
from search.frontier.scene import SceneReader
from search.frontier.spoken_verbs import SpokenVerbs
from search.frontier.sweep import Walker
from search.frontier.trying import Trier
from search.frontier.units.units import Units
from search.messages import Exchanged, Order
from search.task import Task
from zmachine.grammar.phrases import phrases_in

STORIES = Path(__file__).parents[2] / "integration" / "stories"
PROBES = 4000
FIRST_POINTS = ("north", "up", "west", "open cupboard", "take brass lamp")
"""Earn two points in the bundled story."""


@dataclass
class Rig:
    """The parts of a search, put together on a story."""

    environment: Environment
    facts: FactReader = field(init=False)
    scenes: SceneReader = field(init=False)
    walker: Walker = field(init=False)
    deeds: DeedReader = field(init=False)
    trier: Trier = field(init=False)

    def __post_init__(self) -> None:
        environment, random = self.environment, Random(1)
        self.facts, self.scenes = FactReader(environment), SceneReader(environment)
        self.walker = Walker(environment, self.facts, self.scenes, random)
        start = environment.save()
        phrases = phrases_in(environment.frotz.story(), environment.tables.dictionary)
        texts = [phrase.text for phrase in phrases]
        Calibration(environment, self.facts, self.walker.directions, lambda: (), texts, ()).run()
        environment.restore(start)
        units = Units(phrases, (), self.walker.topics, random)
        self.deeds = DeedReader(environment, self.facts, self.walker, Frontier(random), self.facts.vector())
        self.walker.is_news = lambda score, memory, changed: bool(changed)
        persister = Persister(self.deeds, AnswerMemory(self.scenes))
        spoken = SpokenVerbs(environment, self.scenes)
        self.trier = Trier(self.deeds, self.walker, units, persister, spoken, random, frozenset())

    def changed(self, *actions: str) -> list[int]:
        before = self.facts.vector()
        for action in actions:
            self.environment.step(action)
        return self.facts.changes(before, self.facts.vector())


class SilentChannel:
    """A channel that keeps what it is told."""

    def __init__(self) -> None:
        self.lists: list[Sequence[str]] = []
        self.earnings: list[Sequence[str]] = []
        self.others: list[Exchanged] = []

    def improved(self, actions: Sequence[str], score: int, probes: int) -> None:
        self.lists.append(actions)

    def progress(self, probes: int, cells: int = 0, note: str = "") -> None:
        assert not note

    def earned(self, actions: Sequence[str], score: int, probes: int) -> None:
        self.earnings.append(actions)

    def exchanged(self) -> list[Exchanged]:
        return self.others


def a_task(environment: Environment, channel: SilentChannel, **options: Any) -> Task:
    order = Order("", "frontier", 0, 1, PROBES, options)
    return Task(environment, order, cast("Channel", channel), Random(1), environment.opening.score)


def stop_at(probes: int) -> Callable[[int], None]:
    def check(spent: int) -> None:
        if spent >= probes:
            raise SearchStopped

    return check
