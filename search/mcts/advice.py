"""What the search asks a language model: how promising actions are, and what a failure teaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from language_model.action_prior.question import ActionQuestion, policy_of
from language_model.model import Prompt, PromptPart, Role
from language_model.prompting.quoting import DATA, quoted

PRESENT, BEFORE, STEP, ACTION = 700, 300, 200, 60
"""Characters of the present observation, of the one before, of one in a log, and of an action."""
LOGGED = 12
"""Last steps of a failure that the model is told."""
LESSON_LENGTH, LESSON_TOKENS = 240, 80

INSTRUCTION = (
    "You explore a text adventure, to earn points and to stay alive. Judge which of the possible actions is "
    f"worth trying next. {DATA}"
)
REFLECTION = (
    "You are told how an attempt at a text adventure failed. Say in one sentence what caused it and what to "
    f"do otherwise in the next attempt. Do not retell the attempt. {DATA}"
)


class Advisor(Protocol):
    """A language model, as a search asks it."""

    def log_probabilities(self, question: ActionQuestion) -> Sequence[float] | None:
        """The log-probability of each action of a question; None: the model has no answer."""

    def text(self, prompt: Prompt) -> str | None:
        """Its reply to a prompt; None: it has none."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What is known at a point of an attempt: the in-trial memory (o before, a, o)."""

    observation: str
    before: str = ""
    action: str = ""


@dataclass(slots=True)
class Reflections:
    """The cross-trial memory: what failures have taught, each lesson once, and no more than `most`."""

    most: int
    lessons: list[str] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether nothing more is learnt (the paper ends the collection early)."""
        return len(self.lessons) >= self.most

    def add(self, lesson: str) -> None:
        """Learn a lesson, unless it is known."""
        if lesson and lesson not in self.lessons and not self.is_full:
            self.lessons.append(lesson)


def question_about(moment: Moment, lessons: Sequence[str], actions: Sequence[str]) -> ActionQuestion:
    """The question which action is promising (LLM(a | in-trial, cross-trial, p) of equation 3)."""
    told = [f"- {lesson}" for lesson in lessons]
    parts = [
        *(("Lessons of earlier attempts:", *told, "") if told else ()),
        *((f"Before: {quoted(moment.before, BEFORE)}",) if moment.before else ()),
        *((f"Then you typed: {quoted(moment.action, ACTION)}",) if moment.action else ()),
        f"Now: {quoted(moment.observation, PRESENT)}",
    ]
    return ActionQuestion(instruction=INSTRUCTION, situation="\n".join(parts), actions=tuple(actions))


def reflection_prompt(steps: Sequence[tuple[str, str]]) -> Prompt:
    """The prompt that asks what a failure teaches; `steps`: actions (at first '') and their texts."""
    lines = []
    for action, text in steps[-LOGGED:]:
        if action:
            lines.append(f"Typed: {quoted(action, ACTION)}")
        lines.append(f"The game: {quoted(text, STEP)}")
    lines.append("There the attempt failed. What is the lesson?")
    part = PromptPart(role=Role.USER, text="\n".join(lines))
    return Prompt(system=REFLECTION, parts=(part,), max_tokens=LESSON_TOKENS)


def policy(advisor: Advisor, question: ActionQuestion) -> tuple[float, ...]:
    """A probability for each action; without an answer, or a choice, all are equally promising."""
    answer = advisor.log_probabilities(question) if len(question.actions) > 1 else None
    return policy_of(answer if answer is not None else [0.0] * len(question.actions))


def lesson_of(advisor: Advisor, steps: Sequence[tuple[str, str]]) -> str:
    """What a failure teaches, in one line; empty: the model says nothing."""
    return (advisor.text(reflection_prompt(steps)) or "")[:LESSON_LENGTH].strip()
