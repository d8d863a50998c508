"""What is kept: sessions and passwords, over stops, losses and restores."""

from __future__ import annotations

from pathlib import Path

from stack import Stack


def test_sessions_outlast_down_and_up(mesh: Stack) -> None:
    with mesh.playing("bundled", "kept", 5) as play:
        play.finish()
    before = mesh.sessions()

    assert mesh.deploy("down").returncode == 0
    assert mesh.containers() == {}
    started = mesh.compose("up", "-d")
    assert started.returncode == 0, started.stderr
    mesh.wait_until_well()

    assert mesh.sessions() == before
    mesh.verify("kept")


def test_a_password_that_was_lost_is_made_anew_and_everybody_knows_it(mesh: Stack) -> None:
    lost = mesh.directory / "secrets" / "hint"
    before = lost.read_text()
    lost.unlink()

    again = mesh.up()

    assert again.returncode == 0, again.stdout + again.stderr
    assert lost.read_text() != before
    mesh.wait_until_well()


def test_sessions_are_backed_up_and_restored(mesh: Stack, tmp_path: Path) -> None:
    with mesh.playing("bundled", "saved", 5) as play:
        play.finish()
    file = tmp_path / "saved.tar"
    saved = mesh.deploy("backup", str(file))
    assert saved.returncode == 0, saved.stderr
    mesh.wait_until_well()
    assert mesh.lantern("sessions", "delete", "saved", user="operator").returncode == 0
    assert "saved" not in mesh.sessions()

    restored = mesh.deploy("restore", str(file))

    assert restored.returncode == 0, restored.stderr
    mesh.verify("saved")
