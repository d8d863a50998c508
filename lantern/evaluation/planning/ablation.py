"""Ablation: an agent is played beside itself without one of its parts, for each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from lantern.evaluation.plan import LABEL_LENGTH, AblatedParts, Agent, Plan
from lantern.evaluation.planning.plan_checks import PlanFault
from lantern.play.services import NEEDED, SERVICES
from lantern.play.session_options import usual_absences
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES


def with_ablations(plan: Plan, behaviours: Sequence[str] = BEHAVIOUR_NAMES) -> Plan:
    """The plan in which an agent that is to be ablated is followed by itself without each of its parts.

    Raises:
        PlanFault: another agent has the name of one that this adds.
    """
    names = {agent.name for agent in plan.agents}
    agents: list[Agent] = []
    for number, agent in enumerate(plan.agents):
        lacking = list(_without_each_part(agent, behaviours))
        if taken := names.intersection(each.name for each in lacking):
            what = f"it adds an agent called {min(taken)!r}, which the plan has. Call that one otherwise."
            raise PlanFault(("agents", number, "ablate"), what)
        agents += [agent.model_copy(update={"ablate": None}), *lacking]
    return plan.model_copy(update={"agents": tuple(agents)})


def _without_each_part(agent: Agent, behaviours: Sequence[str]) -> Iterator[Agent]:
    match agent.ablate:
        case None:
            return
        case AblatedParts.BEHAVIOURS:
            for name in behaviours:
                if name not in agent.without_behaviours:
                    yield _changed(agent, name, "without_behaviours", agent.without_behaviours)
        case AblatedParts.SERVICES:
            absent = usual_absences(agent.policy) if agent.without is None else agent.without
            for name in SERVICES:
                if name not in (*NEEDED, *absent, *agent.replace):
                    yield _changed(agent, name, "without", absent)
        case _:
            assert_never(agent.ablate)


def _changed(agent: Agent, part: str, field: str, absent: Sequence[str]) -> Agent:
    tail = f" without {part}"
    name = agent.name[: LABEL_LENGTH - len(tail)] + tail
    return agent.model_copy(update={"name": name, "ablate": None, field: (*absent, part)})
