"""Everything that was believed of a session, and when, in memory: what questions are answered from."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from folds.vocabulary.actions import normal
from services.memory.beliefs.beliefs import Beliefs
from services.memory.beliefs.facts import AT, HAS, LOCKED, PLAYER, Changes, Entity, Fact, Turn
from services.memory.questions.naming import Names, named_by


class Recall:
    """The changes of all steps so far, so ordered that a question about any step is answered fast.

    `at` is a step; None is now. It grows with what happens, not with how often it is asked.
    """

    def __init__(self) -> None:
        self.entities: dict[str, Entity] = {}
        self.first_met: dict[str, int] = {}
        self.names = Names()
        self.turns: dict[int, Turn] = {}
        self.last_step = -1
        self._open: dict[str, dict[tuple[str, str, str], int]] = defaultdict(dict)
        self._closed: dict[str, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
        self._held: dict[str, None] = {}
        self._ever_held: dict[str, None] = {}
        self._in_room: dict[str, list[int]] = defaultdict(list)
        self._tried: dict[str, dict[str, int]] = defaultdict(dict)
        self._mentioned: dict[str, list[int]] = defaultdict(list)
        self._seen: dict[str, list[list[int]]] = defaultdict(list)

    def after(self, beliefs: Beliefs) -> Recall:
        """Take over what the beliefs' last step has changed; a step taken over before changes nothing."""
        changes = beliefs.changes
        if changes is None or changes.step <= self.last_step:
            return self
        self.last_step = changes.step
        self._take(changes)
        for thing in beliefs.in_sight:
            spans = self._seen[thing]
            if spans and spans[-1][1] == changes.step - 1:
                spans[-1][1] = changes.step
            else:
                spans.append([changes.step, changes.step])
        return self

    def facts(self, entity: str, at: int | None = None) -> Iterator[Fact]:
        """The facts that are about an entity at a step: where it is the subject, or what the player has."""
        for triple, since in self._open.get(entity, {}).items():
            if at is None or since <= at:
                yield Fact(*triple, since)
        if at is not None:
            for relation, facts in self._closed.get(entity, {}).items():
                yield from _held_at(relation, facts, at)

    def history(self, entity: str) -> list[Fact]:
        """Every fact that was ever about an entity, in the order in which they began."""
        ended = [fact for facts in self._closed.get(entity, {}).values() for fact in facts]
        return sorted((*ended, *self.facts(entity)), key=lambda fact: fact.valid_from)

    def room(self, at: int | None = None) -> Fact | None:
        """The fact that says where the player is."""
        return next((fact for fact in self.facts(PLAYER.id, at) if fact.relation == AT), None)

    def inventory(self, at: int | None = None) -> list[Fact]:
        """The facts that say what the player has, the newest last."""
        ever = self._held if at is None else self._ever_held
        held = (f for thing in ever for f in self.facts(thing, at) if f.relation == HAS)
        return sorted(held, key=lambda fact: fact.valid_from)

    def tried_in(self, room: str, at: int | None = None) -> list[int]:
        """The step of the newest attempt at each action that was tried in a room, oldest first."""
        newest = self._tried.get(room, {})
        if at is None:
            return list(newest.values())
        steps = self._in_room.get(room, [])
        upto = steps[: bisect_right(steps, at)]
        return sorted({normal(self.turns[step].action or ""): step for step in upto}.values())

    def mentioned(self, entity: str) -> list[int]:
        """The steps whose text was about an entity."""
        return self._mentioned.get(entity, [])

    def seen_last(self, thing: str, at: int | None = None) -> int | None:
        """The last step, up to one, at which a thing was in sight."""
        spans = self._seen.get(thing, [])
        if at is not None:
            spans = spans[: bisect_right(spans, at, key=lambda span: span[0])]
        if not spans:
            return None
        return spans[-1][1] if at is None else min(spans[-1][1], at)

    def _take(self, changes: Changes) -> None:
        for entity in changes.entities:
            self.entities[entity.id] = entity
            self.first_met[entity.id] = changes.step
            self.names.add(entity, changes.step)
        if named := named_by(changes):
            self.names.also(self.entities[named[0]], named[1], changes.step)
        for fact in changes.ended:
            about = _about(fact)
            self._open[about].pop((fact.subject, fact.relation, fact.object), None)
            self._closed[about][fact.relation].append(fact)
        for fact in changes.begun:
            self._open[_about(fact)][fact.subject, fact.relation, fact.object] = fact.valid_from
        self._hold(changes)
        turn = changes.turn
        self.turns[turn.step] = turn
        if turn.room is not None and turn.action is not None:
            self._in_room[turn.room].append(turn.step)
            self._tried[turn.room].pop(normal(turn.action), None)
            self._tried[turn.room][normal(turn.action)] = turn.step
        for mentioned in changes.mentions:
            self._mentioned[mentioned].append(turn.step)

    def _hold(self, changes: Changes) -> None:
        for fact in changes.ended:
            if fact.relation == HAS:
                self._held.pop(fact.object, None)
        held = {fact.object: None for fact in changes.begun if fact.relation == HAS}
        self._held |= held
        self._ever_held |= held


def _about(fact: Fact) -> str:
    """Whom to ask for a fact: its subject, but the thing itself where the player has it."""
    return fact.object if fact.relation == HAS else fact.subject


def _held_at(relation: str, facts: list[Fact], at: int) -> Iterator[Fact]:
    """Those that held at a step. They are kept as they ended; all but shut doors began in that order too."""
    for fact in islice(facts, bisect_right(facts, at, key=lambda fact: fact.valid_to), None):
        if fact.valid_from <= at:
            yield fact
        elif not relation.startswith(LOCKED):
            return
