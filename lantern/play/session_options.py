"""The options of a session that a user plays or resumes, and their checks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from games import BUNDLED
from lantern.play.story_files import load_story
from mesh.errors import InputError
from mesh.nats.subjects import checked_session
from schemas.game import REFLACT
from schemas.language_model import ModelBudget
from services.actor.policies import policy_of
from services.game.story.zmachine import StoryFile

BUDGET_USD = 2.0
"""What a session's calls of language models may cost, if nothing else is said: more than its usual 100 steps
take with the usual model."""
USUAL_BUDGET = ModelBudget(usd=BUDGET_USD)


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The options of a new session."""

    story: str
    steps: int
    policy: str
    seed: int
    session: str
    cell: str
    valid_actions: bool | None = None
    """None: as usual, which is no in a text-only session."""
    text_only: bool = False
    budget: ModelBudget | None = None
    """Of language models; None: no limit."""


@dataclass(frozen=True, slots=True)
class ResumeOptions:
    """The options of a session that is resumed."""

    session: str
    cell: str
    steps: int | None = None
    """Further actions; None: what the budget leaves."""
    budget: ModelBudget | None = None
    """Of language models, for the whole session; None: as it was, or the usual one if it asks for the first
    time."""
    for_models: tuple[str, ...] = ()
    """What was given that only a session which asks models has a use for."""


def checked_story(options: PlayOptions) -> StoryFile:
    """The story of a new session, after all of its options were checked.

    Raises:
        InputError: an option has a value that cannot be.
    """
    check_steps(options.steps)
    if options.seed < 1:
        raise InputError(f"--seed cannot be {options.seed}: the emulator's seeds are 1 and above.")
    if options.text_only and options.valid_actions:
        raise InputError("--text-only and --valid-actions exclude each other. Leave one of them out.")
    policy_of(options.policy)
    checked_session(options.session)
    return load_story(options.story)


def check_steps(steps: int | None) -> None:
    """Raises InputError for a number of steps that cannot be."""
    if steps is not None and steps < 1:
        raise InputError(f"--steps cannot be {steps}: a session has at least 1 step.")


def default_session(story: str, now: str) -> str:
    """An id that tells what was played and when."""
    stem = BUNDLED.stem if story == "bundled" else Path(story).stem
    kept = "".join(c if c.isascii() and c.isalnum() else "-" for c in stem).strip("-")[:24] or "story"
    tail = hashlib.sha256(now.encode()).hexdigest()[:4]
    return f"{kept}-{now[:19].replace(':', '').replace('-', '').replace('T', '-')}-{tail}"


def check_asks_models(policy: str, for_models: Iterable[str]) -> None:
    """Raises InputError for what is given to a policy that has no use for it, because it asks no model."""
    if unused := sorted(for_models):
        raise InputError(f"The policy {policy} asks no language model. Leave out {', '.join(unused)}.")


def budget_of(
    policy: str, model: str | None, usd: float | None, tokens: int | None, calls: int | None
) -> ModelBudget | None:
    """The budget of language models; None: the policy asks none.

    Raises:
        InputError: it cannot be, or something is given that the policy has no use for.
    """
    given = {"usd": usd, "tokens": tokens, "calls": calls}
    flags = {f"--budget-{name}": value for name, value in given.items() if value is not None}
    if policy != REFLACT:
        check_asks_models(policy, [*flags, *(["--model"] if model else [])])
        return None
    for flag, value in flags.items():
        if not 0 < value < math.inf:
            raise InputError(f"{flag} cannot be {value:g}: give a number above 0.")
    return ModelBudget(usd=BUDGET_USD if usd is None else usd, tokens=tokens, calls=calls)
