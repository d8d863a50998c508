"""What the documents show is what is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_sub_agent_in_the_readme_is_the_tested_example() -> None:
    [shown] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)

    assert (ROOT / "examples" / "compass.py").read_text().endswith(shown)


def test_every_page_that_a_document_links_to_is_there() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text())
        if "://" not in link
    ]

    assert [link for page, link in links if not (page.parent / link).exists()] == []
    assert links


def test_every_target_of_the_makefile_is_listed() -> None:
    text = (ROOT / "Makefile").read_text()
    [phony] = re.findall(r"^\.PHONY: (.*)$", text, re.M)

    assert set(phony.split()) == set(re.findall(r"^([a-z-]+):.*## ", text, re.M))
