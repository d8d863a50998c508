"""The frontier search without one of its parts."""

from __future__ import annotations

from random import Random

import pytest
from test_frontier_units import CHEST, COIN, LAMP, PUT, TAKE, a_scene, some_units

from games import BUNDLED
from search.environment import Environment, SearchStopped
from search.frontier.bursts import Burster
from search.frontier.parts import FrontierOptions, SearchPart
from search.frontier.search import frontier_search
from search.frontier.units.units import EARNED, HINTED, Units
from tests.support.search.rig import Rig, SilentChannel, a_task, stop_at

FEW, MANY = 1000, 4000
"""Probes within which points are found without a part, and without the one that finds most."""


@pytest.mark.parametrize("part", SearchPart)
def test_without_any_one_part_points_are_earned_and_the_list_is_true(part: SearchPart) -> None:
    environment = Environment(BUNDLED, 0)
    task = a_task(environment, SilentChannel(), without=[str(part)])
    environment.frotz.check = stop_at(environment.probes + (MANY if part is SearchPart.TOURS else FEW))

    with pytest.raises(SearchStopped):
        frontier_search(task)

    environment.frotz.check = None
    assert task.replayed(task.best) == task.best_score > environment.opening.score


def test_a_part_that_is_none_is_refused() -> None:
    assert FrontierOptions.of({"without": ["bursts"]}).without == {SearchPart.BURSTS}
    with pytest.raises(ValueError, match="luck"):
        FrontierOptions.of({"without": ["luck"]})


def test_without_bursts_nothing_is_done_at_random() -> None:
    environment = Environment(BUNDLED, 0)
    rig = Rig(environment)
    sweep, spent = rig.walker.sweep(), environment.probes

    without = frozenset({SearchPart.BURSTS})
    found = Burster(rig.deeds, rig.walker, rig.trier.units, Random(1), without).found(sweep)

    assert (found, environment.probes) == ([], spent)


def worth_after_tries_in_vain(units: Units, tries: int) -> float:
    """What is expected of putting the lamp into the next chest."""
    found = {unit.things: unit for unit in units.of(a_scene(LAMP, COIN, CHEST), "here", 0)}
    for _ in range(tries):
        units.tried(found[LAMP, CHEST], 1, effect=False)
    units._sort()
    return units.best(found[LAMP, CHEST])[1]


@pytest.mark.parametrize(
    ("without", "expects_less"),
    [
        ((), True),
        ((SearchPart.LEARNING,), True),
        ((SearchPart.TOOLS,), True),
        ((SearchPart.LEARNING, SearchPart.TOOLS), False),
    ],
)
def test_what_was_tried_in_vain_is_expected_as_before_only_without_learning_and_tools(
    without: tuple[SearchPart, ...], *, expects_less: bool
) -> None:
    first, later = (
        worth_after_tries_in_vain(some_units(TAKE, PUT, without=frozenset(without)), tries)
        for tries in (0, 40)
    )

    assert (later < first) is expects_less


@pytest.mark.parametrize("without", [(), (SearchPart.PLACES,)])
def test_without_places_a_thing_is_worth_the_same_everywhere(without: tuple[SearchPart, ...]) -> None:
    units = some_units(TAKE, without=frozenset(without))
    worths = set()
    for place in ("here", "there", "elsewhere"):
        unit = next(unit for unit in units.of(a_scene(CHEST), place, 0) if unit.things)
        worths.add(units.best(unit)[1])

    assert (len(worths) == 1) is bool(without)


@pytest.mark.parametrize(("part", "worth"), [(SearchPart.ANSWERS, HINTED), (SearchPart.EARNED, EARNED)])
def test_without_answers_or_points_the_same_phrase_with_another_thing_is_as_any(
    part: SearchPart, worth: float
) -> None:
    expected = []
    for without in (frozenset[SearchPart](), frozenset({part})):
        units = some_units(TAKE, PUT, without=without)
        found = {unit.things: unit for unit in units.of(a_scene(LAMP, COIN, CHEST), "here", 0)}
        if part is SearchPart.EARNED:
            units.earned(found[LAMP, CHEST], 1)
        else:
            units.answered(found[LAMP, CHEST], 1, "it does not fit yet")
        expected.append(units._chosen(found[COIN, CHEST])[1])

    assert expected[0] == worth != expected[1]
