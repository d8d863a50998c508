"""Plays the rule-based player in this process, without NATS; its decisions are those of the mesh."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

from folds.text.rooms import room_of
from folds.vocabulary.actions import normal
from lantern.evaluation.plan import PlannedGame
from lantern.evaluation.results import percent_gained
from lantern.play.search.rule_player import RulePlayer
from lantern.play.search.searched import with_search
from lantern.play.session_options import PlayOptions
from lantern.play.story_files import load_story
from schemas.game import EndReason, SessionStarted, StepTaken
from services.actor.policies import PolicyName
from services.game.emulator.client import Emulator
from services.game.session.game_session import GameSession
from services.game.settings import GameSettings
from services.game.valid_actions.searcher import SearchLimits, ValidActionSearcher


@dataclass(frozen=True, slots=True)
class Regime:
    """How sessions are played."""

    steps: int = 1_000
    text_only: bool = True
    """False: with every handicap."""
    critic: bool = True
    without: tuple[str, ...] = ()
    """Behaviours that are left out."""
    probes: int = 0
    """Of a search before each session, which the policy `search` then plays; 0: none."""

    def lacking(self, behaviour: str) -> Regime:
        """The same without one more behaviour."""
        return replace(self, without=(*self.without, behaviour))


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """What one session has come to."""

    game: PlannedGame
    seed: int
    opening: int
    """The score at the opening; 0 where it is unknown."""
    best: int
    last: int
    """The score at the end."""
    most: int | None
    """The story's maximum. None: unknown."""
    milliseconds: float
    """Of processor time for one decision of the actor."""
    longest: int
    """The longest run of steps without a text that the session had not seen before."""
    idle: int
    """The longest run of steps without such a text, a point, or an action that was untried in its room."""
    actions: tuple[str, ...] = ()
    """All that were executed."""

    @property
    def share(self) -> float:
        """Percent of what can be gained after the opening, at most 100; 0 where the maximum is unknown."""
        return percent_gained(self.best, self.opening, self.most) or 0.0

    @property
    def last_share(self) -> float:
        """The same of the score at the end."""
        return percent_gained(max(self.last, self.opening), self.opening, self.most) or 0.0

    @property
    def has_points(self) -> bool:
        """Whether it ever had more points than at its opening."""
        return self.best > self.opening


class StaleRuns:
    """How long a session went on without a new text, and how long it did nothing untried either."""

    def __init__(self) -> None:
        self.without_text = self.without_trying = 0
        self._texts: set[str] = set()
        self._tried: set[tuple[str, str]] = set()
        self._runs = (0, 0)

    def note(self, room: str, step: StepTaken) -> None:
        """Count one step; `room`: where its action was done."""
        text, action = " ".join(step.observation.split()), (room, normal(step.action or ""))
        is_told, is_tried = text not in self._texts, action not in self._tried
        silent, idle = self._runs
        silent, idle = (0 if is_told else silent + 1), (0 if is_told or is_tried or step.reward else idle + 1)
        self._runs = silent, idle
        self.without_text = max(self.without_text, silent)
        self.without_trying = max(self.without_trying, idle)
        self._texts.add(text)
        self._tried.add(action)


def play(game: PlannedGame, seed: int, regime: Regime) -> PlayedSession:
    """Play one session to the end of its budget."""
    return asyncio.run(_play(game, seed, regime))


@dataclass(frozen=True, slots=True)
class Turn:
    """One decision of a session, and what came of it."""

    before: StepTaken
    """As the game knows it."""
    action: str
    """Of the critic."""
    after: StepTaken
    seconds: float
    """Of processor time for the actor's decision."""
    player: RulePlayer
    """It has seen `before`, and not `after`."""
    session: GameSession


async def turns_of(game: PlannedGame, seed: int, regime: Regime) -> AsyncIterator[Turn]:
    """The turns of a session, to the end of its budget."""
    started = await _searched(_started(game, seed, regime), regime)
    session, player = GameSession(started), RulePlayer(started, critic=regime.critic)
    async with AsyncExitStack() as ending:
        ending.push_async_callback(session.close)
        step = await _opening(session)
        while not started.ends_with(step):
            published, began = session.as_published(step), process_time()
            proposed = player.proposed(published)
            seconds = process_time() - began
            action = player.judged(published, proposed)
            after = await session.execute(action)
            yield Turn(step, action, after, seconds, player, session)
            step = after


async def _play(game: PlannedGame, seed: int, regime: Regime) -> PlayedSession:
    turns, runs = [turn async for turn in turns_of(game, seed, regime)], StaleRuns()
    opening, last = turns[0].before.score or 0, turns[-1].after
    runs.note("", turns[0].before)
    for turn in turns:
        runs.note(room_of(turn.before), turn.after)
    end = turns[-1].session.end_message(last.step, EndReason.BUDGET)
    best = opening if end.best_score is None else end.best_score
    milliseconds = 1_000 * sum(turn.seconds for turn in turns) / max(1, last.step)
    return PlayedSession(
        game, seed, opening, best, last.score or 0, end.max_score, milliseconds,
        runs.without_text, runs.without_trying, tuple(turn.action for turn in turns),
    )  # fmt: skip


async def _opening(session: GameSession) -> StepTaken:
    """Begin a session with a new emulator, and with a searcher where valid actions are known."""
    started, limits = session.started, GameSettings()
    story = load_story(started.game)
    emulator = await Emulator.start(story, started.seed, patience=limits.watchdog)
    searcher = None
    if started.valid_actions:
        most = SearchLimits(limits.search_candidates, limits.search_seconds)
        searcher = ValidActionSearcher(await Emulator.start(story, started.seed), most)
    return await session.opening(emulator, searcher)


def _started(game: PlannedGame, seed: int, regime: Regime) -> SessionStarted:
    return SessionStarted(
        step=0,
        game=game.path,
        story_md5=game.md5,
        story_suffix=Path(game.path).suffix,
        policy=PolicyName.SEARCH if regime.probes else PolicyName.HEURISTIC,
        seed=seed,
        steps=regime.steps,
        valid_actions=not regime.text_only,
        text_only=regime.text_only,
        without_behaviours=regime.without,
    )


async def _searched(started: SessionStarted, regime: Regime) -> SessionStarted:
    """What a search has found, as `lantern play --policy search` searches."""
    if not regime.probes:
        return started
    options = PlayOptions(
        started.game,
        started.steps,
        started.policy,
        started.seed,
        session="",
        cell="",
        search_probes=regime.probes,
    )
    found = await with_search(options, load_story(started.game), lambda line: None)
    return started.model_copy(update={"searched": found.searched})
