"""`lantern evaluate compare`: which is better, how sure that is, and the exit code that guards strength."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lantern.cli import run
from lantern.evaluation.report.compare import compare, lines_about, named_side
from lantern.evaluation.report.plays import Score
from lantern.evaluation.results import PlayResult, PlayState
from mesh.errors import InputError
from tests.support.scenes.results_builder import a_play, a_run

GAMES = ("a", "b", "c")


def plays_of(agent: str = "one", gain: int = 0, **more: object) -> list[PlayResult]:
    return [a_play(agent=agent, game=g, seed=seed, best=20 + gain, **more) for g in GAMES for seed in (1, 2)]


@pytest.fixture
def before(tmp_path: Path) -> str:
    return str(a_run(tmp_path / "before", plays_of()))


@pytest.fixture
def after(tmp_path: Path) -> str:
    return str(a_run(tmp_path / "after", plays_of(gain=-2)))


@pytest.mark.parametrize(
    ("at_least", "code"), [("0", 1), ("-1.9", 1), ("-2", 0), ("-3", 0)], ids=lambda value: str(value)
)
def test_the_exit_code_tells_whether_b_reaches_the_threshold(
    before: str, after: str, at_least: str, code: int
) -> None:
    assert run(["evaluate", "compare", before, after, "--at-least", at_least]) == code


def test_an_improvement_and_no_difference_pass(before: str, after: str) -> None:
    assert run(["evaluate", "compare", after, before]) == 0
    assert run(["evaluate", "compare", before, before]) == 0
    assert run(["evaluate", "compare", after, before, "--at-least", "2.5"]) == 1


def test_what_is_said_of_a_loss(before: str, after: str) -> None:
    lines = [*lines_about(compare(named_side(before), named_side(after)), 0)]

    assert lines[0] == (
        f"A ({before}) is better than B ({after}) by 2.00 percentage points of the best score (6 pairs "
        "of plays, 3 games). B minus A lies between -2.00 and -2.00 (95 % interval); 100.0 % of 10,000 "
        "bootstrap draws agree."
    )
    assert lines[1:4] == [f"     -2.00  {game}" for game in GAMES]


def test_a_difference_that_may_be_chance_is_called_so(tmp_path: Path) -> None:
    one = named_side(str(a_run(tmp_path / "one", [a_play(game=game, best=20) for game in "abc"])))
    other = [a_play(game=game, best=best) for game, best in [("a", 5), ("b", 25), ("c", 36)]]

    lines = [*lines_about(compare(one, named_side(str(a_run(tmp_path / "other", other)))), 0)]

    assert "The interval holds 0: these games do not decide it." in lines[0]


def test_a_play_that_fails_in_b_alone_fails_the_guard(tmp_path: Path, before: str) -> None:
    plays = plays_of(gain=10)
    failing = [plays[0].model_copy(update={"state": PlayState.FAILED}), *plays[1:]]
    after = str(a_run(tmp_path / "after", failing))

    comparison = compare(named_side(before), named_side(after))

    assert comparison.difference.pairs == 5
    assert not comparison.is_good_enough(0)
    assert any(plays[0].session in line for line in lines_about(comparison, 0))


def test_two_agents_of_one_run_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = str(a_run(tmp_path / "both", [*plays_of("x"), *plays_of("y", gain=5)]))

    assert run(["evaluate", "compare", f"{both}:x", f"{both}:y", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["difference"], found["pairs"], found["sure"], found["good_enough"]) == (5, 6, 1, True)


def test_an_agent_may_have_a_colon_in_its_name(tmp_path: Path) -> None:
    run_of_two = str(a_run(tmp_path / "both", [*plays_of("mine.py:Agent"), *plays_of("other")]))

    assert named_side(f"{run_of_two}:mine.py:Agent").agents == {"mine.py:Agent"}


def test_runs_of_several_agents_are_compared_agent_by_agent(tmp_path: Path) -> None:
    old = named_side(str(a_run(tmp_path / "old", [*plays_of("x"), *plays_of("y", gain=5)])))
    new = named_side(str(a_run(tmp_path / "new", [*plays_of("x", gain=1), *plays_of("y", gain=8)])))

    comparison = compare(old, new)

    assert (comparison.difference.difference, comparison.difference.pairs) == (2, 12)


def test_plays_that_one_alone_has_are_left_out_and_counted(before: str, tmp_path: Path) -> None:
    fewer = str(a_run(tmp_path / "fewer", [*plays_of()[1:], a_play(game="z")]))

    comparison = compare(named_side(before), named_side(fewer))

    assert comparison.unpaired == (1, 1)
    assert "Left out: 1 play that B has not played, 1 that A has not played." in lines_about(comparison, 0)


def test_the_final_score_may_count_instead(before: str, tmp_path: Path) -> None:
    losing = str(a_run(tmp_path / "losing", plays_of(final_score=0)))

    assert compare(named_side(before), named_side(losing), Score.BEST).difference.difference == 0
    assert compare(named_side(before), named_side(losing), Score.FINAL).difference.difference == -20


def test_different_handicaps_are_told(before: str, tmp_path: Path) -> None:
    helped = str(a_run(tmp_path / "helped", plays_of(handicaps=("valid actions",))))

    lines = [*lines_about(compare(named_side(before), named_side(helped)), 0)]

    assert "The handicaps differ: A has none; B has valid actions." in lines


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("{before}:onee", "{before}", "no plays of the agent 'onee'. Did you mean one?"),
        ("{before}", "{before}/none", "results.jsonl cannot be read"),
        ("{before}", "{before}/none:one", "results.jsonl cannot be read"),
        ("{before}", "{empty}", "No play of"),
        ("{before}", "{seeds}", "no game was played by both with the same seeds and steps"),
        ("{two}", "{seeds}", "name one agent of each, as DIR:AGENT"),
        ("{unknown}", "{unknown}", "no score is known of a play that both have finished"),
    ],
)
def test_bad_input_is_refused_in_one_line(tmp_path: Path, before: str, a: str, b: str, said: str) -> None:
    runs = {
        "empty": str(a_run(tmp_path / "empty", [])),
        "before": before,
        "seeds": str(a_run(tmp_path / "seeds", [a_play(seed=9)])),
        "two": str(a_run(tmp_path / "two", [*plays_of("x"), *plays_of("y")])),
        "unknown": str(a_run(tmp_path / "unknown", plays_of(max_score=None))),
    }

    with pytest.raises(InputError) as refused:
        compare(named_side(a.format(**runs)), named_side(b.format(**runs)))

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert run(["evaluate", "compare", a.format(**runs), b.format(**runs)]) == 2


def test_a_threshold_that_is_no_number_is_refused(before: str) -> None:
    assert run(["evaluate", "compare", before, before, "--at-least", "nan"]) == 2
