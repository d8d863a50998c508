"""How the rule-based player learns which verbs a game knows, and what it tries where time kills."""

from __future__ import annotations

import pytest

from schemas.game import StepTaken
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.options import options
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of

UNKNOWN = "That's not a verb I recognise."
PREFACE = "A lever and a pulley. You want to clamber, or to restart, and nobody can polish the lever."


def opening(text: str = PREFACE) -> StepTaken:
    return a_blind_step(0, None, text, seen=["statue"])


def typed(number: int, word: str, text: str = UNKNOWN, *, room: str = "Hall") -> StepTaken:
    return a_blind_step(number, word, text, room=room, seen=["statue"], changed=False)


def test_the_words_of_a_text_are_typed_alone_those_first_that_seem_to_be_verbs() -> None:
    found = ideas_of("guess_verbs", opening())

    assert set(found[:3]) == {"want", "clamber", "polish"}
    assert {"lever", "pulley"} <= set(found[3:])
    assert {"restart", "can", "the"}.isdisjoint(found)


def test_each_word_is_typed_once_and_only_at_every_other_step() -> None:
    assert ideas_of("guess_verbs", opening(), typed(1, "clamber")) == []
    assert "clamber" not in ideas_of("guess_verbs", opening(), typed(1, "clamber"), typed(2, "polish"))
    assert "want" in ideas_of("guess_verbs", opening(), typed(1, "clamber"), typed(2, "polish"))


def test_a_verb_that_the_game_knows_is_done_in_each_room() -> None:
    known, unknown = typed(1, "clamber", "You clamber about."), typed(1, "clamber")
    elsewhere = typed(2, "north", "Attic", room="Attic")

    assert "clamber" in ideas_of("say", opening(), known, elsewhere)
    assert "clamber" not in ideas_of("say", opening(), known)
    assert "clamber" not in ideas_of("say", opening(), unknown, elsewhere)


def test_a_verb_that_wants_a_thing_is_tried_on_things() -> None:
    asked = typed(1, "polish", "What do you want to polish?")

    assert "polish statue" in ideas_of("experiment", opening(), asked)
    assert "polish" not in ideas_of("say", opening(), asked, typed(2, "north", "Attic", room="Attic"))
    assert "polish statue" not in ideas_of("experiment", opening(), typed(1, "polish"))


def test_two_things_in_hand_are_tried_together_where_valid_actions_are_not_known() -> None:
    found = ideas_of("experiment", a_blind_step(0, held=["flask", "pebble"]))

    assert {"put pebble in flask", "put flask in pebble", "touch flask with pebble"} <= set(found)


def starved(*last: str) -> list[StepTaken]:
    """Episodes that end in the same words, whatever is done."""
    steps = [a_blind_step(0, held=["ring"])]
    for episode, action in enumerate(last, start=1):
        told = "You starve.\n\n*** You have died ***"
        steps += [
            a_blind_step(len(steps), action, told, held=["ring"], done=True, episode=episode),
            a_blind_step(len(steps) + 1, "restart", "Hall", held=["ring"], episode=episode + 1),
        ]
    return steps


@pytest.mark.parametrize(
    ("last", "kills"),
    [(("examine ring", "read sign", "north"), False), (("examine ring", "push bell", "north"), True)],
)
def test_what_was_done_when_time_was_up_is_no_danger(last: tuple[str, ...], *, kills: bool) -> None:
    assert ("north" in a_situation(*starved(*last)).experience.deadly("Hall")) is kills


def test_where_time_kills_what_is_held_is_tried_before_walks() -> None:
    late, others = starved("examine ring", "read sign"), {"beat_the_clock"}
    found = options(a_situation(*late, without=[name for name in BEHAVIOUR_NAMES if name not in others]))

    assert [option.reason for option in found] == ["there is little time, and this can be tried at once"]
    assert found[0].action.endswith(" ring")
    assert ideas_of("beat_the_clock", *starved("push bell", "north")) == []


def test_in_what_one_has_got_into_a_lone_verb_is_done_again() -> None:
    vain = typed(1, "clamber", "You clamber about.")
    boarded = a_blind_step(2, "enter boat", "You get into the boat.", seen=["boat"])
    again = typed(3, "clamber", "You clamber about.")
    left = a_blind_step(4, "out", "You get out.", seen=["boat"])

    assert "clamber" in ideas_of("say", opening(), vain, boarded)
    assert "clamber" not in ideas_of("say", opening(), vain, boarded, again)
    assert "clamber" not in ideas_of("say", opening(), vain, boarded, left)
