"""The parts of the frontier search: walking, trying, the epochs, and the shortening of a list."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, cast

import msgspec
import pytest

from games import BUNDLED
from search.environment import Environment, SearchStopped
from search.frontier.expansion import Expander
from search.frontier.nodes import CellKind, DeedCell, Frontier
from search.frontier.scene import SceneReader
from search.frontier.search import exchange, frontier_search
from search.frontier.sweep import TOPICS
from search.grafting import Grafter
from search.messages import Exchanged
from search.shortening import shorten
from search.task import Task
from tests.support.search.rig import FIRST_POINTS, PROBES, Rig, SilentChannel, a_task, stop_at
from zmachine.grammar.topics import topic_phrases, word_phrases


@pytest.fixture
def environment() -> Environment:
    return Environment(BUNDLED, 0)


def test_all_ways_are_tried_where_something_is_true_of_the_place_that_never_was(
    environment: Environment,
) -> None:
    walker = Rig(environment).walker
    walker._barred[(1, 1), "north"] = {((0,), number) for number in range(10_000)}

    assert not walker._may_be_open((1, 1), "north", ((0,), -1))
    assert walker._may_be_open((1, 1), "north", ((1,), -1))


def test_what_another_process_has_found_is_expanded_next_if_it_is_better(environment: Environment) -> None:
    channel = SilentChannel()
    task = a_task(environment, channel)
    frontier = Frontier(Random(1))
    opening = DeedCell(environment.save(), None, (), 0)
    channel.others = [Exchanged(FIRST_POINTS, 2), Exchanged(("wait",), 0)]

    exchange(task, frontier, Grafter(task), opening)

    node = frontier.pop()
    assert node is not None and node.route() == task.best == FIRST_POINTS
    assert len(frontier) == 0


def test_in_a_story_whose_objects_have_no_words_any_noun_may_name_a_thing(environment: Environment) -> None:
    scenes = SceneReader(environment)
    environment.tables = replace(environment.tables, things=frozenset())

    assert scenes.words_of("A letter lies north.") == ["letter"]


def test_things_in_the_dark_are_other_things_than_in_the_light(environment: Environment) -> None:
    scenes = SceneReader(environment)
    tree = environment.tree()
    room = environment.room()
    lit, dark = (scenes.scene(tree, (), dark=dark) for dark in (False, True))

    assert not scenes.is_dark(room, environment.step("look").observation)
    assert scenes.is_dark(room, "It is pitch black.")
    assert {thing.state for thing in lit.things if not thing.held}.isdisjoint(
        thing.state for thing in dark.things if not thing.held
    )


def test_a_sweep_reaches_places_and_knows_the_way_back(environment: Environment) -> None:
    rig = Rig(environment)

    sweep = rig.walker.sweep()
    first, *others = sweep.stops

    assert len(others) > 3
    assert all(sweep.route(first, {place}) for place in others)
    assert any(sweep.route(place, {first}) for place in others)


def test_a_second_sweep_probes_only_the_ways_to_new_places_and_some_barred_ones(
    environment: Environment,
) -> None:
    rig = Rig(environment)
    start, spent = environment.save(), environment.probes
    first = rig.walker.sweep()
    once = environment.probes - spent
    environment.restore(start)

    second = rig.walker.sweep()

    assert environment.probes - spent - once < once / 2
    assert second.stops.keys() == first.stops.keys()
    assert all(second.ways[place].keys() >= ways.keys() for place, ways in first.ways.items())


def test_trying_finds_what_can_be_taken_and_done(environment: Environment) -> None:
    rig = Rig(environment)

    found = list(rig.trier.tried(rig.walker.sweep(), 0.02))

    actions = {deed.actions[-1] for deed in found}
    assert any(action.startswith("take ") for action in actions)
    assert all(deed.changed or deed.gained for deed in found)


def test_letting_go_of_something_is_no_harmless_deed(environment: Environment) -> None:
    rig = Rig(environment)
    stop = rig.walker.stop(())
    environment.step("drop letter")

    deed = rig.deeds.found(stop, ("drop letter",))

    assert deed is not None
    assert not rig.deeds.is_harmless(deed)


def test_a_position_with_points_is_expanded_before_one_without() -> None:
    class NeverChance(Random):
        def random(self) -> float:
            return 0.0

    frontier = Frontier(NeverChance())
    for score in (0, 5):
        position = cast("Any", type("Position", (), {"score": score})())
        frontier.push(CellKind.NEW, (0.0,), DeedCell(position, None, (), 0))

    popped = [frontier.pop(), frontier.pop(), frontier.pop()]

    assert [cell and cell.score for cell in popped] == [5, 0, None]


def test_phrases_with_a_topic_are_read_from_the_grammar(environment: Environment) -> None:
    phrases = topic_phrases(environment.frotz.story(), environment.tables.dictionary)

    assert "ask {} about {}" in {phrase.text for phrase in phrases}


def test_a_phrase_for_a_word_alone_is_read_from_the_grammar_and_none_about_the_program(
    environment: Environment,
) -> None:
    phrases = word_phrases(environment.frotz.story(), environment.tables.dictionary)

    assert all(phrase.text.count("{}") == len(phrase.slots) == 1 for phrase in phrases)
    assert not {phrase.text.split()[0] for phrase in phrases} & {"help", "script", "restore"}


def test_what_a_word_names_is_told_apart_by_where_it_is(environment: Environment) -> None:
    rig = Rig(environment)
    before = rig.walker.whereabouts(rig.walker.stop(()), "letter")
    environment.step("drop letter")

    assert before is not None
    assert rig.walker.whereabouts(rig.walker.stop(()), "letter") not in (before, None)
    assert rig.walker.whereabouts(rig.walker.stop(()), "zzz") is None


def test_what_names_no_object_is_still_a_topic_when_there_are_many(environment: Environment) -> None:
    walker = Rig(environment).walker
    walker.topics = [f"word{number}" for number in range(TOPICS)]

    walker.read((1, 1), "The lamp of the boat Petrel.")

    assert walker.topics[TOPICS:] == ["boat", "petrel"]


def test_a_search_earns_points_and_shortening_keeps_them_with_fewer_actions(environment: Environment) -> None:
    channel = SilentChannel()
    task = a_task(environment, channel)
    environment.frotz.check = stop_at(environment.probes + PROBES)
    with pytest.raises(SearchStopped):
        frontier_search(task)
    environment.frotz.check = None
    score, actions = task.best_score, task.best
    assert score > 0

    task.best = ("look", "wait", *actions)
    shorten(task)

    assert task.best_score == score == task.replayed(channel.lists[-1])
    assert len(task.best) <= len(actions)


@pytest.mark.parametrize(("without", "lengths"), [([], [0, 13, 5, 5]), (["shortening"], [0, 13, 13, 13])])
def test_after_an_epoch_in_vain_the_best_list_is_made_shorter(
    environment: Environment, monkeypatch: pytest.MonkeyPatch, without: list[str], lengths: list[int]
) -> None:
    found: list[int] = []

    def epoch(task: Task, *arguments: object) -> None:
        found.append(len(task.best))
        if len(found) == 1:
            task.offer(("look",) * 8 + FIRST_POINTS)
        if len(found) == len(lengths):
            raise SearchStopped

    monkeypatch.setattr("search.frontier.search.epoch", epoch)
    with pytest.raises(SearchStopped):
        frontier_search(a_task(environment, SilentChannel(), without=without))

    assert found == lengths


@pytest.mark.parametrize(
    ("without", "number", "forgets"), [([], 0, True), ([], 1, False), (["forgetting"], 0, False)]
)
def test_in_every_second_process_each_epoch_forgets_what_has_turned_out_to_tell_nothing(
    environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
    without: list[str],
    number: int,
    forgets: bool,
) -> None:
    task = a_task(environment, SilentChannel(), without=without)
    task.order = msgspec.structs.replace(task.order, number=number)
    counted: list[bool] = []

    def epoch(task: Task, expander: Expander, *arguments: object) -> None:
        place = min(expander.facts.places.parent_at)
        counted.append(expander.facts.learned.counts(place))
        expander.facts.learned.leave_out([place])
        if len(counted) == 2:
            raise SearchStopped

    monkeypatch.setattr("search.frontier.search.epoch", epoch)
    with pytest.raises(SearchStopped):
        frontier_search(task)

    assert counted == [True, forgets]
