"""The layout of the product: each class name stands once, and each folder can be read at a glance."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = (
    *("schemas", "zmachine", "folds", "mesh", "language_model", "search", "services", "lantern"),
    *("lantern_mesh", "deploy"),
)
MODULES = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
MOST_IN_A_FOLDER = 13
DOES_IO = """
    services.*.service services.*.settings services.*.metrics services.*.errors
    services.actor.context.* services.actor.decision services.actor.manual_control
    services.actor.outside.agent services.actor.outside.class_host services.actor.outside.process
    services.actor.outside.service
    services.actor.reflact.policy services.actor.reflact.thinking
    services.game.emulator.child services.game.emulator.client services.game.emulator.pipes
    services.game.emulator.pool services.game.emulator.supervisor
    services.game.emulator.interpreter.worker services.game.session.absent_critic
    services.game.session.controls services.game.session.emulators services.game.session.game_session
    services.game.session.pacing services.game.session.requests
    services.game.session.verification services.game.valid_actions.searcher
    services.memory.store services.memory.experience.experience_files
    services.memory.experience.experience_store services.memory.experience.recorded_lessons
    services.memory.graph.file_lock
    services.memory.graph.recorded_sessions services.memory.graph.session_graphs
    services.memory.graph.session_graph_store
    services.memory.graph.store_files services.memory.graph.store_pool
    services.memory.graph.store_process services.memory.graph.store_worker
    services.planner.ahead
""".split()
"""The modules of the services that may do I/O; all others decide."""


def test_no_class_name_stands_twice_in_the_product() -> None:
    names = Counter(
        node.name
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )

    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []


def test_no_folder_of_the_product_has_more_than_thirteen_modules() -> None:
    modules = Counter(path.parent.relative_to(ROOT) for path in MODULES if path.name != "__init__.py")

    assert {folder: count for folder, count in modules.items() if count > MOST_IN_A_FOLDER} == {}


def test_every_module_of_a_service_decides_without_io_or_is_named_as_doing_io() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [contract] = [each for each in contracts if each["name"] == "What decides does no I/O"]
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in MODULES
        if path.is_relative_to(ROOT / "services") and path.name != "__init__.py"
    ]
    decides = {
        m for m in modules for s in contract["source_modules"] if fnmatch(m, s) or m.startswith(f"{s}.")
    }
    does_io = {m for m in modules if any(fnmatch(m, pattern) for pattern in DOES_IO)}

    assert set(modules) - decides - does_io == set()
    assert decides & does_io == set()
