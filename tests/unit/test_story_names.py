"""How a story is found by what the user calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from games import BUNDLED
from lantern.play.story_files import STORIES, StoryNotFound, load_story
from mesh.errors import InputError

DATA = BUNDLED.read_bytes()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.delenv(STORIES, raising=False)
    return tmp_path / "here"


def test_a_story_is_found_without_its_suffix(here: Path) -> None:
    (here / "cave.z5").write_bytes(DATA)

    assert (
        load_story("cave").data == load_story("cave.z5").data == load_story(str(here / "cave")).data == DATA
    )


def test_a_story_is_found_among_those_of_the_setting_and_what_is_here_comes_first(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STORIES, str(tmp_path))
    (tmp_path / "cave.z5").write_bytes(DATA)

    assert load_story("cave").data == load_story("cave.z5").data == DATA

    (here / "cave.z5").write_bytes(b"no story")
    with pytest.raises(InputError):
        load_story("cave")


def test_a_name_of_several_stories_is_refused_and_each_is_named(here: Path) -> None:
    for suffix in (".z3", ".z5"):
        (here / f"cave{suffix}").write_bytes(DATA)

    with pytest.raises(InputError, match=r"cave may be any of cave\.z3, cave\.z5"):
        load_story("cave")


@pytest.mark.usefixtures("here")
def test_a_story_that_is_nowhere_is_told_by_the_users_own_name() -> None:
    with pytest.raises(StoryNotFound, match="No story at caves/deep: no such file"):
        load_story("caves/deep")
