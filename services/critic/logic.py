"""Judges a proposal by rule: no model, no chance, a score in [-1, 1]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from folds.attempts import Attempt
from folds.text.phrases import is_fruitless
from folds.text.questions import asks_yes_or_no
from folds.text.things.inventory import object_of
from folds.untried import untried_here, untried_valid
from folds.vocabulary.actions import direction_of, is_restore, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged, Decision
from schemas.game import HUMAN, RESTART, StepTaken
from schemas.lookahead import ActionRisk, LookedAhead
from services.critic.persistence import reason_to_repeat
from services.critic.state import STRICT_AT, CriticState

VALID, EARNED, UNSURE, DOUBTFUL, REFUSED = 1.0, 0.5, 0.0, -0.5, -1.0
"""The scores of the published critic (text-adventure agent, its critic's list of rules)."""

DEADLY = 0.5
"""The share of deaths in the planner's tries from which on an action is refused."""

Risks: TypeAlias = Mapping[str, ActionRisk]
"""What kills here, by the actions in their normal form."""
NO_RISKS: Risks = MappingProxyType({})

IDENTICAL = 3
"""Times that one answer to an action must come word for word, where the state of the world is a guess."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A score and the reason for it."""

    score: float
    reason: str


def judge(proposal: ActionProposed, state: CriticState, ahead: LookedAhead | None = None) -> ActionJudged:
    """Approve a proposal, or substitute an action that has not yet failed in this state of the world.

    What a person has typed is only judged, and not replaced. `ahead`: what the planner has found ahead of
    this very position.
    """
    risks = {normal(risk.action): risk for risk in ahead.risks} if ahead else {}
    opinion = opinion_of(proposal.action, state, risks)
    action, reason = proposal.action, opinion.reason
    if opinion.score <= REFUSED and proposal.policy != HUMAN:
        other = substitute_for(proposal.action, state, risks)
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


def opinion_of(action: str, state: CriticState, risks: Risks = NO_RISKS) -> Opinion:
    """The worst opinion of the rules on an action; without one, a good or a neutral score."""
    word, step = normal(action), state.step
    if step is None or word == RESTART:
        return Opinion(VALID if step and step.done else UNSURE, "nothing speaks against it")
    if exempt := _of_exemptions(word, step, state):
        return exempt
    if risk := risks.get(word):
        worst = REFUSED if risk.share >= DEADLY else DOUBTFUL
        return Opinion(worst, f"in {risk.deaths} of {risk.tries} tries this killed")
    valid = word in {normal(a) for a in step.valid_actions.actions} if step.valid_actions else False
    rules = (_of_repetition(word, state), None if valid else _of_place(word, state))
    opinions = [opinion for opinion in rules if opinion]
    if opinions:
        return min(opinions, key=lambda opinion: opinion.score)
    if valid:
        return Opinion(VALID, "it changes the world here")
    if word in state.attempts.earned_in(state.map.here):
        return Opinion(EARNED, "it earned points here before")
    return Opinion(UNSURE, "it is new here")


def _of_exemptions(action: str, step: StepTaken, state: CriticState) -> Opinion | None:
    """The opinion where no other rule counts: when the game is over or asks, and on what is known to earn."""
    if state.may_restore and is_restore(action):
        return Opinion(UNSURE, "the session allows it")
    if step.done:
        return Opinion(REFUSED, "the game is over")
    if action in ("yes", "no") and asks_yes_or_no(step.observation):
        return Opinion(UNSURE, "the game asks yes or no")
    if _was_just_unlocked(action, step):
        return Opinion(UNSURE, "it has just been unlocked")
    if state.route.leads_on(state.map.here, action):
        return Opinion(EARNED, "it is on the way to the best score so far")
    if state.is_ending and action in state.attempts.earned_in(state.map.here):
        return Opinion(EARNED, "it earned points here before, and few steps are left")
    return None


def _was_just_unlocked(action: str, step: StepTaken) -> bool:
    """Whether an action opens what the last one has unlocked, which no hash of the world need tell."""
    last = normal(step.action or "")
    is_it = last.startswith("unlock ") and action == f"open {object_of(last)}"
    return is_it and not is_fruitless(step.observation)


def substitute_for(action: str, state: CriticState, risks: Risks = NO_RISKS) -> str | None:
    """The best untried valid action, else an untried way, else anything untried; None: none is known.

    Waiting gives way only to what was never done in the room.
    """
    if state.step is None or state.step.done:
        return RESTART if state.step else None
    refused = {normal(action), *risks}
    if action_kind_of(action) is ActionKind.WAIT:
        refused.update(state.attempts.in_room(state.map.here))
    ways = (d for d in state.map.untried(state.map.here) if d not in state.attempts.ended_in(state.map.here))
    options = (
        *untried_valid(state.step, state.attempts),
        *ways,
        *untried_here(state.step, state.attempts, state.map),
    )
    return next((a for a in options if normal(a) not in refused), None)


def _of_repetition(action: str, state: CriticState) -> Opinion | None:
    """The opinion on repeating an action in exactly the same state of the world."""
    attempt = state.attempts.in_world(state.attempts.world).get(action)
    if attempt is None or (attempt.earned and not attempt.ended):
        return None
    if attempt.ended:
        is_to_blame = state.knows_the_world or action in state.attempts.deadly_in(state.map.here)
        is_refused = is_to_blame and not attempt.won
        return Opinion(REFUSED if is_refused else DOUBTFUL, "it ended the game in this very state")
    if attempt.moved_to is not None:
        return _of_walking(attempt, state)
    answers = state.answers_to(action)
    if reason := reason_to_repeat(attempt, answers):
        return Opinion(UNSURE, reason)
    return _of_vain_attempts(attempt, answers, state)


def _of_vain_attempts(attempt: Attempt, answers: Sequence[str], state: CriticState) -> Opinion:
    """The opinion on what came to nothing here; where the same state is a guess, the text must prove it."""
    here = state.map.here
    if attempt.action in state.map.freed.get(here, ()):
        return Opinion(UNSURE, "it may have been opened since")
    if attempt.blocked and not state.knows_the_world and attempt.action in state.map.exits.get(here, ()):
        return Opinion(UNSURE, "it leads on, and was an answer to a question then")
    is_always_the_same = len(answers) >= IDENTICAL and len({*answers[-IDENTICAL:]}) == 1
    if attempt.blocked:
        may_open = attempt.action in state.map.barred(here) and not is_always_the_same
        is_proved = state.knows_the_world or (is_fruitless(attempt.result) and not may_open)
        return Opinion(REFUSED if is_proved else DOUBTFUL, "that way is blocked here")
    if attempt.times < 2 and not state.has_seen_this_often:
        return Opinion(DOUBTFUL, "tried once in this state without reward")
    reason = f"tried {attempt.times} times in this state without reward"
    is_proved = state.knows_the_world or is_always_the_same
    return Opinion(REFUSED if is_proved else DOUBTFUL, reason)


def _of_walking(attempt: Attempt, state: CriticState) -> Opinion | None:
    """The opinion on walking: it is refused only if it goes to and fro between the same two rooms."""
    to_and_fro = attempt.moved_to == state.came_from and attempt.times >= STRICT_AT
    if not state.has_seen_this_often or not to_and_fro:
        return None
    return Opinion(REFUSED, f"to and fro: walked {attempt.times} times from this state without reward")


def _of_place(action: str, state: CriticState) -> Opinion | None:
    """The opinion on ways that were blocked here, deadly actions, and things that are elsewhere."""
    here, worst = state.map.here, REFUSED if state.knows_the_world else DOUBTFUL
    if action in state.attempts.deadly_in(here):
        return Opinion(DOUBTFUL, "it ended the game here before")
    if direction_of(action) and action in state.map.blocked.get(here, ()):
        often = state.attempts.in_room(here).get(action, 0) >= 2 and action not in state.map.barred(here)
        return Opinion(worst if often else DOUBTFUL, "that way was blocked here before")
    missing = state.presence.missing(action, here)
    return Opinion(worst, f"no {missing} is here") if missing else None
