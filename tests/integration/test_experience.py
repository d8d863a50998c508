"""Experience on real files and in real sessions: learned once, killed, damaged, in use, forgotten."""

from __future__ import annotations

import asyncio
import fcntl
import json
import signal
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from folds.route import RouteStep
from folds.text.reader import TextReader
from folds.vocabulary.actions import normal
from lantern.play.play import play as play_session
from lantern.play.session_options import PlayOptions, checked_story
from lantern.play.story_files import load_story
from lantern.views.text_view import SilentView
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.experience import StoryExperience
from schemas.game import Handicap, StepTaken
from services.memory.experience.experience_files import ExperienceError, ExperienceFiles, StoryKey
from services.memory.experience.lessons import RoomAction, SessionLessons
from services.memory.experience.route import RouteRecorder
from services.memory.graph import file_lock
from services.memory.graph.store_pool import StorePool
from tests.support.processes.command import Lantern
from tests.support.processes.crashes import Cells

STORY = StoryKey("c", "0" * 32, text_only=False)
TEXT_ONLY = replace(STORY, text_only=True)
JUMP, SOUTH = RoomAction("b", "jump"), RoomAction("b", "south")


@pytest.fixture
def files(tmp_path: Path) -> ExperienceFiles:
    return ExperienceFiles(tmp_path, StorePool())


def some_lessons(session: str = "s1", *, steps: int = 100, points: int = 5, route: str = "north") -> Any:
    return SessionLessons(
        session=session,
        steps=steps,
        points=points,
        score=points,
        rooms={"a": "Hall", "b": "Yard"},
        exits=((RoomAction("a", "north"), "b"), (SOUTH, "a")),
        earned=((RoomAction("b", "take lamp"), points),),
        deaths=((JUMP, False, 2),),
        route=tuple(RouteStep(action, "a", "b", walk=False) for action in route.split()),
    )


async def known(files: ExperienceFiles, story: StoryKey = STORY) -> StoryExperience:
    answer = await files.known(story)
    assert answer.fault == ""
    return answer.experience


async def test_of_a_story_that_nobody_played_nothing_is_known(files: ExperienceFiles, tmp_path: Path) -> None:
    assert await known(files) == StoryExperience()
    assert [*tmp_path.iterdir()] == []  # noqa: ASYNC240


async def test_what_two_sessions_taught_is_added_up_and_the_better_route_counts(
    files: ExperienceFiles,
) -> None:
    await files.learn(STORY, some_lessons("s1", points=5, route="east north"))
    await files.learn(STORY, some_lessons("s2", points=3, route="west"))
    first = await known(files)
    await files.learn(STORY, some_lessons("s3", points=5, route="up"))
    then = await known(files)

    assert (first.sessions, first.best_session, first.best_points, first.best_score) == (2, "s1", 5, 5)
    assert [stage.action for stage in first.best_route] == ["east", "north"]
    assert (then.best_session, [stage.action for stage in then.best_route]) == ("s3", ["up"])
    rooms = {room.name: room for room in then.rooms}
    assert rooms["Hall"].exits == (("north", "b"),)
    assert rooms["Yard"].earned == (("take lamp", 5),)
    assert [(death.action, death.times) for death in rooms["Yard"].deadly] == [("jump", 6)]


async def test_the_last_three_sentences_on_failures_are_known_to_later_sessions(
    files: ExperienceFiles,
) -> None:
    for session, said in (("s1", ("a", "b")), ("s2", ()), ("s3", ("c", "b")), ("s4", ("d",))):
        await files.learn(STORY, replace(some_lessons(session), reflections=said))

    assert (await known(files)).reflections == ("b", "c", "d")


async def test_a_session_that_is_learned_from_again_counts_once(files: ExperienceFiles) -> None:
    await files.learn(STORY, some_lessons(steps=100))
    once = await known(files)
    await files.learn(STORY, some_lessons(steps=100))
    assert await known(files) == once

    resumed = replace(some_lessons(steps=150, points=9, route="up down"), deaths=((JUMP, False, 3),))
    await files.learn(STORY, resumed)
    await files.learn(STORY, some_lessons(steps=100))
    now = await known(files)

    assert (now.sessions, now.deaths, now.best_points) == (1, 3, 9)
    assert [stage.action for stage in now.best_route] == ["up", "down"]


async def test_text_only_sessions_have_an_experience_of_their_own(files: ExperienceFiles) -> None:
    await files.learn(STORY, some_lessons())

    assert await known(files, TEXT_ONLY) == StoryExperience()


KILLED = """
import asyncio, os, pathlib, sys
from services.memory.experience.experience_files import ExperienceFiles
from services.memory.experience.route import RouteRecorder
from services.memory.graph.store_pool import StorePool
from tests.integration.test_experience import STORY, some_lessons

async def main():
    await ExperienceFiles(pathlib.Path(sys.argv[1]), StorePool()).learn(STORY, some_lessons())
    os.kill(os.getpid(), 9)

asyncio.run(main())
"""


async def test_a_service_that_is_killed_before_it_says_so_has_learned_once(
    files: ExperienceFiles, tmp_path: Path
) -> None:
    root = Path(__file__).parents[2]
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, str(tmp_path), cwd=root)
    assert await process.wait() == -signal.SIGKILL

    before = await known(files)
    await files.learn(STORY, some_lessons())

    assert (before.sessions, before.deaths) == (1, 2)
    assert await known(files) == before


async def test_a_damaged_file_is_renamed_and_said_and_experience_begins_anew(
    files: ExperienceFiles,
) -> None:
    await files.learn(STORY, some_lessons())
    path = files.path(STORY)
    path.write_bytes(b"no database")

    answer = await files.known(STORY)
    assert answer.experience == StoryExperience()
    assert answer.fault.startswith(f"The experience in {path} could not be read")
    assert f"It was renamed to {path.name}.broken" in answer.fault and "\n" not in answer.fault

    await files.learn(STORY, some_lessons())
    assert (await known(files)).sessions == 1


async def test_who_uses_a_file_is_waited_for_and_not_without_end(
    files: ExperienceFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    await files.learn(STORY, some_lessons("s1"))
    both = (files.learn(STORY, some_lessons(name)) for name in ("s2", "s3"))
    await asyncio.gather(*both)
    assert (await known(files)).sessions == 3

    monkeypatch.setattr(file_lock, "PATIENCE", 0.1)
    with files.path(STORY).with_suffix(".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ExperienceError, match="in use by another process"):
            await files.learn(STORY, some_lessons("s4"))
        assert "in use by another process" in (await files.known(STORY)).fault
        assert "in use by another process" in (await files.forget(STORY.cell, STORY.md5)).fault


async def test_what_is_forgotten_is_gone_and_told(files: ExperienceFiles) -> None:
    await files.learn(STORY, some_lessons("s1"))
    await files.learn(TEXT_ONLY, some_lessons("s2"))

    done = await files.forget(STORY.cell, STORY.md5)

    paths = [files.path(STORY), files.path(TEXT_ONLY)]
    assert (done.sessions, done.files, done.fault) == (2, tuple(map(str, paths)), "")
    assert [path for path in paths if path.exists()] == []
    assert await known(files) == StoryExperience()
    assert (await files.forget(STORY.cell, STORY.md5)).files == ()


async def one_session(
    bus: Bus, nats_url: str, settings: MeshSettings, session: str, *, steps: int, text_only: bool
) -> tuple[StoryExperience, list[StepTaken]]:
    """What a session on the bundled game began with, and its steps."""
    wish = PlayOptions(
        "bundled", steps, "heuristic", 1, session, bus.cell.name, text_only=text_only, experience=True
    )
    at = settings.model_copy(update={"nats_url": nats_url})
    await play_session(wish, checked_story(wish), at, SilentView())
    started = await bus.reader.started(session)
    assert started is not None and started.experience is not None
    assert started.handicaps[-1] is Handicap.EXPERIENCE
    return started.experience, [step async for step in bus.reader.steps(session)]


def points(steps: list[StepTaken]) -> int:
    """The most points that an episode has earned, as the steps tell."""
    route = RouteRecorder()
    for before, now in pairwise(map(TextReader().read, steps)):
        route.after(before, now)
    return route.points


@pytest.mark.parametrize("text_only", [False, True])
async def test_the_second_session_goes_the_best_route_of_the_first_and_earns_as_much_at_once(
    bus: Bus, nats_url: str, settings: MeshSettings, text_only: bool
) -> None:
    empty, first = await one_session(bus, nats_url, settings, "s1", steps=60, text_only=text_only)
    known, second = await one_session(bus, nats_url, settings, "s2", steps=30, text_only=text_only)

    assert empty == StoryExperience()
    assert (known.sessions, known.best_session, known.best_points) == (1, "s1", points(first))
    aside = (None, "verbose", "inventory", "score")
    actions = [normal(step.action or "") for step in second if step.action not in aside]
    assert actions[: len(known.best_route)] == [stage.action for stage in known.best_route]
    assert points(second) >= points(first) > 0


async def test_a_memory_that_is_killed_within_a_session_learns_from_it_once(cells: Cells) -> None:
    cell = await cells.new()
    await cell.ready("game", "actor", "critic")
    memory = await cell.ready("memory")
    await cell.start(steps=30, experience=StoryExperience())
    await cell.reached(12)
    await memory.kill()
    memory = await cell.ready("memory")
    await cell.ended()
    memory.terminate()
    await memory.ended.wait()

    files = ExperienceFiles(cell.home / "memory", StorePool())
    answer = await files.known(StoryKey(cell.bus.cell.name, load_story("bundled").md5, text_only=False))

    assert (answer.fault, answer.experience.sessions, answer.experience.best_session) == ("", 1, "s1")


def experience(lantern: Lantern, kind: str) -> dict[str, Any]:
    shown = lantern.run("experience", "show", "bundled", "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    known: dict[str, Any] = json.loads(shown.stdout)[kind]
    return known


def play(lantern: Lantern, *options: str) -> tuple[dict[str, Any], str]:
    """The results, and what was said of the experience."""
    arguments = ("play", "--policy", "heuristic", "--experience", "--json", *options)
    done = lantern.run(*arguments, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_the_commands_say_what_is_known_and_what_they_forget(lantern: Lantern) -> None:
    nothing = lantern.run("experience", "show", "bundled")
    played, said = play(lantern, "--steps", "30")
    shown = lantern.run("experience", "show", "bundled").stdout
    forgotten = lantern.run("experience", "forget", "bundled").stdout
    again = lantern.run("experience", "forget", "bundled").stdout

    assert "nothing is known of this story" in nothing.stderr
    assert played["handicaps"][-1] == "experience"
    assert "experience: no session of this story has left any yet" in said
    assert "with the game's state: 1 session, best score" in shown and "Cliff Top" in shown
    assert forgotten.endswith("forgot 1 session\n") and "deleted " in forgotten
    assert again == "nothing was known of this story\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--policy", "nail"), "The policy nail learns nothing from earlier sessions. Leave out"),
        (("--without", "memory"), "--experience needs the memory, which keeps it. Leave out"),
        (("--agent", "cat"), "Leave out --experience"),
    ],
)
def test_a_session_that_cannot_use_or_keep_experience_is_refused(
    lantern: Lantern, options: tuple[str, ...], said: str
) -> None:
    done = lantern.run("play", "--experience", *options)

    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_a_replay_and_a_fork_need_nothing_but_the_record(lantern: Lantern) -> None:
    play(lantern, "--steps", "25", "--session", "s1")
    play(lantern, "--steps", "12", "--session", "s2")
    lantern.run("experience", "forget", "bundled")

    replayed = lantern.run("replay", "s2", "actor", timeout=120)
    forked = lantern.run("fork", "s2", "--at", "4", "--session", "s3", "--json", timeout=120)

    assert (replayed.returncode, forked.returncode) == (0, 0), replayed.stdout + forked.stderr
    assert lantern.actions("s3") == lantern.actions("s2")
    assert json.loads(forked.stdout)["handicaps"][-1] == "experience"


@pytest.mark.exhaustive
def test_a_killed_session_that_is_resumed_counts_once(lantern: Lantern) -> None:
    running = lantern.start("play", "--policy", "heuristic", "--experience", "--session", "s1")
    running.wait_for_step(20)
    running.process.kill()
    running.wait()
    lantern.wait_until_gone()

    lantern.resume("s1")
    once = experience(lantern, "full")
    lantern.resume("s1", "--steps", "5")

    assert (once["sessions"], once["best_session"]) == (1, "s1")
    assert experience(lantern, "full")["sessions"] == 1


def test_what_a_death_has_taught_is_told_in_the_next_session(lantern: Lantern, tmp_path: Path) -> None:
    for session in ("s1", "s2"):
        lantern.run("play", "bundled", "--experience", "--steps", "60", "--session", session, timeout=120)
        assert lantern.run("sessions", "export", session, str(tmp_path / session)).returncode == 0

    known = lantern.run("experience", "show", "bundled", "--json")

    [*_, told] = json.loads(known.stdout)["full"]["reflections"]
    assert "was the end" in told
    exported = (tmp_path / "s2").read_text()
    assert '"reflections":["At step' in exported and "- in an earlier session: At step" in exported
