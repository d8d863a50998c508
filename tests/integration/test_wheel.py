"""Lantern installed as a wheel: one name in the environment, even beside a package called `services`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.processes.command import ROOT

PLAY = "import lantern_mesh, services; assert 'installed' in services.__file__; lantern_mesh.main()"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel is unpacked, as pip does it, with another `services` in front of it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    subprocess.run([*build, "--wheel-dir", folder, ROOT], check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    (folder / "other" / "services").mkdir(parents=True)
    (folder / "other" / "services" / "__init__.py").write_text("raise ImportError('the wrong package')\n")
    return folder


def test_the_wheel_holds_one_package(installed: Path) -> None:
    names = {path.name for path in (installed / "installed").iterdir()}

    assert {name for name in names if not name.endswith(".dist-info")} == {"lantern_mesh"}


def test_an_installed_lantern_plays_beside_another_package_of_the_same_name(
    installed: Path, tmp_path: Path
) -> None:
    path = os.pathsep.join(str(installed / name) for name in ("other", "installed"))
    done = subprocess.run(
        [sys.executable, "-c", PLAY, "play", "--steps", "3", "--json"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == 3
