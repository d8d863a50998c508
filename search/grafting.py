"""Joins lists of actions: what has earned points in one of them is done in another as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from search.environment import Place, SavedPosition
from search.routes import Route, Ways, routes_from
from search.task import Task

Earning = tuple[Place, str, int]
"""Where an action has earned points, the action, and how many."""
BEFORE = 3
"""Earnings before the one in question, the actions of which may have made it possible."""
FARTHEST = 40
"""Moves of a walk between a list and a graft."""
KEPT = 6
"""Grafts that earn the same."""
DETOURS = 3
"""Walks that are begun again, where a move has led elsewhere."""


@dataclass(frozen=True, slots=True)
class Graft:
    """Actions that have earned points at their end, and the place before each."""

    actions: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A list, and what it leads to."""

    actions: tuple[str, ...]
    positions: list[SavedPosition]
    """Before each action, and at the end."""
    places: list[Place]
    earnings: list[tuple[int, Earning]]
    """Each with the number of actions up to it."""

    @property
    def score(self) -> int:
        """At the end."""
        return self.positions[-1].score


class Grafter:
    """Remembers how points were earned, and grafts that into other lists."""

    def __init__(self, task: Task) -> None:
        self._task, self._environment = task, task.environment
        self._grafts: dict[Earning, list[Graft]] = {}
        """The shortest first."""
        self._ways: Ways = {}
        """Where actions of lists have led."""
        self._routes: dict[Place, dict[Place, Route]] = {}
        self._known_before = 0
        """Ways to earn points when the best list was improved last."""

    def __len__(self) -> int:
        """In how many ways points were earned."""
        return len(self._grafts)

    def learn(self, actions: Sequence[str]) -> Trace:
        """Replay a list from the opening, and remember how it earns points."""
        environment = self._environment
        outcome = environment.restart()
        positions, places = [environment.save()], [environment.place()]
        earnings: list[tuple[int, Earning]] = []
        for number, action in enumerate(actions, 1):
            if outcome.done:
                break
            score, outcome = outcome.score, environment.step(action)
            positions.append(environment.save())
            places.append(environment.place())
            if places[-1] != places[-2]:
                self._note_way(places[-2], action, places[-1])
            if outcome.score > score:
                earnings.append((number, (places[-2], action, outcome.score - score)))
        trace = Trace(tuple(actions[: len(positions) - 1]), positions, places, earnings)
        starts = [0, *(number for number, _ in earnings)]
        for at, (end, earning) in enumerate(earnings):
            began = starts[max(0, at - BEFORE) : at + 1]
            grafts = [Graft(trace.actions[start:end], tuple(places[start:end])) for start in began]
            known = {*self._grafts.get(earning, ()), *grafts}
            self._grafts[earning] = sorted(known, key=lambda each: (len(each.actions), each.actions))[:KEPT]
        return trace

    def _note_way(self, start: Place, action: str, end: Place) -> None:
        ways = self._ways.setdefault(start, {})
        if ways.get(action) != end:
            ways[action] = end
            self._routes.clear()

    def improve(self, actions: Sequence[str], most: int) -> Trace:
        """Graft into a list what others have earned, as long as that brings points; returns what comes of it.

        What is better than the best is offered. `most`: probes, after which no further way to earn is tried.
        """
        last = self._environment.probes + most
        base = self.learn(actions)
        left = self._missing(base)
        while left and self._environment.probes < last:
            better = self._grafted(base, self._grafts[left.pop()])
            if better is not None:
                base = self.learn(better)
                left = self._missing(base)
                if base.score > self._task.best_score:
                    self._task.offer(base.actions)
        return base

    def improve_best(self, most: int) -> None:
        """Graft into the best list what was learned since it was last improved. `most`: probes."""
        if len(self) > self._known_before:
            self.improve(self._task.best, most)
            self._known_before = len(self)

    def _missing(self, base: Trace) -> list[Earning]:
        earned = {earning for _, earning in base.earnings}
        missing = [earning for earning in self._grafts if earning not in earned]
        self._task.random.shuffle(missing)
        return missing

    def _grafted(self, base: Trace, grafts: Sequence[Graft]) -> tuple[str, ...] | None:
        """The list with the best of some grafts at the best of its cuts; None: none brings more points."""
        score, best = base.score, None
        for cut in (*(number for number, _ in reversed(base.earnings)), 0, len(base.actions)):
            if base.positions[cut].done:
                continue
            for graft in grafts:
                actions, reached = self._with(base, cut, graft)
                if reached > score:
                    score, best = reached, actions
        return best

    def _with(self, base: Trace, cut: int, graft: Graft) -> tuple[tuple[str, ...], int]:
        """The list with a graft after so many of its actions, as far as it earns, and its score.

        A graft whose beginning nobody knows a way to begins later.
        """
        environment, start = self._environment, base.positions[cut]
        environment.restore(start)
        done: list[str] = []
        reachable = self._routes_from(base.places[cut])
        begin = next((number for number, place in enumerate(graft.places) if place in reachable), None)
        if begin is None or not self._walk(graft.places[begin], done):
            return (), 0
        for action in graft.actions[begin:]:
            done.append(action)
            if environment.step(action).done:
                break
        end = environment.save()
        best, length = end.score, len(done)
        if best <= start.score:
            return (), 0
        if not end.done and self._walk(base.places[cut], done):
            for action in base.actions[cut:]:
                outcome = environment.step(action)
                done.append(action)
                if outcome.score > best:
                    best, length = outcome.score, len(done)
                if outcome.done:
                    break
        return (*base.actions[:cut], *done[:length]), best

    def _walk(self, goal: Place, done: list[str]) -> bool:
        """Walk to a place as lists have walked; whether that succeeds. `done`: takes the moves."""
        environment = self._environment
        for _ in range(DETOURS):
            for way in self._routes_from(environment.place()).get(goal, ()):
                done.append(way)
                if environment.step(way).done:
                    return False
            if environment.place() == goal:
                return True
        return False

    def _routes_from(self, start: Place) -> dict[Place, Route]:
        """The shortest way to each place that can be reached as lists have walked."""
        if start not in self._routes:
            routes = routes_from(self._ways, start)
            self._routes[start] = dict(takewhile(lambda reached: len(reached[1]) <= FARTHEST, routes))
        return self._routes[start]
