"""The units of the frontier search: what may be tried on what, and how much is expected of it."""

from __future__ import annotations

from random import Random
from typing import Any

from search.frontier.parts import SearchPart
from search.frontier.scene import ReachableThing, Scene
from search.frontier.units.units import Units
from search.frontier.units.worth import LEAST, Worth
from zmachine.grammar.phrases import Phrase
from zmachine.grammar.sentence import Slot

TAKE, PUT = Phrase("take {}", (Slot.THING,)), Phrase("put {} in {}", (Slot.HELD, Slot.THING))
LAMP = ReachableThing(1, "lamp", held=True, state=0)
COIN = ReachableThing(2, "coin", held=True, state=0)
CHEST = ReachableThing(3, "chest", held=False, state=0)


def some_units(*phrases: Phrase, without: frozenset[SearchPart] = frozenset()) -> Units:
    return Units(phrases, (), (), Random(1), without)


def a_scene(*things: ReachableThing) -> Scene:
    return Scene(1, things, frozenset(thing.number for thing in things if thing.held))


def test_the_likeliest_phrase_is_tried_first_and_a_phrase_once() -> None:
    unfit = [Phrase(f"wave{number} {{}}", (Slot.HELD,)) for number in range(20)]
    units = some_units(TAKE, *unfit, Phrase("pull {}", (Slot.THING,)))
    unit = next(unit for unit in units.of(a_scene(CHEST), "here", 0) if unit.things)

    first, worth = units.best(unit)
    unit.tried.add(first)
    unit.version = -1

    assert (first, worth > 0) == (0, True)
    assert units.best(unit)[0] == 21


def test_a_phrase_that_has_earned_points_is_worth_most_with_all_else_that_is_held() -> None:
    units = some_units(TAKE, PUT)

    def pairs() -> dict[str, Any]:
        found = units.of(a_scene(LAMP, COIN, CHEST), "here", 0)
        return {unit.things[0].noun: unit for unit in found if unit.things[1:] == (CHEST,)}

    before = units.best(pairs()["coin"])[1]
    units.earned(pairs()["lamp"], 1)

    assert units.best(pairs()["coin"]) == (1, 0.6)
    assert before < 0.6


def test_what_was_tried_in_vain_is_worth_a_little_at_a_higher_score() -> None:
    units = some_units(TAKE)
    unit = next(unit for unit in units.of(a_scene(CHEST), "here", 0) if unit.things)
    first = units.best(unit)[1]
    unit.tried.add(0)
    unit.version = -1

    assert units.best(unit)[1] == 0.0
    again = next(unit for unit in units.of(a_scene(CHEST), "here", 5) if unit.things)
    assert 0.0 < units.best(again)[1] < first


def test_a_thing_that_is_answered_as_absent_twice_is_left_also_in_pairs() -> None:
    units = some_units(TAKE, PUT)
    found = {unit.things: unit for unit in units.of(a_scene(LAMP, CHEST), "here", 0)}
    assert units.best(found[LAMP, CHEST])[1] > 0.0

    for _ in range(2):
        units.missed(found[CHEST,], 0)

    assert units.best(found[CHEST,])[1] == units.best(found[LAMP, CHEST])[1] == 0.0
    assert units.best(found[LAMP,])[1] > 0.0


def test_a_try_in_vain_tells_less_of_a_phrase_where_less_is_expected() -> None:
    likely, unlikely = (Worth([(0, TAKE.text)], Random(1)) for _ in range(2))
    first = likely.values[0]

    likely.count(0, 1.0, effect=False)
    unlikely.count(0, 0.1, effect=False)

    assert likely.values[0] < unlikely.values[0] < first


def test_searches_of_different_chance_prefer_different_phrases() -> None:
    texts = [(number, f"verb{number} {{}}") for number in range(60)]
    ranks = {
        tuple(sorted(range(60), key=lambda number: -worth.values[number]))
        for worth in (Worth(texts, Random(seed)) for seed in (1, 1, 2))
    }

    assert len(ranks) == 2


def test_what_has_failed_with_many_things_is_worth_a_little_with_the_next_but_not_with_the_next_pair() -> (
    None
):
    worth = Worth([(0, TAKE.text), (1, PUT.text)], Random(1))

    for _ in range(200):
        worth.count(0, 1.0, effect=False)
        worth.count(1, 1.0, effect=False)

    assert worth.values[1] < worth.values[0] == LEAST


def test_the_same_effect_counts_once_at_each_score() -> None:
    units = some_units(TAKE)

    assert [units.is_first(score, [(7, 1)]) for score in (0, 0, 5)] == [True, False, True]


def test_a_phrase_that_fails_with_one_held_thing_is_worth_more_with_another() -> None:
    units = some_units(TAKE, PUT)
    chests = [ReachableThing(number, f"chest{number}", held=False, state=0) for number in range(10, 20)]
    found = {unit.things: unit for unit in units.of(a_scene(LAMP, COIN, *chests), "here", 0)}

    for chest in chests[1:]:
        units.tried(found[LAMP, chest], 1, effect=False)
    for unit in found.values():
        unit.version = -1

    assert units.best(found[LAMP, chests[0]])[1] < units.best(found[COIN, chests[0]])[1]


def test_a_thing_that_is_everywhere_is_worth_less_from_the_third_place_on() -> None:
    units = some_units(TAKE)
    worths = []
    for place in ("here", "there", "elsewhere", "here"):
        unit = next(unit for unit in units.of(a_scene(CHEST), place, 0) if unit.things)
        worths.append(units.best(unit)[1])

    assert worths[0] == worths[1] == worths[3] > worths[2] > 0.0


def test_a_phrase_with_an_unusual_answer_is_tried_again_where_something_else_is_held() -> None:
    units = some_units(TAKE)
    unit = next(unit for unit in units.of(a_scene(CHEST), "here", 0) if unit.things)
    units.renew(unit, "at first")
    units.answered(unit, 0, "it is too heavy for bare hands")
    unit.tried.add(0)

    units.renew(unit, "at first")
    assert units.best(unit)[1] == 0.0

    units.renew(unit, "with gloves")
    first = units.best(unit)
    unit.tried.add(0)
    units.renew(unit, "with boots")
    assert first[0] == units.best(unit)[0] == 0
    assert units.best(unit)[1] < first[1]


def test_an_unusual_answer_that_led_to_nothing_in_many_contexts_keeps_nothing_likelier_from_being_tried() -> (
    None
):
    units = some_units(TAKE, Phrase("pull {}", (Slot.THING,)))
    unit = next(unit for unit in units.of(a_scene(CHEST), "here", 0) if unit.things)
    units.answered(unit, 1, "it is stuck")

    for held in range(100):
        units.renew(unit, held)

    assert units.best(unit)[0] == 0


def test_a_word_is_said_again_where_what_it_names_is_elsewhere() -> None:
    units = Units((TAKE,), (Phrase("say {}", (Slot.WORDS,)),), (), Random(1))

    def worth(where: int) -> float:
        (unit,) = units.of_words(["xyzzy"], lambda word: where, 0)
        found = units.best(unit)[1]
        unit.tried.add(units.best(unit)[0])
        unit.version = -1
        return found

    assert worth(1) == worth(2) > worth(1) == 0.0
    assert list(some_units(TAKE).of_words(["xyzzy"], lambda word: 1, 0)) == []


def test_a_phrase_whose_verb_is_none_now_is_left_out_and_one_that_has_become_one_is_tried_anew() -> None:
    units, cast = some_units(TAKE), Phrase("zifmia {}", (Slot.THING,))
    units.add([cast])
    unit = next(unit for unit in units.of(a_scene(CHEST), "here", 0) if unit.things)
    unit.tried = {0}

    units.sleep(frozenset({"zifmia"}))
    asleep = units.best(unit)[1]
    units.sleep(frozenset())
    first, _ = units.best(unit)
    unit.tried.add(first)
    unit.version = -1
    tried = units.best(unit)[1]
    units.add([cast])

    assert units.phrases[first] == cast
    assert (asleep, tried) == (0.0, 0.0)
    assert units.best(unit)[0] == first


def test_an_answer_that_another_thing_gets_as_well_is_a_usual_one() -> None:
    units = some_units(TAKE)
    chest, lamp = (
        next(unit for unit in units.of(a_scene(thing), "here", 0) if unit.things) for thing in (CHEST, LAMP)
    )

    assert units.answered(chest, 0, "that is fixed")
    assert not units.answered(lamp, 0, "that is fixed")

    assert not chest.curious
