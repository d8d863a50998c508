"""The texts of a session: each distinct one is kept whole, with the step that showed it first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from folds.text.phrases import is_fruitless
from folds.text.things.inventory import object_of
from folds.vocabulary.actions import is_conversation, normal
from folds.vocabulary.talk import talk_in
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import StepTaken
from services.memory.texts.word_index import WordIndex

_SHORT = 160
"""A longer text may tell something although it also says that the action came to nothing."""
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
_SPACES = re.compile(r"\s+")
_PRONOUNS = frozenset({"it", "him", "her", "them"})
_SIGNS = re.compile(r"^\W+$")


class PassageKind(StrEnum):
    """How the player came by a text."""

    READ = "read"
    HEARD = "heard"
    EXAMINED = "examined"
    SEEN = "seen"


@dataclass(frozen=True, slots=True)
class RememberedText:
    """A text, the action that brought it, and the room in which that was done."""

    step: int
    action: str
    room: str
    text: str
    kind: PassageKind
    about: str
    """What the player acted on, or spoke to."""

    @property
    def is_told(self) -> bool:
        """Whether it was read, heard, or seen by looking closely."""
        return self.kind is not PassageKind.SEEN


class Texts:
    """A fold over steps, which keeps each distinct text. A text that came to nothing is left out."""

    def __init__(self) -> None:
        self.passages: list[RememberedText] = []
        self.words = WordIndex()
        self._known: set[str] = set()
        self._it = ""

    def after(self, step: StepTaken) -> None:
        """Fold a step with what its text says filled in; the caller folds each step once."""
        text, about = step.observation.strip(), self._object_of(normal(step.action or ""))
        is_vain = len(text) < _SHORT and is_fruitless(text) and step.action is not None
        if not text or is_vain or text in self._known:
            return
        self._known.add(text)
        action, room = normal(step.action or ""), step.room.name if step.room else ""
        self.words.add(len(self.passages), f"{action}\n{room}\n{text}")
        self.passages.append(RememberedText(step.step, action, room, text, _kind_of(action), about))

    def _object_of(self, action: str) -> str:
        """What an action is on; a pronoun stands for what the last one was on."""
        talk = talk_in(action)
        named = talk[0] if talk else object_of(action)
        if named and named not in _PRONOUNS:
            self._it = named
        return self._it if named in _PRONOUNS else named

    def up_to(self, at: int | None) -> list[RememberedText]:
        """The passages up to a step, oldest first."""
        return [passage for passage in self.passages if at is None or passage.step <= at]


@lru_cache(maxsize=4096)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order."""
    parts = (_SPACES.sub(" ", part).strip() for part in _SENTENCE_END.split(text))
    return tuple(part for part in parts if part and not _SIGNS.match(part))


def _kind_of(action: str) -> PassageKind:
    if is_conversation(action):
        return PassageKind.HEARD
    match action_kind_of(action):
        case ActionKind.READ:
            return PassageKind.READ
        case ActionKind.TALK:
            return PassageKind.HEARD
        case ActionKind.EXAMINE | ActionKind.SEARCH:
            return PassageKind.EXAMINED if " " in action else PassageKind.SEEN
        case _:
            return PassageKind.SEEN
