"""Checks of a plan against what there is: policies, services, settings, stories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lantern.evaluation.clues import read_clues
from lantern.evaluation.environment import setting_fault
from lantern.evaluation.plan import AblatedParts, Agent, Plan
from lantern.evaluation.planning.checkpoints import with_checkpoints
from lantern.evaluation.planning.games import games_named
from lantern.play.own.outside_agents import outside_actor
from lantern.play.services import NEEDED, SERVICES, service_named
from lantern.play.session_options import check_asks_models
from mesh.errors import InputError
from mesh.suggestions import did_you_mean
from schemas.game import HUMAN, REFLACT
from services.actor.policies import BEHAVING, OUTSIDE, checked_behaviours, policy_of


class PlanFault(InputError):
    """Something in a plan is wrong."""

    def __init__(self, place: tuple[str | int, ...], what: str) -> None:
        self.place = place
        super().__init__(what)


def check_plan(plan: Plan) -> None:
    """Check what the types of a plan cannot.

    Raises:
        PlanFault: something in it is not there, or contradicts something else.
    """
    if plan.regime.text_only and plan.regime.valid_actions:
        raise PlanFault(
            ("regime", "valid_actions"), "text_only and valid_actions exclude each other. Leave one out."
        )
    if plan.regime.status_line and not plan.regime.text_only:
        raise PlanFault(("regime", "status_line"), "status_line is for text_only plays. Add text_only.")
    for number, agent in enumerate(plan.agents):
        _check_agent(("agents", number), agent)
        _check_differs(("agents", number), agent, plan.agents[:number])
    with _at("games"):
        games = games_named(plan.games)
    for number, agent in enumerate(plan.agents):
        for game in games if agent.clues is not None else ():
            with _at("agents", number, "clues"):
                read_clues(agent.clues or "", game.name)
    with _at("checkpoints"):
        with_checkpoints(games, plan.checkpoints)


def _check_agent(place: tuple[str | int, ...], agent: Agent) -> None:
    with _at(*place, "policy" if agent.outside is None else "outside"):
        _check_decides(agent)
    if agent.policy != REFLACT:
        for name in ("model", "budget_usd", "clues"):
            if getattr(agent, name) is not None:
                with _at(*place, name):
                    check_asks_models(agent.policy, [name])
    for name, value in agent.settings.items():
        if fault := setting_fault(name, value):
            raise PlanFault((*place, "settings", name), fault)
    _check_behaviours(place, agent)
    for name in agent.without or ():
        if name in NEEDED:
            raise PlanFault((*place, "without"), f"no game is played without the {name}. Leave it out.")
        if name not in SERVICES:
            optional = [each for each in SERVICES if each not in NEEDED]
            near = did_you_mean(name, optional)
            raise PlanFault(
                (*place, "without"),
                f"there is no service {name!r} to play without.{near} Name any of {', '.join(optional)}.",
            )
    for name, given in agent.replace.items():
        _check_replacement((*place, "replace", name), name, given)


def _check_behaviours(place: tuple[str | int, ...], agent: Agent) -> None:
    if agent.experience and agent.policy not in BEHAVING:
        what = f"the policy {agent.policy} learns nothing from earlier plays. Leave it out."
        raise PlanFault((*place, "experience"), what)
    with _at(*place, "without_behaviours"):
        checked_behaviours(agent.policy, agent.without_behaviours)
    if agent.ablate is AblatedParts.BEHAVIOURS and agent.policy not in BEHAVING:
        raise PlanFault((*place, "ablate"), f"the policy {agent.policy} has no behaviours. Leave it out.")


def _check_decides(agent: Agent) -> None:
    if agent.outside is None:
        policy_of(agent.policy)
        if agent.policy == HUMAN:
            raise InputError("a person cannot be evaluated: nobody would type. Give another policy.")
        return
    parts = agent.without is not None or agent.without_behaviours or agent.ablate or agent.replace
    if agent.policy != OUTSIDE or parts:
        raise InputError(
            "an agent from outside decides alone. Leave out policy, without, without_behaviours, ablate and "
            "replace."
        )
    outside_actor(agent.outside)


def _check_replacement(place: tuple[str | int, ...], name: str, given: str) -> None:
    with _at(*place):
        service = service_named(given, Path())
    if given in SERVICES or service.name != name:
        near = did_you_mean(name, SERVICES)
        raise PlanFault(
            place,
            f"{given} is called {service.name!r}, so it cannot serve as {name!r}.{near} "
            f"Write `{service.name} = ...`, or give the class that name.",
        )


def _check_differs(place: tuple[str | int, ...], agent: Agent, others: tuple[Agent, ...]) -> None:
    for other in others:
        if other.name == agent.name:
            raise PlanFault(
                (*place, "name"), f"two agents are called {agent.name!r}. Give each a name of its own."
            )
        if other.model_copy(update={"name": agent.name}) == agent:
            raise PlanFault(place, f"{other.name!r} and {agent.name!r} are the same agent. Leave one out.")


@contextmanager
def _at(*place: str | int) -> Iterator[None]:
    """Raises PlanFault with the place for what is wrong inside the block."""
    try:
        yield
    except PlanFault:
        raise
    except InputError as error:
        raise PlanFault(place, str(error)) from error
