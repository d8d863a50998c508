"""`lantern evaluate`: let agents play games by a plan."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from lantern.command_options import AsJson, ModelName, NatsUrl, policy_names, settings_with
from lantern.error_output import INTERRUPTED, first_lantern_error, print_warning
from lantern.evaluation.coordinator import Coordinator
from lantern.evaluation.plan import LABEL_LENGTH, Plan
from lantern.evaluation.planning.ablation import with_ablations
from lantern.evaluation.planning.checkpoints import with_checkpoints
from lantern.evaluation.planning.games import games_named
from lantern.evaluation.planning.plan_checks import check_plan
from lantern.evaluation.planning.plan_file import plan_from, read_plan
from lantern.evaluation.planning.presets import PRESETS
from lantern.evaluation.progress import print_results, progress_view
from lantern.evaluation.report.writing import SUMMARY, write_report
from lantern.evaluation.results import PlayState
from lantern.evaluation.run_directory import LOG, RunDirectory, run_of
from lantern.play.models.session_models import HEURISTIC
from mesh.errors import FailureError, InputError
from mesh.log import log_to_file
from schemas.game import REFLACT


def preset_names() -> list[str]:
    """What a shell may complete a preset to."""
    return [*PRESETS]


def evaluate_command(
    plan: Annotated[Path | None, typer.Argument(metavar="[PLAN.toml]", help="A plan in TOML.")] = None,
    preset: Annotated[
        str | None,
        typer.Option(autocompletion=preset_names, help=f"A regime to compare with: {', '.join(PRESETS)}."),
    ] = None,
    games: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR|FILE", help="Stories to play; may be given several times."),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(autocompletion=policy_names, help="Who plays; may be given several times."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COMMAND|PATH.PY:CLASS", help="An agent from outside; may be given several times."
        ),
    ] = None,
    model: ModelName = None,
    seeds: Annotated[int | None, typer.Option(min=1, max=1000, help="Seeds of each game: 1 to N.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Actions of a play.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=0, max=256, help="Worker processes here; cores, if not given.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where results go; a new directory, if not given.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> int:
    """Let agents play games by a plan, and report what they score."""
    settings = settings_with(nats)
    now = datetime.now(UTC)
    directory = RunDirectory(out or Path(f"evaluation-{now:%Y%m%d-%H%M%S}"))
    options = {
        "games": games,
        "policy": policy,
        "agent": agent,
        "model": model,
        "preset": preset,
        "seeds": seeds,
        "steps": steps,
    }
    if resume:
        if out is None:
            raise InputError("--resume goes on with a run. Name its directory by --out.")
        run = directory.run()
        if (plan is not None or any(options.values())) and _plan(plan, options) != run.plan:
            raise InputError(
                f"{directory.path} holds a run of another plan. Leave out all but --resume and --out, "
                "or give another --out."
            )
    else:
        given = _plan(plan, options)
        stories = with_checkpoints(games_named(given.games), given.checkpoints)
        run = run_of(given, stories, f"{now.isoformat()}/{os.getpid()}")
        directory.begin(run)
    with directory.locked(), log_to_file(directory.path / LOG):
        count = os.cpu_count() or 1 if jobs is None else jobs
        try:
            with closing(progress_view(as_json)) as view:
                finished = asyncio.run(Coordinator(directory, run, settings, count, view).play())
        except (FailureError, BaseExceptionGroup) as error:
            raise RunBroken(first_lantern_error(error), directory) from error
    if not finished:
        print_warning(kept_plays(directory))
        return INTERRUPTED
    results = directory.results()
    page = write_report(directory.path)
    if as_json:
        print(json.dumps(json.loads((directory.path / SUMMARY).read_text())))
    else:
        print_results(run.plays, results, str(page))
    return int(any(each.state is PlayState.FAILED for each in results))


class RunBroken(FailureError):
    """A run cannot go on."""

    def __init__(self, error: BaseException, directory: RunDirectory) -> None:
        super().__init__(f"{error} {kept_plays(directory)}")


def kept_plays(directory: RunDirectory) -> str:
    """What is kept of a run that has not ended, and how to go on."""
    done, plays = len(directory.results()), len(directory.run().plays)
    again = f"lantern evaluate --resume --out {shlex.quote(str(directory.path))}"
    return f"{done} of {plays} plays have ended and are kept. Go on: `{again}`."


def _plan(path: Path | None, options: Mapping[str, Any]) -> Plan:
    """The plan in a file, or the one that the options describe.

    Raises:
        InputError: both are given, or there is something that cannot be.
    """
    given = {name: value for name, value in options.items() if value}
    if path is not None:
        if given:
            named = ", ".join(f"--{name}" for name in sorted(given))
            raise InputError(f"The plan {path} says what is played. Leave out {named}, or change the plan.")
        return read_plan(path)
    model = given.pop("model", None)
    commands = enumerate(given.pop("agent", []), start=1)
    outside = [{"name": _label(each, number), "outside": each} for number, each in commands]
    policies = given.pop("policy", None) or ([] if outside else [REFLACT if model else HEURISTIC])
    agents = [*({"name": each, "policy": each, "model": model} for each in policies), *outside]
    regime = {"steps": given.pop("steps")} if "steps" in given else {}
    given.setdefault("games", ["bundled"])
    plan = plan_from({**given, "agents": agents, "regime": regime})
    check_plan(plan)
    return with_ablations(plan)


def _label(command: str, number: int) -> str:
    """The command itself; if it is too long, its end, where commands differ, behind its number."""
    tail = f"{number}: …"
    return command if len(command) <= LABEL_LENGTH else tail + command[len(tail) - LABEL_LENGTH :]
