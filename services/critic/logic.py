"""Judges a proposal by rule: no model, no chance, a score in [-1, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from folds.attempts import Attempt, AttemptLog
from folds.map import Map
from folds.playthrough import Playthrough
from folds.text.rooms import room_of
from folds.untried import untried_here, untried_valid
from folds.vocabulary.actions import direction_of, is_restore, normal
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged, Decision
from schemas.game import RESTART, SessionStarted, StepTaken
from services.critic.presence import ThingPresence

VALID, EARNED, UNSURE, DOUBTFUL, REFUSED = 1.0, 0.5, 0.0, -0.5, -1.0
"""The scores of the published critic (text-adventure agent, its critic's list of rules)."""

STRICT_AT = 3
"""Times that a state of the world was seen before the critic becomes stricter (the same source)."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A score and the reason for it."""

    score: float
    reason: str


class CriticState:
    """The critic's knowledge of a session."""

    def __init__(self) -> None:
        self.presence = ThingPresence()
        self.came_from: str | None = None
        """The room from which the player came."""
        self.may_restore = False
        """Whether the session allows `restore`."""
        self._playthrough = Playthrough()

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """Nothing is known of a session that has just started."""
        state = cls()
        state.may_restore = started.restore
        return state

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        if self._playthrough.includes(step):
            return self
        now = self._playthrough.after(step)
        self.came_from = now.left or self.came_from
        if now.last is not None:
            self.presence.after(now.last)
        return self

    @property
    def step(self) -> StepTaken | None:
        """The last step; None: there is none."""
        return self._playthrough.last

    @property
    def map(self) -> Map:
        """The map of the rooms visited."""
        return self._playthrough.map

    @property
    def attempts(self) -> AttemptLog:
        """What has been tried."""
        return self._playthrough.attempts


def judge(proposal: ActionProposed, state: CriticState) -> ActionJudged:
    """Approve a proposal, or substitute an action that has not yet failed in this state of the world."""
    opinion = opinion_of(proposal.action, state)
    action, reason = proposal.action, opinion.reason
    if opinion.score <= REFUSED:
        other = substitute_for(proposal.action, state)
        action = other or action
        reason = f"{reason}; {f'{other} is untried' if other else 'nothing untried is known here'}"
    same = action == proposal.action
    return ActionJudged(
        step=proposal.step,
        action=action,
        proposed=proposal.action,
        decision=Decision.APPROVE if same else Decision.SUBSTITUTE,
        score=opinion.score,
        reason=reason,
        by="critic",
    )


def opinion_of(action: str, state: CriticState) -> Opinion:
    """The worst opinion of the rules on an action; without one, a good or a neutral score."""
    word, step = normal(action), state.step
    if step is None or word == RESTART:
        return Opinion(VALID if step and step.done else UNSURE, "nothing speaks against it")
    if state.may_restore and is_restore(word):
        return Opinion(UNSURE, "the session allows it")
    if step.done:
        return Opinion(REFUSED, "the game is over")
    valid = word in {normal(a) for a in step.valid_actions.actions} if step.valid_actions else False
    rules = (_of_repetition(word, state), None if valid else _of_place(word, state))
    opinions = [opinion for opinion in rules if opinion]
    if opinions:
        return min(opinions, key=lambda opinion: opinion.score)
    if valid:
        return Opinion(VALID, "it changes the world here")
    if word in state.attempts.earned_in(room_of(step)):
        return Opinion(EARNED, "it earned points here before")
    return Opinion(UNSURE, "it is new here")


def substitute_for(action: str, state: CriticState) -> str | None:
    """The best untried valid action, else an untried way, else anything untried; None: none is known."""
    if state.step is None or state.step.done:
        return RESTART if state.step else None
    refused = normal(action)
    ways = (d for d in state.map.untried(state.map.here) if d not in state.attempts.ended_in(state.map.here))
    options = (
        *untried_valid(state.step, state.attempts),
        *ways,
        *untried_here(state.step, state.attempts, state.map),
    )
    return next((a for a in options if normal(a) != refused), None)


def _of_repetition(action: str, state: CriticState) -> Opinion | None:
    """The opinion on repeating an action in exactly the same state of the world."""
    attempt = state.attempts.in_world(state.attempts.world).get(action)
    if attempt is None:
        return None
    if attempt.ended:
        return Opinion(DOUBTFUL if attempt.won else REFUSED, "it ended the game in this very state")
    if attempt.earned:
        return None
    if attempt.moved_to is not None:
        return _of_walking(attempt, state)
    if attempt.blocked:
        return Opinion(REFUSED, "that way is blocked here")
    if attempt.times >= 2 or _strict(state):
        return Opinion(REFUSED, f"tried {attempt.times} times in this state without reward")
    return Opinion(DOUBTFUL, "tried once in this state without reward")


def _of_walking(attempt: Attempt, state: CriticState) -> Opinion | None:
    """The opinion on walking: it is refused only if it goes to and fro between the same two rooms."""
    to_and_fro = attempt.moved_to == state.came_from and attempt.times >= STRICT_AT
    if not _strict(state) or not to_and_fro:
        return None
    return Opinion(REFUSED, f"to and fro: walked {attempt.times} times from this state without reward")


def _of_place(action: str, state: CriticState) -> Opinion | None:
    """The opinion on ways that were blocked here, deadly actions, and things that are elsewhere."""
    here = state.map.here
    if action in state.attempts.deadly_in(here):
        return Opinion(DOUBTFUL, "it ended the game here before")
    if direction_of(action) and action in state.map.blocked.get(here, ()):
        often = state.attempts.in_room(here).get(action, 0) >= 2
        return Opinion(REFUSED if often else DOUBTFUL, "that way was blocked here before")
    missing = state.presence.missing(action, here)
    return Opinion(REFUSED, f"no {missing} is here") if missing else None


def _strict(state: CriticState) -> bool:
    return state.step is not None and state.step.world_seen >= STRICT_AT
