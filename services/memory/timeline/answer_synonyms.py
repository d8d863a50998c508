"""Other words for things, by the game's answers: what answers alike to two names is one thing."""

from __future__ import annotations

import re
from collections import defaultdict

from folds.text.phrases import is_fruitless
from folds.text.rooms import room_of
from folds.text.things.inventory import object_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import words_of
from schemas.game import StepTaken
from services.memory.beliefs.facts import Entity, EntityKind
from services.memory.timeline.entity_names import EntityNames, words_in

_MOST_NAMES = 3
"""An answer that more names get is a stock answer."""
_LEAST = 25
"""Characters of an answer that is about one thing."""
_UNDERSTOOD = re.compile(r"\A\((?:the |an? |your )?([a-z' /-]{2,40}?)\)$", re.I | re.M)
"""A parser's message about which thing it has understood."""


class AnswerSynonyms:
    """A fold: learns from actions of one verb with the same answer, and from the parser's own messages."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
        """By room, verb and answer, what the player has called the thing."""

    def after(self, step: StepTaken, before: StepTaken | None, names: EntityNames) -> None:
        """Fold one step."""
        action, text = step.action or "", step.observation.strip()
        name = object_of(action)
        if before is None or not name or is_fruitless(text):
            return
        if understood := _UNDERSTOOD.match(text):
            _add(names, understood[1], name, step.step)
        if action_kind_of(action) not in (ActionKind.EXAMINE, ActionKind.READ) or len(text) < _LEAST:
            return
        same = self._names[room_of(step), words_of(action)[0], text]
        same[name] = None
        if 1 < len(same) <= _MOST_NAMES:
            for one in same:
                for other in same:
                    _add(names, one, other, step.step)


def _add(names: EntityNames, known: str, other: str, step: int) -> None:
    """What goes by one name goes by the other, unless that is the name of something else."""
    if other == known or names.find(other, EntityKind.ITEM):
        return
    for entity in _one(names.find(known, EntityKind.ITEM)):
        names.add_synonyms(entity, words_in(other)[-1:], step)


def _one(found: tuple[Entity, ...]) -> tuple[Entity, ...]:
    return found if len(found) == 1 else ()
