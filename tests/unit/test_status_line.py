"""What a text-only session is told by the status line, and nothing more."""

from __future__ import annotations

import pytest

from folds.text.reader import TextReader
from lantern.play.session_options import PlayOptions, checked_story
from mesh.errors import InputError
from schemas.game import Room, StepTaken
from schemas.sources import Source
from services.game.emulator.protocol import StatusLine
from services.game.session.text_only import redacted, shown_in
from tests.support.scenes.builders import a_step

FULL = a_step(3, "take lamp", room="Hall", held=["lamp"], seen=["box"], score=99)


def test_a_step_has_the_name_the_score_and_the_moves_that_are_shown() -> None:
    step = redacted(FULL, StatusLine("Cellar", 7, 12), StatusLine("Cellar", 2, 11))

    assert step.room == Room(id="name:Cellar", name="Cellar")
    assert (step.score, step.reward, step.moves) == (7, 5, 12)
    assert {step.sources.room, step.sources.score, step.sources.moves} == {Source.STATUS_LINE}
    assert (step.inventory, step.objects, step.world, step.valid_actions) == (None, None, "", None)


def test_a_line_that_shows_no_score_tells_none() -> None:
    step = redacted(FULL, StatusLine("Cellar"), StatusLine("Hall", 3, 4))

    assert (step.score, step.reward, step.moves) == (None, 0, None)
    assert (step.sources.score, step.sources.moves) == (Source.UNKNOWN, Source.UNKNOWN)


def test_without_a_status_line_nothing_but_the_text_is_left() -> None:
    assert redacted(FULL, None, StatusLine("Hall", 3, 4)) == redacted(FULL)


def test_what_was_shown_is_known_again_from_the_record() -> None:
    shown = StatusLine("Cellar", 7, 12)

    assert shown_in(redacted(FULL, shown)) == shown
    assert shown_in(redacted(FULL)) is None


def rooms(*told: tuple[str | None, str, str]) -> list[str]:
    reader = TextReader()
    steps = (
        StepTaken(step=n, action=action, observation=text, room=Room(id=f"name:{name}", name=name))
        for n, (action, text, name) in enumerate(told)
    )
    return [reader.read(step).room.id for step in steps]  # type: ignore[union-attr]


def test_rooms_of_one_name_in_the_status_line_are_told_apart_by_their_texts() -> None:
    one = "Forest\nTall pines stand close together here, and it is dim between them."
    other = "Forest\nYoung birches, and a path that somebody must have made, run south."

    first, second, wall, back = rooms(
        (None, one, "Forest"),
        ("south", other, "Forest"),
        ("east", "Thorns.", "Forest"),
        ("north", one, "Forest"),
    )

    assert first == back != second
    assert second == wall


def test_darkness_in_the_status_line_is_a_place_by_its_way_in() -> None:
    told = rooms((None, "A cave.", "Cave"), ("down", "It is pitch dark.", "Darkness"))

    assert told[1].startswith("name:Darkness#")


def test_the_status_line_is_for_text_only_sessions() -> None:
    options = PlayOptions("bundled", 5, "heuristic", 1, "s1", "main", status_line=True)

    with pytest.raises(InputError, match="Add --text-only"):
        checked_story(options)
