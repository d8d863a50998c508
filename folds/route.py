"""Lists of actions that are worth doing again: without what came to nothing, and without detours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from folds.map import leads_back
from folds.text.rooms import room_of
from folds.vocabulary.actions import ABOUT_ONESELF, direction_of, normal
from folds.vocabulary.verbs import LOOKING, ActionKind, action_kind_of
from folds.vocabulary.words import words_of
from schemas.game import StepTaken

_REARRANGING = (ActionKind.TAKE, ActionKind.DROP, ActionKind.PLACE)
_STOCK = 3
"""Different actions to which one answer must have been given, to tell nothing of them."""


@dataclass(frozen=True, slots=True)
class RouteStep:
    """An action, where it was done and where it led; `walk`: it did nothing but walk, if anything.

    `world` and `becomes`: the states of the world before and after it; empty: unknown. `held` and `holds`:
    the names of what was in hand before and after it. `rearranges`: it took, dropped or put, and earned
    nothing. `earns`: the score changed, of which no hash of the world tells. `answer`: the text, where
    neither the room, what is held nor the state of the world is another after it. Where the text alone tells:
    `looks`: it did nothing but look; `idles`: that, or it has no effect that is known; `reveals`: the words
    that such a stage told first.
    """

    action: str
    room: str
    arrives: str
    walk: bool
    world: str = ""
    becomes: str = ""
    held: frozenset[str] = frozenset()
    holds: frozenset[str] = frozenset()
    rearranges: bool = False
    earns: bool = False
    answer: str = ""
    looks: bool = False
    idles: bool = False
    reveals: frozenset[str] = frozenset()

    @property
    def is_vain(self) -> bool:
        """Whether the action came to nothing."""
        return self.walk and self.room == self.arrives


def route_step(
    before: StepTaken, now: StepTaken, *, works: bool = True, reveals: frozenset[str] = frozenset()
) -> RouteStep:
    """What a step did, seen from the one before it; a way into a room that looks the same leads on.

    `works`: whether the action is known to have an effect there. `reveals`: the words that its text told
    first.
    """
    room, arrives, action = room_of(before), room_of(now), normal(now.action or "")
    held, holds = names_held(before), names_held(now)
    strays = room == arrives and direction_of(action) is not None and leads_back(now)
    is_same = room == arrives and held == holds and before.world == now.world
    is_alike = is_same and not now.reward and not strays
    changes = room == arrives and now.changed and action not in ABOUT_ONESELF
    looks = is_alike and not now.world and not now.changed and action_kind_of(action) in LOOKING
    idles = looks or (is_alike and not now.world and not works)
    effective = now.reward != 0 or changes or strays or (looks and bool(reveals))
    return RouteStep(
        action,
        room,
        arrives,
        walk=not effective,
        world=before.world,
        becomes=now.world,
        held=held,
        holds=holds,
        rearranges=action_kind_of(action) in _REARRANGING and not now.reward,
        earns=now.reward != 0,
        answer=now.observation if is_alike else "",
        looks=looks,
        idles=idles,
        reveals=reveals if idles else frozenset(),
    )


def shortened(stages: Sequence[RouteStep]) -> tuple[RouteStep, ...]:
    """The same without detours, without taking, dropping and putting that leave the same in hand as before,
    without what got an answer that others got, too, and without what idled.

    Where the text alone tells what is held, that may leave out what matters.
    """
    route: list[RouteStep] = []
    for stage in _of_use([*_without_stock_answers(stages)], lambda each: each.idles):
        route.append(stage)
        run = _last_run(route, lambda each: each.rearranges)
        start = next((n for n in run if route[n].held == stage.holds), None)
        if start is not None:
            del route[start:]
    return without_detours(route)


def without_detours(stages: Sequence[RouteStep]) -> tuple[RouteStep, ...]:
    """The same stages without what leads back to where it began: walks, and all that ends in one world and
    earned nothing on the way; and without looks that revealed nothing that was used later."""
    route: list[RouteStep] = []
    for stage in _of_use(stages, lambda each: each.looks):
        route.append(stage)
        since = _last_run(route, lambda each: not each.earns)
        same = next((n for n in since if route[n].world and route[n].world == stage.becomes), None)
        if same is not None:
            del route[same:]
            continue
        walked = _last_run(route, lambda each: each.walk)
        start = next((n for n in walked if route[n].room == stage.arrives), None)
        if stage.walk and start is not None:
            del route[start:]
    return tuple(route)


def _without_stock_answers(stages: Sequence[RouteStep]) -> Iterator[RouteStep]:
    """The stages without those that got the answer of several others, but for the first of them."""
    actions: dict[str, set[str]] = defaultdict(set)
    for stage in stages:
        actions[stage.answer].add(stage.action)
    stock = {answer for answer, each in actions.items() if answer and len(each) >= _STOCK}
    heard: set[str] = set()
    for stage in stages:
        if stage.answer in heard:
            continue
        if stage.answer in stock:
            heard.add(stage.answer)
        yield stage


def _of_use(stages: Sequence[RouteStep], is_idle: Callable[[RouteStep], bool]) -> Sequence[RouteStep]:
    """The stages without those that idle, but for what revealed a thing that was used later."""
    named: set[str] = set()
    kept: list[RouteStep] = []
    for stage in reversed(stages):
        if is_idle(stage) and stage.reveals.isdisjoint(named):
            continue
        kept.append(stage)
        named.update(words_of(stage.action)[1:])
    return kept[::-1]


def _last_run(stages: Sequence[RouteStep], is_such: Callable[[RouteStep], bool]) -> range:
    """The places of the last stages that are such, in a row up to the end."""
    long = next((n for n, stage in enumerate(reversed(stages)) if not is_such(stage)), len(stages))
    return range(len(stages) - long, len(stages))


def names_held(step: StepTaken) -> frozenset[str]:
    """The names of what is in hand after a step."""
    return frozenset(thing.name for thing in step.inventory or ())
