"""Decides a step in a session that asks a model: by rule, by the walk in progress, or by the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from language_model.model import ModelError
from language_model.prompting.quoting import plain_line
from schemas.fragment import Fragment
from services.actor.heuristic.policy import Heuristic
from services.actor.knowledge.situation import Situation
from services.actor.logic import OVER, Thought, without_loop
from services.actor.plan.notes import mind_after
from services.actor.policy import Choice
from services.actor.reflact.reply import UnusableReply
from services.actor.reflact.rule_takeover import new_action
from services.actor.reflact.scene import Past, PromptScene, is_after_an_end, scene_of
from services.actor.reflact.thinking import Intention, Thinking
from services.actor.reflact.walk import Walk

WHY_LENGTH = 240
"""The most characters of the reason why the rules decided."""


async def thought_of(
    situation: Situation,
    fragments: Mapping[str, Fragment],
    random: Random,
    past: Past,
    thinking: Thinking,
) -> Thought:
    """Decide what to do at a step."""
    scene, walk = scene_of(situation, fragments, past)
    without_advice = ""
    if is_after_an_end(situation):
        scene, without_advice = await _with_advice(scene, thinking)
    thought = await _decide(scene, walk, random, thinking)
    return replace(thought, degraded=thought.degraded or without_advice)


async def _decide(scene: PromptScene, walk: Walk | None, random: Random, thinking: Thinking) -> Thought:
    situation, notes = scene.situation, scene.notes
    if situation.step.done and not situation.started.restore:
        return Thought(OVER, notes, scene.mind)
    if situation.stagnation.rules_act:
        return Thought(new_action(situation, scene.fragments, random), notes, scene.mind)
    if walk is not None:
        return Thought(_step_of(walk), notes, scene.mind)
    try:
        return _thought_of_intention(await thinking.decision(scene), scene)
    except (ModelError, UnusableReply) as error:
        why = plain_line(f"{_kind(error)}: {error}", WHY_LENGTH)
    choice = without_loop(Heuristic().choose(situation, scene.fragments, random), situation)
    return Thought(choice, notes, scene.mind, degraded=why)


async def _with_advice(scene: PromptScene, thinking: Thinking) -> tuple[PromptScene, str]:
    """The scene with new advice after the end of an episode, or the reason why there is none."""
    try:
        return scene.advised(await thinking.advice(scene)), ""
    except ModelError as error:
        return scene, plain_line(f"no advice was kept: {error}", WHY_LENGTH)


def _thought_of_intention(intention: Intention, scene: PromptScene) -> Thought:
    decision, walk = intention.decision, intention.walk
    now = {
        "objective": decision.objective or scene.mind.objective,
        "heading": walk.goal if walk else "",
        "token_ratio": intention.token_ratio,
    }
    mind = mind_after(scene.mind, decision.notes).model_copy(update=now)
    choice = Choice(walk.actions[0] if walk else decision.argument, decision.reflection)
    if walk is None:
        choice = without_loop(choice, scene.situation)
    return Thought(choice, scene.notes, mind)


def _step_of(walk: Walk) -> Choice:
    left = len(walk.actions)
    return Choice(walk.actions[0], f"walking to {walk.name}, {left} step{'s' if left > 1 else ''} more")


def _kind(error: Exception) -> str:
    return "the reply did not fit" if isinstance(error, UnusableReply) else "no reply"
