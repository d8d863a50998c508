"""Plans of evaluations: what they say, and what is told of those that cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lantern.cli import run
from lantern.evaluation.environment import GENEROUS, environment_of
from lantern.evaluation.plan import Agent, Plan, PlannedGame, PlannedPlay, Regime, plays_of
from lantern.evaluation.planning.checkpoints import progress_of, with_checkpoints
from lantern.evaluation.planning.games import games_named
from lantern.evaluation.planning.plan_file import PlanRefused, plan_from, read_plan
from lantern.evaluation.planning.presets import PRESETS
from lantern.evaluation.playing import failed_result, services_without
from lantern.evaluation.results import PlayState
from lantern.evaluation.run_directory import RunDirectory, run_of
from mesh.errors import InputError

PLAN = """\
preset = "tales"
games = ["bundled"]
seeds = [1, 2]

[regime]
steps = 40

[[agents]]
name = "chance"
policy = "random"

[[agents]]
name = "no narrator"
policy = "heuristic"
without = ["narrator"]

[agents.settings]
LANTERN_ACTOR_PATIENCE = 5

[agents.replace]
compass = "examples/compass.py:Compass"
"""
GAMES = (PlannedGame(name="a", path="/a.z5", md5="a" * 32), PlannedGame(name="b", path="/b.z5", md5="b" * 32))


def written(directory: Path, text: str) -> Path:
    path = directory / "plan.toml"
    path.write_text(text.replace("examples/", f"{Path(__file__).parents[2]}/examples/"))
    return path


def a_play(*, seed: int = 1, name: str = "x", regime: Regime | None = None, **agent: str) -> PlannedPlay:
    player = Agent.model_validate({"name": name, "policy": "random", **agent})
    return PlannedPlay(run="0" * 8, game=GAMES[0], agent=player, seed=seed, regime=regime or Regime())


def test_a_plan_has_its_games_agents_seeds_and_the_regime_of_its_preset(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, PLAN))

    assert (plan.games, plan.seeds) == (("bundled",), (1, 2))
    assert (plan.regime.steps, plan.regime.text_only, plan.regime.name) == (40, True, "tales (changed)")
    assert [agent.name for agent in plan.agents] == ["chance", "no narrator"]
    assert plan.agents[1].settings == {"LANTERN_ACTOR_PATIENCE": "5"}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('"tales"', '"taels"', "line 1: There is no preset 'taels'. Did you mean tales?"),
        ('"bundled"', '"nix.z5"', "line 2: No story at nix.z5"),
        ("[1, 2]", '"few"', "line 3: seeds are a number up to 1000, or a list"),
        ("steps = 40", "stepps = 40", "line 6: there is no key 'stepps'. Did you mean steps"),
        ("steps = 40", "steps = 0", "line 6: regime.steps: Input should be greater than 0"),
        ("steps = 40", "valid_actions = true", "line 6: text_only and valid_actions exclude each other"),
        ('policy = "random"', 'polcy = "random"', "line 10: there is no key 'polcy'. Did you mean policy"),
        ('"random"', '"rndom"', "line 10: No policy is called 'rndom'. Did you mean random?"),
        ('policy = "random"', 'policy = "random"\nmodel = "m"', "line 11: The policy random asks no"),
        ('"no narrator"', '"chance"', "line 13: two agents are called 'chance'"),
        ('["narrator"]', '["narator"]', "line 15: there is no service 'narator' to play without. Did you"),
        ('["narrator"]', '["game"]', "line 15: no game is played without the game"),
        ("PATIENCE = 5", "PATIENSE = 5", "line 18: 'LANTERN_ACTOR_PATIENSE' is no setting of an agent"),
        ("PATIENCE = 5", "PATIENCE = 0", "line 18: LANTERN_ACTOR_PATIENCE cannot be '0'"),
        ("LANTERN_ACTOR_PATIENCE = 5", 'ANTHROPIC_API_KEY = "k"', "line 18: 'ANTHROPIC_API_KEY' is no"),
        ("compass = ", "compas = ", "is called 'compass', so it cannot serve as 'compas'"),
        ("compass.py:Compass", "compass.py:Compas", "line 21: "),
        ('policy = "random"', "policy = ", "this is not TOML: Invalid value (at line 10"),
        ('games = ["bundled"]', "", "games is missing"),
    ],
)
def test_what_is_wrong_with_a_plan_is_told_with_its_line_and_the_nearest_word(
    before: str, after: str, told: str, tmp_path: Path
) -> None:
    assert before in PLAN
    path = written(tmp_path, PLAN.replace(before, after, 1))

    with pytest.raises(PlanRefused) as refused:
        read_plan(path)

    assert told in str(refused.value)
    assert str(refused.value).startswith(str(path))


def test_paths_in_a_plan_are_relative_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "stories").mkdir()
    (tmp_path / "stories" / "broken.z5").write_bytes(b"no story")
    path = written(tmp_path, PLAN.replace("bundled", "stories"))

    assert read_plan(path).games == (str(tmp_path / "stories"),)


def test_a_broken_story_of_a_directory_has_a_fault_and_one_that_is_named_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.z5").write_bytes(b"no story")

    [game] = games_named([str(tmp_path)])

    assert "broken.z5" in game.fault
    with pytest.raises(InputError):
        games_named([str(tmp_path / "broken.z5")])


def test_a_directory_without_stories_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no story in"):
        games_named([str(tmp_path)])


def test_checkpoints_are_read_for_the_games_that_have_any(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text('[checkpoints]\n"open door" = 0.1\n"You win" = 1')

    games = with_checkpoints(GAMES, str(tmp_path))

    assert [game.checkpoints for game in games] == [{}, {"open door": 0.1, "You win": 1.0}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[checkpoints]", "must have the table"),
        ("[checkpoints]\nx = 2", "the share of 'x' cannot be 2"),
        ("[checkpoints]\nx = true", "the share of 'x' cannot be True"),
        ("[other]\nx = 1", "must have the table"),
        ("x", "this is not TOML"),
    ],
)
def test_what_is_wrong_with_checkpoints_is_told(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(text)

    with pytest.raises(InputError, match=told):
        with_checkpoints(GAMES, str(tmp_path))


@pytest.mark.parametrize(
    ("action", "observation", "share"),
    [
        ("open  Door", "It is locked.", 0.1),
        ("wait", "Now\nyou win!", 1.0),
        ("reopen door", "You cannot.", 0.0),
        (None, "", 0.0),
    ],
)
def test_progress_is_shown_by_a_text_or_by_an_action(
    action: str | None, observation: str, share: float
) -> None:
    assert progress_of({"open door": 0.1, "you WIN": 1.0}, action, observation) == share


def test_a_number_of_seeds_means_the_seeds_up_to_it() -> None:
    plan = plan_from({"games": ["bundled"], "agents": [{"name": "x", "policy": "random"}], "seeds": 3})

    assert plan.seeds == (1, 2, 3)
    assert plan.regime.name == "custom"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_plan_that_changes_nothing_of_a_preset_has_its_name(preset: str) -> None:
    plan = plan_from({"preset": preset, "games": ["bundled"], "agents": [{"name": "x", "policy": "random"}]})

    assert plan.regime == PRESETS[preset].regime
    assert len(plan.seeds) == PRESETS[preset].seeds


def test_every_agent_plays_every_game_with_every_seed_once() -> None:
    agents = (Agent(name="x", policy="random"), Agent(name="y", policy="heuristic"))
    plan = Plan(games=("a", "b"), agents=agents, seeds=(1, 2, 3))

    plays = list(plays_of(plan, GAMES, "0" * 8))

    assert len({play.key for play in plays}) == len({play.session for play in plays}) == 12
    assert {(play.game.name, play.agent.name) for play in plays[:4]} == {
        (game, agent) for game in "ab" for agent in "xy"
    }


def test_a_play_has_the_same_key_in_every_run_whatever_its_names() -> None:
    play = a_play()
    elsewhere = play.model_copy(update={"run": "1" * 8, "agent": play.agent.model_copy(update={"name": "z"})})

    assert elsewhere.key == play.key
    assert elsewhere.cell != play.cell
    assert elsewhere.session != play.session


@pytest.mark.parametrize(
    "other", [a_play(seed=2), a_play(policy="heuristic"), a_play(regime=Regime(steps=7))]
)
def test_another_play_has_another_key(other: PlannedPlay) -> None:
    assert other.key != a_play().key


def test_the_emulator_s_seed_may_be_the_same_in_every_play() -> None:
    play = a_play(seed=3, regime=Regime(emulator_seed=1))

    assert (play.emulator_seed, play.seed) == (1, 3)
    assert play.key != a_play(seed=3).key


def test_a_policy_that_plays_alone_does_so_unless_the_plan_says_otherwise() -> None:
    alone = a_play(policy="nail")
    asked = alone.model_copy(update={"agent": Agent(name="x", policy="nail", without=("hint",))})

    assert services_without(alone) == ("memory", "narrator", "hint", "npc_tracker", "critic")
    assert services_without(asked) == ("hint",)


def test_a_play_has_the_plan_s_settings_and_not_the_environment_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANTERN_GAME_SEARCH_CANDIDATES", "7")

    with environment_of({"LANTERN_ACTOR_PATIENCE": "5"}):
        inside = dict(os.environ)

    assert "LANTERN_GAME_SEARCH_CANDIDATES" not in inside
    assert inside["LANTERN_ACTOR_PATIENCE"] == "5"
    assert GENEROUS.items() <= inside.items()
    assert os.environ["LANTERN_GAME_SEARCH_CANDIDATES"] == "7"
    assert "LANTERN_ACTOR_PATIENCE" not in os.environ


def test_a_run_does_not_go_on_with_another_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_from({"games": ["bundled"], "agents": [{"name": "random", "policy": "random"}]})
    RunDirectory(tmp_path).begin(run_of(plan, GAMES, "now"))

    assert run(["evaluate", "--resume", "--out", str(tmp_path), "--policy", "nail"]) == 2
    assert "holds a run of another plan" in capsys.readouterr().err
    assert run(["evaluate", "--out", str(tmp_path), "--policy", "nail"]) == 2
    assert "holds a run already" in capsys.readouterr().err


def test_a_mistyped_command_is_told_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "cmpare"]) == 2
    assert "Did you mean compare?" in capsys.readouterr().err


def test_a_run_that_goes_on_forgets_what_has_failed(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    first, second = a_play(seed=1), a_play(seed=2)
    directory.begin(run_of(Plan(games=("a",), agents=(first.agent,)), GAMES, "now"))
    finished = failed_result(first, "").model_copy(update={"state": PlayState.FINISHED})
    directory.add(finished)
    directory.add(failed_result(second, "no luck"))

    assert [each.play for each in directory.forget_failed()] == [second.key]
    assert directory.results() == [finished]
