"""What the helpers say reaches the prompt of a long session whole, to its last sentence, and once.

The recorded sessions were played with the bundled game; here their steps are folded by every service, as if
the actor asked a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import pytest

from folds.vocabulary.actions import normal
from language_model.model import Prompt
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged, Decision
from schemas.fragment import Fragment
from schemas.game import REFLACT, StepTaken
from services.actor.plan.by_rule import going
from services.actor.reflact.prompt import INPUT_TOKENS, estimate, prompt_of
from services.actor.reflact.scene import Past, scene_of
from services.actor.turn import Turn
from tests.support.sessions.heard import heard, start_of, steps_of
from tests.unit.test_reflact_prompts import golden, told

CHARACTERS = 4
"""Of a token, as most servers count English."""
RATIO = 0.9
"""What our estimate shrinks to at such a server, with the margin: 0.85 to 0.89 with SmolLM2's tokenizer."""

SITUATIONS = {"heuristic": 24, "a-talk": 19, "text-only": 28, "by-chance": 29, "talkative": 100}
"""A step of each of five recorded sessions."""


@cache
def prompts_of(name: str) -> tuple[tuple[Prompt, dict[str, Fragment]], ...]:
    """The prompt of each step, with what the sub-agents said."""
    return tuple(_prompts(name))


def _prompts(name: str) -> Iterator[tuple[Prompt, dict[str, Fragment]]]:
    steps, turns, before = steps_of(name), {}, None
    for situation, fragments in heard(start_of(name), steps):
        scene = scene_of(situation, fragments, Past(before, turns))[0]
        mind = scene.mind.model_copy(update={"objective": "Get into the tower.", "token_ratio": RATIO})
        yield prompt_of(replace(scene, mind=mind)), fragments
        at = situation.step.step
        done = steps[at + 1].action if at + 1 < len(steps) else "look"
        earlier = before.mind if before else None
        before = ActionProposed(
            step=at, action=done, policy=REFLACT, reason="It may tell more of the key.", mind=mind
        )
        turns[at] = Turn(before, None, earlier)


def text_of(prompt: Prompt) -> str:
    return " ".join(" ".join(part.text for part in prompt.parts).split())


def last_words(text: str) -> str:
    """The end of the last line that says something: a sentence, or the last item of a list."""
    lines = [line for line in text.splitlines() if not re.search(r": (none|unknown)$", line)]
    return re.split(r"(?<=[.!?]) |; |, ", lines[-1])[-1]


def assert_heard(prompt: Prompt, fragments: Mapping[str, Fragment], steps: Sequence[StepTaken]) -> None:
    """The last sentence of each sub-agent is in the prompt of the newest of the steps."""
    now = " ".join(prompt.parts[-1].text.split())
    tried_again = [normal(done.action or "") for done in steps[-21:]]
    for service in ("hint", "narrator", "npc_tracker"):
        for section in fragments.get(service, Fragment()).sections:
            words = last_words(section.text)
            way = words.removeprefix("The nearest unexplored way is ")
            is_done = re.sub(r"^\d+\. ", "", words) in tried_again
            assert way.rstrip(".") in now or (section.name == "hints" and is_done)
    [room, belief] = fragments["memory"].sections
    [tried] = [line for line in room.text.splitlines() if line.startswith("ALL_TRIED")]
    assert tried in now or tried.endswith("none")
    believed = last_words(belief.text).partition(" (since")[0]
    room_name, _, unexplored = believed.removeprefix("LIKELY_EXITS_ELSEWHERE: ").partition(": ")
    assert believed in text_of(prompt) or going(unexplored, room_name) in now


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_helpers_last_sentence_arrives_at_every_step(name: str) -> None:
    for step, (prompt, fragments) in enumerate(prompts_of(name)):
        assert_heard(prompt, fragments, steps_of(name)[: step + 1])


def test_every_topic_that_was_raised_and_every_attempt_in_the_room_is_heard() -> None:
    prompt, fragments = prompts_of("talkative")[66]
    text = text_of(prompt)
    attempts = re.findall(r"- steps? ([\d, ]+): ", fragments["memory"].sections[0].text)
    steps = [step for listed in attempts for step in listed.split(", ")]
    assert len(steps) > 35
    assert "ask maren about: fog, wind, fish, cat, gull" in text and "tobias;" in text
    for step in steps:
        assert re.search(rf"- steps?[\d, ]* {step}[,:]|\[{step}\]", text)
    told = [int(step) for step in re.findall(r"\[(\d+)\]", text)]
    for listed in re.findall(r"- steps? ([\d, ]+): ", text):
        assert not set(map(int, listed.split(", "))) <= set(told), "it is told already"


def test_no_prompt_is_beyond_the_budget_as_a_server_counts_it() -> None:
    for prompt, _ in prompts_of("talkative"):
        counted = len(prompt.model_dump_json()) // CHARACTERS
        assert counted <= INPUT_TOKENS
        assert estimate(prompt) <= INPUT_TOKENS / RATIO


@pytest.mark.parametrize(("name", "step"), SITUATIONS.items())
def test_the_prompt_of_a_recorded_situation(name: str, step: int) -> None:
    golden(f"recorded_{name.replace('-', '_')}", told(prompts_of(name)[step][0]))


def test_what_the_critic_did_instead_and_why_stands_where_the_action_was_called() -> None:
    steps = steps_of("a-talk")[:4]
    proposed = ActionProposed(step=2, action="open door", policy=REFLACT, reason="It may open.")
    judged = ActionJudged(
        step=2,
        action=steps[3].action or "",
        proposed="open door",
        decision=Decision.SUBSTITUTE,
        score=-1,
        reason="it was tried here twice",
        by="critic",
    )
    *_, (situation, fragments) = heard(start_of("a-talk"), steps)

    scene, _ = scene_of(situation, fragments, Past(proposed, {2: Turn(proposed, judged)}))
    call, result = prompt_of(scene).parts[-3:-1]

    assert call.call is not None and call.call.arguments["action"] == "open door"
    assert result.text.startswith(
        f"[3] Not done: {steps[3].action!r} was done instead, because it was tried here twice.\n"
    )


def test_nothing_that_reads_like_an_answer_stands_where_there_is_none() -> None:
    for name in SITUATIONS:
        for prompt, _ in prompts_of(name):
            lines = prompt.parts[-1].text.splitlines()
            assert [line for line in lines if re.search(r": (none|unknown)$", line)] == []
            assert not any("none yet" in line for line in lines)
