"""Policies and sub-agents that other packages of the environment bring."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from lantern.play.own.installed_services import GROUP as SERVICE_GROUP
from lantern.play.services import service_named
from mesh.errors import InputError
from mesh.plugins import plugins
from services.actor import policies
from services.actor.policies import GROUP as POLICY_GROUP
from services.actor.policies import policy_of
from tests.support.processes.command import REPEATABLE, ROOT

TEMPLATE = ROOT / "examples" / "plugin"
PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
"""The NATS server's program is in this environment."""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the template installed; what Lantern needs it takes from this one."""
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    [site] = folder.glob("lib/python*/site-packages")
    (site / "lantern.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    pip = (python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    copied = folder / "plugin"
    subprocess.run(["cp", "-r", TEMPLATE, copied], check=True)
    subprocess.run([*pip, "--prefix", folder, copied], check=True, cwd=folder)
    return folder


def run(fresh: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [fresh / "bin" / "python", "-m", *arguments],
        env={**REPEATABLE, "PATH": PATH, "HOME": str(home), "LANTERN_HOME": str(home)},
        cwd=fresh / "plugin",
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_template_is_installed_and_played(fresh: Path, tmp_path: Path) -> None:
    told = ("play", "--policy", "mine", "--with", "scales", "--steps", "4", "--session", "s1", "--json")
    done = run(fresh, tmp_path, "lantern.cli", *told)
    shown = run(fresh, tmp_path, "lantern.cli", "sessions", "transcript", "s1")
    again = run(fresh, tmp_path, "lantern.cli", "replay", "s1", "actor", "scales")

    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert (counts["policy"], counts["steps"], counts["degraded"]) == ("mine", 4, {})
    assert "times here" in shown.stdout
    assert again.returncode == 0, again.stdout


def test_the_templates_own_tests_pass(fresh: Path, tmp_path: Path) -> None:
    done = run(fresh, tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".")

    assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout


def test_a_mistyped_policy_is_told_the_installed_ones(fresh: Path, tmp_path: Path) -> None:
    done = run(fresh, tmp_path, "lantern.cli", "play", "--policy", "mime")

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "mine" in done.stderr


class NoPolicy:
    """Has no method that chooses."""


class NoService:
    """Serves nothing."""


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("gone", "no_such_package:Mine", "failed: ModuleNotFoundError"),
        ("wrong", "test_plugins:NoPolicy", "has no method choose"),
        ("Bad name", "test_plugins:NoPolicy", "has a name that is not"),
    ],
)
def test_a_policy_that_cannot_be_used_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, fault: str
) -> None:
    there = {name: EntryPoint(name, value, POLICY_GROUP)}
    monkeypatch.setattr(policies, "plugins", lambda group: there)
    with pytest.raises(InputError, match=fault) as refused:
        policy_of(name)

    assert "\n" not in str(refused.value)


def test_a_service_that_cannot_be_used_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = {"bad": EntryPoint("bad", "test_plugins:NoService", SERVICE_GROUP)}
    monkeypatch.setattr("lantern.play.own.installed_services.plugins", lambda group: there)
    with pytest.raises(InputError, match="is not a service"):
        service_named("bad", tmp_path)


def test_nothing_is_imported_for_the_names_alone() -> None:
    assert plugins("lantern.no_such_group") == {}
