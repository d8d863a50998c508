"""What a user may get wrong: one line says what and the mend, and nothing that runs is harmed."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine import docker
from stack import IMAGE, Stack, one_line, until


@pytest.fixture
def unharmed(mesh: Stack) -> Iterator[Stack]:
    """The mesh, which is as it was afterwards."""
    settings, containers = mesh.settings(), mesh.containers()
    yield mesh
    assert (mesh.settings(), mesh.containers()) == (settings, containers)
    mesh.wait_until_well()


def test_a_directory_of_stories_that_is_not_there_is_told(unharmed: Stack, tmp_path: Path) -> None:
    told = one_line(unharmed.deploy("up", "--stories", str(tmp_path / "nowhere")))

    assert told == (
        f"deploy: There is no directory of stories at {tmp_path / 'nowhere'}. "
        "Give one: make deploy STORIES=directory"
    )


def test_a_directory_of_stories_that_containers_cannot_see_is_told(unharmed: Stack, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    told = one_line(unharmed.deploy("up", "--stories", str(tmp_path)))

    assert told == f"deploy: Containers cannot read {tmp_path}. Permit it: chmod o+rx {tmp_path}"


def test_a_port_in_use_is_told_before_nats_leaves_its_own(unharmed: Stack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        told = one_line(unharmed.deploy("up", "--port", str(port)))

    assert told.startswith(f"deploy: Port {port} cannot be used (") and "make deploy PORT=" in told


def test_claude_without_a_key_is_told(unharmed: Stack) -> None:
    told = one_line(unharmed.deploy("up", "--model", "claude"))

    assert told.startswith("deploy: ASK=claude needs a key.")


def test_a_cluster_does_not_delete_what_one_server_has_kept(unharmed: Stack) -> None:
    told = one_line(unharmed.deploy("up", "--cluster"))

    assert told.startswith("deploy: Three NATS servers cannot take over the sessions of one.")


@pytest.mark.parametrize("name", [[], ["main"], ["../x"]])
def test_a_cell_that_cannot_be_is_told_and_forgotten(unharmed: Stack, name: list[str]) -> None:
    told = one_line(unharmed.deploy("cell", *name))

    assert told.startswith("deploy: ") and "cell" in told.lower()


def test_a_file_that_is_no_backup_takes_nothings_place(unharmed: Stack, tmp_path: Path) -> None:
    no_backup = tmp_path / "letter.txt"
    no_backup.write_text("Dear Keeper")

    told = one_line(unharmed.deploy("restore", str(no_backup)))

    assert told == f"deploy: {no_backup} is no complete backup. Give one that make deploy-backup has written."


def test_a_backup_that_cannot_be_written_is_told(unharmed: Stack, tmp_path: Path) -> None:
    told = one_line(unharmed.deploy("backup", str(tmp_path / "nowhere" / "saved.tar")))

    assert told.startswith(f"deploy: Cannot write {tmp_path / 'nowhere' / 'saved.tar'} (")


def test_secrets_that_were_not_generated_are_told(tmp_path: Path) -> None:
    other = Stack(tmp_path, "lanterntest-nothing")
    (tmp_path / ".env").write_text(f"COMPOSE_PROJECT_NAME={other.project}\nLANTERN_FILES=compose.yaml\n")

    told = one_line(other.compose("up", "-d"))

    assert "Run make deploy first" in told
    assert other.containers() == {}


def test_a_password_of_no_letters_is_made_anew(other: Stack) -> None:
    empty = other.directory / "secrets" / "hint"
    empty.parent.mkdir()
    empty.touch()

    assert other.set_up().returncode == 0

    assert len(empty.read_text()) >= 24


def test_secrets_that_nobody_may_read_are_told_once_and_nats_is_not_started(other: Stack) -> None:
    assert other.set_up().returncode == 0
    (other.directory / "secrets" / "nats.conf").chmod(0)

    assert other.compose("up", "-d").returncode != 0

    [checked] = [container for container, service in other.containers().items() if service == "volume"]
    assert logs_of(checked) == "deploy: NATS cannot use nats.conf (Permission denied). Run `make deploy`.\n"
    assert docker("ps", "-q", "--filter", f"label=com.docker.compose.project={other.project}") == ""


OTHER = f"""\
FROM {IMAGE}:base
USER 0
RUN sed -i 's/str\\] = "[0-9]*/str] = "9/' /opt/code/schemas/fragment.py \\
 && find /opt/code/schemas -name 'fragment*.pyc' -delete
USER 10001
"""


def test_an_image_for_other_messages_says_so_once_and_is_not_started_again(
    mesh: Stack, tmp_path: Path
) -> None:
    tag = f"{IMAGE}:other"
    subprocess.run(
        ["docker", "build", "-q", "-t", tag, "-"], input=OTHER, text=True, check=True, capture_output=True
    )
    override = tmp_path / "other.yaml"
    override.write_text(f'services: {{narrator: {{image: "{tag}"}}}}\n')

    mesh.compose("up", "-d", "--no-deps", "--no-build", "narrator", files=(override,))
    container = mesh.container("narrator")
    try:
        until(lambda: "lantern: " in logs_of(container), "the narrator has complained")
        until(lambda: mesh.health("narrator") != "healthy", "the narrator is not well")
        told = [line for line in logs_of(container).splitlines() if line.startswith("lantern: ")]
        assert told == [
            "lantern: The stream LANTERN is for fragment messages of version 1.x, "
            "and this Lantern is for 9.x. Run `lantern provision` of this version as the operator."
        ]
        assert mesh.inspect("narrator")["RestartCount"] == 0
    finally:
        mesh.compose("up", "-d", "--no-deps", "narrator")


def logs_of(container: str) -> str:
    done = subprocess.run(["docker", "logs", container], capture_output=True, text=True, check=True)
    return done.stdout + done.stderr
