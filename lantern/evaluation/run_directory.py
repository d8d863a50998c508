"""The directory of a run: its plan, the results of its plays, and what its workers logged."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from lantern.evaluation.plan import Plan, PlannedGame, PlannedPlay, plays_of
from lantern.evaluation.results import RESULTS, PlayResult, PlayState, read_results
from lantern.file_writing import write_file
from mesh.errors import FailureError, InputError

PLAN = "plan.json"
LOG = "workers.log"


class Run(BaseModel):
    """A plan with the stories that were found for it: what `plan.json` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    """8 hexadecimal digits, another for each run."""
    plan: Plan
    games: tuple[PlannedGame, ...]

    @property
    def plays(self) -> list[PlannedPlay]:
        """Every play, in the order in which they are to be played."""
        return list(plays_of(self.plan, self.games, self.run))


def run_of(plan: Plan, games: tuple[PlannedGame, ...], now: str) -> Run:
    """A new run. `now`: the time and the process, which make its id."""
    run = hashlib.blake2b(now.encode(), digest_size=4).hexdigest()
    return Run(run=run, plan=plan, games=games)


class RunDirectory:
    """The directory of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def exists(self) -> bool:
        """Whether a run has begun here."""
        return (self.path / PLAN).exists()

    def begin(self, run: Run) -> None:
        """Begin a run here.

        Raises:
            InputError: another run has begun here, or the directory cannot be made.
        """
        if self.exists:
            raise InputError(
                f"{self.path} holds a run already. Go on with it (--resume --out {self.path}), "
                "or give another --out."
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / PLAN).write_text(run.model_dump_json(indent=1) + "\n")
            (self.path / RESULTS).touch()
        except OSError as error:
            raise InputError(
                f"Cannot write to {self.path} ({error.strerror}). Give another --out."
            ) from error

    def run(self) -> Run:
        """The run that has begun here.

        Raises:
            InputError: there is none, or its plan cannot be read.
        """
        path = self.path / PLAN
        try:
            return Run.model_validate_json(path.read_text())
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"{path} cannot be read ({why}). Name the directory of a run by --out."
            ) from error
        except ValidationError as error:
            raise InputError(
                f"{path} is no plan of a run ({error.errors()[0]['msg']}). Give another --out."
            ) from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Within the block nobody else goes on with this run.

        Raises:
            InputError: somebody does.
        """
        with (self.path / PLAN).open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"The run in {self.path} is under way. Wait until it has ended, or give another --out."
                ) from None
            yield

    def results(self) -> list[PlayResult]:
        """The plays that have ended."""
        return read_results(self.path)

    def add(self, result: PlayResult) -> None:
        """Write the result of one more play.

        Raises:
            FailureError: it cannot be written.
        """
        try:
            with (self.path / RESULTS).open("a") as file:
                file.write(result.model_dump_json() + "\n")
        except OSError as error:
            raise FailureError(
                f"Cannot write to {self.path / RESULTS} ({error.strerror}). Free space there."
            ) from error

    def forget_failed(self) -> list[PlayResult]:
        """Forget the plays that failed, so that they are played again; those are returned."""
        results = self.results()
        failed = [each for each in results if each.state is PlayState.FAILED]
        if failed:
            kept = [each for each in results if each.state is not PlayState.FAILED]
            write_file(self.path / RESULTS, "".join(each.model_dump_json() + "\n" for each in kept))
        return failed
