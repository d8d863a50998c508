"""The plan: what rules find follows from what is known; what a model notes stays until it strikes it off."""

from __future__ import annotations

from random import Random

import pytest

from folds.text.conditions import Condition
from lantern.play.session_options import checked_goal
from lantern.views.plan_lines import brief_plan_lines, plan_lines
from mesh.errors import InputError
from schemas.actor import Mind, OpenPuzzle, SubGoal
from schemas.game import StepTaken
from services.actor.heuristic.policy import Heuristic
from services.actor.knowledge.refusals import Refusals
from services.actor.knowledge.situation import Situation
from services.actor.logic import by_policy
from services.actor.plan.by_rule import open_puzzles, sub_goals
from services.actor.plan.notes import CLUES, NewNotes, mind_after, mind_now
from services.actor.policies import initial_situation
from tests.support.scenes.builders import a_session, a_step, folded

YARD = a_step(0, text="Yard\nA yard.", room="Yard", valid=["north", "east"], world="a")
LOCKED = a_step(
    1, "north", text="The oak door is locked.", room="Yard", valid=["north", "east"], world="a", changed=False
)
KEY = a_step(2, "take key", text="Taken.", room="Yard", held=["iron key"], valid=["east"], world="b")


def a_situation(*steps: StepTaken, goal: str = "") -> Situation:
    return folded(initial_situation(a_session().model_copy(update={"goal": goal})), steps)


def goals(*steps: StepTaken, goal: str = "") -> list[str]:
    return [each.goal for each in sub_goals(a_situation(*steps, goal=goal))]


def test_a_locked_door_and_no_key_is_an_open_puzzle() -> None:
    situation = a_situation(YARD, LOCKED)

    assert [puzzle.puzzle for puzzle in open_puzzles(situation)] == [
        "the door in Yard is locked",
        "north of Yard is barred: The oak door is locked.",
    ] or [puzzle.puzzle for puzzle in open_puzzles(situation)] == [
        "north of Yard is barred: The oak door is locked."
    ]
    assert situation.experience.playthrough.conditions.of(situation.room) == {"door": Condition.LOCKED}


def test_with_a_key_in_hand_the_key_is_to_be_tried() -> None:
    assert goals(YARD, LOCKED)[0] == "get past what bars north of Yard"
    assert goals(YARD, LOCKED, KEY)[0] == "try the iron key on what bars north of Yard"


@pytest.mark.parametrize("text", ["You get off the stairs.\n\nYard\nA yard.", "Yard\nA yard."])
def test_an_answer_that_refuses_nothing_bars_no_way(text: str) -> None:
    stayed = a_step(1, "out", text=text, room="Yard", valid=["north", "east"], world="a", changed=False)

    assert not [goal for goal in goals(YARD, stayed) if "what bars" in goal]


def test_a_plan_changes_only_where_the_world_does() -> None:
    before = goals(YARD, LOCKED)

    idle = [a_step(n, "wait", text="Time passes.", room="Yard", valid=["east"], world="a") for n in (2, 3, 4)]
    assert goals(YARD, LOCKED, *idle) == before
    walked = a_step(2, "east", text="Shed\nA shed.", room="Shed", valid=["west"], world="c", changed=True)
    assert "see where east leads from Yard" in before
    assert "see where east leads from Yard" not in goals(YARD, LOCKED, walked)


def test_the_users_goal_comes_first() -> None:
    assert goals(YARD, LOCKED, goal="Find the lamp.")[0] == "Find the lamp."


def test_the_rule_based_player_publishes_its_plan_and_prefers_what_the_goal_names() -> None:
    room = a_step(
        0, text="Hall", room="Hall", seen=["vase", "lamp"], valid=["take vase", "take lamp"], world="a"
    )
    chosen = {
        goal: by_policy(a_situation(room, goal=goal), Heuristic(), {}, Random(1)).choice.action
        for goal in ("Get the lamp.", "Get the vase.")
    }
    thought = by_policy(a_situation(room, goal="Get the vase."), Heuristic(), {}, Random(1))

    assert chosen == {"Get the lamp.": "take lamp", "Get the vase.": "take vase"}
    assert thought.mind is not None and thought.mind.plan[0].goal == "Get the vase."


def test_what_a_model_notes_stays_until_it_is_struck_off() -> None:
    situation = a_situation(YARD, LOCKED)
    plan = (SubGoal(goal="Get in.", reason="The light is there."),)
    mind = mind_after(
        mind_now(Mind(), situation), NewNotes(plan=plan, puzzle="Who has the key?", clue="Maren lies.")
    )
    later = mind_now(mind_after(mind, NewNotes(clue="The letter is forged.")), situation)

    assert later.plan == plan, "it stands in place of the rules' plan"
    assert later.clues == ("Maren lies.", "The letter is forged.")
    assert later.puzzles[0] == OpenPuzzle(puzzle="Who has the key?")
    assert any(puzzle.by_rule for puzzle in later.puzzles)
    assert mind_after(later, NewNotes(settled=("P1", "C1"))).clues == ("The letter is forged.",)
    assert all(puzzle.by_rule for puzzle in mind_after(later, NewNotes(settled=("P1",))).puzzles)


def test_notes_are_bounded_and_the_oldest_goes_first() -> None:
    mind = Mind()
    for number in range(CLUES + 3):
        mind = mind_after(mind, NewNotes(clue=f"clue {number}", puzzle=f"puzzle {number}"))

    assert mind.clues[0] == "clue 3" and len(mind.clues) == CLUES
    assert mind.puzzles[-1].puzzle == f"puzzle {CLUES + 2}"


def test_views_tell_the_plan() -> None:
    mind = Mind(
        objective="Get in.",
        plan=(SubGoal(goal="Find a key.", reason="It is locked."), SubGoal(goal="Look up.")),
        puzzles=(OpenPuzzle(puzzle="Who is there?"),),
        clues=("Six o'clock.",),
    )

    assert list(plan_lines(mind)) == [
        "objective: Get in.",
        "plan: Find a key. (It is locked.)",
        "plan: Look up.",
        "puzzle: Who is there?",
        "clue: Six o'clock.",
    ]
    assert list(brief_plan_lines(mind))[1] == "plan: Find a key. (It is locked.); 1 more"
    assert list(plan_lines(None)) == []


@pytest.mark.parametrize(("policy", "goal"), [("random", "Win."), ("heuristic", "x" * 301)])
def test_a_goal_that_cannot_be_pursued_is_refused(policy: str, goal: str) -> None:
    with pytest.raises(InputError, match=r"--goal"):
        checked_goal(policy, goal)


@pytest.mark.parametrize(
    ("action", "text", "word"),
    [
        ("frobnicate lamp", "That's not a verb I recognise.", ["frobnicate"]),
        ("take xyzzy", 'I don\'t know the word "xyzzy".', ["xyzzy"]),
        ("take lamp", "The word 'lamp' is not in my vocabulary.", []),
        ("take lamp", "You can't see any such thing.", []),
    ],
)
def test_words_that_the_parser_does_not_know_are_remembered(action: str, text: str, word: list[str]) -> None:
    refusals = Refusals()
    for _ in range(2):
        refusals.note_unknown(action, text)

    assert refusals.unknown_words == (word or (["lamp"] if "vocabulary" in text else []))
