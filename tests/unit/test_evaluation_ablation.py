"""Ablation: an agent of a plan is played beside itself without each of its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lantern.cli import run
from lantern.commands.evaluation.evaluate import _label
from lantern.evaluation.plan import LABEL_LENGTH, AblatedParts, Plan, PlannedGame, PlannedPlay, Regime
from lantern.evaluation.planning.ablation import with_ablations
from lantern.evaluation.planning.plan_checks import PlanFault, check_plan
from lantern.evaluation.planning.plan_file import plan_from
from lantern.evaluation.playing import failed_result

BEHAVIOURS = ("put", "fight", "obey_refusal")


def a_plan(*agents: dict[str, Any], **more: Any) -> Plan:
    usual = {"policy": "heuristic", "name": "whole"}
    return plan_from({"games": ["bundled"], "agents": [{**usual, **agent} for agent in agents], **more})


def test_an_ablated_agent_is_followed_by_itself_without_each_behaviour() -> None:
    plan = with_ablations(
        a_plan({"ablate": "behaviours"}, {"name": "chance", "policy": "random"}), BEHAVIOURS
    )

    assert [(agent.name, agent.without_behaviours) for agent in plan.agents] == [
        ("whole", ()),
        ("whole without put", ("put",)),
        ("whole without fight", ("fight",)),
        ("whole without obey_refusal", ("obey_refusal",)),
        ("chance", ()),
    ]
    assert {agent.ablate for agent in plan.agents} == {None}


def test_what_an_agent_lacks_already_is_lacked_by_all_and_not_left_out_again() -> None:
    plan = with_ablations(a_plan({"ablate": "behaviours", "without_behaviours": ("put",)}), BEHAVIOURS)

    assert [agent.without_behaviours for agent in plan.agents] == [
        ("put",),
        ("put", "fight"),
        ("put", "obey_refusal"),
    ]


def test_services_are_left_out_in_the_same_way() -> None:
    plan = with_ablations(
        a_plan({"ablate": "services", "without": ["narrator"], "replace": {"hint": "x.py:H"}})
    )

    assert [(agent.name, agent.without) for agent in plan.agents[1:]] == [
        ("whole without memory", ("narrator", "memory")),
        ("whole without npc_tracker", ("narrator", "npc_tracker")),
        ("whole without critic", ("narrator", "critic")),
    ]


def test_the_preset_ablates_heuristic_agents_unless_they_say_otherwise() -> None:
    agents = [{}, {"name": "services", "ablate": "services"}, {"name": "chance", "policy": "random"}]

    plan = a_plan(*agents, preset="behaviours")

    assert [agent.ablate for agent in plan.agents] == [AblatedParts.BEHAVIOURS, AblatedParts.SERVICES, None]
    assert plan.regime.text_only


def test_an_agent_that_would_be_added_twice_is_refused() -> None:
    plan = a_plan({"name": "x"}, {"ablate": "behaviours"}, {"name": "whole without put", "without": ["hint"]})

    with pytest.raises(PlanFault, match="an agent called 'whole without put'") as refused:
        with_ablations(plan, BEHAVIOURS)

    assert refused.value.place == ("agents", 1, "ablate")


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ({"without_behaviours": ["dance"]}, "There is no behaviour 'dance' to play without"),
        ({"policy": "random", "without_behaviours": ["put"]}, "The policy random has no behaviours"),
        ({"policy": "random", "ablate": "behaviours"}, "the policy random has no behaviours"),
        (
            {"policy": "outside", "outside": "cat", "ablate": "services"},
            "an agent from outside decides alone",
        ),
    ],
)
def test_parts_that_an_agent_does_not_have_are_told(agent: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanFault, match=told):
        check_plan(a_plan(agent))


def test_what_can_be_ablated_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'games = ["bundled"]\n[[agents]]\nname = "x"\npolicy = "heuristic"\nablate = "behaviour"\n'
    )

    assert run(["evaluate", str(plan)]) == 2
    assert "line 5: agents.ablate: Input should be 'behaviours' or 'services'" in capsys.readouterr().err


def test_behaviours_that_are_left_out_make_another_play_and_stand_in_its_result() -> None:
    whole, timid = a_plan({}, {"name": "timid", "without_behaviours": ("fight",)}).agents
    game = PlannedGame(name="a", path="/a.z5", md5="a" * 32)
    plays = [
        PlannedPlay(run="0" * 8, game=game, agent=agent, seed=1, regime=Regime()) for agent in (whole, timid)
    ]

    assert plays[0].key != plays[1].key
    assert [failed_result(play, "").without_behaviours for play in plays] == [(), ("fight",)]


def test_commands_that_differ_only_at_their_ends_get_names_that_differ() -> None:
    commands = [f"python3 {'long/' * 20}agent.py --level {level}" for level in (1, 2)]

    labels = [_label(command, number) for number, command in enumerate(commands, start=1)]

    assert [label[-20:] for label in labels] == ["ng/agent.py --level 1"[-20:], "ng/agent.py --level 2"[-20:]]
    assert {len(label) for label in labels} == {LABEL_LENGTH}
    assert _label("python3 agent.py", 1) == "python3 agent.py"
