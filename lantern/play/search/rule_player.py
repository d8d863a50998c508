"""The rule-based player in this process, without NATS; what it earns is where a search goes on."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count

from schemas.actor import ActionProposed
from schemas.game import SessionStarted, StepTaken
from search.frontier.parts import FrontierOptions, SearchPart
from search.messages import Improved, Order, Progress
from search.running import SearchRun
from services.actor.logic import by_policy, chance, proposal
from services.actor.policies import PolicyName, initial_situation, policy_of
from services.critic.logic import judge
from services.critic.state import CriticState
from services.game.emulator.client import Emulator
from services.game.session.game_session import GameSession
from services.game.settings import GameSettings
from zmachine.story_file import StoryFile

METHOD = "frontier"
"""The method that goes on from what the player has earned; the others are compared with what is published."""
STEPS, MOST = 1_000, 4_000
"""Of a session that the player plays before a search, and of all of them."""
SHARE = 0.1
"""Of a search's probes, and of its seconds, at most."""
LISTS = 3
"""The best lists that a search is given: one may not earn again what it has earned after a restart."""


class RulePlayer:
    """What the actor and the critic of one session know and decide; as they do in a mesh."""

    def __init__(self, started: SessionStarted, *, critic: bool = True) -> None:
        self._started = started
        self.situation, self._policy = initial_situation(started), policy_of(started.policy)
        """What is known after the last step that was seen."""
        self._critic = CriticState.opening(started) if critic else None

    def next_action(self, step: StepTaken) -> str:
        """Fold a step as it is published, and decide."""
        return self.judged(step, self.proposed(step))

    def proposed(self, step: StepTaken) -> ActionProposed:
        """What the actor proposes after a step."""
        self.situation = self.situation.after(step)
        thought = by_policy(self.situation, self._policy, {}, chance(self._started, step.step))
        return proposal(self.situation, thought, (), ())

    def judged(self, step: StepTaken, proposed: ActionProposed) -> str:
        """What the critic lets go on, or does instead."""
        if self._critic is None:
            return proposed.action
        self._critic = self._critic.after(step)
        return judge(proposed, self._critic).action


async def play_before(search: SearchRun, seconds: float | None = None, steps: int = STEPS) -> None:
    """Let the rule-based player play the story by its text, and give the search its best lists of actions.

    Its steps count as probes; it takes at most a tenth of these, and of the `seconds` of the search.
    `steps`: of each session, at most.
    """
    order = search.order
    if order.method != METHOD or order.known or SearchPart.RULES in FrontierOptions.of(order.options).without:
        return
    until = time.monotonic() + (float("inf") if seconds is None else SHARE * seconds)
    most, lists = min(MOST, int(SHARE * order.probes)), list[Improved]()
    for number in count():
        left = most - search.state.spent
        if search.stopping or time.monotonic() > until or left <= 0:
            break
        started = _started(search.story, order, number, min(steps, STEPS, left))
        lists += [improved async for improved in _best_of_each_episode(search, started, until)]
    lists.sort(key=lambda improved: improved.rank, reverse=True)
    search.begin_with(tuple(improved.actions for improved in lists[:LISTS]))


def _started(story: StoryFile, order: Order, number: int, steps: int) -> SessionStarted:
    return SessionStarted(
        step=0,
        game="searched",
        story_md5=story.md5,
        story_suffix=story.suffix,
        policy=PolicyName.HEURISTIC,
        seed=order.emulator_seed,
        policy_seed=MOST * order.seed + number,
        steps=steps,
        valid_actions=False,
        text_only=True,
    )


async def _best_of_each_episode(
    search: SearchRun, started: SessionStarted, until: float
) -> AsyncIterator[Improved]:
    """Play one session; gives the best list of each episode.

    That of the first episode is certain, and counts as found at once. A story may have another chance after
    a restart, so the search has to replay the others.
    """
    session, player, before = GameSession(started), RulePlayer(started), search.state.spent
    patience = GameSettings().watchdog
    best: Improved | None = None
    async with AsyncExitStack() as ending:
        ending.push_async_callback(session.close)
        step = await session.opening(await Emulator.start(search.story, started.seed, patience=patience))
        opening, episode, actions = step.score or 0, step.episode, list[str]()
        while not (search.stopping or time.monotonic() > until or started.ends_with(step)):
            action = player.next_action(session.as_published(step))
            step = await session.execute(action)
            probes, score = before + step.step, step.score or 0
            search.hear_before(Progress(probes))
            if step.episode != episode:
                if best is not None:
                    yield best
                best, episode, actions = None, step.episode, []
                continue
            actions.append(action)
            if score > (opening if best is None else best.score):
                best = Improved(tuple(actions), score, probes)
                if episode == 1:
                    search.hear_before(best)
    if best is not None:
        yield best
