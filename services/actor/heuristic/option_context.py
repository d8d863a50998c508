"""What is looked up once for all the candidates of a step."""

from __future__ import annotations

from collections.abc import Container, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from folds.attempts import Attempt
from folds.text.conditions import Condition
from folds.text.phrases import is_fruitless
from folds.text.rooms import room_of
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind
from folds.vocabulary.words import SEVERAL, head_of
from schemas.game import StepTaken
from services.actor.heuristic.parsed_action import ParsedAction, parsed
from services.actor.heuristic.weights import Weights
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.experience.success import thing_of


class FamilyFactors(NamedTuple):
    """By what the utility of all actions of one kind and verb is multiplied."""

    patience: float
    danger: float
    trust: float


@dataclass(frozen=True, slots=True)
class OptionContext:
    """A step and what is known of its room."""

    step: StepTaken
    known: Experience
    weights: Weights
    room: str
    blind: bool
    """Whether valid actions are not known."""
    complete: bool
    """Whether no other actions are valid."""
    hurried: bool
    """Whether few steps are left of the session."""
    offered: frozenset[str]
    hints: Mapping[str, str]
    """What the sub-agents suggest, and who suggests it first."""
    deadly: frozenset[str]
    refused: frozenset[str]
    """Words that the game does not know here."""
    nouns: frozenset[str]
    """What the visible things are called."""
    listed: Container[str]
    """What answers to `take all` have named and left here."""
    unclaimed: Mapping[str, int]
    attempts: Mapping[str, Attempt]
    """The attempts in exactly this state of the world."""
    due: Set[str]
    """What had an effect here in an earlier episode, and has not been done in this one; nothing, where it has
    long brought nothing new."""
    tried: Container[str]
    """What has been tried here, but for what had an effect in an earlier episode and is due again."""
    tried_anywhere: Container[str]
    """The same in any room."""
    done: Mapping[str, int]
    done_anywhere: Mapping[str, int]
    done_at: Mapping[str, int]
    ineffective: Mapping[str, int]
    conditions: Mapping[str, Condition]
    """The nouns that were last said to be closed, locked, off or fixed here."""
    scope: tuple[str, ...]
    """The nouns of what is here: things that are seen, and mentioned ones that proved to be there."""

    families: dict[str, FamilyFactors] = field(default_factory=dict)
    """Filled as candidates of new families come up."""

    @property
    def is_dark(self) -> bool:
        """Whether it is dark in the room."""
        return self.room in self.known.rooms.dark

    @property
    def held_nouns(self) -> tuple[str, ...]:
        """The nouns of what is held."""
        return tuple(dict.fromkeys(map(head_of, self.known.belongings.names)))

    @property
    def worn_nouns(self) -> Set[str]:
        """The nouns of what was put on in this episode, and is still in hand."""
        return frozenset(noun for noun in self.held_nouns if f"wear {noun}" in self.done_anywhere)

    @property
    def things_to_try(self) -> tuple[tuple[tuple[str, ...], Container[str]], ...]:
        """The nouns of what is here and of what is held, each with what was tried here, or anywhere."""
        return (self.scope, self.tried), (self.held_nouns, self.tried_anywhere)

    @property
    def treasures_first(self) -> tuple[str, ...]:
        """The same, those first that earned points when they were taken."""
        treasures = self.known.rewards.treasures
        return tuple(sorted(self.held_nouns, key=lambda noun: noun not in treasures))

    def holds_all_of(self, action: ParsedAction) -> bool:
        """Whether an action concerns only things held: it can be done anywhere, so once is enough."""
        return is_portable(action, self.known)

    def has_failed(self, action: str) -> bool:
        """Whether an action has come to nothing as things are here."""
        if self.blind:
            return action in self.done_at and not self.is_stale(parsed(action))
        attempt = self.attempts.get(action)
        return attempt is not None and not attempt.reward and action not in self.due

    def is_known_way(self, action: str) -> bool:
        """Whether an action is known to lead to another room, by text alone: one walks for its sake."""
        return self.blind and action in self.known.map.exits.get(self.room, {})

    def is_stale(self, action: ParsedAction) -> bool:
        """Whether the room has changed since an action was done in it: the answer may be another now."""
        changed_at = self.known.history.changed_at.get(self.room, 0)
        return self.done_at[action.text] < changed_at or self.may_work_now(action)

    def may_differ_now(self, action: str) -> bool:
        """Whether an action was done once here in this episode, and the room has changed since."""
        return self.done.get(action) == 1 and self.is_stale(parsed(action))

    def may_work_now(self, action: ParsedAction) -> bool:
        """Whether something, wherever it is, has begun to work since a button (or the like) was handled."""
        return action.is_control and self.done_at.get(action.text, 0) < self.known.history.worked_at

    def takes_back(self, action: ParsedAction) -> bool:
        """Whether an action would take what has earned points by being left somewhere."""
        rewards = self.known.rewards
        is_all = action.noun in SEVERAL and self.room in rewards.paid_for_leaving
        return action.kind is ActionKind.TAKE and (is_all or action.noun in rewards.left)

    def last_done_at(self, verb: str, noun: str) -> int:
        """The step at which this was last done to a thing here in this episode, with whatever; -1: never."""
        return max(self._done_to(verb, noun).values(), default=-1)

    def last_worked_at(self, verb: str, noun: str) -> int:
        """The same of what was not refused: `unlock door with key`, and the key fits."""
        answer_to = self.known.history.answer_to
        done = self._done_to(verb, noun).items()
        return max((at for action, at in done if not is_fruitless(answer_to(self.room, action))), default=-1)

    def _done_to(self, verb: str, noun: str) -> Mapping[str, int]:
        """What was done so to a thing here in this episode, with the step at which it last was."""
        done = ((action, at) for action, at in self.done_at.items() if action.startswith(f"{verb} "))
        return {action: at for action, at in done if head_of(thing_of(action)) == noun}

    @property
    def mentioned(self) -> tuple[str, ...]:
        """The nouns that texts mention here, without those of which the game has said that it knows none."""
        return tuple(noun for noun in self.known.mentions.nouns_of(self.room) if noun not in self.refused)

    @property
    def here_or_mentioned(self) -> tuple[str, ...]:
        """The nouns of what is here, and those that texts mention here, each once."""
        return tuple(dict.fromkeys((*self.scope, *self.mentioned)))

    def sees(self, noun: str) -> bool:
        """Whether a thing of this name is known to be here, or an answer to `take all` has named one."""
        return self.has(noun) or noun in self.listed

    def has(self, noun: str) -> bool:
        """Whether a thing of this name is known to be here."""
        return noun in self.known.belongings.words or noun in self.nouns


def is_portable(action: ParsedAction, known: Experience) -> bool:
    """Whether an action concerns only things held."""
    return bool(action.things) and action.things <= known.belongings.words


def context_of(
    step: StepTaken, known: Experience, weights: Weights, hints: Mapping[str, str], steps: int
) -> OptionContext:
    """What is known of a step's room, and what its state of the world excludes; `steps`: of the session."""
    room = room_of(step)
    refused = known.refusals.words_in(room) - known.belongings.words
    is_quiet = known.is_quiet_at(step.step)
    due: Set[str] = frozenset() if is_quiet else known.history.due_in(room)
    due_anywhere: Set[str] = frozenset() if is_quiet else known.history.due_anywhere
    valid = step.valid_actions.actions if step.valid_actions else ()
    return OptionContext(
        step=step,
        known=known,
        weights=weights,
        room=room,
        blind=step.valid_actions is None,
        complete=step.valid_actions is not None and step.valid_actions.complete,
        hurried=steps - step.step <= weights.ways.hurry,
        offered=frozenset(map(normal, valid)),
        hints=hints,
        deadly=known.deadly(room),
        refused=refused,
        nouns=frozenset(head_of(thing.name) for thing in step.objects or ()),
        listed=known.mentions.listed_in(room),
        unclaimed=known.unclaimed(room),
        attempts=known.attempts.in_world(known.attempts.world_of(step)),
        due=due,
        tried=known.attempts.in_room(room).keys() - due,
        tried_anywhere=known.answers.tried - due_anywhere,
        done_anywhere=known.history.anywhere,
        done=known.history.done_in(room),
        done_at=known.history.done_at(room),
        ineffective=known.history.ineffective_in(room),
        conditions=known.playthrough.conditions.of(room),
        scope=_scope(step, known, room, refused),
    )


def _scope(step: StepTaken, known: Experience, room: str, refused: frozenset[str]) -> tuple[str, ...]:
    if room in known.rooms.dark:
        return ()
    tried = known.attempts.in_room(room)
    seen = (head_of(thing.name) for thing in step.objects or ())
    proved = (noun for noun in known.mentions.nouns_of(room) if f"examine {noun}" in tried)
    doubles = refused | known.mentions.synonyms_in(room)
    return tuple(noun for noun in dict.fromkeys((*seen, *proved)) if noun not in doubles)
