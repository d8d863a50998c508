"""What the rule-based player tries with what it holds, and where the time that passes kills."""

from __future__ import annotations

import pytest

from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.options import options
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, starved


def test_two_things_in_hand_are_tried_together_where_valid_actions_are_not_known() -> None:
    found = ideas_of("experiment", a_blind_step(0, held=["flask", "pebble"]))

    assert {"put pebble in flask", "put flask in pebble", "touch flask with pebble"} <= set(found)


@pytest.mark.parametrize(
    ("last", "kills"),
    [(("examine ring", "read sign", "north"), False), (("examine ring", "push bell", "north"), True)],
)
def test_what_was_done_when_time_was_up_is_no_danger(last: tuple[str, ...], *, kills: bool) -> None:
    assert ("north" in a_situation(*starved(*last)).experience.deadly("Hall")) is kills


def test_where_time_kills_what_is_held_is_tried_before_walks() -> None:
    others = [name for name in BEHAVIOUR_NAMES if name != "beat_the_clock"]
    found = options(a_situation(*starved("examine ring", "read sign"), without=others))

    assert [option.reason for option in found] == ["there is little time, and this can be tried at once"]
    assert found[0].action.endswith(" ring")
    assert ideas_of("beat_the_clock", *starved("push bell", "north")) == []
