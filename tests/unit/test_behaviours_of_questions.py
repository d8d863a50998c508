"""How the rule-based player answers questions and escapes from traps."""

from __future__ import annotations

import pytest

from schemas.game import StepTaken
from services.actor.heuristic.options import options
from services.actor.logic import by_policy, chance
from services.actor.policies import policy_of
from tests.support.scenes.builders import a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which do you mean, the red box or the blue box?", "open red box"),
        ("Which one do you mean, your coat, the hat, or an umbrella?", "open coat"),
        ("Are you sure you want to sell it?", "yes"),
        ("Do you accept? (Y/N) >", "yes"),
        ("Please answer yes or no.", "yes"),
        ("Choose a number:\n 3) Tea\n 4) Milk", "3"),
        ("Please enter a number.", "1"),
        ("To go up, press a number.", "press 1"),
        ("Welcome, stranger. What is your name?", "Alex"),
        ("(Please enter your age in years.)", "30"),
        ("Are you male or female?", "male"),
        ("Do you wish to play a SHORT, MIDDLING or LONG game?", "short"),
        ("Type BEGIN to start.", "begin"),
    ],
)
def test_a_question_is_answered(question: str, said: str) -> None:
    assert ideas_of("answer", a_blind_step(0), a_blind_step(1, "open box", question)) == [said]


def test_what_the_parser_asks_back_is_answered_by_a_whole_command_and_the_other_thing_comes_later() -> None:
    asked = "Which do you mean, the clean clothing or the soiled clothing?"
    steps = [
        a_blind_step(0),
        a_blind_step(1, "wear clothes", asked, changed=False),
        a_blind_step(2, "wear clean clothing", "It does not fit.", changed=False),
    ]

    assert ideas_of("answer", *steps[:2]) == ["wear clean clothing"]
    assert ideas_of("tell_apart", *steps) == ["wear soiled clothing"]


@pytest.mark.parametrize("action", ["put key in slot", "north"])
def test_where_no_word_stands_for_the_thing_it_is_named_alone(action: str) -> None:
    asked = "Which do you mean, the red box or the blue box?"

    assert ideas_of("answer", a_blind_step(0), a_blind_step(1, action, asked)) == ["red box"]


def test_a_command_that_lacks_a_thing_is_completed_and_nothing_unlocked_that_is_not_locked() -> None:
    held = ["spoon", "hook"]

    def asked(action: str, question: str) -> list[str]:
        opening = a_blind_step(0, held=held, seen=["chest"])
        return ideas_of(
            "complete", opening, a_blind_step(1, action, question, held=held, seen=["chest"], changed=False)
        )

    assert set(asked("tie spoon", "What do you want to tie the spoon to?")) == {
        "tie spoon to chest",
        "tie spoon to hook",
    }
    assert asked("unlock chest", "What do you want to unlock the chest with?") == []
    assert asked("dig", "What do you want to dig?") == []


def test_a_question_that_comes_again_is_answered_otherwise() -> None:
    asked = "Please answer yes or no."
    steps = [a_blind_step(0), a_blind_step(1, "open box", asked), a_blind_step(2, "yes", asked)]

    assert ideas_of("answer", *steps) == ["no"]


def test_a_question_to_which_each_answer_was_given_three_times_is_left_alone() -> None:
    asked = "Please answer yes or no."
    steps = [a_blind_step(0), a_blind_step(1, "open box", asked)]
    steps += [a_blind_step(n, "yes" if n % 2 else "no", asked) for n in range(2, 8)]

    assert ideas_of("answer", *steps) == []


def test_a_question_that_comes_up_again_later_is_answered_however_often_it_was() -> None:
    asked = "Are you sure you want to leave? Please answer yes or no."
    steps = [a_blind_step(0)]
    for n in range(1, 12, 2):
        steps += [a_blind_step(n, "out", asked), a_blind_step(n + 1, "no", f"You stay ({n}).")]

    assert ideas_of("answer", *steps, a_blind_step(13, "out", asked))


def test_the_answer_that_led_on_is_given_again_in_a_new_episode_and_none_that_killed() -> None:
    asked = "Will you help me? Please answer yes or no."
    steps = (
        a_blind_step(0),
        a_blind_step(1, "knock", asked),
        a_blind_step(2, "yes", "The old man unlocks the gate.", changed=False),
        a_blind_step(3, "knock", asked),
        a_blind_step(4, "no", "He shoots you.", done=True),
        a_blind_step(5, "restart", "Hall", episode=2),
        a_blind_step(6, "knock", asked, episode=2),
        a_blind_step(7, "yes", asked, episode=2),
    )

    assert ideas_of("answer", *steps[:7]) == ["yes"]
    assert ideas_of("answer", *steps) == ["yes"]


@pytest.mark.parametrize(
    "text",
    [
        "You wonder which way leads out. The old man says yes.",
        "A plate gives the name of the maker.",
        "A sign says NO DOGS or CATS.",
    ],
)
def test_what_is_no_question_is_not_answered(text: str) -> None:
    assert ideas_of("answer", a_blind_step(0, None, text)) == []


def a_trap(*actions: str) -> list[StepTaken]:
    """A session that is told the same whatever it types."""
    told = "You must say the magic number."
    return [a_text_step(0, None, "Hall"), *(a_text_step(n, word, told) for n, word in enumerate(actions, 1))]


def test_an_answer_that_comes_whatever_is_typed_is_escaped_from() -> None:
    typed = ("north", "take all", "examine me", "open door")

    assert ideas_of("escape", *a_trap(*typed[:3])) == []
    assert ideas_of("escape", *a_trap(*typed)) == ["look"]
    assert ideas_of("escape", *a_trap(*typed, "look")) == ["yes"]


def test_a_trap_out_of_which_no_word_leads_is_left_by_a_restart() -> None:
    words = ("look", "yes", "no", "1", "0", "stand up", "out")

    assert ideas_of("escape", *a_trap("north", "take all", "examine me", "open door", *words)) == ["restart"]


def test_blocked_ways_are_no_trap() -> None:
    assert ideas_of("escape", *a_trap("north", "south", "east", "west", "up")) == []


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ('The clerk says, "Would you like to buy it?"', ["yes"]),
        ("Time passes. Do you want to continue waiting?", ["yes"]),
        ("Your score is 0.\nDo you wish to leave the game? (Y is affirmative):", ["no"]),
        ("What do you want to open?", []),
        ("Do you want to know more? He laughs and leaves.", []),
    ],
)
def test_what_asks_whether_one_wants_something_is_answered(text: str, answers: list[str]) -> None:
    assert ideas_of("answer", a_blind_step(0), a_blind_step(1, "wait", text)) == answers


def test_a_game_is_not_left_by_the_answer_to_a_question_that_was_put_twice() -> None:
    steps = [
        a_blind_step(0),
        a_blind_step(1, "out", "Are you sure you want to leave the club?"),
        a_blind_step(2, "dance", "Please answer yes or no."),
    ]

    assert ideas_of("answer", *steps) == ["no"]


def choice_after(*steps: StepTaken) -> str:
    situation = a_situation(*steps)
    random = chance(situation.started, situation.step.step)
    return by_policy(situation, policy_of("heuristic"), {}, random).choice.action


def test_a_question_comes_before_everything_else() -> None:
    asked = "Which do you mean, the red box or the blue box?"
    here = ["red box", "blue box", "crown"]

    assert (
        choice_after(a_blind_step(0, seen=here), a_blind_step(1, "open box", asked, seen=here))
        == "open red box"
    )


def test_a_trap_comes_before_everything_else() -> None:
    assert choice_after(*a_trap("north", "take all", "examine me", "open door")) == "look"


def test_each_button_that_may_have_been_meant_is_pushed() -> None:
    seen = ["red button", "green button"]
    steps = [
        a_blind_step(0, seen=seen),
        a_blind_step(
            1,
            "push button",
            "Which do you mean, the red button or the green button?",
            seen=seen,
            changed=False,
        ),
        a_blind_step(2, "push red button", "Click.", seen=seen),
    ]

    assert utility_of("push green button", *steps) > 40


def which(number: int, action: str, *things: str) -> StepTaken:
    asked = f"Which do you mean, the {' or the '.join(things)}?"
    return a_blind_step(number, action, asked, seen=["button"], changed=False)


def utilities(*steps: StepTaken) -> set[str]:
    return {option.action for option in options(a_situation(a_blind_step(0, seen=["button"]), *steps))}


def test_what_a_noun_stands_for_is_named_in_full_where_the_parser_has_asked_which() -> None:
    asked = which(1, "turn button", "red button", "blue button")
    pressed = a_blind_step(2, "push red button", "Click!", seen=["button"], changed=False)

    assert {"push button", "pull button"} <= utilities()
    found = utilities(asked, pressed)
    assert {"pull red button", "pull blue button", "push blue button"} <= found
    assert not {"pull button", "push button", "push red blue button"} & found


def test_what_is_asked_for_although_it_was_named_in_full_is_not_named_again() -> None:
    asked = which(1, "push button", "button", "red button")
    again = which(2, "push button", "lift button", "lift cellar button")
    named = which(3, "push lift button", "lift button", "lift cellar button")

    assert "pull button" in utilities(asked)
    found = utilities(again, named)
    assert "pull lift cellar button" in found
    assert not {"pull button", "pull lift button", "pull lift lift cellar button"} & found
