"""The facts of all steps, indexed by what questions ask for."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from folds.vocabulary.actions import normal
from schemas.game import StepTaken
from services.memory.beliefs.facts import (
    AT,
    HAS,
    LOCKED,
    PLAYER,
    Changes,
    Entity,
    EpisodicStep,
    Fact,
)
from services.memory.beliefs.things import thing_id
from services.memory.timeline.answer_synonyms import AnswerSynonyms
from services.memory.timeline.change_log import ChangeLog
from services.memory.timeline.entity_names import EntityNames, name_from_action


class TemporalIndex:
    """Finds the facts about an entity, the actions tried in a room and the like, at any step.

    `at` is a step; None is now. The index grows with what happens, and no question makes it grow.
    """

    def __init__(self, changes: ChangeLog) -> None:
        self.names = EntityNames()
        self._changes = changes
        self._answers = AnswerSynonyms()
        self._entities: dict[str, Entity] = {}
        self._first_met: dict[str, int] = {}
        self._open: dict[str, dict[Fact, None]] = defaultdict(dict)
        self._closed: dict[str, dict[str, list[Fact]]] = defaultdict(_lists)
        self._carried: dict[str, None] = {}
        self._ever_carried: dict[str, None] = {}
        self._steps_in: dict[str, list[int]] = defaultdict(list)
        self._last_tries: dict[str, dict[str, int]] = defaultdict(dict)
        self._mentioned: dict[str, list[int]] = defaultdict(list)
        self._in_sight: dict[str, list[int]] = defaultdict(list)
        """By thing, the first and the last step of each period in which it was in sight."""

    @property
    def entities(self) -> Mapping[str, Entity]:
        """All entities by id, in the order in which they were first met."""
        return self._entities

    def add(self, changes: Changes, in_sight: Iterable[str]) -> None:
        """Add the changes of the next step, and the things that it shows."""
        self._add_entities(changes)
        self._add_facts(changes)
        self._add_carried(changes)
        self._add_step(changes.episodic)
        for entity in changes.mentions:
            self._mentioned[entity].append(changes.step)
        for thing in in_sight:
            self._add_sighting(thing, changes.step)

    def add_synonyms(self, step: StepTaken, before: StepTaken | None) -> None:
        """Add the words by which the story knows the things of a step: its parser's, and its answers'."""
        for thing in (*(step.inventory or ()), *(step.objects or ())):
            if thing.words and (entity := self._entities.get(thing_id(thing))) is not None:
                self.names.add_synonyms(entity, thing.words, step.step)
        self._answers.after(step, before, self.names)

    def met_up_to(self, at: int) -> tuple[Entity, ...]:
        """The entities that were met up to a step."""
        return tuple(entity for entity in self._entities.values() if self._first_met[entity.id] <= at)

    def facts(self, entity: str, at: int | None = None) -> Iterator[Fact]:
        """The facts about an entity at a step: its own, and the fact that the player has it."""
        for fact in self._open.get(entity, ()):
            if at is None or fact.valid_from <= at:
                yield fact
        if at is not None:
            for relation, facts in self._closed.get(entity, {}).items():
                yield from _valid_at(relation, facts, at)

    def history(self, entity: str) -> list[Fact]:
        """Every fact that was ever about an entity, in the order in which they began."""
        ended = [fact for facts in self._closed.get(entity, {}).values() for fact in facts]
        return sorted((*ended, *self.facts(entity)), key=lambda fact: fact.valid_from)

    def room(self, at: int | None = None) -> Fact | None:
        """The fact that says where the player is."""
        return next((fact for fact in self.facts(PLAYER.id, at) if fact.relation == AT), None)

    def inventory(self, at: int | None = None) -> list[Fact]:
        """The facts that say what the player has; the newest stands last."""
        things = self._carried if at is None else self._ever_carried
        carried = (fact for thing in things for fact in self.facts(thing, at) if fact.relation == HAS)
        return sorted(carried, key=lambda fact: fact.valid_from)

    def last_tries(self, room: str, at: int | None = None) -> list[int]:
        """The last step of each action that was tried in a room, oldest first."""
        if at is None:
            return list(self._last_tries.get(room, {}).values())
        steps = self._steps_in.get(room, [])
        before = steps[: bisect_right(steps, at)]
        return sorted({normal(self._changes.episodic(step).action or ""): step for step in before}.values())

    def mentions(self, entity: str) -> list[int]:
        """The steps whose text mentions an entity."""
        return self._mentioned.get(entity, [])

    def last_seen(self, thing: str, at: int | None = None) -> int | None:
        """The last step, up to `at`, that showed a thing."""
        ends = self._in_sight.get(thing)
        if ends is None:
            return None
        before = len(ends) if at is None else bisect_right(ends, at)
        if before % 2:  # `at` is within a period
            return at
        return ends[before - 1] if before else None

    def _add_entities(self, changes: Changes) -> None:
        for entity in changes.entities:
            self._entities[entity.id] = entity
            self._first_met[entity.id] = changes.step
            self.names.add(entity, changes.step)
        if (named := name_from_action(changes)) is not None:
            thing, name = named
            self.names.add_name(self._entities[thing], name, changes.step)

    def _add_facts(self, changes: Changes) -> None:
        for fact in changes.ended:
            about = _about(fact)
            begun = Fact(fact.subject, fact.relation, fact.object, fact.valid_from)
            self._open[about].pop(begun, None)
            self._closed[about][fact.relation].append(fact)
        for fact in changes.begun:
            self._open[_about(fact)][fact] = None

    def _add_carried(self, changes: Changes) -> None:
        for fact in changes.ended:
            if fact.relation == HAS:
                self._carried.pop(fact.object, None)
        taken = {fact.object: None for fact in changes.begun if fact.relation == HAS}
        self._carried |= taken
        self._ever_carried |= taken

    def _add_step(self, episodic: EpisodicStep) -> None:
        if episodic.room is None or episodic.action is None:
            return
        action, tries = normal(episodic.action), self._last_tries[episodic.room]
        self._steps_in[episodic.room].append(episodic.step)
        tries.pop(action, None)
        tries[action] = episodic.step

    def _add_sighting(self, thing: str, step: int) -> None:
        ends = self._in_sight[thing]
        if ends and ends[-1] == step - 1:
            ends[-1] = step
        else:
            ends += (step, step)


def _about(fact: Fact) -> str:
    """The entity under which a fact is indexed: its subject, or the thing that the player has."""
    return fact.object if fact.relation == HAS else fact.subject


def _valid_at(relation: str, facts: list[Fact], at: int) -> Iterator[Fact]:
    """The facts that were valid at a step. They are in the order of their ends; except for locked exits, they
    began in that order too.
    """
    for fact in islice(facts, bisect_right(facts, at, key=lambda fact: fact.valid_to), None):
        if fact.valid_from <= at:
            yield fact
        elif not relation.startswith(LOCKED):
            return


def _lists() -> defaultdict[str, list[Fact]]:
    return defaultdict(list)
