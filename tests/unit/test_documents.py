"""What the documents show is what is there."""

from __future__ import annotations

import importlib
import pkgutil
import re
from contextlib import redirect_stdout
from functools import cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import pytest

import language_model
import mesh
import services
from lantern.cli import run
from mesh.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page.relative_to(ROOT)
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("[bg]*/README.md"))
)
CODE = re.compile(r"```.*?\n(.*?)```|`([^`\n]+)`", re.S)
GROUPS = ("sessions", "memory", "dead-letters", "evaluate")
MADE_BY_DEPLOY = ("deploy/.env", "deploy/secrets")
TEMPLATE_IN_DOCUMENT = re.compile(r"[<*{]|NAME$|\.\.\.")

of_each_page = pytest.mark.parametrize("page", PAGES, ids=str)


def test_the_sub_agent_in_the_readme_is_the_tested_example() -> None:
    [shown] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)

    assert (ROOT / "examples" / "compass.py").read_text().endswith(shown)


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md"])
def test_a_first_page_is_short(page: str) -> None:
    assert len((ROOT / page).read_text().splitlines()) <= 150


@of_each_page
def test_every_page_that_a_document_links_to_is_there(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#([^)]*))?\)", (ROOT / page).read_text())
    ours = [(ROOT / page.parent / link, heading) for link, heading in links if "://" not in link]

    assert [str(link) for link, _ in ours if not link.exists()] == []
    assert [heading for link, heading in ours if heading and heading not in headings(link)] == []


@of_each_page
def test_every_path_that_a_document_names_is_there(page: Path) -> None:
    folders = {each.name for each in ROOT.iterdir() if each.is_dir()}
    paths = [
        word
        for word in words_in_code(page)
        if "/" in word and word.split("/")[0] in folders and not TEMPLATE_IN_DOCUMENT.search(word)
    ]

    assert [path for path in paths if path not in MADE_BY_DEPLOY and not is_there(path)] == []


@of_each_page
def test_every_setting_that_a_document_names_is_read(page: Path) -> None:
    named = set(re.findall(r"LANTERN_[A-Z_]+[A-Z]\b", (ROOT / page).read_text()))

    assert sorted(named - settings()) == []


def test_every_setting_is_described_on_a_page() -> None:
    described = " ".join((ROOT / page).read_text() for page in PAGES if page.parent == Path("docs"))

    assert (
        sorted(name for name in fields() if name.startswith("LANTERN_") and f"`{name}`" not in described)
        == []
    )


@of_each_page
def test_every_module_and_target_that_a_document_runs_is_there(page: Path) -> None:
    text = (ROOT / page).read_text()
    modules = re.findall(r"python -m ([a-z_.]+[a-z])", text)
    targets = re.findall(r"(?:^|`|&& )make ([a-z0-9-]+)", text, re.M)

    assert [module for module in modules if find_spec(module) is None] == []
    assert [target for target in targets if f"\n{target}:" not in (ROOT / "Makefile").read_text()] == []


@of_each_page
def test_every_command_and_option_that_a_document_shows_is_there(page: Path) -> None:
    shown = [
        line for code in code_in(page) for line in re.findall(r"(?<![\w/.-])lantern ([a-z][^\n#`(]*)", code)
    ]

    for line in shown:
        words = line.split()
        is_in_group = words[0] in GROUPS and words[1:] and not words[1].startswith("-")
        known = options(*words[: 2 if is_in_group else 1])
        assert [word for word in re.findall(r"--[a-z-]+[a-z]", line) if word not in known] == [], line


def test_every_benchmark_is_listed() -> None:
    listed = (ROOT / "benchmarks" / "README.md").read_text()
    modules = [path for path in (ROOT / "benchmarks").glob("*.py") if "\nUsage: " in path.read_text()]

    assert [path.stem for path in modules if f"`python -m benchmarks.{path.stem}" not in listed] == []
    assert modules


def test_every_target_of_the_makefile_is_listed() -> None:
    text = (ROOT / "Makefile").read_text()
    [phony] = re.findall(r"^\.PHONY: (.*)$", text, re.M)

    assert set(phony.split()) == set(re.findall(r"^([a-z0-9-]+):.*## ", text, re.M))


def code_in(page: Path) -> list[str]:
    return [block or span for block, span in CODE.findall((ROOT / page).read_text())]


def words_in_code(page: Path) -> list[str]:
    return [word.strip("\"',;:()") for code in code_in(page) for word in code.split()]


def is_there(path: str) -> bool:
    """Whether a file, a folder, or a class in a file (`path.py:Class`) is there."""
    return (ROOT / path.partition(":")[0]).exists()


def headings(page: Path) -> set[str]:
    """The names by which a link finds the headings of a page."""
    lines = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^a-z0-9 -]", "", line.lower()).replace(" ", "-") for line in lines}


@cache
def options(*command: str) -> set[str]:
    """The options of a command, which must be there."""
    with redirect_stdout(StringIO()) as printed:
        assert run([*command, "--help"]) == 0, command
    return set(re.findall(r"--[a-z-]+", printed.getvalue()))


@cache
def fields() -> set[str]:
    """The variables of all settings classes."""
    for package in (language_model, mesh, services):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.endswith(("settings", "model_backed")):
                importlib.import_module(found.name)
    return {kind.variable(name) for kind in Settings.__subclasses__() for name in kind.model_fields}


@cache
def settings() -> set[str]:
    """The variables that are read: by settings classes, by code, and by the deployment."""
    sources = [path for folder in ("lantern", "mesh", "deploy") for path in (ROOT / folder).rglob("*.*")]
    written = " ".join(path.read_text() for path in sources if path.suffix in (".py", ".yaml", ".conf"))
    return {*fields(), *re.findall(r"LANTERN_[A-Z_]+[A-Z]\b", written)}
