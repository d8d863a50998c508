"""Gives services the language model that is configured, and says what keeps it from being asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import structlog
from pydantic import SecretStr

from language_model.budget.budget import Spending, UncountedCalls
from language_model.configured import configured_model
from language_model.known_models import known
from language_model.model import Model, ModelError, NoModel
from language_model.settings import LOCAL, NONE_CONFIGURED, ModelSettings
from language_model.sub_agents.model_access import ModelAccess
from lantern.error_output import print_warning
from lantern.play.models.local_model import PLAYS_BADLY, checked_model, local_model
from mesh.errors import InputError
from mesh.printable import one_line
from mesh.runner.service import Service
from mesh.settings import from_environment
from schemas.game import REFLACT
from schemas.language_model import Fault, ModelApi, ModelBudget

if TYPE_CHECKING:
    from language_model.client.served_model import ServedModel

HEURISTIC = "heuristic"

LOCAL_DEADLINE = 60.0
"""Seconds for a call of a model on this machine, if nothing else is set: it reads a first prompt slowly."""

PASSING = frozenset({Fault.TIMEOUT, Fault.RATE_LIMITED, Fault.OVERLOADED, Fault.SERVER})
"""What may be over at the next step: until then the rules play."""

HINTS = {
    Fault.UNAUTHORIZED: "Correct {key} (or {key}_FILE), or {url}, if the key is for another server.",
    Fault.UNREACHABLE: "Correct {url}, or see whether that server runs.",
    Fault.INVALID_REPLY: "Correct {url}: it must name a server that speaks {speaks} (LANTERN_MODEL_API).",
}
SPEAKS = {ModelApi.MESSAGES: "the Messages API", ModelApi.CHAT: "chat completions"}
UNPRICED = "; what it costs is not known, so only --budget-tokens and --budget-calls hold"
USUAL_HINT = "Correct --model (LANTERN_MODEL_NAME), {url} or the other LANTERN_MODEL_ settings."

log = structlog.get_logger()


class ModelUnusable(InputError):
    """The configured model cannot be asked."""

    def __init__(self, settings: ModelSettings, error: ModelError) -> None:
        hint = HINTS.get(error.fault, USUAL_HINT).format(
            key=settings.key_variable, url=settings.url_variable, speaks=SPEAKS[settings.api]
        )
        super().__init__(f"The model {settings.name} at {settings.where} cannot be asked. {error} {hint}")


def model_settings(name: str | None = None) -> ModelSettings:
    """The same as `unchecked_settings`, where a local model can be had.

    Raises:
        InputError: a variable has a value that cannot be, or a local model cannot be had.
    """
    settings = unchecked_settings(name)
    if settings.is_local:
        checked_model(settings.local_file)
    return settings


def unchecked_settings(name: str | None = None) -> ModelSettings:
    """The settings from the environment, with the model that the command line names.

    Raises:
        InputError: a variable has a value that cannot be.
    """
    settings = from_environment(ModelSettings)
    return settings.model_copy(update={"name": name}) if name else settings


def usual_policy(models: ModelSettings) -> str:
    """The policy that plays where none was named."""
    return REFLACT if models.is_configured else HEURISTIC


def policy_explanation(policy: str, models: ModelSettings, named: bool) -> str:
    """Which policy plays, and why, in one line."""
    told = f"policy {policy}"
    if policy == REFLACT and not models.is_configured:
        return f"{told}: asks the models that its services have"
    if policy == REFLACT and models.is_local:
        return f"{told}: asks {one_line(models.name)} at {models.where}, which costs nothing"
    if policy == REFLACT:
        priced = "" if known(models.name) else UNPRICED
        return f"{told}: asks {one_line(models.name)} at {one_line(models.where)}{priced}"
    if named:
        return f"{told}: asks no language model"
    return f"{told}: {NONE_CONFIGURED[0].lower()}{NONE_CONFIGURED[1:]}"


def resume_explanation(asked: ModelSettings | None, budget: ModelBudget, spent: Spending) -> str:
    """What a resumed session asks, in one line; `asked`: None, if no service of this process asks."""
    who = (
        policy_explanation(REFLACT, asked, True)
        if asked is not None
        else f"policy {REFLACT}: asks the models that its services have"
    )
    return f"{who}; {spent.left_of(budget)}"


@asynccontextmanager
async def required_models(
    services: Iterable[Service[Any]], models: ModelSettings, needed_for: str
) -> AsyncIterator[None]:
    """Give the configured model to those of the services that ask one and have none, once it was tried.

    Raises:
        NoModelConfigured: there is none, and somebody needs it.
        ModelRefused: it does not take our key, its own name or our parameters, or nobody is there.
    """
    asking = services_that_ask(services)
    if not asking:
        yield
        return
    if models.name == LOCAL:
        print_warning(PLAYS_BADLY)
    async with reachable(models) as there, configured_model(there, needed_for) as model:
        await _try_out(model, there)
        _give(model, asking)
        yield


@asynccontextmanager
async def optional_models(services: Iterable[Service[Any]], models: ModelSettings) -> AsyncIterator[None]:
    """The same where nobody may ever ask: without a model, or with one that is away, the rules do."""
    asking = services_that_ask(services)
    if not asking or not models.is_configured:
        _give(NoModel(NONE_CONFIGURED), asking)
        yield
        return
    async with reachable(models) as there, configured_model(there, "") as model:
        log.info("model_configured", model=there.name, server=there.where)
        _give(model, asking)
        yield


@asynccontextmanager
async def reachable(models: ModelSettings) -> AsyncIterator[ModelSettings]:
    """The settings with which the model is asked: a local one is started for as long as the block lasts."""
    if not models.is_local:
        yield models
        return
    async with local_model(checked_model(models.local_file)) as running:
        found = {"base_url": running.base_url, "api_key": SecretStr(running.key), "name": running.name}
        found["api"] = ModelApi.MESSAGES
        patient = {} if "deadline" in models.model_fields_set else {"deadline": LOCAL_DEADLINE}
        yield models.model_copy(update=found | patient)


def _give(model: Model, asking: Iterable[ModelAccess]) -> None:
    """One model, and one count of the calls that are under way."""
    uncounted_calls = UncountedCalls()
    for service in asking:
        service.model, service.uncounted_calls = model, uncounted_calls


def services_that_ask(services: Iterable[Service[Any]]) -> list[ModelAccess]:
    """Those of the services that ask a model and have none yet."""
    return [service for service in services if isinstance(service, ModelAccess) and service.model is None]


async def _try_out(model: ServedModel, models: ModelSettings) -> None:
    try:
        await model.greet()
    except ModelError as error:
        if error.fault not in PASSING:
            raise ModelUnusable(models, error) from None
        log.warning("model_away", model=models.name, server=models.where, error=str(error))
