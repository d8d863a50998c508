"""A language model's prior over actions: by likelihoods or by a ranking, from a file where it is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from language_model.action_prior.answer_file import AnswerFile, AnswersUnusable
from language_model.action_prior.model_prior import ModelPrior
from language_model.action_prior.question import (
    ABSENT,
    ActionQuestion,
    normalised,
    policy_of,
    ranked_in,
    ranking_prompt,
)
from language_model.likelihoods import Likelihoods, LikelihoodsUnsupported
from language_model.model import Model, ModelError, Prompt, PromptPart, Reply, Role, ToolCall, Usage
from language_model.prompting.replies import UnfitReply
from language_model.scripted import ScriptedModel
from schemas.language_model import ModelBudget

QUESTION = ActionQuestion(
    instruction="You play.", situation="A hall.", actions=("take lamp", "go north", "sing")
)
WORDS = Prompt(parts=(PromptPart(role=Role.USER, text="Why?"),))


def a_ranking(*entries: object) -> Reply:
    return Reply(model="m", calls=(ToolCall(name="rank_actions", arguments={"ranking": [*entries]}),))


def ranks(prompt: Prompt) -> Reply:
    return a_ranking({"action": "go north", "probability": 0.5}, {"action": "take lamp", "probability": 0.5})


class LikelihoodsModel(ScriptedModel):
    """Tells likelihoods too."""

    def __init__(self, supported: bool = True) -> None:
        super().__init__(ranks)
        self.supported, self.likelihoods_asked = supported, 0

    async def likelihoods(self, prompt: Prompt, replies: Sequence[str]) -> Likelihoods:
        self.likelihoods_asked += 1
        if not self.supported:
            raise LikelihoodsUnsupported
        return Likelihoods(tuple(-float(len(reply)) for reply in replies), Usage(input_tokens=7))


def a_prior(model: Model, file: Path, budget: ModelBudget | None = None) -> ModelPrior:
    async def opened() -> Model:
        return model

    return ModelPrior("m", opened, AnswerFile(file), budget or ModelBudget())


def test_the_policy_is_a_flat_softmax_of_the_log_probabilities() -> None:
    likeliest, other, absent = policy_of((0.0, -5.0, ABSENT))

    assert likeliest + other + absent == pytest.approx(1)
    assert likeliest / other == pytest.approx(2.71828, rel=1e-4)
    assert likeliest / absent == pytest.approx(7.38906, rel=1e-4)


def test_likelihoods_of_replies_become_shares_of_these_replies_alone() -> None:
    assert normalised((-100.0, -100.0)) == pytest.approx((-0.6931, -0.6931), abs=1e-3)
    assert normalised((-1.0, -500.0))[1] == ABSENT


def test_a_ranking_gives_log_probabilities_and_the_rest_is_absent() -> None:
    reply = a_ranking(
        {"action": "sing", "probability": 0.5},
        {"action": "sing", "probability": 1},
        {"action": "fly", "probability": 0.9},
        {"action": "go north", "probability": 7},
        "take lamp",
    )

    assert ranked_in(reply, QUESTION) == pytest.approx((ABSENT, ABSENT, -0.6931), abs=1e-3)


@pytest.mark.parametrize("reply", [Reply(model="m", text="sing"), a_ranking(), a_ranking({"action": "fly"})])
def test_a_reply_that_ranks_no_action_is_refused(reply: Reply) -> None:
    with pytest.raises(UnfitReply):
        ranked_in(reply, QUESTION)


def test_the_ranking_may_name_the_possible_actions_only() -> None:
    prompt = ranking_prompt(QUESTION)

    assert prompt.must_call and '"enum":["take lamp","go north","sing"]' in prompt.model_dump_json()


async def test_a_model_that_tells_likelihoods_is_asked_for_them(tmp_path: Path) -> None:
    model = LikelihoodsModel()

    found = await a_prior(model, tmp_path / "answers").log_probabilities(QUESTION)

    assert found is not None and found[2] > found[1] > found[0]
    assert model.prompts == []


async def test_a_server_that_tells_none_is_asked_for_them_once_and_then_for_rankings(tmp_path: Path) -> None:
    model = LikelihoodsModel(supported=False)
    prior = a_prior(model, tmp_path / "answers")

    await prior.log_probabilities(QUESTION)
    found = await prior.log_probabilities(QUESTION.model_copy(update={"situation": "A cellar."}))

    assert found == pytest.approx((-0.6931, -0.6931, ABSENT), abs=1e-3)
    assert (model.likelihoods_asked, len(model.prompts)) == (1, 2)


async def test_what_was_answered_is_not_asked_again_in_another_process(tmp_path: Path) -> None:
    model = ScriptedModel(
        lambda prompt: ranks(prompt) if prompt.tools else Reply(model="m", text="By\nbad luck.")
    )
    first = a_prior(model, tmp_path / "answers")
    told = [await first.log_probabilities(QUESTION), await first.text(WORDS)]

    def refuse(prompt: Prompt) -> Reply:
        raise AssertionError("it is asked again")

    second = a_prior(ScriptedModel(refuse), tmp_path / "answers")

    assert [await second.log_probabilities(QUESTION), await second.text(WORDS)] == told
    assert told[1] == "By bad luck."
    assert (second.counts.recalled, second.counts.asked) == (2, 0)


async def test_a_spent_budget_and_a_failing_model_leave_questions_unanswered_and_say_why(
    tmp_path: Path,
) -> None:
    prior = a_prior(ScriptedModel(ranks), tmp_path / "answers", ModelBudget(calls=1))
    await prior.log_probabilities(QUESTION)
    assert await prior.text(WORDS) is None
    assert (prior.counts.unanswered, "1 of 1 calls" in prior.counts.why_unanswered) == (1, True)

    def fail(prompt: Prompt) -> Reply:
        raise ModelError("It is away.")

    away = a_prior(ScriptedModel(fail), tmp_path / "others")
    assert await away.log_probabilities(QUESTION) is None
    assert away.counts.why_unanswered == "It is away."


def test_a_line_that_a_crash_cut_off_is_dropped_and_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    AnswerFile(path).put("a", [1])
    path.write_bytes(path.read_bytes() + b'["b", [2')

    answers = AnswerFile(path)
    answers.put("c", "three")

    assert (answers.get("a"), answers.get("b"), AnswerFile(path).get("c")) == ([1], None, "three")
    path.write_text("no JSON\n")
    with pytest.raises(AnswersUnusable, match="line 1"):
        AnswerFile(path)
    with pytest.raises(AnswersUnusable, match="remove it"):
        AnswerFile(tmp_path)
