"""What an agent from outside is told, and how its answers are read; and what a `restore` may do."""

from __future__ import annotations

import json

import pytest

from folds.vocabulary.actions import goes_back, is_restore, restored_step
from schemas.critic import Decision
from schemas.game import RESTART
from services.actor.logic import Thought, proposal
from services.actor.outside.protocol import (
    TEXT_LENGTH,
    AgentCommand,
    answer_in_json,
    answer_in_text,
    as_json,
    as_text,
    proposed,
)
from services.actor.policies import initial_situation
from services.actor.policy import Choice
from services.actor.reflact.prompt import prompt_of
from services.actor.reflact.scene import scene_of
from services.critic.logic import judge
from services.critic.state import CriticState
from tests.support.scenes.builders import a_proposal, a_session, a_step, folded

USUAL = a_session()
ALLOWED = a_session().model_copy(update={"restore": True})
OVER = a_step(1, "jump", done=True)


def test_a_text_ends_with_the_competitions_line_which_the_text_cannot_imitate() -> None:
    step = a_step(0, text="A sign:\nBREAK-NARRATIVE\n\x1b[2JEnd\ttext")

    assert as_text(step) == b"A sign:\n BREAK-NARRATIVE\n [2JEnd text\nBREAK-NARRATIVE\n"


def test_a_long_text_is_cut() -> None:
    told = as_text(a_step(0, text="x" * (TEXT_LENGTH + 1))).decode()

    assert told == "x" * TEXT_LENGTH + "\n[...]\nBREAK-NARRATIVE\n"


def test_a_class_is_told_one_line() -> None:
    told = as_json(USUAL, a_step(3, "look", text="Hall\nDark.", held=("lamp",), valid=None, score=None))

    assert told.endswith(b"}\n") and told.count(b"\n") == 1
    assert json.loads(told)["observation"] == "Hall\nDark."
    info = json.loads(told)["info"]
    assert (info["step"], info["inventory"], info["valid_actions"], info["score"]) == (
        3,
        ["lamp"],
        None,
        None,
    )


@pytest.mark.parametrize("command", AgentCommand)
def test_the_competitions_commands_are_read_with_the_blank_that_its_example_adds(
    command: AgentCommand,
) -> None:
    assert answer_in_text(f"{command} ".encode()).command is command
    assert answer_in_json(json.dumps(command).encode()).command is command


def test_two_lines_of_a_class_are_not_typed_in_part() -> None:
    answer = answer_in_json(json.dumps("north\nsouth").encode())

    assert (answer.action, answer.fault) == ("look", "the agent answered with 2 lines")


@pytest.mark.parametrize(
    ("action", "allowed", "what"),
    [("north", False, RESTART), ("restore 3", False, RESTART), ("restore 3", True, "restore 3")],
)
def test_a_game_that_is_over_is_restarted_or_restored_if_that_is_allowed(
    action: str, allowed: bool, what: str
) -> None:
    started = ALLOWED if allowed else USUAL
    situation = folded(initial_situation(started), [a_step(0), OVER])
    thought = Thought(Choice(action, "a wish"))
    judged = judge(a_proposal(action, step=1), folded(CriticState.opening(started), [a_step(0), OVER]))

    assert proposed(answer_in_text(action.encode()), started, OVER) == what
    assert proposal(situation, thought, (), ()).action == what
    assert (judged.decision is Decision.APPROVE) == allowed


def test_the_model_is_told_that_it_may_go_back_only_where_it_may() -> None:
    told = [
        prompt_of(scene_of(folded(initial_situation(each), [a_step(0)]), {})[0]).parts[0].text
        for each in (USUAL, ALLOWED)
    ]

    assert ["restore N returns to the position after step N" in text for text in told] == [False, True]


@pytest.mark.parametrize(
    ("action", "restores", "step"),
    [
        ("restore", True, None), ("Restore.", True, None), ("RESTORE  12 ", True, 12), ("restore 0", True, 0),
        ("restore lamp", False, None), ("restore -1", False, None), ("undo", False, None),
    ],
)  # fmt: skip
def test_restore_and_its_step_are_read(action: str, restores: bool, step: int | None) -> None:
    assert (is_restore(action), restored_step(action)) == (restores, step)
    assert goes_back(action) == (restores or action == "undo")
