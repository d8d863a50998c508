"""States that services store beside the record: a resume reads them, and comes to the same without them."""

from __future__ import annotations

import io
import os
import pickle
import shutil

import pytest
from test_mesh import a_wish

from lantern.play.play import play
from lantern.play.resume import resume
from lantern.play.session_options import ResumeOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.record.bus import Bus
from mesh.runner.states.state_cache import StateUnpickler, directory_of
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.game import SessionStarted
from tests.support.processes.command import Lantern

FOLDING = {"actor", "critic", "hint", "memory", "narrator", "npc_tracker"}


def a_session(settings: MeshSettings, nats_url: str) -> MeshSettings:
    """Settings with which states are stored often."""
    return settings.model_copy(update={"nats_url": nats_url, "state_every": 10})


async def said(bus: Bus, session: str) -> list[tuple[str, int, str, object]]:
    """What every service has said after step 30, but for times."""
    return sorted(
        (each.kind.value, each.step, each.service.name, each.body.model_dump_json())
        for each in [each async for each in bus.reader.messages(session)]
        if each.step > 30 and each.kind in (Kind.FRAGMENT, Kind.PROPOSAL, Kind.VERDICT)
    )


@pytest.mark.parametrize("spoilt", [(), ("actor", "memory")])
async def test_a_resume_from_stored_states_says_what_a_session_says_that_never_stopped(
    bus: Bus, nats_url: str, settings: MeshSettings, capsys: pytest.CaptureFixture[str], spoilt: tuple[str]
) -> None:
    settings = a_session(settings, nats_url)
    for session, steps in (("calm", 45), ("broken", 30)):
        wish = a_wish(bus.cell.name, steps=steps, session=session)
        await play(wish, checked_story(wish), settings, SilentView())
    directory = directory_of(settings.home, bus.cell.name, "broken")
    stored = {path.name for path in directory.iterdir()}
    for name in spoilt:
        data = (directory / name).read_bytes()
        (directory / name).write_bytes(data[:-40] + b"x" + data[-39:])
    capsys.readouterr()

    await resume(ResumeOptions("broken", bus.cell.name, 15), settings, SilentView())

    loaded = [line for line in capsys.readouterr().out.splitlines() if "state_loaded" in line]
    assert stored == FOLDING
    assert len(loaded) == len(FOLDING) - len(spoilt)
    assert await said(bus, "broken") == await said(bus, "calm")


async def test_a_state_of_another_record_of_the_same_name_is_not_used(
    bus: Bus, nats_url: str, settings: MeshSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = a_session(settings, nats_url)
    wish = a_wish(bus.cell.name, steps=20, session="twice")
    directory, earlier = directory_of(settings.home, bus.cell.name, "twice"), settings.home / "earlier"
    await play(wish, checked_story(wish), settings, SilentView())
    shutil.copytree(directory, earlier)
    await bus.writer.delete("twice")
    await play(wish, checked_story(wish), settings, SilentView())
    shutil.copytree(earlier, directory, dirs_exist_ok=True)
    capsys.readouterr()

    await resume(ResumeOptions("twice", bus.cell.name, 3), settings, SilentView())

    assert "state_loaded" not in capsys.readouterr().out


def test_deleting_a_session_deletes_its_states(lantern: Lantern) -> None:
    lantern.env["LANTERN_STATE_EVERY"] = "10"
    lantern.play("--steps", "20", "--session", "mine")
    directory = directory_of(lantern.home, "main", "mine")
    there = directory.exists()

    lantern.run("sessions", "delete", "mine")

    assert there
    assert not directory.exists()


class Harmful:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


def test_a_state_cannot_name_what_would_do_harm() -> None:
    started = SessionStarted(
        step=0, game="x", story_md5="0" * 32, story_suffix=".z5", policy="heuristic", seed=1, steps=1
    )

    with pytest.raises(pickle.UnpicklingError, match=r"does not hold posix\.system"):
        StateUnpickler(io.BytesIO(pickle.dumps(Harmful())), started).load()
