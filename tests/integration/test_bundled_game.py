"""The bundled game: it is what its source says, it can be won with every point, and it can kill."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from games import BUNDLED

PLAY = Path(__file__).parents[1] / "games" / "play.py"
WALKTHROUGH = Path(__file__).with_name("bundled_walkthrough.txt").read_text().splitlines()
DEATHS = {  # a letter is a direction, and an action of its own
    "a blind step": [*"nuw", "open cupboard", "take lamp", "move rug", "open trapdoor", *"dnw"],
    "the roar": [*"nuw", "open cupboard", "take lamp", "light lamp", "move rug", *"ddnwsn"],
    "the gallery": [*"ne", "ask maren about petrel", *"wun", "unlock door", *"nuue", "jump"],
}
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def observations(actions: list[str], seed: int = 1) -> list[str]:
    """What the bundled game prints: its opening text, then its answer to each action."""
    played = subprocess.run(
        [sys.executable, str(PLAY), str(BUNDLED), str(seed)],
        input="\n".join(actions),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [str(observation) for observation in json.loads(played.stdout)]


def rooms(shown: list[str]) -> list[str]:
    """The room in each status line, which Jericho leaves at the end of the observation."""
    lines = (re.search(r"^> +(.+?)   Score: \d+   Moves: \d+$", text, re.MULTILINE) for text in shown)
    return [line[1] if line else "" for line in lines]


def installed_compiler() -> str:
    """The version of the Inform 6 compiler, `6.41`; empty where there is none."""
    if shutil.which("inform6") is None:
        return ""
    banner = subprocess.run(["inform6", "-h"], capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"Inform (\d+\.\d+)", banner.stdout)
    return found[1] if found else ""


def test_the_source_compiles_without_a_warning_to_the_committed_story_byte_for_byte(tmp_path: Path) -> None:
    compiled_by = BUNDLED.read_bytes()[0x3C:0x40].decode("ascii")
    if installed_compiler() != compiled_by:
        pytest.skip(f"needs Inform {compiled_by}; mend: apt-get install inform6-compiler inform6-library")

    rebuilt = tmp_path / "rebuilt.z5"
    build = ["sh", str(BUNDLED.with_name("build.sh")), str(rebuilt)]
    built = subprocess.run(build, capture_output=True, text=True, timeout=60, check=False)

    assert built.returncode == 0, built.stderr
    assert not re.search("warning|error", built.stdout + built.stderr, re.IGNORECASE), built.stdout
    assert rebuilt.read_bytes() == BUNDLED.read_bytes()


@pytest.mark.parametrize("seed", [1, 2, 77])
def test_the_walkthrough_wins_with_fifty_points_of_fifty_whatever_the_seed(seed: int) -> None:
    shown = observations(WALKTHROUGH, seed)

    assert "*** You have won ***" in shown[-1]
    assert "you scored 50 out of a possible 50" in shown[-1]
    assert not any("***" in text for text in shown[:-1])


def test_the_answer_to_score_gives_the_points_so_far_and_the_maximum() -> None:
    shown = observations([*WALKTHROUGH[:-1], "score"])

    assert "You have so far scored 45 out of a possible 50" in shown[-1]


def test_the_gains_announced_on_the_way_add_up_to_fifty() -> None:
    announced = re.findall(
        r"\[Your score has just gone up by (\w+) points?\.\]", "".join(observations(WALKTHROUGH))
    )

    assert len(announced) == 11
    assert sum(map(NUMBERS.index, announced)) == 50


@pytest.mark.parametrize("actions", DEATHS.values(), ids=DEATHS.keys())
def test_each_way_to_die_is_real_and_ends_the_game(actions: list[str]) -> None:
    shown = observations(actions)

    assert "*** You have died ***" in shown[-1]
    assert not any("***" in text for text in shown[:-1])


def test_the_status_line_names_the_room_and_three_rooms_in_a_row_share_one_name() -> None:
    visited = rooms(observations(WALKTHROUGH))

    assert visited[0] == "Jetty"
    assert visited.count("Winding Passage") == 3
    assert all(visited)


def test_a_direction_cannot_be_dropped_and_lost() -> None:
    shown = observations(["drop north", "north"])

    assert rooms(shown)[-1] == "Shingle Beach"
