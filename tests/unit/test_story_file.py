"""Which files are stories, and what a refusal says."""

from pathlib import Path

import pytest

from mesh.errors import InputError
from services.game.checked_story import check_story
from services.game.errors import StoryUnreadable
from tests.support.scenes.story_builder import a_story

GAMES = Path(__file__).parents[3] / "shared" / "games"

BAD_FILES = {
    "empty": b"",
    "cut short": a_story()[:1500],
    "text file": b"# A walkthrough\n\nGo north, then take the lamp.\n" * 9,
    "Glulx": b"Glul\x00\x03\x01\x02" + bytes(200),
    "Blorb": b"FORM\x00\x00\x10\x00IFRSRIdx" + bytes(200),
    "more than": a_story() + bytes(600_000),
    "version 6": a_story(version=6),
    "no version": a_story(version=9),
    "shorter than": b"\x05\x00\x00\x01" + bytes(20),
    "static memory": a_story(static=4000),
    "high memory": a_story(high=4000),
    "object table": a_story(objects=1500),
    "global variables": a_story(variables=20),
    "dictionary": a_story(dictionary=3000),
}


@pytest.mark.parametrize("why", BAD_FILES)
def test_a_bad_file_is_refused_in_one_line_that_says_why_and_the_mend(why: str) -> None:
    with pytest.raises(StoryUnreadable) as refused:
        check_story(BAD_FILES[why], "adventure.z5")

    message = str(refused.value)
    assert message.startswith("adventure.z5 cannot be played: ")
    assert why in message
    assert "Give a Z-machine story" in message
    assert "\n" not in message
    assert isinstance(refused.value, InputError)


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 7, 8])
def test_every_version_that_the_emulator_runs_is_taken_and_named_by_its_header(version: int) -> None:
    story = check_story(a_story(version=version), "renamed.dat")

    assert (story.version, story.suffix) == (version, f".z{version}")


def test_padding_after_the_length_that_the_header_tells_is_usual() -> None:
    assert check_story(a_story() + bytes(512), "padded.z5").version == 5


def test_a_header_without_a_length_is_taken() -> None:
    assert check_story(a_story(told=0), "old.z5").version == 5


def test_a_story_is_named_by_the_md5_of_its_bytes() -> None:
    data = a_story()

    assert len(check_story(data, "a.z5").md5) == 32
    assert check_story(data, "a.z5") == check_story(data, "b.z5")


def test_the_stories_at_hand_are_all_taken() -> None:
    files = sorted(GAMES.glob("*.z?"))
    if not files:
        pytest.skip(f"no stories in {GAMES}")

    assert all(check_story(file.read_bytes(), file.name).md5 for file in files)
