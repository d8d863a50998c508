"""Clues that a user gives to agents that ask a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from lantern.evaluation.clues import CLUES_LENGTH, Clues, UnchangingState, read_clues
from lantern.evaluation.planning.plan_file import PlanRefused, read_plan
from mesh.errors import InputError
from schemas.fragment import SECTION_LENGTH

PLAN = """\
games = ["bundled"]
[[agents]]
name = "a"
policy = "{policy}"
clues = "."
"""


def test_the_actor_is_told_all_clues_of_its_story_in_sections(tmp_path: Path) -> None:
    clues = "Say please to the troll.\n" * 500
    (tmp_path / "cave.txt").write_text(clues)

    fragment = Clues(read_clues(str(tmp_path), "cave")).fragment_for(UnchangingState())

    assert "".join(section.text for section in fragment.sections) == clues
    assert all(len(section.text) <= SECTION_LENGTH for section in fragment.sections)


@pytest.mark.parametrize("text", [None, "x" * (CLUES_LENGTH + 1), "x" * 5 * CLUES_LENGTH])
def test_clues_that_are_missing_or_too_long_are_told_in_one_line(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "cave.txt").write_text(text)

    with pytest.raises(InputError, match=r"cave\.txt"):
        read_clues(str(tmp_path), "cave")


def test_a_plan_with_clues_names_files_for_all_games_and_an_agent_that_asks_a_model(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(policy="reflact"))
    with pytest.raises(PlanRefused, match=r"plan\.toml, line 5: Cannot read the clues .*kelder\.txt"):
        read_plan(plan)

    (tmp_path / "kelder.txt").write_text("Look under the mat.")
    assert read_plan(plan).agents[0].clues == str(tmp_path)
    plan.write_text(PLAN.format(policy="heuristic"))
    with pytest.raises(PlanRefused, match=r"line 5: The policy heuristic asks no language model"):
        read_plan(plan)
