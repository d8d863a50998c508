"""The same stories in the words of two parsers: what does the rule-based player lose by the other words?

Usage: python -m benchmarks.wordings [SOURCE.inf ...] [--steps N] [--seeds 1,2] [--jobs N]

Compiles each source (without any: those of `tests/integration/stories`) as it is for Inform's library, and
once more with `infocom.h` of that directory, which answers as Infocom's parsers do and announces no points.
Plays both by text alone. Needs `inform6` and its library: `apt-get install inform6-compiler inform6-library`.
Prints Markdown: mean points.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean

from benchmarks.behaviours import seeds_in
from benchmarks.in_process import Regime, play
from benchmarks.mesh import machine
from lantern.evaluation.planning.games import games_named

STORIES = Path(__file__).parents[1] / "tests" / "integration" / "stories"
LIBRARY = Path("/usr/share/inform6/library")
INFORM, INFOCOM = "Inform's", "Infocom's"
HEAD = (f"| story | {INFORM} | {INFOCOM} | |", "| --- | --: | --: | --: |")
_OTHER_WORDS = re.compile(r'Include "(?:classic|infocom)\.h";')
_PARSER = re.compile(r'(?P<parser>Include\s+"parser"\s*;)', re.I)
_INITIALISE = re.compile(r"(?P<begin>\[\s*Initialise[^;]*;)", re.I)


def in_words_of(wording: str, source: str) -> str:
    """A source whose library speaks Inform's words, or Infocom's."""
    plain = _OTHER_WORDS.sub("", source)
    if wording == INFORM:
        return plain
    told = _PARSER.sub(r'\g<parser> Include "infocom.h";', plain, count=1)
    return _INITIALISE.sub(r"\g<begin> notify_mode = false;", told, count=1)


def compiled(source: Path, wording: str, directory: Path) -> Path:
    """The story file of a source. Raises SystemExit: it does not compile."""
    file = directory / wording.removesuffix("'s") / source.name
    file.parent.mkdir(exist_ok=True)
    file.write_text(in_words_of(wording, source.read_text("latin-1")), "latin-1")
    story = file.with_suffix(".z5")
    command = ["inform6", "-v5", "-~S", f"+include_path={STORIES},{LIBRARY}", str(file), str(story)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{source.name} does not compile: {done.stdout.strip().splitlines()[-1]}")
    return story


def points(task: tuple[Path, int], steps: int) -> int:
    """The best score of a session."""
    story, seed = task
    (game,) = games_named([str(story)])
    return play(game, seed, Regime(steps)).best


def rows(names: Sequence[str], means: dict[tuple[str, str], float]) -> Iterator[str]:
    """A row for each story, and the mean of what is kept."""
    for name in names:
        plain, told = means[name, INFORM], means[name, INFOCOM]
        yield f"| {name} | {plain:.1f} | {told:.1f} | {f'{told / plain:.2f}' if plain else ''} |"
    kept = [means[name, INFOCOM] / means[name, INFORM] for name in names if means[name, INFORM]]
    if kept:
        yield f"| **mean** ({len(kept)}) | | | {fmean(kept):.2f} |"


def main() -> None:
    known = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    known.add_argument("sources", nargs="*", type=Path, metavar="SOURCE.inf")
    known.add_argument("--steps", type=int, default=300)
    known.add_argument("--seeds", type=seeds_in, default=(1, 2))
    known.add_argument("--jobs", type=int, default=None)
    given = known.parse_args()
    if shutil.which("inform6") is None:
        raise SystemExit("This needs inform6: apt-get install inform6-compiler inform6-library")
    sources, seeds = given.sources or sorted(STORIES.glob("*.inf")), given.seeds
    print(f"{given.steps} steps, seeds {', '.join(map(str, seeds))}, text only; {machine()}\n")
    with (
        tempfile.TemporaryDirectory() as directory,
        ProcessPoolExecutor(given.jobs, max_tasks_per_child=1) as pool,
    ):
        kinds = list(product(sources, (INFORM, INFOCOM)))
        stories = [compiled(source, wording, Path(directory)) for source, wording in kinds]
        found = list(pool.map(partial(points, steps=given.steps), product(stories, seeds)))
    shares = [fmean(found[at : at + len(seeds)]) for at in range(0, len(found), len(seeds))]
    means = {(source.stem, wording): share for (source, wording), share in zip(kinds, shares, strict=True)}
    print("\n".join((*HEAD, *rows([source.stem for source in sources], means))))


if __name__ == "__main__":
    main()
