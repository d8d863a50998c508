"""In sessions of hundreds of steps, each helper's last sentence reaches the actor's prompt at every step.

The sessions are walks by chance in the bundled game, half of them talk. Every service folds them, as if the
actor asked a model, the narrator told a model's summary, the planner looked ahead from each position, and the
critic had had something else done at every third step.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from games import BUNDLED
from language_model.model import Prompt
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged, Decision
from schemas.fragment import Fragment
from schemas.game import REFLACT, StepTaken
from schemas.lookahead import ActionRisk, LookedAhead
from services.actor.reflact.prompt import prompt_of
from services.actor.reflact.scene import Past, scene_of
from services.actor.turn import Turn
from services.narrator.story import LENGTH, narrative
from services.planner.logic import fragment_of
from tests.support.scenes.builders import a_session
from tests.support.sessions.heard import heard
from tests.support.sessions.walk import walk
from tests.unit.test_helpers_are_heard import RATIO, assert_heard, text_of

STEPS = 300
TOPICS = (
    "tobias light key lamp tower letter boat petrel fog wind fish cat gull ghost bell chapel island sea rope "
    "storm oil fleet herring reef nets harbour cellar stairs lens logbook"
).split()
DEEDS = (
    "north", "south", "east", "west", "up", "down", "look", "inventory", "wait", "take all", "examine rug",
    "move rug", "open trapdoor", "open cupboard", "take lamp", "light lamp", "read letter", "read logbook",
    "drop letter", "take letter", "examine nets", "search tub", "unlock door", "shout", "xyzzy", "jump",
)  # fmt: skip


def by_chance(seed: int) -> list[str]:
    """To Maren, then half of it talk."""
    chance = random.Random(seed)
    talk = [f"{verb} about {topic}" for verb in ("ask maren", "tell maren") for topic in TOPICS]
    return ["north", "east", *(chance.choice(chance.choice((talk, DEEDS))) for _ in range(STEPS))]


def substitution(step: StepTaken) -> ActionJudged | None:
    """What the critic says had to be done instead of what was proposed, at every third step."""
    if step.step % 3:
        return None
    return ActionJudged(
        step=step.step - 1,
        action=step.action or "",
        proposed=f"sing {step.step}",
        decision=Decision.SUBSTITUTE,
        score=-1,
        reason=f"the critic has reason {step.step} of its own",
        by="critic",
    )


def looked_ahead(step: int) -> Fragment:
    risks = [ActionRisk(action=f"leap {risk}", tries=step + 9, deaths=5 + risk) for risk in range(6)]
    found = LookedAhead(
        step=step,
        origin=step,
        probes=400,
        spent=400,
        points=5,
        actions=("take lamp",) * 9,
        risks=tuple(risks),
    )
    return fragment_of(found)


def summary(step: int) -> Fragment:
    """As long as a model's may be; what comes next is said last."""
    end = f"What failed and what comes next is told in sentence {step}."
    before = "The keeper walks and talks. "
    return narrative(before * ((LENGTH - len(end)) // len(before)) + end)


def prompts(steps: Sequence[StepTaken]) -> Iterator[tuple[Prompt, dict[str, Fragment]]]:
    """The prompt of each step, with what the sub-agents said."""
    turns: dict[int, Turn] = {}
    before: ActionProposed | None = None
    for situation, told in heard(a_session(policy=REFLACT, steps=STEPS + 2), steps):
        now = situation.step
        if before is not None:
            verdict = substitution(now)
            proposed = before.model_copy(update={"action": verdict.proposed if verdict else now.action})
            turns[now.step - 1] = Turn(proposed, verdict, before.mind)
        fragments = told | {"narrator": summary(now.step), "planner": looked_ahead(now.step)}
        scene, _ = scene_of(situation, fragments, Past(before, turns))
        mind = scene.mind.model_copy(update={"token_ratio": RATIO})
        yield prompt_of(replace(scene, mind=mind)), fragments
        before = ActionProposed(step=now.step, action="look", policy=REFLACT, reason="So.", mind=mind)


@pytest.mark.parametrize(("seed", "text_only"), [(1, False), (2, True)])
def test_each_helpers_last_sentence_arrives_in_hundreds_of_steps(seed: int, text_only: bool) -> None:
    steps = walk(BUNDLED, by_chance(seed), text_only=text_only)
    spoke = 0
    for number, (prompt, fragments) in enumerate(prompts(steps)):
        assert_heard(prompt, fragments, steps[: number + 1])
        text = text_of(prompt)
        assert f"is told in sentence {number}." in text, "the narrator's"
        assert f"- leap 5: in 10 of {number + 9} tries this killed" in text, "the planner's"
        verdict = substitution(steps[number]) if number else None
        assert not verdict or f"because {verdict.reason}." in text, "the critic's"
        spoke += bool(fragments.get("npc_tracker", Fragment()).sections)

    assert len(steps) > STEPS
    assert spoke > STEPS // 4, "there is somebody to track"
