"""`lantern replay SESSION SERVICE...` as a user has it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.processes.command import Lantern

SHOUTING = """
from services.narrator.service import NarratorService
from schemas.fragment import Fragment


class Shouting(NarratorService):
    version = "2.0.0"

    def fragment_for(self, state):
        said = super().fragment_for(state)
        return said and Fragment(
            sections=tuple(part.model_copy(update={"text": part.text.upper()}) for part in said.sections)
        )
"""


def test_services_of_a_session_are_replayed_and_compared(lantern: Lantern, tmp_path: Path) -> None:
    lantern.play("--steps", "8", "--session", "s1")
    code = tmp_path / "shouting.py"
    code.write_text(SHOUTING)

    same = lantern.run("replay", "s1", "all")
    other = lantern.run("replay", "s1", "--code", f"{code}:Shouting")
    as_json = lantern.run("replay", "s1", "narrator", "--code", f"{code}:Shouting", "--json")
    stepped = lantern.run(
        "replay", "s1", "narrator", "--code", f"{code}:Shouting", "--from", "4", "--to", "6"
    )

    assert (same.returncode, same.stdout, same.stderr) == (0, "9 of 9 steps the same\n", "")
    assert other.returncode == 1
    assert "narrator fragment: sections[0].text: recorded " in other.stdout
    told = json.loads(as_json.stdout)
    assert (as_json.returncode, told["steps"]) == (1, 9)
    assert {each["service"] for each in told["differences"]} == {"narrator"}
    assert stepped.stdout.startswith("[4] ") and "\n[6] " in stepped.stdout and "\n[7] " not in stepped.stdout
    assert stepped.stdout.endswith(" of 3 steps the same\n")


def test_what_cannot_be_replayed_is_said_in_one_line(lantern: Lantern) -> None:
    lantern.play("--steps", "2", "--session", "s1")

    refused = [
        lantern.run("replay", "s1", "game"),
        lantern.run("replay", "s1", "nobody"),
        lantern.run("replay", "s2", "narrator"),
        lantern.run("replay", "s1", "--json"),
        lantern.run("replay", "s1", "narrator", "--step", "--json"),
    ]

    assert [done.returncode for done in refused] == [2] * len(refused)
    assert [done.stderr.count("\n") for done in refused] == [1] * len(refused)
    assert "lantern sessions verify" in refused[0].stderr
