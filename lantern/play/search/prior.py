"""The language model that a search asks about actions; it starts when its file lacks an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from language_model.action_prior.answer_file import AnswerFile
from language_model.action_prior.model_prior import ModelPrior
from language_model.configured import configured_model
from language_model.model import Model
from language_model.settings import LOCAL, ModelSettings
from lantern.error_output import print_warning
from lantern.play.models.local_model import PLAYS_BADLY
from lantern.play.models.session_models import model_settings, reachable
from lantern.play.session_options import BUDGET_USD, budget_limits
from mesh.errors import InputError
from schemas.language_model import ModelBudget
from search.mcts.methods import ASKS_MODEL


@dataclass(frozen=True, slots=True)
class PriorOptions:
    """The model that a search asks, the file of its answers, and what they may cost."""

    models: ModelSettings
    answers: Path
    budget: ModelBudget


def prior_options(
    method: str,
    model: str | None,
    answers: Path | None,
    budget: tuple[float | None, int | None, int | None],
    usual_answers: Path,
) -> PriorOptions | None:
    """What the command line says about the model; None: the method asks none.

    Raises:
        InputError: something is given that the method has no use for, or cannot be.
    """
    limits = budget_limits(*budget)
    given = {"--model": model, "--answers": answers}
    given |= {f"--budget-{name}": value for name, value in limits.model_dump().items()}
    if method in ASKS_MODEL:
        usual = {} if limits.usd is not None else {"usd": BUDGET_USD}
        return PriorOptions(model_settings(model), answers or usual_answers, limits.model_copy(update=usual))
    if unused := [name for name, value in given.items() if value is not None]:
        raise InputError(f"The method {method} asks no language model. Leave out {', '.join(unused)}.")
    return None


@asynccontextmanager
async def model_prior(options: PriorOptions, needed_for: str) -> AsyncIterator[ModelPrior]:
    """A model's answers, which are kept in a file, for as long as the block lasts.

    Raises:
        AnswersUnusable: the file cannot be used.
        NoModelConfigured: a question is not in the file, and there is no model (raised by the question).
    """
    async with AsyncExitStack() as stack:
        opening, opened = asyncio.Lock(), list[Model]()

        async def model() -> Model:
            async with opening:
                if not opened:
                    if options.models.name == LOCAL:
                        print_warning(PLAYS_BADLY)
                    there = await stack.enter_async_context(reachable(options.models))
                    opened.append(await stack.enter_async_context(configured_model(there, needed_for)))
                return opened[0]

        file = AnswerFile(options.answers)
        stack.callback(file.close)
        yield ModelPrior(options.models.name, model, file, options.budget)
