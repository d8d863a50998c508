"""A plan of an evaluation: games, agents, seeds and the regime under which every play takes place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import product
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, field_validator

from services.actor.policies import OUTSIDE

CUSTOM = "custom"
"""The name of a regime that is no preset."""

SEEDS = 5
"""Seeds of a plan that names none: 1 to 5."""

MOST_SEEDS = 1000

LABEL_LENGTH = 60
"""The most characters of an agent's name."""

Label = Annotated[str, Field(min_length=1, max_length=LABEL_LENGTH, pattern=r"^[^\x00-\x1f\x7f]+$")]


class AblatedParts(StrEnum):
    """The parts of an agent that are left out one after the other."""

    BEHAVIOURS = "behaviours"
    SERVICES = "services"


class PlanPart(BaseModel):
    """The base of what a plan consists of."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Agent(PlanPart):
    """Who plays: a policy with its settings, among the sub-agents that the plan leaves it."""

    name: Label
    """What the tables call it."""
    policy: str = OUTSIDE
    """Given unless `outside` is."""
    model: str | None = None
    """The language model to ask. None: the one that is configured, if the policy asks one."""
    budget_usd: PositiveFloat | None = None
    """What one play may cost. None: as usual, if the policy asks a model."""
    settings: Mapping[str, str] = {}
    """`LANTERN_...` variables; all that are not named have their defaults."""
    without: tuple[str, ...] | None = None
    """Services that are switched off. None: those that the policy does without."""
    without_behaviours: tuple[str, ...] = ()
    """Behaviours of the heuristic player that are switched off."""
    ablate: AblatedParts | None = None
    """Adds an agent for each part that this one has, which lacks that part alone."""
    replace: Mapping[str, str] = {}
    """By service, the class of the user's that serves in its place: `path.py:Class`."""
    experience: bool = False
    """Whether it knows what its plays of the story with earlier seeds of the plan have taught."""
    clues: str | None = None
    """A directory with the clues of every game in `NAME.txt`, for an agent that asks a model. None: none."""
    outside: str | None = None
    """An agent that is no policy of ours: a command (competition's protocol), or `path.py:Class`."""

    @field_validator("settings", mode="before")
    @classmethod
    def _as_texts(cls, given: Any) -> Any:
        """TOML has numbers and truth values, the environment has texts."""
        if not isinstance(given, Mapping):
            return given
        plain = (bool, int, float)
        return {name: json.dumps(each) if isinstance(each, plain) else each for name, each in given.items()}


class Regime(PlanPart):
    """What a play may take, and what its agent may know."""

    name: str = CUSTOM
    steps: PositiveInt = 100
    """Actions, over all episodes."""
    episodes: PositiveInt | None = None
    """The play ends with so many episodes. None: no limit."""
    seconds: PositiveFloat | None = None
    """The play ends after so many seconds, so that two runs may differ. None: no limit."""
    text_only: bool = False
    status_line: bool = False
    """Whether a text-only play also has what the status line shows."""
    valid_actions: bool | None = None
    """None: as usual, which is no in a text-only play."""
    restore: bool = False
    """Whether the agent may save and restore its position."""
    lookahead: bool = False
    """Whether actions may be tried in an emulator beside the game; the planner then takes part."""
    emulator_seed: PositiveInt | None = None
    """The emulator's seed in every play. None: the play's seed."""


class Plan(PlanPart):
    """Every agent plays every game with every seed."""

    preset: str | None = None
    games: tuple[str, ...] = Field(min_length=1)
    """Story files, and directories of story files."""
    agents: tuple[Agent, ...] = Field(min_length=1)
    checkpoints: str | None = None
    """A directory that has the checkpoints of games in `NAME.toml`."""
    seeds: tuple[PositiveInt, ...] = Field(tuple(range(1, SEEDS + 1)), min_length=1, max_length=MOST_SEEDS)
    regime: Regime = Regime()

    @field_validator("seeds", mode="before")
    @classmethod
    def _counted(cls, given: Any) -> Any:
        """A number of seeds means 1, 2, ... up to it."""
        if isinstance(given, int) and not isinstance(given, bool) and 0 < given <= MOST_SEEDS:
            return tuple(range(1, given + 1))
        return given


class PlannedGame(PlanPart):
    """A story of a plan."""

    name: str
    """The file's name without its suffix."""
    path: str
    md5: str
    """Of the story; of its path, if it has a fault."""
    fault: str = ""
    """Why it cannot be played."""
    checkpoints: Mapping[str, float] = {}
    """By text or action, the share of the story that has been played when it comes."""


class PlannedPlay(PlanPart):
    """One play of a plan, as it lies in the work queue."""

    run: str
    game: PlannedGame
    agent: Agent
    seed: PositiveInt
    regime: Regime
    learned_from: tuple[PositiveInt, ...] = ()
    """The seeds of the plays whose experience it has, in their order; each has that of those before it."""

    @property
    def earlier(self) -> tuple[PlannedPlay, ...]:
        """The plays whose experience it has."""
        seeds = self.learned_from
        return tuple(
            self.model_copy(update={"seed": seed, "learned_from": seeds[:number]})
            for number, seed in enumerate(seeds)
        )

    @property
    def before(self) -> PlannedPlay | None:
        """The play that has to end first, if it has the experience of any."""
        return self.earlier[-1] if self.learned_from else None

    @property
    def emulator_seed(self) -> int:
        """The seed of the emulator."""
        return self.regime.emulator_seed or self.seed

    @property
    def key(self) -> str:
        """16 hexadecimal digits: the same for the same story, agent, seeds and regime, whatever the names."""
        parts: dict[str, Any] = {
            "story": self.game.md5,
            "agent": self.agent.model_dump(mode="json", exclude={"name", "ablate", "experience"}),
            "seeds": [self.emulator_seed, self.seed],
            "regime": self.regime.model_dump(mode="json", exclude={"name", "emulator_seed"}),
        }
        if self.agent.experience:
            parts["learned_from"] = [*self.learned_from]
        return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=8).hexdigest()

    @property
    def cell(self) -> str:
        """The cell in which it is played, and no other play."""
        return f"play-{self.run}-{self.key[:12]}"

    @property
    def session(self) -> str:
        """The id of its session."""
        told = f"{_plain(self.game.name)[:16]}-{_plain(self.agent.name)[:16]}-{self.seed}"
        return f"{told}-{self.run}-{self.key[:6]}"


def plays_of(plan: Plan, games: tuple[PlannedGame, ...], run: str) -> Iterator[PlannedPlay]:
    """Every play of a plan: seed by seed, so that each agent has plays of every game early."""
    for (number, seed), game, agent in product(enumerate(plan.seeds), games, plan.agents):
        before = plan.seeds[:number] if agent.experience else ()
        yield PlannedPlay(run=run, game=game, agent=agent, seed=seed, regime=plan.regime, learned_from=before)


def _plain(text: str) -> str:
    """The text with the characters that a session's id may have."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in text).strip("-") or "x"
