"""What counts as true of a world."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import pytest

from games import BUNDLED
from search.environment import Environment
from search.frontier.calibration import Calibration
from tests.support.search.rig import FIRST_POINTS, STORIES, Rig

NAMING = ("push {}", "pull {}", "turn {}", "rub {}", "kiss {}", "eat {}")
"""Verbs that do nothing to most things."""


@pytest.fixture
def environment() -> Environment:
    return Environment(BUNDLED, 0)


def test_looking_about_and_waiting_change_no_fact(environment: Environment) -> None:
    assert Rig(environment).changed("look", "inventory", "wait", "examine nothing", "look") == []


def test_what_is_put_down_elsewhere_changes_the_fact_of_where_it_is(environment: Environment) -> None:
    rig = Rig(environment)
    parent_at = rig.facts.places.parent_at

    changed = rig.changed("drop letter")

    assert {environment.tables.shown[parent_at[at]] for at in changed if at in parent_at} == {"letter"}


def test_what_a_story_adds_to_a_single_object_is_a_fact() -> None:
    rig = Rig(Environment(STORIES / "ward.z5", 0))

    assert rig.changed("polish stone") != []
    assert rig.changed("look") == []


def test_walking_there_and_back_changes_no_fact_but_visits_do_not_hide_what_else_a_room_tells(
    environment: Environment,
) -> None:
    rig = Rig(environment)

    assert rig.changed("north", "south", "north", "south") == []
    assert any(rig.facts.learned.bits[at] not in (0, 0xFF) for at in range(len(rig.facts.places.ram)))


def test_things_of_one_name_share_their_facts_only_in_a_crowd(environment: Environment) -> None:
    facts = Rig(environment).facts

    assert all(facts.of_kind((at, 1)) == (at, 1) for at in facts.places.parent_at)


def test_what_only_grows_by_little_is_a_counter_and_what_goes_to_and_fro_is_none(
    environment: Environment,
) -> None:
    facts = Rig(environment).facts
    counter, lever = environment.tables.variables + 1, environment.tables.variables + 3
    facts.learned.counted[[counter, lever]] = True

    for number in range(20):
        before, after = facts.vector(), facts.vector()
        before[[counter, lever]] = number, number % 2
        after[[counter, lever]] = number + 1, 1 - number % 2
        facts.learned.note(1, "lever", (1, 1), before, after, [counter, lever])

    assert (facts.learned.counts(counter), facts.learned.counts(lever)) == (False, True)


@pytest.mark.parametrize(("things", "marks"), [(10, True), (30, False)])
def test_what_a_phrase_changes_of_most_things_tells_that_it_was_tried(
    environment: Environment, things: int, *, marks: bool
) -> None:
    facts, first = Rig(environment).facts, environment.tables.variables - 10
    facts.learned.counted[first : first + 7] = True

    for number in range(6, things):
        assert not facts.learned.note_try("rub {}", number, [])
    told = [facts.learned.note_try("rub {}", number, [first + number]) for number in range(6)]

    assert told == [False] * 5 + [marks]
    assert facts.learned.note_try("open {}", 6, [first + 6]) is False
    assert [facts.learned.counts(first + number) for number in range(7)] == [not marks] * 6 + [True]


def tried(rig: Rig) -> set[str]:
    """What has done something to things at the opening, and earned nothing."""
    deeds = rig.trier.tried(rig.walker.sweep(), 0.0)
    return {deed.action for deed in deeds if " " in deed.action and not deed.gained}


def test_what_only_marks_a_thing_is_no_deed(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = tried(Rig(environment))
    environment.restart()
    rig = Rig(environment)

    def mark(phrase: str, things: Hashable, changed: Sequence[int]) -> bool:
        rig.facts.learned.leave_out(changed)
        return bool(changed)

    monkeypatch.setattr(rig.facts.learned, "note_try", mark)

    assert done
    assert tried(rig) == set()


def test_what_was_learned_since_it_was_kept_is_forgotten(environment: Environment) -> None:
    facts = Rig(environment).facts
    one, other = sorted(facts.places.parent_at)[:2]
    facts.learned.leave_out([one])
    facts.keep()
    rooms = set(facts.learned.rooms)

    facts.learned.leave_out([other])
    facts.learned.add_room(max(rooms, default=0) + 1)
    facts.forget()

    learned = facts.learned
    assert (learned.counts(one), learned.counts(other), learned.rooms) == (False, True, rooms)


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
        rig.facts.learned.leave_out_attribute(offset, bit)

    environment.restart()
    before = rig.facts.vector()
    assert taken
    assert not rig.facts.attributes_changed(before, rig.changed(*FIRST_POINTS))
