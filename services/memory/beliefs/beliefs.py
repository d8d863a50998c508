"""What is believed now of one session's world: a fold over its steps."""

from __future__ import annotations

import re

from folds.attempts import AttemptLog
from folds.map import Map
from folds.playthrough import Playthrough
from folds.vocabulary.actions import direction_of
from schemas.game import StepTaken
from services.memory.beliefs.categories import Categories, Statements
from services.memory.beliefs.checkpoints import PlaceCheckpoints
from services.memory.beliefs.doors import Doors
from services.memory.beliefs.exits import KnownExits
from services.memory.beliefs.facts import PLAYER, Changes, EpisodicStep, FactLog, direction_entity, room_id
from services.memory.beliefs.places import ThingPlaces
from services.memory.beliefs.player import PlayerPosition
from services.memory.beliefs.rooms import RoomNames
from services.memory.beliefs.things import thing_id, things_seen
from services.memory.beliefs.transition import StepTransition

_WORD = re.compile(r"\w+")


class Beliefs:
    """The current beliefs, composed of small folds that all write their facts into one `FactLog`.

    A step is folded in this order:

    1. `Playthrough` fills in what the step does not say from its text, and holds the map and the attempts.
    2. A new episode ends what was believed of the player, the things and the doors. Exits stay: rooms do not
       move. `undo` and `restore` put the things back where they were (`PlaceCheckpoints`).
    3. `PlayerPosition`: the room of the player.
    4. `ThingPlaces`: where each thing is.
    5. `Categories` and `Statements`: what a thing is, and what a character says.
    6. `KnownExits`: where the ways out of the room left and of the room reached lead.
    7. `Doors`: which of these ways are shut.

    `changes` then holds what the step has changed. No history is kept here. What a step does not say (`None`)
    changes nothing, except the room: while that is unknown, the player is nowhere. What only the text says is
    less sure: the ids of such rooms begin with `name:`, and `things_by_text` marks such things.
    """

    def __init__(self) -> None:
        log = FactLog()
        self._log, self._playthrough = log, Playthrough()
        self.rooms = RoomNames(log, self.map.names)
        self.player = PlayerPosition(log, self.rooms)
        self.things = ThingPlaces(log)
        self.exits = KnownExits(log, self.map, self.rooms)
        self.doors = Doors(log)
        self._categories = Categories(log)
        self._statements = Statements(log, self._categories)
        self._checkpoints = PlaceCheckpoints()
        self._changes: Changes | None = None
        self._things_by_text = False

    @property
    def last(self) -> StepTaken | None:
        """The last step that was folded, with what its text says filled in."""
        return self._playthrough.last

    @property
    def map(self) -> Map:
        """The map that the player has walked."""
        return self._playthrough.map

    @property
    def attempts(self) -> AttemptLog:
        """What was tried in each room."""
        return self._playthrough.attempts

    @property
    def changes(self) -> Changes | None:
        """What the last step has changed."""
        return self._changes

    @property
    def things_by_text(self) -> bool:
        """Whether the last step says of things only what its text says."""
        return self._things_by_text

    def name(self, entity: str) -> str:
        """The name of an entity."""
        return self._log.entities[entity].name

    def after(self, step: StepTaken) -> Beliefs:
        """Fold one step; a step that was folded before changes nothing."""
        if self._playthrough.includes(step):
            return self
        self._things_by_text = step.inventory is None and step.objects is None
        if StepTransition(self.last, step).skips_steps:
            self.map.lose_track()
        before, complete = self.last, self._playthrough.after(step).last or step
        transition = StepTransition(before, complete)
        self._log.begin_step(step.step)
        self._log.add(PLAYER)
        self._return_to_earlier_state(transition)
        self._update_beliefs(transition)
        self._changes = self._log.changes(_episodic_step(transition), self._mentions(complete))
        return self

    def _return_to_earlier_state(self, transition: StepTransition) -> None:
        if transition.starts_episode:
            self._log.end_episode()
            self.player.end_episode()
            self.things.end_episode()
            self.doors.end_episode()
        restored = self._checkpoints.restored_by(transition.step)
        if restored is not None:
            self.things.restore(restored)

    def _update_beliefs(self, transition: StepTransition) -> None:
        step = transition.step
        self.player.after(step)
        self.things.after(transition, self.player.room)
        self._categories.after(step)
        self._statements.after(step, by_text=self._things_by_text)
        self.exits.after(transition)
        self.doors.after(transition, self.player.room, self.exits.by_room)
        self._checkpoints.after(step, self.things.places)

    def _mentions(self, step: StepTaken) -> tuple[str, ...]:
        """The room, the direction of the action, and the things in sight that the text names."""
        direction = direction_of(step.action or "")
        words = frozenset(_WORD.findall(f"{step.action or ''} {step.observation}".lower()))
        named = (t for t in things_seen(step) if words.intersection(t.name.lower().split()[-1:]))
        rooms = [room_id(step.room.id)] if step.room else []
        directions = [self._log.add(direction_entity(direction))] if direction else []
        return tuple(dict.fromkeys((*rooms, *directions, *map(thing_id, named))))


def _episodic_step(transition: StepTransition) -> EpisodicStep:
    """The step with the room in which its action was taken; an opening has the room that it shows."""
    step = transition.step
    opening = transition.before is None or transition.starts_episode
    where = step if opening else transition.origin
    room = room_id(where.room.id) if where and where.room else None
    return EpisodicStep(step.step, step.episode, room, step.action, step.observation, step.score, step.reward)
