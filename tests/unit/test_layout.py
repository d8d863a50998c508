"""The layout of the product: each class name stands once, and each folder can be read at a glance."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("schemas", "folds", "mesh", "language_model", "services", "lantern", "deploy")
MODULES = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
MOST_IN_A_FOLDER = 13


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
