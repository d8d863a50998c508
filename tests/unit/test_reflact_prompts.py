"""The prompts of the actor, letter for letter, and what the end of an episode adds to them.

`LANTERN_GOLDEN=write pytest tests/unit/test_reflact_prompts.py` writes `tests/golden/actor_*.txt` anew where
a wording was changed on purpose.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from language_model.model import Prompt, PromptPart, Reply
from schemas.game import StepTaken
from services.actor.reflact.advice import advice_prompt
from services.actor.reflact.prompt import (
    ANSWER_TOKENS,
    correction,
    lookup_answer,
    lookup_request,
    prompt_of,
)
from services.actor.reflact.reply import ModelDecision, UnusableReply
from services.actor.reflact.scene import ADVICE, is_after_an_end
from services.actor.reflact.tools import ToolName
from tests.support.scenes.builders import a_step
from tests.support.scenes.scenes import EVENING, OPENING, SAID, a_proposal, a_scene, a_situation, idling

GOLDEN = Path(__file__).parents[1] / "golden"


def golden(name: str, text: str) -> None:
    path = GOLDEN / f"actor_{name}.txt"
    if os.environ.get("LANTERN_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()


def told(prompt: Prompt) -> str:
    """What comes after the rules, each part with who says it and where the cache may end."""
    parts = (f"--- {_who(said)}\n{_said(said)}{_mark(said)}" for said in prompt.parts)
    return "\n\n".join((*parts, f"--- at most {prompt.max_tokens} tokens: one call of {_tools(prompt)}\n"))


def _who(said: PromptPart) -> str:
    return "result" if said.is_result else said.role


def _said(said: PromptPart) -> str:
    call = f"{said.call.name} {json.dumps(dict(said.call.arguments))}" if said.call else ""
    return "\n".join(filter(None, (said.text, call)))


def _mark(said: PromptPart) -> str:
    return "\n--- so far a cache may serve the next prompt" if said.cacheable else ""


def _tools(prompt: Prompt) -> str:
    return ", ".join(tool.name for tool in prompt.tools)


def test_the_rules_and_the_tools() -> None:
    prompt = prompt_of(a_scene(EVENING, said=SAID))
    tools = [
        f"--- {t.name}\n{t.description}\n{json.dumps(dict(t.parameters), indent=1)}" for t in prompt.tools
    ]

    assert prompt.must_call
    golden("rules", "\n\n".join((prompt.system, *tools)) + "\n")


def test_the_first_step() -> None:
    golden("first", told(prompt_of(a_scene([OPENING]))))


def test_a_typical_step() -> None:
    before = a_proposal("ask keeper about boat", step=2, objective="Find out where the boat has gone.")

    golden("typical", told(prompt_of(a_scene(EVENING, said=SAID, before=before))))


def test_a_step_at_which_nothing_works() -> None:
    steps = [*EVENING, *idling(31, start=4, room="Shed", action="wait", world="x")]
    escape = [
        a_step(35, "west", text="Quay", room="Quay", held=["whistle", "lantern"], world="q", changed=True)
    ]
    shed = [step.model_copy(update={"room": EVENING[3].room}) for step in steps[4:]]
    before = a_proposal("wait", step=34, objective="Wait for the boat.")

    scene = a_scene([*EVENING, *shed, *escape], before=before)

    golden("stuck", told(prompt_of(scene)))


def test_a_step_after_a_death() -> None:
    death = a_step(4, "west", text="You slip.\n\n*** You have died ***", room="Quay", score=5, done=True)
    again = OPENING.model_copy(update={"step": 5, "action": "restart", "episode": 2, "world_seen": 1})
    before = a_proposal(
        "restart", step=4, objective="Light the lantern.", advice=("Light the lantern first.",)
    )

    ended = a_scene([*EVENING, death], before=a_proposal("west", advice=("Never jump.",)))
    golden("ended", f"{advice_prompt(ended).system}\n\n{told(advice_prompt(ended))}")
    golden("after_death", told(prompt_of(a_scene([*EVENING, death, again], before=before))))


def test_a_step_with_look_ups_and_a_correction() -> None:
    asides = (
        *correction(
            Reply(model="m", text="I would go west."),
            UnusableReply("No tool was called. Call one of play_action, go_to."),
        ),
        *(
            part
            for n in (1, 2, 3)
            for part in (
                lookup_request(ModelDecision(ToolName.ASK_MEMORY, "where is the boat", "I forgot.", "")),
                lookup_answer("I never saw it.", ANSWER_TOKENS, n, tuple(ToolName)),
            )
        ),
    )

    prompt = prompt_of(a_scene(EVENING, said=SAID), asides, look_ups=3)

    assert _tools(prompt) == "play_action, go_to"
    golden("looked_up", told(prompt))


@pytest.mark.parametrize(
    ("step", "teaches"),
    [
        (a_step(1, "north", text="*** You have died ***", done=True), True),
        (a_step(1, "north", text="*** You have won ***", done=True), True),
        (a_step(1, "north", text="**** You have died ****\n\nYou wake in the forest."), True),
        (a_step(1, "restart", episode=2), True),
        (a_step(1, "north"), False),
    ],
)
def test_every_end_of_an_episode_teaches_something_once(step: StepTaken, teaches: bool) -> None:
    assert is_after_an_end(a_situation([a_step(0), step])) is teaches


def test_who_is_told_again_to_be_dead_learns_nothing_more() -> None:
    dead = [a_step(n, "wait", text="You are dead. You cannot wait.") for n in (1, 2)]

    assert is_after_an_end(a_situation([a_step(0), dead[0]]))
    assert not is_after_an_end(a_situation([a_step(0), *dead]))


def test_a_restart_after_the_end_teaches_nothing_more() -> None:
    assert not is_after_an_end(a_situation([a_step(0), a_step(1, "jump", done=True), a_step(2, "restart")]))


def test_the_newest_three_sentences_of_advice_are_kept_each_once() -> None:
    scene = a_scene([OPENING])
    for sentence in ("one", "two", "two", "three", "four", "three"):
        scene = scene.advised(sentence)

    assert scene.mind.advice == ("two", "four", "three")
    assert ADVICE == 3
