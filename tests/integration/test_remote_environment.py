"""An environment in a process of its own: what becomes of it when that dies or hangs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest

from games import BUNDLED
from search.remote import client
from search.remote.client import RemoteEnvironment, StoryLost
from search.remote.protocol import ROOM
from services.game.checked_story import check_story

STORY = check_story(BUNDLED.read_bytes(), BUNDLED.name)


@pytest.fixture
def environment() -> Iterator[RemoteEnvironment]:
    environment = RemoteEnvironment(STORY, 1, (ROOM,))
    yield environment
    environment.close()


def pid(environment: RemoteEnvironment) -> int:
    assert environment._process is not None
    return environment._process.pid


def test_a_process_that_dies_is_replaced_where_it_was(environment: RemoteEnvironment) -> None:
    environment.step("north")
    os.kill(pid(environment), signal.SIGKILL)
    refused = environment.step("east")
    after = environment.step("east")

    assert (refused.refused, refused.room) == (True, "Shingle Beach")
    assert (after.refused, after.room) == (False, "Net Shed")


def test_a_process_that_hangs_is_replaced_too(
    environment: RemoteEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.step("north")
    environment.save()
    environment.step("east")
    os.kill(pid(environment), signal.SIGSTOP)
    monkeypatch.setattr(RemoteEnvironment._asked, "__defaults__", (0.5,))
    refused = environment.step("west")
    monkeypatch.undo()

    assert (refused.refused, refused.room) == (True, "Net Shed")
    assert environment.step("west").room == "Shingle Beach"


def test_a_position_survives_the_process(environment: RemoteEnvironment) -> None:
    environment.step("north")
    position = environment.save()
    environment.step("east")
    os.kill(pid(environment), signal.SIGKILL)

    assert environment.restore(position).room == "Shingle Beach"


def test_a_long_play_is_not_repeated_from_its_beginning(
    environment: RemoteEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "LONGEST_REPLAY", 3)
    for action in ("north", "east", "west", "south"):
        environment.step(action)

    assert environment._played == ["south"]


def test_a_story_that_no_process_can_play_is_told_in_a_line() -> None:
    broken = replace(STORY, data=STORY.data[:64])

    with pytest.raises(StoryLost, match="cannot be played"):
        RemoteEnvironment(broken, 1)


def test_closing_leaves_no_process(environment: RemoteEnvironment) -> None:
    number = pid(environment)
    environment.close()
    environment.close()

    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
