"""A session that gets nowhere is led out of it by rule: to something new, or for so long and no longer."""

from __future__ import annotations

from random import Random

from schemas.fragment import Fragment
from schemas.game import StepTaken
from services.actor.knowledge.situation import Situation
from services.actor.knowledge.stagnation import LONGEST, NO_GAIN, NOTHING_NEW, StagnationDetector
from services.actor.reflact.rule_takeover import new_action, takeover_note
from tests.support.scenes.builders import a_step
from tests.support.scenes.scenes import a_situation, a_walk_through, idling

THERE = a_walk_through("AB")


def rules_act(steps: list[StepTaken]) -> bool:
    return a_situation(steps).stagnation.rules_act


def chosen(situation: Situation, hints: tuple[str, ...] = ()) -> str:
    fragments = {"hint": Fragment(suggestions=hints)} if hints else {}
    return new_action(situation, fragments, Random(1)).action


def test_the_rules_act_when_nothing_new_has_come_up_for_twenty_steps_and_not_before() -> None:
    steps = [*THERE, *idling(NOTHING_NEW, start=2, room="B")]

    assert not rules_act(steps[:-1])
    assert rules_act(steps)


def test_points_a_new_room_and_a_new_state_of_the_world_put_that_off() -> None:
    idle = idling(NOTHING_NEW, start=2, room="B")
    for new in (
        idle[9].model_copy(update={"reward": 1}),
        idle[9].model_copy(update={"world": "other"}),
        *a_walk_through("C", start=11),
    ):
        after = [step.model_copy(update={"room": new.room, "world": new.world}) for step in idle[10:]]
        assert not rules_act([*THERE, *idle[:9], new, *after])


def test_dropping_and_taking_for_ever_makes_no_progress() -> None:
    juggling = [
        a_step(n, "drop hat", room="Room B", world=f"w{n if n % 2 else 0}", changed=True)
        for n in range(2, NO_GAIN + 3)
    ]

    assert not rules_act([*THERE, *juggling[:-1]])
    assert rules_act([*THERE, *juggling])


def test_an_escape_ends_with_something_new_and_the_model_is_told() -> None:
    stuck = [*THERE, *idling(NOTHING_NEW, start=2, room="B")]
    steps = [*stuck, a_step(22, "west", room="Room A", world="A", world_seen=3, changed=True)]
    out = [*steps, *a_walk_through("C", start=23)]

    assert rules_act(steps)
    assert not rules_act(out)
    assert takeover_note(a_situation(out).stagnation.takeover, 23) == (
        "Nothing new had come up for 20 steps, so from step 22 to 23 these actions were chosen for you: "
        "west, east. That brought a new room. Do something else than before."
    )
    assert takeover_note(a_situation(out).stagnation.takeover, 40) == ""


def test_an_escape_that_finds_nothing_new_is_given_up_for_twenty_steps() -> None:
    steps = [*THERE, *idling(NOTHING_NEW + LONGEST + NOTHING_NEW, start=2, room="B")]
    acting = [step.step for n, step in enumerate(steps) if rules_act(steps[: n + 1])]

    first = NOTHING_NEW + 1
    assert acting == [*range(first, first + LONGEST), first + LONGEST + NOTHING_NEW]


def test_a_new_episode_begins_afresh() -> None:
    steps = [*THERE, *idling(NOTHING_NEW, start=2, room="B")]

    assert not rules_act([*steps, a_step(22, "restart", room="Room A", world="A", world_seen=1, episode=2)])


def test_a_step_that_is_folded_twice_counts_once() -> None:
    steps = [*THERE, *idling(NOTHING_NEW - 1, start=2, room="B")]

    assert not rules_act([*steps, *steps])


def test_it_walks_to_the_nearest_way_that_probably_leads_on() -> None:
    steps = [
        a_step(0, room="Room A", valid=["east", "north"], world="A"),
        a_step(1, "east", room="Room B", valid=["west", "take lamp"], world="B", changed=True),
        *[step.model_copy(update={"valid_actions": None}) for step in idling(20, start=2, room="B")],
    ]

    situation = a_situation(steps)

    assert chosen(situation) == "west"
    reason = new_action(situation, {}, Random(1)).reason
    assert reason == (
        "by rule, for nothing new has come up for 20 steps: towards the unexplored way north of Room A"
    )


def test_where_every_likely_way_was_walked_it_does_what_is_untried_here() -> None:
    steps = [
        a_step(0, room="Room A", valid=["east", "open box"], seen=["box"], world="A"),
        a_step(1, "east", room="Room B", valid=["west"], world="B", changed=True),
        a_step(2, "west", room="Room A", valid=["east", "open box"], seen=["box"], world="A", changed=True),
    ]

    assert chosen(a_situation(steps)) == "open box"


def test_what_was_done_in_the_room_is_not_untried() -> None:
    steps = [
        a_step(0, room="Room A", valid=["open box"], seen=["box"], world="A"),
        a_step(1, "open box", room="Room A", valid=["open box"], seen=["box"], world="A"),
        a_step(2, "examine box", room="Room A", valid=["open box"], seen=["box"], world="A"),
    ]

    assert chosen(a_situation(steps)) not in ("open box", "examine box", "look")


def test_a_question_of_the_game_is_answered_first() -> None:
    asked = a_step(
        2, "take key", text="Which do you mean, the brass key or the iron key?", room="Room B", world="B"
    )

    assert chosen(a_situation([*THERE, asked])) == "take brass key"


def test_the_fold_knows_no_more_than_the_steps() -> None:
    one, other = StagnationDetector(), StagnationDetector()
    for step in idling(30, start=0, room="B"):
        one.after(step, "B", "w")
        other.after(step, "B", "w")

    assert one.takeover == other.takeover
