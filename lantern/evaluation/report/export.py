"""Exports plays in the columns of TALES, a row for each step.

The columns are those of `analysis/build_hf_dataset.py` in microsoft/tale-suite at commit 85adb2c2: those that
describe a run, then those that `benchmark.py` writes for each step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lantern.evaluation.report.figures import score_at
from lantern.evaluation.results import PlayResult
from mesh.record.step_messages import StepMessages
from schemas.game import StepTaken
from schemas.language_model import ModelAsked


def tales_rows(play: PlayResult, moments: Iterable[StepMessages]) -> Iterator[dict[str, Any]]:
    """The rows of one play, from its record.

    Differences: a restart is a step here, with the action `restart`. The prompt and the reply are the JSON on
    record of the actor's last call; tokens are those of all services; a model's thinking is not recorded.
    `Moves` is null where agents are told the text only, and so is the maximum where the story has none.
    """
    before: StepMessages | None = None
    for moment in moments:
        step = _step(moment)
        if step is not None and step.action is not None and before is not None:
            previous = _step(before)
            yield {
                **_run_columns(play),
                **_step_columns(play, moment.number, step, previous.observation if previous else ""),
                **_model_columns(before),
            }
        if step is not None:
            before = moment


def _run_columns(play: PlayResult) -> dict[str, Any]:
    return {
        "run_id": play.session,
        "model": play.model or play.policy,
        "game": play.game,
        "framework": "jericho",
        "agent_type": play.agent,
        "seed": play.agent_seed,
        "game_seed": play.emulator_seed,
        "max_steps": play.step_budget,
    }


def _step_columns(play: PlayResult, number: int, step: StepTaken, observation: str) -> dict[str, Any]:
    score = score_at(play, number)
    return {
        "Step": number,
        "Score": score,
        "Max Score": play.max_score,
        "Normalized Score": None if score is None or not play.max_score else score / play.max_score,
        "Moves": step.moves,
        "Observation": observation,
        "Action": step.action,
        "Feedback": step.observation,
    }


def _model_columns(moment: StepMessages) -> dict[str, Any]:
    """What the models were asked after the step before, to choose this step's action."""
    calls = [(m.service.name, m.body) for m in moment.messages if isinstance(m.body, ModelAsked)]
    actors = [asked for service, asked in calls if service == "actor"]
    prompts = sum(asked.input_tokens for _, asked in calls)
    responses = sum(asked.output_tokens for _, asked in calls)
    return {
        "Prompt": actors[-1].prompt if actors else "",
        "Response": actors[-1].reply if actors else "",
        "Thinking": None,
        "Token Usage": prompts + responses,
        "Prompt Tokens": prompts,
        "Response Tokens": responses,
        "Thinking Tokens": 0,
    }


def _step(moment: StepMessages) -> StepTaken | None:
    return next((m.body for m in moment.messages if isinstance(m.body, StepTaken)), None)
