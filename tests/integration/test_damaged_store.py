"""A damaged store of the embedded server: what is lost is named, whatever the server makes of the damage."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes.command import Lantern

STREAM = Path("nats/store/jetstream/$G/streams/LANTERN")
BLOCK = STREAM / "msgs/1.blk"
STATE = STREAM / "msgs/index.db"
"""The server's own index; without it (after a crash) it reads the blocks, and cuts them at a fault."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two sessions, and their exports beside it."""
    home = tmp_path_factory.mktemp("damage") / "home"
    lantern = Lantern(home)
    for session, steps in (("one", 9), ("two", 4)):
        lantern.play("--session", session, "--steps", str(steps), "--policy", "random")
        lantern.run("sessions", "export", session, str(home.parent / f"{session}.jsonl"))
    lantern.wait_until_gone()
    return home


@pytest.fixture
def damaged(played: Path, tmp_path: Path) -> Lantern:
    """The same sessions in a home that may be damaged."""
    shutil.copytree(played, tmp_path / "home")
    return Lantern(tmp_path / "home")


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def cut(path: Path, at: int) -> None:
    path.write_bytes(path.read_bytes()[:at])


def zero(path: Path, at: int) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:at] + bytes(len(data[at : at + 4096])) + data[at + 4096 :])


def remove(path: Path, at: int) -> None:
    path.unlink()


def states(lantern: Lantern) -> dict[str, str]:
    return {each["session"]: each["state"] for each in lantern.sessions()}


def position_of(home: Path, subject: str) -> int:
    """Inside the payload of a message."""
    return (home / BLOCK).read_bytes().index(subject.encode()) + 200


def test_a_cut_block_leaves_a_session_damaged_and_says_up_to_which_step_it_can_be_read(
    damaged: Lantern,
) -> None:
    cut(damaged.home / BLOCK, position_of(damaged.home, "lantern.main.two.step.3"))

    listed, examined = damaged.run("sessions", "list"), damaged.run("doctor")

    assert states(damaged) == {"one": "budget", "two": "damaged"}
    assert "two is damaged: " in listed.stderr and "steps 0 to 2 of 4 can be read" in listed.stderr
    assert "fork two --at 2" in listed.stderr and "one is" not in listed.stderr
    assert examined.returncode == 1 and "FAIL  sessions: two is damaged: " in examined.stdout
    assert damaged.run("fork", "two", "--at", "2", "--no-play", "--session", "saved").returncode == 0
    assert states(damaged)["saved"] == "stopped"


def test_every_command_names_what_a_damaged_session_has_lost(damaged: Lantern) -> None:
    cut(damaged.home / BLOCK, position_of(damaged.home, "lantern.main.two.step.3"))

    for command in (
        ("sessions", "show", "two"),
        ("sessions", "transcript", "two"),
        ("sessions", "export", "two", "-"),
        ("sessions", "verify", "two"),
        ("replay", "two"),
        ("diff", "two", "two"),
        ("resume", "two", "--steps", "1"),
    ):
        done = damaged.run(*command)
        assert "two is damaged: " in done.stderr, command
        assert "steps 0 to 2 of 4 can be read" in done.stderr and "restore a backup" in done.stderr
        assert done.returncode == (1 if "verify" in command else 0), command
    assert states(damaged)["two"] == "budget", "it was resumed where its record ends now"


def test_every_command_says_that_a_session_is_lost(damaged: Lantern) -> None:
    (damaged.home / BLOCK).unlink()

    for command in (
        ("sessions", "show", "two"),
        ("sessions", "transcript", "two"),
        ("sessions", "verify", "two"),
        ("replay", "two"),
        ("fork", "two", "--at", "1"),
        ("resume", "two"),
    ):
        done = damaged.run(*command)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), (command, done.stderr)
        assert "two is lost (4 steps)" in done.stderr and "sessions import FILE" in done.stderr
    assert "There is no session 'three'" in damaged.run("sessions", "show", "three").stderr


def test_a_lost_session_is_named_and_is_whole_again_after_its_import(damaged: Lantern, played: Path) -> None:
    (damaged.home / BLOCK).unlink()

    listed = damaged.run("sessions", "list")
    deleted = damaged.run("sessions", "delete", "--force", "two")
    imported = damaged.run("sessions", "import", str(played.parent / "two.jsonl"))

    assert listed.stderr.count("is lost") == 2 and "one is lost (9 steps)" in listed.stderr
    assert (deleted.returncode, imported.returncode) == (0, 0)
    assert states(damaged) == {"one": "lost", "two": "budget"}


def test_the_doctor_finds_a_flipped_byte_that_the_server_keeps_to_itself(damaged: Lantern) -> None:
    flip(damaged.home / BLOCK, position_of(damaged.home, "lantern.main.one.fragment.4.hint"))

    examined = damaged.run("doctor")

    assert examined.returncode == 1
    assert "FAIL  sessions: one is damaged: " in examined.stdout
    assert "its 9 steps can be read" in examined.stdout and "two is" not in examined.stdout


def test_an_index_that_is_missing_or_damaged_is_made_again(damaged: Lantern) -> None:
    index = damaged.home / "nats" / "sessions"
    (index / "main.one.json").write_text('{"messages": [')
    (index / "main.two.json").unlink()

    listed = damaged.run("sessions", "list")
    cut(damaged.home / BLOCK, 0)

    assert (listed.returncode, listed.stderr) == (0, "")
    assert states(damaged) == {"one": "lost", "two": "lost"}


def test_a_deleted_session_is_no_loss(damaged: Lantern) -> None:
    damaged.run("sessions", "delete", "two")

    listed = damaged.run("sessions", "list")

    assert listed.stderr == "" and states(damaged) == {"one": "budget"}


def test_a_server_that_does_not_start_is_quoted(damaged: Lantern) -> None:
    shutil.rmtree(damaged.home / "nats/store")
    (damaged.home / "nats/store").write_text("")

    refused = damaged.run("sessions", "list")

    assert refused.returncode == 1 and refused.stderr.count("\n") == 1
    assert "did not start: Can't start JetStream: storage directory is not a directory." in refused.stderr


def test_a_store_that_cannot_be_opened_is_called_damaged(damaged: Lantern) -> None:
    shutil.rmtree(damaged.home / STREAM)
    (damaged.home / STREAM).write_text("")

    refused = damaged.run("sessions", "list")

    assert refused.returncode == 1 and refused.stderr.count("\n") == 1
    assert "it is damaged" in refused.stderr and "put a backup in its place" in refused.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(40))
def test_every_damage_is_named(damaged: Lantern, played: Path, seed: int) -> None:
    """A session is whole, message by message, or it is named; the server may have crashed before."""
    chance = random.Random(seed)
    files = sorted(path for path in (damaged.home / STREAM).rglob("*") if path.is_file())
    kinds: list[Callable[[Path, int], None]] = [flip, flip, cut, zero, remove]
    path = chance.choice([*files, damaged.home / BLOCK, damaged.home / BLOCK])
    position = chance.randrange(max(1, path.stat().st_size))
    if path.stat().st_size:
        chance.choice(kinds)(path, position)
    if chance.random() < 0.5:
        (damaged.home / STATE).unlink(missing_ok=True)

    listed, examined = damaged.run("sessions", "list"), damaged.run("doctor")

    assert "Traceback" not in listed.stderr + examined.stdout + examined.stderr
    for session in ("one", "two"):
        exported = damaged.run("sessions", "export", session, "-")
        whole = (played.parent / f"{session}.jsonl").read_text() == exported.stdout
        assert whole != (f"sessions: {session} is" in examined.stdout), (path, position, session)
        assert f"{session} " in listed.stdout
