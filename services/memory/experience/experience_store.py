"""What the sessions of one story have taught, in a graph file."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.experience import MOST_REFLECTIONS, StoryExperience
from services.memory.experience import cypher
from services.memory.experience.lessons import SessionLessons
from services.memory.experience.story_experience import StoryRows, story_experience
from services.memory.graph.batches import storable
from services.memory.store import Row, Store


class ExperienceStore(Store):
    """Each session is a node, tied to the rooms where it earned points, died, or did what is worth repeating.

    A session may be learned from again, when it was resumed or when the service was killed: its values are
    then set, not added, so that nothing counts twice.
    """

    tables = cypher.SCHEMA
    version = cypher.SCHEMA_VERSION
    read_all = cypher.READ_ALL

    def sessions(self) -> int:
        """The number of sessions that were learned from."""
        return int(self.rows(cypher.SUMMARY)[0][0])

    def learn(self, lessons: SessionLessons) -> None:
        """Add what a session has taught, unless as much of this session is known already."""
        known = self.rows(cypher.SESSION, id=lessons.session)
        if known and known[0][1] >= lessons.steps:
            return
        number = known[0][0] if known else self.sessions() + 1
        route = list(_route(lessons)) if self._is_best(lessons) else []
        with self.transaction():
            self.rows(
                cypher.ADD_SESSION,
                id=lessons.session,
                number=number,
                steps=lessons.steps,
                points=storable(lessons.points),
                score=storable(lessons.score),
                stages=len(route),
                reflections=[storable(text) for text in lessons.reflections],
            )
            self.add(cypher.ADD_ROOMS, [_row(id=room, name=name) for room, name in lessons.rooms.items()])
            self.add(cypher.ADD_EXITS, list(_exits(lessons, number)))
            self.add(cypher.ADD_EARNED, list(_earned(lessons)))
            self.add(cypher.ADD_DEATHS, list(_deaths(lessons)))
            self.add(cypher.ADD_ROUTE, route)
        if self.log_is_long():
            self.checkpoint()

    def known(self) -> StoryExperience:
        """What all sessions together have taught."""
        [[sessions, score]], best = self.rows(cypher.SUMMARY), self.rows(cypher.BEST)
        found = StoryRows(
            sessions=sessions,
            score=score,
            best=best[0][:2] if best else ("", 0),
            route=[row[1:] for row in self.rows(cypher.ROUTE, id=best[0][0])] if best else [],
            rooms=self.rows(cypher.ROOMS),
            exits=self.rows(cypher.EXITS),
            earned=self.rows(cypher.EARNED),
            deaths=self.rows(cypher.DEATHS),
            reflections=self._reflections(),
        )
        return story_experience(found)

    def _reflections(self) -> list[str]:
        """What the last failures taught; the newest stands last."""
        newest = self.rows(cypher.REFLECTIONS, most=MOST_REFLECTIONS)
        sentences = [text for [texts] in reversed(newest) for text in texts]
        return list(dict.fromkeys(sentences))[-MOST_REFLECTIONS:]

    def _is_best(self, lessons: SessionLessons) -> bool:
        """Whether no other session has earned more, or as much with fewer actions."""
        best = self.rows(cypher.BEST)
        if not best or best[0][0] == lessons.session:
            return True
        _, points, stages = best[0]
        return (lessons.points, -len(lessons.route)) > (points, -stages)


def _exits(lessons: SessionLessons, number: int) -> Iterator[Row]:
    for (room, way), arrives in lessons.exits:
        yield _row(room=room, way=way, arrives=arrives, number=number)


def _earned(lessons: SessionLessons) -> Iterator[Row]:
    for (room, action), points in lessons.earned:
        yield _row(session=lessons.session, room=room, action=action, points=points)


def _deaths(lessons: SessionLessons) -> Iterator[Row]:
    for (room, action), dark, times in lessons.deaths:
        yield _row(session=lessons.session, room=room, action=action, dark=dark, times=times)


def _route(lessons: SessionLessons) -> Iterator[Row]:
    for position, move in enumerate(lessons.route):
        place = {"session": lessons.session, "steps": lessons.steps, "position": position}
        yield _row(**place, room=move.room, action=move.action, arrives=move.arrives)


def _row(**values: object) -> Row:
    return {name: storable(value) for name, value in values.items()}
