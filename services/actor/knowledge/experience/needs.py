"""What the player's body asks for, as texts tell: food, drink, sleep."""

from __future__ import annotations

import re
from enum import StrEnum

from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import RESTART, StepTaken


class Need(StrEnum):
    """What the player is in want of."""

    FOOD = "food"
    DRINK = "drink"
    SLEEP = "sleep"


_FELT = {
    Need.FOOD: r"hungry|famished|ravenous|starving|faint (?:from|with) hunger|need (?:something )?to eat",
    Need.DRINK: r"thirsty|parched|dehydrated|need (?:something )?to drink",
    Need.SLEEP: r"(?:so |very |really )?(?:tired|sleepy|exhausted|weary|drowsy)|need (?:some )?sleep",
}
_TOLD = {
    need: re.compile(
        rf"\b(?:you|you're|your [a-z]+)\b(?![^.!?\n]*(?:\bnot|n't)\b)[^.!?\n\"”]{{0,60}}\b(?:{words})\b",
        re.I,
    )
    for need, words in _FELT.items()
}


class Needs:
    """Of one episode; each until something is eaten, drunk or slept."""

    def __init__(self) -> None:
        self.felt_at: dict[Need, int] = {}
        """By need, the step whose text told of it last."""

    def after(self, step: StepTaken) -> None:
        """Fold one step. A repeat changes nothing."""
        action, text = normal(step.action or ""), step.observation
        if step.action in (None, RESTART):
            self.felt_at.clear()
            return
        is_met = not is_fruitless(text)
        if is_met and action_kind_of(action) is ActionKind.CONSUME:
            self.felt_at.pop(Need.FOOD, None)
            self.felt_at.pop(Need.DRINK, None)
        elif is_met and action.startswith("sleep"):
            self.felt_at.pop(Need.SLEEP, None)
        elif " " not in action or action_kind_of(action) is not ActionKind.CONSUME:
            self.felt_at.update(dict.fromkeys(needs_told_in(text), step.step))


def needs_told_in(text: str) -> tuple[Need, ...]:
    """What a text tells the player to be in want of: `You are really ravenous.`"""
    return tuple(need for need, said in _TOLD.items() if said.search(text))
