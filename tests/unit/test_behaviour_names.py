"""The behaviours that a session does without, as a user names them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mesh.errors import InputError
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.policies import checked_behaviours

ROOT = Path(__file__).parents[2]
KNOWN = ("put", "fight", "obey_refusal")


def test_behaviours_are_named_once_and_in_the_order_in_which_they_are_known() -> None:
    assert checked_behaviours("heuristic", ["fight", "put", "fight"], KNOWN) == ("put", "fight")


@pytest.mark.parametrize(
    ("policy", "name", "told"),
    [
        ("heuristic", "figt", r"There is no behaviour 'figt' to play without\. Did you mean fight\?"),
        ("reflact", "sing", r"no behaviour 'sing' .* Name any of put, fight, obey_refusal\."),
        ("nail", "fight", r"The policy nail has no behaviours\. Give one of: heuristic, reflact\."),
    ],
)
def test_what_cannot_be_left_out_is_told(policy: str, name: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        checked_behaviours(policy, [name], KNOWN)


def test_nothing_is_left_out_of_a_policy_that_has_no_behaviours() -> None:
    assert checked_behaviours("nail", [], KNOWN) == ()


def test_every_behaviour_is_in_the_tables_of_the_page_on_playing() -> None:
    page = (ROOT / "docs" / "play.md").read_text()
    section = page.partition("## The behaviours of the rule-based player")[2].partition("\n## ")[0]

    assert re.findall(r"^\| `(\w+)` \|", section, re.M) == list(BEHAVIOUR_NAMES)


def test_the_behaviour_that_the_page_on_extending_shows_is_a_real_one() -> None:
    page = (ROOT / "docs" / "extend.md").read_text()
    (shown,) = re.findall(r"```python\n(def give\(.*?)```", page, re.S)

    talking = ROOT / "services" / "actor" / "heuristic" / "behaviours" / "people" / "talking.py"
    assert shown in talking.read_text()
