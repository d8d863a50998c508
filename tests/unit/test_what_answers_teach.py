"""What the player learns from answers: news, stock phrases, points, words, ways that are traps."""

from __future__ import annotations

import pytest

from folds.text.points import points_announced, score_told
from schemas.game import StepTaken
from services.actor.knowledge.experience.answers import Answers
from services.actor.knowledge.experience.probes import ScoreProbes
from services.actor.knowledge.mentions import words_to_say_in
from services.actor.logic import LOOP, without_loop
from services.actor.policy import Choice
from tests.support.scenes.builders import a_step, a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation


def answers_after(*pairs: tuple[str, str]) -> Answers:
    """What is learned from actions and their answers."""
    answers = Answers()
    for number, (action, text) in enumerate(pairs):
        answers.after(a_text_step(number, action, text))
    return answers


PUSHES = (
    ("push ball", "Pushing the ball achieves nothing."),
    ("push cube", "Pushing the cube achieves nothing."),
    ("push cone", "Pushing the cone achieves nothing."),
)


def test_an_answer_to_three_actions_is_a_stock_phrase_but_for_the_words_typed() -> None:
    told = "Pushing the statue achieves nothing."

    assert not answers_after(*PUSHES[:2]).is_stock("push statue", told)
    assert answers_after(*PUSHES).is_stock("push statue", told)
    assert not answers_after(*PUSHES).is_stock("push statue", "The statue slides aside.")


def test_the_same_action_does_not_make_its_answer_a_stock_phrase() -> None:
    assert not answers_after(*(3 * PUSHES[:1])).is_stock("push ball", PUSHES[0][1])


def test_a_verb_that_gets_stock_phrases_promises_less_news() -> None:
    answers = answers_after(
        *PUSHES, *(("push " + word, f"Pushing the {word} achieves nothing.") for word in "ab")
    )

    assert answers.news_of("push") < answers.news_of("turn") == 1.0


def test_a_streak_lasts_as_long_as_the_answers_are_the_same() -> None:
    same = [("north", "No."), ("jump", "No."), ("wait", "No.")]

    assert answers_after(*same).streak == ["north", "jump", "wait"]
    assert answers_after(*same, ("sing", "La.")).streak == ["sing"]


def test_points_end_a_streak() -> None:
    answers = answers_after(("north", "No."), ("jump", "No."))
    answers.after(a_blind_step(2, "dig", "No.", reward=5))

    assert answers.streak == ["dig"]


def test_a_game_is_deaf_if_actions_of_different_kinds_are_answered_alike() -> None:
    assert not answers_after(("north", "No."), ("south", "No."), ("east", "No."), ("up", "No.")).is_deaf(4)
    assert not answers_after(("north", "No."), ("take hat", "No."), ("wait", "No.")).is_deaf(4)
    assert answers_after(("north", "No."), ("take hat", "No."), ("wait", "No."), ("up", "No.")).is_deaf(4)


def test_an_answer_is_new_once() -> None:
    answers = answers_after(("look", "Hall"), ("wait", "Time passes."), ("look", "Hall"))

    assert (answers.is_new, answers.new_at) == (False, 1)


def test_what_tells_of_the_player_alone_is_no_news_of_the_world() -> None:
    assert answers_after(("look", "Hall"), ("score", "You have 0 points after 1 turn.")).new_at == 0


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("[Your score has just gone up by five points.]", 5),
        ("Your score has gone down by 10 points.", -10),
        ("You have earned another point!", 1),
        ("You just lost twenty-five points.", -25),
        ("[Your score has just gone up by one hundred and twenty points.]", 120),
        ("(Your score just went up by 3 points. The total is now 3 out of 100.)", 3),
        ("[Your score has increased by five.]", 5),
        ("Your score just fell ten points.", -10),
        ("The score goes up and down.", 0),
        ("That is beside the point.", 0),
    ],
)
def test_points_are_read_as_a_text_announces_them(text: str, points: int) -> None:
    assert points_announced(text) == points


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("You have so far scored 5 out of a possible 30, in 12 turns.", 5),
        ("Your score is 35 (total of 350 points), in 40 moves.", 35),
        ("If you were to quit now, you would score seven points.", 7),
        ("You have scored 15 points out of a possible 100.", 15),
        ("You have scored no points so far.", 0),
        ("Your score is 25", 25),
        ("Your score is -10 of 100.", -10),
        ("In this story there is no score.", None),
        ("I don't know the word score.", None),
    ],
)
def test_the_score_is_read_from_the_answer_to_score(text: str, score: int | None) -> None:
    assert score_told(text) == score


def probes_after(*steps: StepTaken) -> ScoreProbes:
    probes = ScoreProbes()
    for step in steps:
        probes.after(step)
    return probes


def test_a_probe_that_tells_of_no_points_is_in_vain() -> None:
    told = "You have so far scored 5 out of 30, in 4 turns."
    vain = probes_after(a_blind_step(4, "score", told))
    good = probes_after(a_blind_step(4, "score", told, reward=5))

    assert (vain.asked_at, vain.in_vain, vain.is_useless) == (4, True, False)
    assert (good.asked_at, good.in_vain, good.is_useless) == (4, False, False)


def test_probes_are_useless_where_the_game_announces_points_or_does_not_answer() -> None:
    assert probes_after(a_text_step(1, "score", "What?")).is_useless
    assert probes_after(a_text_step(1, "dig", "[Your score has just gone up by one point.]")).is_useless
    assert not probes_after(a_text_step(1, "dig", "You dig a hole.")).is_useless


def test_a_way_into_a_room_that_was_given_up_without_a_way_out_is_a_trap() -> None:
    steps = (
        a_blind_step(0),
        a_blind_step(1, "down", room="Pit"),
        a_blind_step(2, "jump", "You cannot get out.", room="Pit", changed=False),
        a_blind_step(3, "restart", episode=2),
    )
    known = a_situation(*steps).experience

    assert known.is_deadly("Hall", "down")
    assert known.deadly("Hall") == {"down"}
    assert not a_situation(*steps[:3]).experience.is_deadly("Hall", "down")


def test_a_room_that_one_has_left_is_no_trap() -> None:
    steps = (
        a_blind_step(0),
        a_blind_step(1, "down", room="Pit"),
        a_blind_step(2, "up"),
        a_blind_step(3, "down", room="Pit"),
        a_blind_step(4, "restart", episode=2),
    )

    assert not a_situation(*steps).experience.is_deadly("Hall", "down")


def test_what_was_done_shortly_before_a_death_is_to_blame_the_later_the_more() -> None:
    done = ("sing", "pull lever", "wait", "jump", "listen", "open coffin")
    steps = [a_blind_step(0), *(a_blind_step(n, action, f"Noise {n}.") for n, action in enumerate(done, 1))]
    dangers = a_situation(*steps[:-1], a_blind_step(6, "open coffin", done=True)).experience.dangers
    blame = [dangers.blame_for("Hall", action) for action in done]

    assert blame == sorted(blame)
    assert (blame[0], blame[-1]) == (0.0, 1.0)
    assert dangers.blame_for("Attic", "open coffin") == 0.0


def test_what_was_done_before_a_restart_is_not_to_blame_for_a_later_death() -> None:
    steps = (
        a_blind_step(0),
        a_blind_step(1, "pull lever", "Click."),
        a_blind_step(2, "restart", episode=2),
        a_blind_step(3, "jump", "You fall.", done=True, episode=2),
    )
    dangers = a_situation(*steps).experience.dangers

    assert (dangers.blame_for("Hall", "pull lever"), dangers.blame_for("Hall", "jump")) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The sign reads 'abraxas'.", ("abraxas",)),
        ('It says "Plugh!" and then XYZZY.', ("plugh", "xyzzy")),
        ("'North' is painted on the wall.", ()),
        ("A plain sheet of paper.", ()),
        ("BYE-LAWS\nNO FISHING\nDO NOT FEED THE WOLVES", ()),
        ("Say 'open sesame' twice.", ()),
    ],
)
def test_single_words_in_quotes_or_capitals_can_be_said(text: str, words: tuple[str, ...]) -> None:
    assert words_to_say_in(text) == words


def repeated(action: str, *answers: str) -> Choice:
    """What becomes of choosing an action again after it was answered so."""
    steps = [a_step(0), *(a_step(n, action, text=text) for n, text in enumerate(answers, 1))]
    return without_loop(Choice(action, "a reason"), a_situation(*steps))


def test_an_action_that_was_answered_alike_three_times_gives_way_to_a_look() -> None:
    assert repeated("push bell", *(LOOP * ["Dong."])).action == "look"
    assert repeated("push bell", *((LOOP - 1) * ["Dong."])).action == "push bell"


def test_an_action_whose_answers_change_goes_on() -> None:
    assert repeated("attack troll", "You miss.", "You hit it.", "It falls.").action == "attack troll"


def test_a_look_does_not_give_way_to_a_look() -> None:
    assert repeated("look", *(LOOP * ["Hall"])) == Choice("look", "a reason")


def test_a_refusal_that_a_look_ends_is_no_trap() -> None:
    refusals = [("north", "No."), ("take hat", "No."), ("wait", "No."), ("up", "No.")]

    assert not answers_after(*refusals, ("look", "Hall"), *refusals).is_deaf(4)
    assert answers_after(*refusals, ("yes", "Hall"), *refusals).is_deaf(4)
