"""The steps so far as the conversation that they were: what was called, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from folds.vocabulary.actions import normal
from language_model.model import PromptPart, Role, ToolCall
from language_model.prompting.fitting import shares, without_middle
from language_model.prompting.quoting import plain_line
from language_model.prompting.tokens import cut, tokens
from services.actor.knowledge.transcript import TranscriptEntry
from services.actor.reflact.scene import PromptScene
from services.actor.reflact.tools import ARGUMENT, OBJECTIVE, REFLECTION, ToolName
from services.actor.reflact.walk import label_of
from services.actor.turn import Turn

WORDS_TOKENS, GOAL_TOKENS = 40, 100
"""The most tokens of a reflection, an objective, an action or a reason as they are repeated about an earlier
step; and of the user's goal."""

_LINE = 600

_TASK = """\
THE TASK
Score as many points as you can, and win, in the text adventure that begins below. You have {steps} steps
for it{points}.{goal}{going_back}

{opening}"""
_POINTS = "; {} points can be had"
_GOAL = "\nThe user wants this above all: {}"
_GOING_BACK = (
    "\nIn this session restore N returns to the position after step N, and restore also works when the game "
    "is over."
)


def history_of(scene: PromptScene, most: int) -> tuple[PromptPart, ...]:
    """The task with the opening, then a call and its result for each step, in `most` tokens.

    The cache marks are at the opening, at the last mark of the previous prompt, and where the next prompt
    will have its own. Only where texts take unusually much are they changed for lack of room.
    """
    task = PromptPart(role=Role.USER, text=_task(scene), cacheable=True)
    steps, left = scene.steps, most - size_of(task)
    turns = [part for step in steps for part in _turn(step, scene)]
    if sum(map(size_of, turns)) > left:
        turns = [_brief(part) for part in turns]
    if sum(map(size_of, turns)) > left:
        turns = list(_squeezed(turns, left))
    marks = {len(turns) - 1, len(turns) - 3}
    marked = (part.model_copy(update={"cacheable": n in marks}) for n, part in enumerate(turns))
    return (task, *marked)


def size_of(part: PromptPart) -> int:
    """The tokens of a part, by our estimate."""
    return tokens(part.text) + (tokens(part.call.model_dump_json()) if part.call else 0)


def _task(scene: PromptScene) -> str:
    started = scene.situation.started
    return _TASK.format(
        steps=started.steps,
        points=_POINTS.format(started.max_score) if started.max_score else "",
        goal=_GOAL.format(cut(plain_line(started.goal, _LINE), GOAL_TOKENS)) if started.goal else "",
        going_back=_GOING_BACK if started.restore else "",
        opening=scene.situation.transcript.opening,
    )


def _turn(step: TranscriptEntry, scene: PromptScene) -> Iterator[PromptPart]:
    """What was called before a step, and what came of it: another action, if the critic wanted so."""
    turn = scene.turns.get(step.number - 1, Turn())
    proposed = turn.proposal.action if turn.proposal else step.action
    text = step.text
    if normal(proposed) != normal(step.action):
        head, _, rest = text.partition("\n")
        text = f"{head} Not done: {_words(step.action)!r} was done instead{_why(turn)}.\n{rest}"
    yield PromptPart(role=Role.ASSISTANT, call=_call(turn, proposed, scene))
    yield PromptPart(role=Role.USER, text=text, is_result=True)


def _why(turn: Turn) -> str:
    reason = turn.verdict.reason if turn.verdict else ""
    return f", because {_words(reason)}" if reason else ""


def _call(turn: Turn, action: str, scene: PromptScene) -> ToolCall:
    """The call that a proposal came from; the first step of a walk came from go_to."""
    proposal, earlier = turn.proposal, turn.earlier_mind
    mind = proposal.mind if proposal else None
    said: dict[str, Any] = {}
    if proposal is not None:
        said[REFLECTION] = _words(proposal.reason)
    if mind is not None and mind.objective and (earlier is None or mind.objective != earlier.objective):
        said[OBJECTIVE] = _words(mind.objective)
    if mind is not None and mind.heading and (earlier is None or mind.heading != earlier.heading):
        room = _words(label_of(mind.heading, scene.situation))
        return ToolCall(name=ToolName.GO_TO, arguments={**said, ARGUMENT[ToolName.GO_TO]: room})
    played = {ARGUMENT[ToolName.PLAY_ACTION]: _words(action)}
    return ToolCall(name=ToolName.PLAY_ACTION, arguments={**said, **played})


def _brief(part: PromptPart) -> PromptPart:
    """A call without the words that were said with it."""
    if part.call is None:
        return part
    arguments = {key: it for key, it in part.call.arguments.items() if key not in (REFLECTION, OBJECTIVE)}
    return part.model_copy(update={"call": ToolCall(name=part.call.name, arguments=arguments)})


def _squeezed(turns: list[PromptPart], most: int) -> Iterator[PromptPart]:
    """The texts cut so that all fit, as far as the calls allow."""
    texts = [tokens(part.text) for part in turns]
    left = most - sum(size_of(part) - size for part, size in zip(turns, texts, strict=True))
    fitting = shares(texts, [1] * len(texts), max(0, left))
    for part, share in zip(turns, fitting, strict=True):
        yield part.model_copy(update={"text": without_middle(part.text, share) if part.text else ""})


def _words(text: str) -> str:
    return cut(plain_line(text, _LINE), WORDS_TOKENS)
