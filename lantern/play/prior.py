"""The language model that a search asks about actions; it starts when its file lacks an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from language_model.action_prior.answer_file import AnswerFile
from language_model.action_prior.model_prior import ModelPrior
from language_model.configured import configured_model
from language_model.model import Model
from language_model.settings import ModelSettings
from lantern.play.models import reachable
from schemas.language_model import ModelBudget


@asynccontextmanager
async def model_prior(
    models: ModelSettings, answers: Path, budget: ModelBudget, needed_for: str
) -> AsyncIterator[ModelPrior]:
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
                    there = await stack.enter_async_context(reachable(models))
                    opened.append(await stack.enter_async_context(configured_model(there, needed_for)))
                return opened[0]

        file = AnswerFile(answers)
        stack.callback(file.close)
        yield ModelPrior(models.name, model, file, budget)
