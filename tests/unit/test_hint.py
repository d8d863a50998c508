"""What the hint service recommends."""

from schemas.game import StepTaken
from services.hint.logic import Hints, fragment
from tests.support.scenes.builders import a_session, a_step, folded


def hints(*steps: StepTaken) -> Hints:
    return folded(Hints.opening(a_session()), steps)


def test_untried_actions_are_ranked_by_their_use() -> None:
    given = fragment(hints(a_step(0, valid=["drop hat", "push button", "open box", "north", "take lamp"])))

    assert given is not None
    assert given.suggestions == ("take lamp", "open box", "north", "push button")
    assert given.sections[0].name == "hints"
    assert "1. take lamp" in given.sections[0].text


def test_at_most_five_are_given() -> None:
    assert len(hints(a_step(0, valid=[f"open box{n}" for n in range(9)])).actions) == 5


def test_they_stay_as_they_are_while_room_and_world_do() -> None:
    before = hints(a_step(0, valid=["open box", "take lamp"]))
    given = fragment(before)

    after = before.after(a_step(1, "look", valid=["open box", "take lamp", "open door"]))

    assert fragment(after) == given


def test_a_change_of_the_world_renews_them() -> None:
    state = hints(
        a_step(0, valid=["open box"]), a_step(1, "open box", world="v", changed=True, valid=["take coin"])
    )

    assert state.actions == ("take coin",)


def test_what_was_tried_in_this_state_of_the_world_is_not_recommended_again() -> None:
    steps = (
        a_step(0, valid=["open box", "take lamp"]),
        a_step(1, "take lamp", valid=["open box", "take lamp"]),
        a_step(2, "north", room="Attic", world="v", valid=["south"]),
        a_step(3, "south", valid=["open box", "take lamp"]),
    )

    assert hints(*steps).actions == ("open box",)


def test_without_valid_actions_the_visible_things_and_untried_ways_are_recommended() -> None:
    actions = hints(a_step(0, valid=None, seen=["small box"], text="A path leads west.")).actions

    assert actions[:3] == ("take box", "open box", "west")


def test_a_game_that_is_over_has_no_hints() -> None:
    assert fragment(hints(a_step(0, done=True, valid=["open box"]))) is None


def test_a_restarted_service_says_what_the_old_one_said() -> None:
    steps = [
        a_step(0, valid=["open box"]),
        a_step(1, "open box", world="v", changed=True, valid=["take coin"]),
    ]

    assert fragment(hints(*steps)) == fragment(hints(*steps, *steps))
