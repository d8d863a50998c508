"""What may be said about a method of searching on the command line, and about the model that it asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from lantern.play.search.method_options import TREE_PARTS, method_options
from lantern.play.search.prior import prior_options
from lantern.play.session_options import BUDGET_USD, SEARCH_PROBES, probes_of
from mesh.errors import InputError
from search.frontier.parts import FrontierOptions, SearchPart
from search.mcts.options import TreeOptions

NO_BUDGET = (None, None, None)


def test_each_part_that_can_be_left_out_is_an_option_of_the_tree() -> None:
    for name, field in TREE_PARTS.items():
        assert method_options("mc-dml", [name], None, None) == {field: False}
        assert getattr(TreeOptions(), field) is True


def test_each_part_of_the_frontier_search_is_an_option_of_it() -> None:
    given = method_options("frontier", [*SearchPart], None, None)

    assert FrontierOptions.of(given).without == {*SearchPart}
    assert method_options("frontier", [], None, None) == {}


def test_numbers_are_passed_on() -> None:
    given = method_options("puct", [], 5, 20.0)

    assert TreeOptions(**given) == TreeOptions(simulations=5, exploration=20.0)


@pytest.mark.parametrize(
    ("method", "without", "simulations", "told"),
    [
        ("mc-dml", ["priro"], None, "Did you mean prior?"),
        ("mc-dml", ["zzz"], None, "Name any of prior, in-trial-memory"),
        ("mc-dml", [], 0, "--simulations cannot be 0"),
        ("random", ["prior"], 5, "Leave out --without, --simulations."),
        ("frontier", [], 5, "Leave out --simulations."),
        ("frontier", ["burst"], None, "Did you mean bursts or tours?"),
        ("frontier", ["zzz"], None, "Name any of rules, ancestors"),
    ],
)
def test_what_cannot_be_is_refused(
    method: str, without: list[str], simulations: int | None, told: str
) -> None:
    with pytest.raises(InputError) as refused:
        method_options(method, without, simulations, None)

    assert told in str(refused.value)


def test_a_method_that_asks_a_model_has_a_file_and_the_usual_budget(tmp_path: Path) -> None:
    asking = prior_options("mc-dml", "claude-sonnet-5-5", None, (None, None, 7), tmp_path / "a")

    assert asking is not None
    assert (asking.answers, asking.budget.usd, asking.budget.calls) == (tmp_path / "a", BUDGET_USD, 7)


def test_a_method_that_asks_none_has_no_use_for_a_model(tmp_path: Path) -> None:
    assert prior_options("puct", None, None, NO_BUDGET, tmp_path / "a") is None
    with pytest.raises(InputError, match="Leave out --model, --budget-calls"):
        prior_options("puct", "local", None, (None, None, 7), tmp_path / "a")


def test_only_the_policy_that_searches_takes_probes() -> None:
    assert (probes_of("search", 9), probes_of("search", None), probes_of("random", None)) == (
        *(9, SEARCH_PROBES),
        SEARCH_PROBES,
    )
    with pytest.raises(InputError, match="--policy search"):
        probes_of("random", 9)
    with pytest.raises(InputError, match="at least 1"):
        probes_of("search", 0)
