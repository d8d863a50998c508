"""Asks the model about a step until it decides, within a time limit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from language_model.model import ModelError, Prompt, Reply, Usage
from language_model.recorded import RecordedModel
from mesh.errors import NobodyAnswers
from schemas.language_model import Fault
from schemas.memory import AskMemory, MemoryAnswer
from services.actor.reflact.advice import advice_in, advice_prompt
from services.actor.reflact.prompt import (
    FollowUps,
    answer_room,
    correction,
    lookup_answer,
    lookup_request,
    prompt_of,
    token_ratio,
)
from services.actor.reflact.reply import ModelDecision, UnusableReply, decision_in
from services.actor.reflact.scene import PromptScene
from services.actor.reflact.tools import ToolName
from services.actor.reflact.walk import Walk, walk_to

MEMORY_PATIENCE = 5.0
"""Seconds that a look-up may take."""


@dataclass(frozen=True, slots=True)
class Intention:
    """The model's decision, and the walk if it decided to go to a room."""

    decision: ModelDecision
    walk: Walk | None = None
    token_ratio: float = 1.0
    """How many tokens the server counts for one of our estimate."""


class Thinking:
    """The model's calls about one step. The record has all outcomes, also a time limit that was reached."""

    def __init__(self, talk: RecordedModel, seconds: float) -> None:
        self.talk, self.seconds = talk, seconds
        self._until = asyncio.get_running_loop().time() + seconds

    async def advice(self, scene: PromptScene) -> str:
        """One sentence of advice.

        Raises:
            ModelError: the model gave no reply, or its reply has no sentence.
        """
        return advice_in(await self._ask(advice_prompt(scene)))

    async def decision(self, scene: PromptScene) -> Intention:
        """The model's decision; it may ask the memory before, and is corrected once.

        Raises:
            ModelError: the model gave no reply.
            UnusableReply: its reply was unusable twice.
        """
        follow_ups: FollowUps = ()
        look_ups, corrections = 0, 0
        while True:
            prompt = prompt_of(scene, follow_ups, look_ups)
            reply = await self._ask(prompt)
            try:
                intention = _intention_in(reply, prompt, scene)
            except UnusableReply as fault:
                if corrections:
                    raise
                corrections += 1
                follow_ups = (*follow_ups, *correction(reply, fault))
                continue
            if intention.decision.tool is not ToolName.ASK_MEMORY:
                return intention
            look_ups += 1
            follow_ups = await self._with_memory(intention.decision, prompt, follow_ups, look_ups, scene)

    async def _with_memory(
        self,
        decision: ModelDecision,
        prompt: Prompt,
        follow_ups: FollowUps,
        look_ups: int,
        scene: PromptScene,
    ) -> FollowUps:
        asked = lookup_request(decision)
        known = await self.talk.next_part_after((*prompt.parts, asked))
        offered, room = [tool.name for tool in prompt.tools], answer_room(prompt, scene, look_ups)
        answer = known or lookup_answer(await self._memory(decision.argument, scene), room, look_ups, offered)
        return (*follow_ups, asked, answer)

    async def _memory(self, question: str, scene: PromptScene) -> str:
        step = scene.situation.step.step
        asked = AskMemory(session=self.talk.session, question=question, at=step)
        patience = max(0.01, min(MEMORY_PATIENCE, self._left))
        try:
            return (
                await self.talk.bus.requests.ask(
                    "memory", "search", asked, MemoryAnswer, session=self.talk.session, timeout=patience
                )
            ).answer
        except NobodyAnswers:
            return "It does not answer now."

    async def _ask(self, prompt: Prompt) -> Reply:
        """The recorded reply; a call that ran out of time is recorded as failed."""
        outcome = await self.talk.recall(prompt)
        if outcome is None:
            outcome = await self.talk.record(prompt, await self._reply_in_time(prompt))
        if isinstance(outcome, ModelError):
            raise outcome
        return outcome

    async def _reply_in_time(self, prompt: Prompt) -> Reply | ModelError:
        left = self._left
        try:
            async with asyncio.timeout(left):
                return await self.talk.model.ask(prompt)
        except TimeoutError:
            why = f"There was no decision within {self.seconds:g} s (LANTERN_ACTOR_THINKING)."
            return ModelError(why, Fault.TIMEOUT, Usage(seconds=left))
        except ModelError as error:
            return error

    @property
    def _left(self) -> float:
        return max(0.0, self._until - asyncio.get_running_loop().time())


def _intention_in(reply: Reply, prompt: Prompt, scene: PromptScene) -> Intention:
    decision = decision_in(reply, [ToolName(tool.name) for tool in prompt.tools])
    walk = walk_to(decision.argument, scene.situation) if decision.tool is ToolName.GO_TO else None
    return Intention(decision, walk, token_ratio(reply, prompt, scene.mind.token_ratio))
