"""A session whose policy searches first, and searches that ask a language model, through the commands."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from test_mesh import a_wish, played, told
from test_replay import what_differs

from lantern.play.session_options import usual_absences
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.game import Handicap, SessionStarted, StepTaken
from tests.support.processes.command import Lantern
from tests.support.servers.messages_server import Answer, MessagesServer, Request, calls, says

PROBES, STEPS = 3_000, 60


async def test_the_policy_searches_then_plays_the_list_and_then_what_is_left(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url})
    wish = replace(
        a_wish(bus.cell.name, steps=STEPS, session=bus.cell.name),
        policy="search",
        search_probes=PROBES,
        without=usual_absences("search"),
    )

    summary = await played(wish, nats_url, settings)

    [started] = await told(bus, SessionStarted, bus.cell.name)
    searched = started.searched
    assert searched is not None and searched.actions and Handicap.LOOKAHEAD in started.handicaps
    assert summary.as_json()["probes"] == searched.probes == PROBES
    actions = [step.action for step in (await told(bus, StepTaken, bus.cell.name))[1:]]
    assert tuple(actions[: len(searched.actions)]) == searched.actions
    reasons = [proposal.reason for proposal in await told(bus, ActionProposed, bus.cell.name)]
    assert "search" in reasons[0] and "search" not in reasons[-1]
    assert summary.as_json()["steps"] == STEPS
    assert await what_differs(bus.cell.name, settings, "actor") == []


def ranks_the_last(request: Request) -> Answer:
    """Ranks the last of the possible actions first; a lesson is always the same."""
    if not request.tools:
        return says("Do otherwise.")
    last = re.findall(r"^- (.+)$", request.text, re.MULTILINE)[-1]
    return calls("rank_actions", ranking=[{"action": last, "probability": 0.9}])


def test_a_repeated_search_asks_the_model_nothing_again(lantern: Lantern) -> None:
    search = ("search", "bundled", "--method", "mc-dml", "--probes", "900", "--simulations", "1", "--json")
    with MessagesServer(ranks_the_last) as server:
        lantern.env |= server.environment()
        first = json.loads(lantern.run(*search).stdout)
        asked = len(server.requests)
        again = json.loads(lantern.run(*search).stdout)

        assert first["model"]["asked"] == asked > 0
        assert again["model"] == {
            **first["model"],
            "asked": 0,
            "recalled": again["model"]["recalled"],
            "tokens": 0,
            "cost_usd": 0.0,
        }
        assert len(server.requests) == asked
    assert (again["actions"], again["probes"]) == (first["actions"], first["probes"])


def test_a_search_without_a_model_is_told_so_in_one_line(lantern: Lantern) -> None:
    result = lantern.run("search", "bundled", "--method", "mc-dml", "--probes", "900")

    assert (result.returncode, result.stdout) == (2, "")
    assert "The method mc-dml asks a language model. No language model is configured." in result.stderr
