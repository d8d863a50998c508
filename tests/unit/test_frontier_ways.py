"""Which actions are ways for the frontier search, and from which places it comes back."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from search.environment import Environment
from search.frontier.bursts import Burster
from search.frontier.deeds import DeedResult
from search.frontier.empty_hands import EmptyHands
from search.frontier.expansion import Expander
from search.frontier.nodes import CellKind, DeedCell
from search.frontier.persistence import Persister
from search.frontier.sweep import Stop
from tests.support.search.rig import STORIES, Rig


@pytest.fixture
def rig() -> Rig:
    rig = Rig(Environment(STORIES / "ferry.z5", 0))
    rig.walker.is_news = lambda score, memory, changed: False  # that a room was entered is none
    return rig


def an_expander(rig: Rig) -> Expander:
    burster = Burster(rig.deeds, rig.walker, rig.trier.units, Random(1))
    empty_hands = EmptyHands(rig.deeds, rig.walker, Random(1))
    parts = (rig.environment, rig.facts, rig.walker, rig.trier, rig.deeds, burster, empty_hands)
    return Expander(*parts, lambda node: None)


def done(rig: Rig, *actions: str) -> tuple[Stop, DeedResult | None]:
    """Where the last of some actions was done, and what it did beyond moving."""
    for action in actions[:-1]:
        rig.environment.step(action)
    stop = rig.walker.stop(())
    rig.environment.step(actions[-1])
    return stop, rig.deeds.found(stop, actions[-1:])


def test_a_ride_is_a_way_and_a_sweep_goes_there_and_back(rig: Rig) -> None:
    start, dock = rig.environment.save(), rig.environment.place()
    there_and_back = ("enter car", "push button", "push button")
    for ride in (there_and_back, (*there_and_back, "push button")):
        rig.environment.restore(start)
        stop, deed = done(rig, *ride)
        assert deed is None
        assert rig.walker.note_way(stop, ride[-1])
    hill = rig.environment.room()
    rig.walker.ways[dock] = {"enter car"}
    rig.environment.restore(start)

    sweep = rig.walker.sweep()

    route = sweep.route(dock, {(hill, hill)})
    assert route is not None and route[:2] == ("enter car", "push button")
    assert any(place[0] == hill for place in sweep.returning(dock))


def test_what_a_move_does_beside_it_is_a_deed(rig: Rig) -> None:
    _, deed = done(rig, "enter car", "push button", "out", "take flag")

    assert deed is not None and not deed.moved and rig.deeds.is_harmless(deed)


def test_an_action_is_no_way_to_where_waiting_leads(rig: Rig) -> None:
    stop, _ = done(rig, "east", "examine me")

    assert rig.environment.place() != stop.place
    assert not rig.walker.note_way(stop, "examine me")
    assert "examine me" not in rig.walker.ways.get(stop.place, ())


def test_from_a_pit_nobody_returns(rig: Rig) -> None:
    dock = rig.environment.place()
    rig.environment.step("south")
    pit = rig.environment.place()
    rig.environment.restart()

    sweep = rig.walker.sweep()

    assert pit in sweep.stops
    assert dock in sweep.returning(dock)
    assert pit not in sweep.returning(dock)
    assert dock in sweep.returning(pit)


def test_where_a_deed_has_earned_points_all_ways_are_tried_again(rig: Rig) -> None:
    start, dock = rig.environment.save(), rig.environment.place()
    for _ in range(3):
        rig.environment.restore(start)
        assert "north" not in rig.walker.sweep().ways[dock]
    rig.environment.restore(start)
    for action in ("push bell", "yes"):
        rig.environment.step(action)
    rig.walker.note_earning(dock)

    sweep = rig.walker.sweep()

    assert "north" in sweep.ways[dock]


def test_a_question_is_answered_and_until_it_is_the_deed_is_not_harmless(rig: Rig) -> None:
    stop = rig.walker.stop(())
    persister: Persister = rig.trier.persister

    actions, outcome = persister.survived(stop, ("push bell",))

    assert actions == ("push bell", "yes")
    assert outcome.score == 5 and not rig.environment.save().asks
    answered = rig.deeds.found(stop, actions)
    assert answered is not None and rig.deeds.is_harmless(answered) and answered.action == "push bell"
    asking = replace(answered.position, asks=True)
    assert not rig.deeds.is_harmless(answered._replace(position=asking))


def test_a_question_that_ends_the_game_is_answered_with_no(rig: Rig) -> None:
    stop = rig.walker.stop(())

    actions, outcome = rig.trier.persister.survived(stop, ("quit",))

    assert actions == ("quit", "no")
    assert not outcome.done


def test_a_tour_comes_back_first_and_what_lies_in_a_pit_is_kept_apart(rig: Rig) -> None:
    expander = an_expander(rig)

    expander.expand(DeedCell(rig.environment.save(), None, (), 0))

    level = expander.frontier.levels[5]
    (again,) = [node for _, _, node in level[CellKind.AGAIN]]
    in_the_pit = [node for _, _, node in level[CellKind.NEW] if "take coin" in node.route()]
    assert "push bell" in again.route() and "south" not in again.route()
    assert in_the_pit and all(node.route()[: len(again.route())] == again.route() for node in in_the_pit)


def test_what_earns_points_is_queued_before_a_tour_goes_on(rig: Rig) -> None:
    expander = an_expander(rig)
    opening = DeedCell(rig.environment.save(), None, (), 0)
    stop = rig.walker.stop(())
    actions, _ = rig.trier.persister.survived(stop, ("push bell",))
    deed = rig.deeds.found(stop, actions)
    assert deed is not None
    rig.environment.restore(opening.position)
    sweep = rig.walker.sweep()

    for _ in range(2):
        expander._queue_gains(opening, sweep, [deed])

    (node,) = [node for _, _, node in expander.frontier.levels[5][CellKind.NEW]]
    assert node.route() == ("push bell", "yes")
