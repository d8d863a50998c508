"""Where the behaviours of the rule-based player let it walk."""

from __future__ import annotations

import pytest

from schemas.game import StepTaken
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.options import options
from tests.support.scenes.builders import a_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of


def test_ways_that_the_text_names_are_explored_first() -> None:
    found = ideas_of("explore", a_blind_step(0, None, "A path leads southwest."))

    assert found[0] == "southwest"
    assert "north" in found


def test_a_way_that_killed_is_not_explored() -> None:
    steps = (
        a_blind_step(0, None, "A path leads southwest."),
        a_blind_step(1, "southwest", "You fall. *** You have died ***", room="Pit", done=True),
        a_blind_step(2, "restart", "A path leads southwest.", episode=2),
    )

    assert "southwest" not in ideas_of("explore", *steps)


def test_complete_valid_actions_leave_no_other_ways() -> None:
    assert ideas_of("explore", a_step(0, valid=["north", "push bell"], complete=True)) == ["north"]


def test_a_way_that_the_text_names_is_walked_once_although_it_is_not_valid_for_what_bars_it_is_told() -> None:
    named = a_step(0, text="A gate leads south.", valid=["north"], complete=True)
    refused = a_step(1, "south", text="You look like a wreck.", valid=["north"], complete=True)

    assert ideas_of("explore", named) == ["north", "south"]
    assert ideas_of("explore", named, refused) == ["north"]


def a_closed_gate(*, waited: int) -> list[StepTaken]:
    refused = a_blind_step(1, "north", "The iron gate is closed.", changed=False)
    waits = [a_blind_step(n, "wait", f"Birds sing song {n}.") for n in range(2, 2 + waited)]
    return [a_blind_step(0), refused, *waits]


def test_a_way_that_was_refused_for_a_reason_of_its_own_is_tried_again_after_a_while() -> None:
    assert ideas_of("retry_ways", *a_closed_gate(waited=12)) == []
    assert ideas_of("retry_ways", *a_closed_gate(waited=60)) == ["north"]


def test_a_way_is_not_tried_again_in_exactly_the_world_in_which_it_was_refused() -> None:
    waits = [a_step(n, "wait", text=f"Birds sing song {n}.") for n in range(2, 70)]
    refused = a_step(1, "north", text="The iron gate is closed.")

    assert ideas_of("retry_ways", a_step(0), refused, *waits) == []


@pytest.mark.parametrize(("gained", "walk"), [((), []), (("iron key",), ["south"])])
def test_one_walks_back_to_where_something_new_may_help(gained: tuple[str, ...], walk: list[str]) -> None:
    steps = (
        a_blind_step(0, seen=["chest"]),
        a_blind_step(1, "open chest", "It is locked.", seen=["chest"], changed=False),
        a_blind_step(2, "north", "Attic", room="Attic"),
        a_blind_step(3, "south", "Hall", seen=["chest"]),
        a_blind_step(4, "north", "Attic", room="Attic"),
        a_blind_step(5, "take key", "Taken.", room="Attic", held=gained),
    )

    assert ideas_of("travel", *steps) == walk


def test_a_walk_is_worth_less_for_a_danger_at_its_end_wherever_one_sets_out() -> None:
    """Or it would be set out on, given up before the danger, and set out on again."""
    there = [
        a_blind_step(0, seen=["chest"]),
        a_blind_step(1, "north", "Attic", room="Attic"),
        a_blind_step(2, "north", "Cave", room="Cave", seen=["bottle", "lever", "idol"]),
    ]
    home = [a_blind_step(3, "south", "Attic", room="Attic"), a_blind_step(4, "south", "Hall", seen=["chest"])]

    used = ("travel", "things")

    def worth(*steps: StepTaken, deadly: bool) -> float:
        situation = a_situation(*steps, without=[name for name in BEHAVIOUR_NAMES if name not in used])
        if deadly:
            situation.experience.dangers.note_action("Attic", "north")
            situation.experience.dangers.note_death("Pit", "jump", dark=False)
        walks = [option for option in options(situation) if option.reason.startswith("walk to Cave")]
        return max((option.utility for option in walks), default=0.0)

    for steps in (there + home[:1], there + home):
        assert 0 < worth(*steps, deadly=True) < 0.6 * worth(*steps, deadly=False)


def test_after_a_dozen_steps_in_one_room_one_walks_to_the_room_seen_longest_ago() -> None:
    steps = [a_blind_step(0), a_blind_step(1, "north", "Attic", room="Attic")]
    steps += [a_blind_step(n, "wait", f"Noise {n}.", room="Attic") for n in range(2, 14)]

    assert ideas_of("tour", *steps[:-1]) == []
    assert ideas_of("tour", *steps) == ["south"]


def test_on_the_way_to_the_room_seen_longest_ago_one_does_not_stop_in_another() -> None:
    there = [
        a_blind_step(0),
        a_blind_step(1, "north", "Attic", room="Attic"),
        a_blind_step(2, "north", "Roof", room="Roof"),
    ]
    busy = [a_blind_step(n, "wait", f"Noise {n}.", room="Roof") for n in range(3, 16)]
    passing = a_blind_step(16, "south", "Attic", room="Attic")
    arrived = a_blind_step(17, "south", "Hall")

    assert ideas_of("tour", *there, *busy) == ["south"]
    assert ideas_of("tour", *there, *busy, passing) == ["south"]
    assert ideas_of("tour", *there, *busy, passing, arrived) == []


def test_what_was_only_carried_through_a_room_has_not_been_tried_there() -> None:
    key = {"held": ["iron key"]}
    taken = [a_blind_step(0), a_blind_step(1, "take key", "Taken.", **key)]
    passed = a_blind_step(2, "north", "Attic", room="Attic", **key)
    stayed = [a_blind_step(n, f"push b{n}", f"Click {n}.", room="Attic", **key) for n in (3, 4)]

    assert not a_situation(*taken, passed).experience.rooms.has_seen_all("Attic", ["iron key"])
    assert a_situation(*taken, passed, *stayed).experience.rooms.has_seen_all("Attic", ["iron key"])


def an_opened_grate(*more: StepTaken) -> list[StepTaken]:
    opened = a_blind_step(1, "open grate", "You open the steel grate.", seen=["grate"])
    return [a_blind_step(0, seen=["grate"]), opened, *more]


def test_what_was_opened_is_gone_through_at_once() -> None:
    assert ideas_of("go_through", *an_opened_grate()) == ["enter grate"]


def test_what_lies_in_the_floor_is_gone_down_where_it_cannot_be_entered() -> None:
    vain = a_blind_step(
        2, "enter grate", "That's not something you can enter.", seen=["grate"], changed=False
    )

    assert ideas_of("go_through", *an_opened_grate(vain)) == ["down"]


def an_opened_door(*more: StepTaken) -> list[StepTaken]:
    opened = a_blind_step(1, "open door", "You open the door.", seen=[])
    return [a_blind_step(0, None, "Hall\nA path leads east.", seen=[]), opened, *more]


def test_a_door_that_cannot_be_entered_by_name_leads_where_no_text_has_said() -> None:
    vain = a_blind_step(2, "enter door", "I don't understand that.", seen=[], changed=False)
    no_way = a_blind_step(3, "in", "You can't go that way.", seen=[], changed=False)
    north = a_blind_step(4, "north", "Hut\nA dusty hut.", room="Hut")
    back = a_blind_step(5, "south", "Hall\nA path leads east.", seen=[])

    assert ideas_of("go_through", *an_opened_door(vain)) == ["in"]
    assert ideas_of("go_through", *an_opened_door(vain, no_way)) == ["north"]
    assert ideas_of("go_through", *an_opened_door(vain, no_way, north, back)) == []


def test_what_stood_open_leads_nowhere_new() -> None:
    stood = a_blind_step(1, "open door", "The door is open.", seen=["door"], changed=False)

    assert ideas_of("go_through", a_blind_step(0, seen=["door"]), stood) == []


def test_what_was_gone_through_is_not_gone_through_again_for_being_open() -> None:
    below = a_blind_step(2, "enter grate", "A low chamber.", room="Chamber")
    back = a_blind_step(3, "up", "Hall", seen=["grate"])

    assert ideas_of("go_through", *an_opened_grate(below, back)) == []


def test_what_could_not_be_entered_is_entered_once_it_is_unlocked() -> None:
    steps = (
        a_blind_step(0, held=["keys"], seen=["car"]),
        a_blind_step(1, "enter car", "The car is locked.", held=["keys"], seen=["car"], changed=False),
        a_blind_step(2, "unlock car", "Unlocked.", held=["keys"], seen=["car"]),
    )

    assert ideas_of("go_through", *steps) == ["enter car"]
    assert ideas_of("go_through", *steps[:2]) == []


def test_at_a_loss_one_walks_to_what_is_untried_however_far_it_is() -> None:
    steps = [a_blind_step(0, seen=["chest"])]
    steps += [a_blind_step(n, "north", f"Attic {n}", room=f"Attic {n}") for n in range(1, 10)]
    used = ("tour", "things")
    found = options(a_situation(*steps, without=[name for name in BEHAVIOUR_NAMES if name not in used]))

    assert [option.action for option in found] == ["south"]


def test_a_way_that_was_refused_again_and_again_is_no_way_out() -> None:
    steps: list[StepTaken] = [a_blind_step(0)]
    for visit in range(5):
        n = len(steps)
        steps.append(a_blind_step(n, "north", room="Pit"))
        steps += [
            a_blind_step(n + 1, "east", "You can't go that way.", room="Pit", changed=False),
            a_blind_step(n + 2, "jump", "Whee.", room="Pit", changed=False),
            a_blind_step(n + 3, "sing", "La.", room="Pit", changed=False),
        ]
        steps.append(a_blind_step(n + 4, "swim", f"You come up, wet ({visit})."))
    lost = [a_blind_step(27 + n, "swim", "You sink.", room="Pit", changed=False) for n in range(3)]

    assert "east" in ideas_of("find_way_out", *steps[:11], a_blind_step(11, "north", room="Pit"), *lost)
    assert "east" not in ideas_of("find_way_out", *steps, a_blind_step(26, "north", room="Pit"), *lost)


def test_a_way_that_was_refused_here_does_not_come_first_before_the_room_has_changed() -> None:
    refused = "A heavy door bars the way."
    steps = [a_blind_step(0, None, "A path leads east."), a_blind_step(1, "east", refused, changed=False)]
    steps += [a_blind_step(n, f"push b{n}", "Nothing.", changed=False) for n in range(2, 30)]
    opened = a_blind_step(30, "push bell", "The door swings open.")

    assert ideas_of("breadth", *steps) == []
    assert ideas_of("breadth", *steps, opened) == ["east"]


def test_with_few_steps_left_a_way_that_a_text_names_comes_first_sooner() -> None:
    steps = [a_blind_step(0, None, "A path leads east.")]
    steps += [a_blind_step(n, f"push b{n}", "Nothing.", changed=False) for n in range(1, 12)]

    assert ideas_of("breadth", *steps, budget=1_000) == []
    assert ideas_of("breadth", *steps, budget=100) == ["east"]


def test_who_has_walked_for_long_with_nothing_untried_does_first_what_is_untried_here() -> None:
    steps = [a_blind_step(0, None, "A path leads east."), a_blind_step(1, "north", room="Attic")]
    steps += [
        a_blind_step(n, "north" if n % 2 else "south", room="Attic" if n % 2 else "Hall")
        for n in range(2, 60)
    ]
    back = a_blind_step(60, "south")
    dull = [a_blind_step(n, "jump", "Whee.", changed=False) for n in range(61, 75)]

    assert ideas_of("breadth", *steps, back) == []
    assert ideas_of("breadth", *steps, back, *dull) == ["east"]


def test_no_action_is_longer_than_can_be_typed() -> None:
    name = "very " * 40 + "long thing"

    assert all(len(action) <= 150 for action in ideas_of("things", a_blind_step(0, seen=[name], held=[name])))
    assert ideas_of("valid", a_step(0, valid=[f"push {name}"], complete=True)) == []


def test_what_opens_of_itself_is_gone_through_where_something_was_shut() -> None:
    hall = a_blind_step(0, None, "A bare hall. The pod is closed.")
    opens = a_blind_step(1, "wait", "A bell rings. The bulkhead slides open.")

    assert ideas_of("go_through", hall, opens) == ["enter bulkhead"]
    assert ideas_of("go_through", hall, opens, a_blind_step(2, "wait", "Time passes.")) == []
    assert ideas_of("go_through", a_blind_step(0), opens) == []


def test_the_player_walks_to_where_something_opens() -> None:
    hall = [
        a_blind_step(0, None, "A bare hall."),
        a_blind_step(1, "east", "The gate is closed.", changed=False),
    ]
    attic = a_blind_step(2, "north", "A bare attic.", room="Attic")

    def reasons(*texts: str) -> set[str]:
        waits = [a_blind_step(n, "wait", text, room="Attic") for n, text in enumerate(texts, start=3)]
        return {option.reason for option in options(a_situation(*hall, attic, *waits))}

    assert "walk to Hall: something opens there" in reasons("Far away the gate creaks open.", "Time passes.")
    assert "walk to Hall: something opens there" not in reasons("Time passes.", "A mouse squeaks.")


def test_a_room_that_one_has_come_to_often_without_anything_new_attracts_less_and_less() -> None:
    """Or two rooms that attract the player in turn would be walked between for ever."""

    def worth(times: int, *, found: str = "") -> float:
        steps = [a_blind_step(0)]
        for n in range(times):
            steps.append(a_blind_step(2 * n + 1, "north", "Cave", room="Cave"))
            steps.append(a_blind_step(2 * n + 2, "south", "Hall"))
        if found:
            steps.append(a_blind_step(2 * times + 1, f"take {found}", "Taken.", held=[found]))
        situation = a_situation(*steps)
        situation.remaining["Cave"] = 40.0
        walks = [
            option for option in options(situation) if option.reason == "walk to Cave: something untried"
        ]
        return max((option.utility for option in walks), default=0.0)

    assert worth(2) == worth(3) > worth(6) > worth(9)
    assert worth(9, found="key") >= worth(3)
