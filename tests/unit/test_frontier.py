"""The parts of the frontier search: facts, walking, trying, and the shortening of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from games import BUNDLED
from search.channel import Channel
from search.environment import Environment, SearchStopped
from search.frontier.calibration import Calibration
from search.frontier.deeds import DeedReader
from search.frontier.facts import FactReader
from search.frontier.nodes import CellKind, DeedCell, Frontier
from search.frontier.persistence import AnswerMemory, Persister
from search.frontier.scene import SceneReader
from search.frontier.search import exchange, frontier_search
from search.frontier.spoken_verbs import SpokenVerbs
from search.frontier.sweep import TOPICS, Walker
from search.frontier.trying import Trier
from search.frontier.units.units import Units
from search.messages import Exchanged, Order
from search.shortening import shorten
from search.task import Task
from zmachine.grammar.phrases import phrases_in
from zmachine.grammar.topics import topic_phrases, word_phrases

STORIES = Path(__file__).parents[1] / "integration" / "stories"
PROBES = 4000
NAMING = ("push {}", "pull {}", "turn {}", "rub {}", "kiss {}", "eat {}")
"""Verbs that do nothing to most things."""
FIRST_POINTS = ("north", "up", "west", "open cupboard", "take brass lamp")
"""Earn two points in the bundled story."""


@pytest.fixture
def environment() -> Environment:
    return Environment(BUNDLED, 0)


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


def test_looking_about_and_waiting_change_no_fact(environment: Environment) -> None:
    assert Rig(environment).changed("look", "inventory", "wait", "examine nothing", "look") == []


def test_what_is_put_down_elsewhere_changes_the_fact_of_where_it_is(environment: Environment) -> None:
    rig = Rig(environment)

    changed = rig.changed("drop letter")

    assert {
        environment.tables.shown[rig.facts.parent_at[at]] for at in changed if at in rig.facts.parent_at
    } == {"letter"}


def test_what_a_story_adds_to_a_single_object_is_a_fact() -> None:
    rig = Rig(Environment(STORIES / "ward.z5", 0))

    assert rig.changed("polish stone") != []
    assert rig.changed("look") == []


def test_walking_there_and_back_changes_no_fact_but_visits_do_not_hide_what_else_a_room_tells(
    environment: Environment,
) -> None:
    rig = Rig(environment)

    assert rig.changed("north", "south", "north", "south") == []
    assert any(rig.facts._bits[at] not in (0, 0xFF) for at in range(len(rig.facts.ram)))


def test_things_of_one_name_share_their_facts_only_in_a_crowd(environment: Environment) -> None:
    facts = Rig(environment).facts

    assert all(facts.of_kind((at, 1)) == (at, 1) for at in facts.parent_at)


def test_what_only_grows_by_little_is_a_counter_and_what_goes_to_and_fro_is_none(
    environment: Environment,
) -> None:
    facts = Rig(environment).facts
    counter, lever = environment.tables.variables + 1, environment.tables.variables + 3
    facts._counted[[counter, lever]] = True

    for number in range(20):
        before, after = facts.vector(), facts.vector()
        before[[counter, lever]] = number, number % 2
        after[[counter, lever]] = number + 1, 1 - number % 2
        facts.note(1, "lever", (1, 1), before, after, [counter, lever])

    assert (facts.counts(counter), facts.counts(lever)) == (False, True)


def test_an_attribute_that_naming_a_thing_sets_is_no_fact() -> None:
    rig = Rig(Environment(STORIES / "ward.z5", 0))
    opening = rig.environment.save()
    before = rig.changed("push stone")
    rig.environment.restore(opening)

    Calibration(rig.environment, rig.facts, (), lambda: ["stone"], NAMING, ()).run()

    assert before
    assert rig.changed("push stone") == []
    assert rig.changed("polish stone") != []


def test_what_is_left_out_of_one_object_is_left_out_of_all(environment: Environment) -> None:
    rig = Rig(environment)
    before = rig.facts.vector()
    taken = rig.facts.attributes_changed(before, rig.changed(*FIRST_POINTS))

    for offset, bit in taken:
        rig.facts.leave_out_attribute(offset, bit)

    environment.restart()
    before = rig.facts.vector()
    assert taken
    assert not rig.facts.attributes_changed(before, rig.changed(*FIRST_POINTS))


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

    exchange(task, frontier, opening)

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


def test_a_spell_that_was_learned_is_a_verb_and_is_learned_again_before_it_is_cast() -> None:
    rig = Rig(Environment(STORIES / "spell.z5", 0))
    spoken, stop = rig.trier.spoken, rig.walker.stop(())
    spell = next(thing for thing in stop.scene.things if thing.noun == "zifmia")

    assert spoken.heard(stop.position, ["zifmia", "stone"]) == []
    rig.environment.restore(stop.position)
    rig.environment.step("learn zifmia")
    deed = rig.deeds.found(stop, ("learn zifmia",))
    assert deed is not None
    found = spoken.done(deed, [spell])

    assert [phrase.text for phrase in found] == ["zifmia", "zifmia {}"]
    assert spoken.line("zifmia stone") == ("learn zifmia", "zifmia stone")
    assert spoken.line("take stone") == ("take stone",)
    assert spoken.unready(stop.position, "here") == frozenset()


def test_a_spell_is_no_verb_where_it_cannot_be_learned() -> None:
    rig = Rig(Environment(STORIES / "spell.z5", 0))
    spoken, stop = rig.trier.spoken, rig.walker.stop(())
    rig.environment.step("learn zifmia")
    deed = rig.deeds.found(stop, ("learn zifmia",))
    assert deed is not None
    spoken.done(deed, [thing for thing in stop.scene.things if thing.noun == "zifmia"])

    rig.environment.restore(stop.position)
    rig.environment.step("close book")

    assert spoken.unready(rig.environment.save(), "the book is closed") == {"zifmia"}


def test_what_only_a_spell_being_learned_has_changed_is_no_effect_of_casting_it() -> None:
    rig = Rig(Environment(STORIES / "spell.z5", 0))
    stop = rig.walker.stop(())

    def effect(action: str) -> bool:
        line = ("learn zifmia", action)
        rig.environment.restore(stop.position)
        for each in line:
            rig.environment.step(each)
        deed = rig.deeds.found(stop, line)
        return deed is not None and rig.trier._adds(deed, line)

    assert effect("zifmia stone")
    assert not effect("learn zifmia")


def test_a_story_whose_verbs_can_all_be_typed_has_no_spoken_verbs(environment: Environment) -> None:
    spoken = SpokenVerbs(environment, SceneReader(environment))
    spent = environment.probes

    assert spoken.heard(environment.save(), ["lamp", "rug"]) == []
    assert environment.probes == spent


def test_what_a_word_names_is_told_apart_by_where_it_is(environment: Environment) -> None:
    rig = Rig(environment)
    before = rig.walker.whereabouts(rig.walker.stop(()), "letter")
    environment.step("drop letter")

    assert before is not None
    assert rig.walker.whereabouts(rig.walker.stop(()), "letter") not in (before, None)
    assert rig.walker.whereabouts(rig.walker.stop(()), "zzz") is None


class SilentChannel:
    """A channel that keeps what it is told."""

    def __init__(self) -> None:
        self.lists: list[Sequence[str]] = []
        self.others: list[Exchanged] = []

    def improved(self, actions: Sequence[str], score: int, probes: int) -> None:
        self.lists.append(actions)

    def progress(self, probes: int, cells: int = 0, note: str = "") -> None:
        assert not note

    def exchanged(self) -> list[Exchanged]:
        return self.others


def test_what_names_no_object_is_still_a_topic_when_there_are_many(environment: Environment) -> None:
    walker = Rig(environment).walker
    walker.topics = [f"word{number}" for number in range(TOPICS)]

    walker.read((1, 1), "The lamp of the boat Petrel.")

    assert walker.topics[TOPICS:] == ["boat", "petrel"]


def a_task(environment: Environment, channel: SilentChannel, **options: Any) -> Task:
    order = Order("", "frontier", 0, 1, PROBES, options)
    return Task(environment, order, cast("Channel", channel), Random(1), environment.opening.score)


def stop_at(probes: int) -> Callable[[int], None]:
    def check(spent: int) -> None:
        if spent >= probes:
            raise SearchStopped

    return check


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
