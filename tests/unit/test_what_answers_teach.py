"""What the player learns from answers: news, stock phrases, points, words, ways that are traps."""

from __future__ import annotations

from itertools import pairwise

import pytest

from folds.text.points import points_announced, score_told
from schemas.game import StepTaken
from services.actor.knowledge.best_route import BestRoute
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


def route_after(*steps: StepTaken) -> BestRoute:
    route = BestRoute()
    for before, now in pairwise(steps):
        route.after(before, now)
    return route


CROWNED = (
    a_blind_step(0),
    a_blind_step(1, "sing", "La.", changed=False),
    a_blind_step(2, "north", room="Attic"),
    a_blind_step(3, "take crown", "Taken.", room="Attic", held=["crown"], reward=5),
    a_blind_step(4, "restart", episode=2),
)


def test_the_best_route_leaves_out_what_came_to_nothing() -> None:
    assert [stage.action for stage in route_after(*CROWNED).stages] == ["north", "take crown"]


def test_ways_in_a_maze_are_part_of_the_best_route() -> None:
    maze = "Maze\nTwisty little passages, all alike."
    route = route_after(
        a_blind_step(0),
        a_blind_step(1, "north", maze, room="Maze"),
        a_blind_step(2, "east", maze, room="Maze", changed=False),
        a_blind_step(3, "up", "You can't go that way.", room="Maze", changed=False),
        a_blind_step(4, "take coin", "Taken.", room="Maze", held=["coin"], reward=5),
    )

    assert [stage.action for stage in route.stages] == ["north", "east", "take coin"]


REARRANGED = (
    a_blind_step(0, seen=["coin"]),
    a_blind_step(1, "take coin", "Taken.", held=["coin"]),
    a_blind_step(2, "score", "You have no points."),
    a_blind_step(3, "drop all", "Dropped.", seen=["coin"]),
    a_blind_step(4, "take all", "Taken.", held=["coin"]),
    a_blind_step(5, "pay clerk", "He nods.", reward=5),
    a_blind_step(6, "restart", episode=2, seen=["coin"]),
)


def test_a_route_is_shortened_by_what_leaves_the_same_in_hand_and_by_asking() -> None:
    assert [stage.action for stage in route_after(*REARRANGED).stages] == ["take all", "pay clerk"]


def test_a_shortened_route_that_earns_less_is_given_up_for_the_whole_one() -> None:
    taken, again = (
        a_blind_step(7, "take all", "Taken.", held=["coin"], episode=2),
        a_blind_step(9, "restart", episode=3),
    )
    in_vain = a_blind_step(8, "pay clerk", "He frowns.", held=["coin"], episode=2)
    in_time = a_blind_step(8, "pay clerk", "He nods.", reward=5, episode=2)
    whole = ["take coin", "drop all", "take all", "pay clerk"]

    assert [each.action for each in route_after(*REARRANGED, taken, in_vain, again).stages] == whole
    assert [each.action for each in route_after(*REARRANGED, taken, in_time, again).stages] == whole[2:]


def test_after_a_restart_the_best_route_is_under_way_and_the_episode_behind() -> None:
    before, after = route_after(*CROWNED[:4]), route_after(*CROWNED)

    assert (before.is_behind, before.is_under_way) == (False, False)
    assert (after.is_behind, after.is_under_way, after.next("Hall")) == (True, True, "north")


def test_a_route_that_was_gone_to_its_end_is_no_longer_under_way() -> None:
    again = (
        a_blind_step(5, "north", room="Attic", episode=2),
        a_blind_step(6, "take crown", "Taken.", room="Attic", held=["crown"], reward=5, episode=2),
    )
    route = route_after(*CROWNED, *again)

    assert (route.is_behind, route.is_under_way, route.next("Attic")) == (False, False, None)


def test_a_route_is_given_up_where_it_leads_elsewhere() -> None:
    route = route_after(*CROWNED, a_blind_step(5, "north", room="Pit", episode=2))

    assert (route.is_behind, route.is_under_way, route.next("Pit")) == (True, False, None)


def test_every_third_episode_without_a_better_score_is_played_freely() -> None:
    restarts = [a_blind_step(n, "restart", episode=n - 2) for n in (5, 6)]

    assert not route_after(*CROWNED, *restarts).is_under_way
    assert route_after(*CROWNED, *restarts[:1]).is_under_way


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
