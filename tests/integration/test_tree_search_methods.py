"""PUCT, MC-DML and the agents beside them in a worker process, on the bundled game; the model is scripted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from language_model.action_prior.answer_file import AnswerFile
from language_model.action_prior.model_prior import ModelPrior
from language_model.model import Model, ModelError, Prompt, Reply, ToolCall
from language_model.scripted import ScriptedModel
from lantern.play.story_files import load_story
from schemas.language_model import ModelBudget
from search.mcts.inquiries import answers_of
from search.messages import Order
from search.running import SearchRun, SearchState

QUICK = {"simulations": 1, "least_depth": 3, "most_depth": 3, "moves": 6}


def scripted(prompt: Prompt) -> Reply:
    """Ranks the last of the possible actions first; a lesson is always the same."""
    if not prompt.tools:
        return Reply(model="scripted", text="Do otherwise.")
    last = prompt.parts[0].text.rpartition("- ")[2]
    ranking = [{"action": last, "probability": 0.9}]
    return Reply(model="scripted", calls=(ToolCall(name="rank_actions", arguments={"ranking": ranking}),))


@dataclass
class Asked:
    state: SearchState
    model: ScriptedModel
    prior: ModelPrior


async def searched(
    method: str, answers: Path, script: Any = scripted, probes: int = 1_500, **options: Any
) -> Asked:
    model = ScriptedModel(script)

    async def opened() -> Model:
        return model

    prior = ModelPrior("scripted", opened, AnswerFile(answers), ModelBudget())
    order = Order("", method, emulator_seed=1, seed=1, probes=probes, options={**QUICK, **options})
    run = SearchRun(load_story("bundled"), order, answer=answers_of(prior))
    return Asked(await run.run(), model, prior)


async def test_puct_asks_no_model_and_is_the_same_again(tmp_path: Path) -> None:
    options = {"simulations": 5, "least_depth": 5, "most_depth": 5, "moves": 40}
    first = await searched("puct", tmp_path / "a", probes=3_000, **options)
    second = await searched("puct", tmp_path / "a", probes=3_000, **options)

    assert (first.state.actions, first.state.curve) == (second.state.actions, second.state.curve)
    assert first.state.spent == 3_000 and first.model.prompts == []


async def test_mc_dml_repeats_from_the_file_without_asking(tmp_path: Path) -> None:
    first = await searched("mc-dml", tmp_path / "a")

    def refuse(prompt: Prompt) -> Reply:
        raise AssertionError("it is asked again")

    second = await searched("mc-dml", tmp_path / "a", refuse)

    assert first.prior.counts.asked > 0
    assert second.prior.counts.asked == 0 and second.prior.counts.recalled > 0
    assert first.state.actions == second.state.actions


async def test_a_model_that_fails_leaves_a_search_with_equal_priors_and_the_reason(tmp_path: Path) -> None:
    def fail(prompt: Prompt) -> Reply:
        raise ModelError("It is away.")

    asked = await searched("mc-dml", tmp_path / "a", fail)

    assert asked.state.spent == 1_500
    assert asked.prior.counts.unanswered > 0 and asked.prior.counts.why_unanswered == "It is away."


@pytest.mark.parametrize(("method", "rounds"), [("model", 1), ("reflection", 4)])
async def test_the_model_alone_plays_its_rounds_and_reflects_between_them(
    tmp_path: Path, method: str, rounds: int
) -> None:
    asked = await searched(method, tmp_path / "a", probes=10_000)

    lessons = [prompt for prompt in asked.model.prompts if not prompt.tools]
    assert asked.state.exhausted and len(lessons) == min(1, rounds - 1)  # the same lesson is from the file
    assert any(prompt.tools for prompt in asked.model.prompts)
