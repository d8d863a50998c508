"""What the player has held in this episode."""

from __future__ import annotations

from collections.abc import Iterable

from folds.attempts import Attempt
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, words_of
from schemas.game import StepTaken, Thing
from services.actor.knowledge.experience.success import tool_of
from services.actor.knowledge.texts import BURDENED, NOT_HELD

_LAYING_DOWN = (ActionKind.PLACE, ActionKind.DROP)


class Belongings:
    """Things held, and when the player last gained one or could carry no more."""

    def __init__(self) -> None:
        self.ever_held: set[str] = set()
        """The nouns of what has been in hand in any episode."""
        self._found_in: dict[str, str] = {}
        """By noun, the room where it first came to hand."""
        self.asked_for: set[str] = set()
        """The nouns that answers have missed in the player's hands, in any episode."""
        self.begin(0)

    def begin(self, step: int) -> None:
        """An episode begins with empty hands."""
        self.names: tuple[str, ...] = ()
        """The names of the things held now."""
        self.words: frozenset[str] = frozenset()
        """The words of those names."""
        self.once_held: dict[str, int] = {}
        """By noun, the step at which a thing first came to hand in this episode."""
        self.lying: dict[str, str] = dict(self._found_in)
        """By noun, the room where it was laid down, or was first found in an episode before."""
        self.names_once_held: set[str] = set()
        """The whole names of what has been in hand in this episode."""
        self.laid_down: set[str] = set()
        """The nouns of what the player laid down without earning points by it."""
        self.vanished: set[str] = set()
        """The nouns of what left the player's hands by no action of the player's with it."""
        self.gained_at = step
        """The step at which something new was last gained."""
        self.taken_at: dict[str, int] = {}
        """By noun, the step at which a thing last came to hand."""
        self.listed_at = step
        """The step at which the game last listed what is held."""
        self.burdened_at = -1
        """The step at which the player last could carry no more; -1: never."""

    def note(self, attempt: Attempt, step: int, room: str) -> None:
        """Learn from an attempt in a room what was laid down, and whether the player carries too much."""
        kind = action_kind_of(attempt.action)
        self._note_places(attempt, kind, room)
        if kind in _LAYING_DOWN and attempt.reward <= 0:
            self.laid_down.update(map(head_of, attempt.lost))
        elif kind not in _LAYING_DOWN:
            named = words_of(attempt.action)
            self.vanished.update(noun for noun in map(head_of, attempt.lost) if noun not in named)
        gained = tuple(map(head_of, attempt.gained))
        self.laid_down.difference_update(gained)
        self.vanished.difference_update(gained)
        if kind is ActionKind.TAKE and BURDENED.search(attempt.result):
            self.burdened_at = step

    def _note_places(self, attempt: Attempt, kind: ActionKind, room: str) -> None:
        """Where things lie, and which are missed; what a vain `take` did not find lies there no more."""
        for noun in map(head_of, attempt.gained):
            self._found_in.setdefault(noun, room)
            self.lying.pop(noun, None)
        if kind in _LAYING_DOWN:
            self.lying.update(dict.fromkeys(map(head_of, attempt.lost), room))
        taken = head_of(attempt.action)
        if kind is ActionKind.TAKE and not attempt.gained and self.lying.get(taken) == room:
            del self.lying[taken]
        missed = (head_of(each["noun"]) for each in NOT_HELD.finditer(attempt.result))
        self.asked_for.update(noun for noun in missed if noun in self.ever_held)

    def see(self, step: StepTaken) -> None:
        """Take over a step's inventory, where it is known."""
        if step.inventory is None:
            return
        if normal(step.action or "") == "inventory":
            self.listed_at = step.step
        nouns = [head_of(thing.name) for thing in _in_hand(step.inventory)]
        if not self.once_held.keys() >= set(nouns):
            self.gained_at = step.step
        self.once_held = dict.fromkeys(nouns, step.step) | self.once_held
        self.ever_held.update(nouns)
        self.taken_at.update(dict.fromkeys((noun for noun in nouns if noun not in self.words), step.step))
        self.names = tuple(dict.fromkeys(thing.name for thing in step.inventory))
        self.names_once_held.update(self.names)
        self.words = frozenset(word for name in self.names for word in words_of(name))

    def lacks_tool(self, action: str) -> bool:
        """Whether an action wants in hand what was there before, and is not now: `unlock door with key`."""
        tool = tool_of(action)
        return tool in self.ever_held and tool not in self.words


def _in_hand(inventory: Iterable[Thing]) -> Iterable[Thing]:
    """The things that do not lie in another one."""
    inside = {thing.id for thing in inventory}
    return (thing for thing in inventory if thing.container not in inside)
