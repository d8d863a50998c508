"""The options of a session that a user plays or resumes, and their checks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic_settings import BaseSettings

from games import BUNDLED
from language_model.sub_agents.model_backed import ModelBackedSettings
from lantern.play.services import NEEDED, SERVICES, checked_without
from lantern.play.story_files import load_story
from mesh.errors import InputError
from mesh.nats.subjects import checked_session
from mesh.settings import from_environment
from schemas.experience import StoryExperience
from schemas.game import GOAL_LENGTH, REFLACT, Deadlines, SearchedActions
from schemas.language_model import ModelBudget
from services.actor.policies import BEHAVING, PolicyName, plays_alone, policy_of
from services.actor.settings import ActorSettings
from services.game.settings import GameSettings
from zmachine.story_file import StoryFile

BUDGET_USD = 2.0
"""What a session's calls of language models may cost, if nothing else is said: more than its usual 100 steps
take with the usual model."""
SEARCH_PROBES = 50_000
"""What the policy `search` executes before the session, if nothing else is said: about a minute."""
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
    without: tuple[str, ...] = ()
    """Services that do not take part."""
    without_behaviours: tuple[str, ...] = ()
    """Behaviours of the heuristic player that are switched off."""
    restore: bool = False
    """Whether `restore` leads back to any earlier step."""
    lookahead: bool = False
    """Whether actions may be tried in an emulator beside the game; the planner then takes part."""
    searched: SearchedActions | None = None
    """What a search before the session has found, for the policy that plays it."""
    search_probes: int = SEARCH_PROBES
    """What that search may execute, where the policy has to make it first."""
    policy_seed: int | None = None
    """Of the policy; None: the same as the emulator's."""
    episodes: int | None = None
    """The session ends with this episode; None: no limit."""
    agent: str | None = None
    """The agent from outside that decides in place of a policy."""
    experience: bool = False
    """Whether the session uses what earlier ones of the story have taught, and adds to it."""
    taught: StoryExperience | None = None
    """What it is to use of earlier ones in place of the memory's answer."""
    for_models: tuple[str, ...] = ()
    """What was given that only services of this command which ask models have a use for."""
    goal: str = ""
    """What the user wants the player to do above all; empty: nothing."""
    status_line: bool = False
    """Whether a text-only session also has what the status line shows."""
    by_client: bool = False
    """Whether a client of this process decides, in place of a policy."""


@dataclass(frozen=True, slots=True)
class ResumeOptions:
    """The options of a session that is resumed."""

    session: str
    cell: str
    steps: int | None = None
    """Further actions; None: what the budget leaves."""
    budget: ModelBudget | None = None
    """Limits of language models, for the whole session; those that are None stay as they were."""
    for_models: tuple[str, ...] = ()
    """What was given that only a session which asks models has a use for."""
    agent: str | None = None
    """The agent from outside that plays the session."""
    by_client: bool = False
    """Whether a client of this process plays the session."""
    without: tuple[str, ...] | None = None
    """Services that take no part from here on; None: those of the record."""


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
    if options.status_line and not options.text_only:
        raise InputError("--status-line is for text-only sessions; others know more. Add --text-only.")
    if options.lookahead and options.text_only:
        raise InputError("--text-only and --lookahead exclude each other. Leave one of them out.")
    if options.agent is None and not options.by_client:
        policy_of(options.policy)
    check_experience(options)
    checked_session(options.session)
    return load_story(options.story)


def check_experience(options: PlayOptions) -> None:
    """Raises InputError for experience in a session that has no use for it, or cannot keep it."""
    if not options.experience:
        return
    if options.policy not in BEHAVING:
        raise InputError(
            f"The policy {options.policy} learns nothing from earlier sessions. Leave out --experience, "
            f"or give --policy {' or '.join(BEHAVING)}."
        )
    if "memory" in options.without:
        raise InputError("--experience needs the memory, which keeps it. Leave out --without memory.")


def absent_services(policy: str, given: Iterable[str]) -> tuple[str, ...]:
    """The services that a new session does without: those that are named, or else what its policy is used to.

    Raises:
        InputError: there is none of a name, or it is needed.
    """
    return checked_without(given) or usual_absences(policy)


def usual_absences(policy: str) -> tuple[str, ...]:
    """The services that a policy does without, unless it is told otherwise."""
    return tuple(name for name in SERVICES if name not in NEEDED) if plays_alone(policy) else ()


def checked_goal(policy: str, goal: str) -> str:
    """The user's goal in one line.

    Raises:
        InputError: it is too long, or the policy has no use for a goal.
    """
    line = " ".join(goal.split())
    if line and policy not in BEHAVING:
        raise InputError(
            f"The policy {policy} has no plan and pursues no goal. Leave out --goal, "
            f"or give --policy {' or '.join(BEHAVING)}."
        )
    if len(line) > GOAL_LENGTH or not line.isprintable():
        raise InputError(
            f"--goal takes one sentence of at most {GOAL_LENGTH} characters that can be printed."
        )
    return line


def probes_of(policy: str, probes: int | None) -> int:
    """What the search before a session may execute.

    Raises:
        InputError: the policy makes none, or the number cannot be.
    """
    if probes is not None and policy != PolicyName.SEARCH:
        raise InputError(
            f"The policy {policy} makes no search. Leave out --probes, or give --policy {PolicyName.SEARCH}."
        )
    if probes is not None and probes < 1:
        raise InputError(f"--probes cannot be {probes}: a search takes at least 1.")
    return SEARCH_PROBES if probes is None else probes


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
    limits = budget_limits(usd, tokens, calls)
    if policy != REFLACT:
        given = limits.model_dump(exclude_none=True)
        check_asks_models(policy, [*(f"--budget-{name}" for name in given), *(["--model"] if model else [])])
        return None
    return limits if usd is not None else limits.model_copy(update={"usd": BUDGET_USD})


def budget_limits(usd: float | None, tokens: int | None, calls: int | None) -> ModelBudget:
    """The limits that are given.

    Raises:
        InputError: one of them cannot be.
    """
    limits = {"usd": usd, "tokens": tokens, "calls": calls}
    for name, value in limits.items():
        if value is not None and not 0 < value < math.inf:
            raise InputError(f"--budget-{name} cannot be {value:g}: give a number above 0.")
    return ModelBudget.model_validate(limits)


def merged_budget(before: ModelBudget | None, given: ModelBudget | None) -> ModelBudget:
    """A session's budget with the limits that are given now; the usual one, if it asks for the first time."""
    changes = given.model_dump(exclude_none=True) if given else {}
    merged: ModelBudget = (before or USUAL_BUDGET).model_copy(update=changes)
    return merged


def deadlines_set(asks_models: bool) -> Deadlines:
    """The deadlines that the user's environment sets.

    Raises:
        InputError: a variable has a value that cannot be.
    """
    actor, game = from_environment(ActorSettings), from_environment(GameSettings)
    agents = from_environment(ModelBackedSettings)
    return Deadlines(
        fragments=_set(actor, "model_deadline" if asks_models else "deadline"),
        thinking=_set(actor, "thinking"),
        verdict=_set(game, "verdict_deadline"),
        model_fragment=_set(agents, "fragment_deadline"),
        model_background=_set(agents, "background_deadline"),
    )


def _set(settings: BaseSettings, name: str) -> float | None:
    return getattr(settings, name) if name in settings.model_fields_set else None
