"""What the page is told of a session: a row for each step, and the map as it grew."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from lantern.web.api.session_list import POINTS, ScoreCurve, thinned
from lantern.web.feed.glimpses import step_in
from lantern.web.feed.map_timeline import MapTimeline
from lantern.web.feed.marks import Mark
from lantern.web.feed.session_timeline import TEXTS, SessionTimeline
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged, Decision
from schemas.game import StepTaken
from tests.support.scenes.builders import a_proposal, a_step, a_text_step, folded


def a_verdict(step: int, decision: Decision, by: str = "critic") -> ActionJudged:
    return ActionJudged(
        step=step, action="look", proposed="wait", decision=decision, score=0, reason="", by=by
    )


def marks_of(timeline: SessionTimeline, step: int) -> set[Mark]:
    return {*timeline.rows[step].marks}


def test_a_step_is_marked_by_what_the_game_the_actor_and_the_critic_say_of_it() -> None:
    timeline = SessionTimeline()
    timeline.after(a_step(0)).after(a_step(1, "take gold", score=5, reward=5))
    timeline.after(a_step(2, "jump", score=5, done=True))
    timeline.after(a_proposal("look", step=0).model_copy(update={"notices": ("note: stuck",)}))
    timeline.after(a_proposal("look", step=1).model_copy(update={"missing": ("hint",)}))
    timeline.after(a_verdict(0, Decision.SUBSTITUTE)).after(a_verdict(2, Decision.APPROVE, by="game"))

    assert marks_of(timeline, 0) == {Mark.STUCK, Mark.SUBSTITUTED}
    assert marks_of(timeline, 1) == {Mark.POINTS, Mark.DEGRADED}
    assert marks_of(timeline, 2) == {Mark.DEATH, Mark.DEGRADED}


def test_messages_may_come_before_their_step_and_twice() -> None:
    timeline = SessionTimeline().after(a_verdict(1, Decision.SUBSTITUTE)).after(a_step(0))
    for _ in range(2):
        timeline.after(a_step(1, "wait"))

    assert marks_of(timeline, 1) == {Mark.SUBSTITUTED}
    assert [row.step for row in timeline.drain()] == [0, 1]
    assert timeline.after(a_step(1, "wait")).drain() == []


def test_what_was_typed_by_hand_is_marked() -> None:
    typed = ActionProposed(step=0, action="look", policy="human", reason="typed")

    assert marks_of(SessionTimeline().after(a_step(0)).after(typed), 0) == {Mark.HUMAN}


def test_the_score_of_a_text_only_session_is_what_its_texts_have_announced() -> None:
    steps = [
        a_text_step(0, None, "Hall\nA hall."),
        a_text_step(1, "take gold", "Taken.\n[Your score has just gone up by three points.]"),
        a_text_step(2, "look", "Hall\nA hall."),
    ]

    assert [row.score for row in folded(SessionTimeline(), steps).since(0)] == [0, 3, 3]


def glimpsed(steps: list[StepTaken]) -> SessionTimeline:
    timeline = SessionTimeline()
    for step in steps:
        envelope = {"kind": "step", "body": step.model_dump(mode="json")}
        glimpse = step_in(msgspec.json.encode(envelope))
        assert glimpse is not None
        timeline.glance(glimpse)
    return timeline


def test_a_glimpse_of_each_step_shows_the_same_rows_as_the_step_itself() -> None:
    steps = [*a_walk(), a_step(5, "jump", room="Hall", score=3, reward=3, done=True)]
    timeline = glimpsed(steps)
    shown = timeline.drain()

    assert shown == folded(SessionTimeline(), steps).since(0)
    assert folded(timeline, steps).drain() == [], "nothing is told twice"
    assert timeline.map.whole() == folded(SessionTimeline(), steps).map.whole()


def test_what_only_a_text_tells_comes_after_the_glimpse() -> None:
    steps = [
        a_text_step(0, None, "Hall\nA hall."),
        a_text_step(1, "take gold", "Taken.\n[Your score has just gone up by three points.]"),
    ]
    timeline = glimpsed(steps)
    assert [row.score for row in timeline.drain()] == [None, None]

    told = folded(timeline, steps).drain()
    assert [(row.score, row.name, row.marks) for row in told] == [(0, "Hall", []), (3, "Hall", [Mark.POINTS])]
    assert timeline.since(0) == folded(SessionTimeline(), steps).since(0)


def test_texts_of_long_ago_are_read_from_the_record() -> None:
    timeline = folded(SessionTimeline(), [a_step(number, "wait") for number in range(TEXTS + 10)])

    rows = timeline.since(0)
    assert rows[5].text is UNSET
    assert rows[-1].text == "Nothing happens."


def facts(timeline: MapTimeline, kind: str, at: int) -> set[tuple[Any, ...]]:
    return {
        (fact.room, fact.way, fact.end)
        for fact in timeline.whole()["facts"]
        if fact.kind == kind and fact.since <= at and (fact.until is None or fact.until > at)
    }


def a_walk() -> list[StepTaken]:
    return [
        a_step(0, room="Hall", seen=["lamp"], valid=["north", "take lamp"]),
        a_step(1, "take lamp", room="Hall", seen=[], held=["lamp"], valid=["north"]),
        a_step(2, "north", room="Attic", valid=["south"], changed=True),
        a_step(3, "east", room="Attic", valid=["south"], text="You can't go that way."),
        a_step(4, "south", room="Hall", valid=["north"], changed=True),
    ]


def test_the_map_of_any_step_shows_what_was_known_then() -> None:
    timeline = folded(MapTimeline(), a_walk())

    assert facts(timeline, "unexplored", 1) == {("Hall", "north", "")}
    assert facts(timeline, "unexplored", 2) == set()
    assert facts(timeline, "exit", 2) == {("Hall", "north", "Attic")}
    assert facts(timeline, "presumed", 2) == {("Attic", "south", "Hall")}
    assert facts(timeline, "exit", 4) == {("Hall", "north", "Attic"), ("Attic", "south", "Hall")}
    assert facts(timeline, "presumed", 4) == set()
    assert facts(timeline, "blocked", 3) == {("Attic", "east", "")}
    assert facts(timeline, "thing", 0) == {("Hall", "lamp", "")}
    assert facts(timeline, "thing", 1) == set()


def test_only_what_has_changed_of_the_map_is_told_and_it_adds_up_to_the_whole() -> None:
    timeline, rooms, told = MapTimeline(), dict[str, Any](), dict[int, Any]()
    for step in a_walk():
        news = timeline.after(step).drain()
        for room in news["rooms"] if news else ():
            rooms[room.id] = room
        for fact in news["facts"] if news else ():
            told[fact.number] = fact

    assert timeline.drain() is None
    assert [*rooms.values()] == timeline.whole()["rooms"]
    assert [told[number] for number in sorted(told)] == timeline.whole()["facts"]
    assert (rooms["Attic"].x, rooms["Attic"].y) == (rooms["Hall"].x, rooms["Hall"].y - 1)


def test_a_curve_keeps_the_changes_of_the_score() -> None:
    curve = ScoreCurve()
    for step, score in enumerate([0, 0, 5, 5, 3]):
        curve.take(b'{"step": %d, "body": {"score": %d, "reward": 0}}' % (step, score))
    curve.take(b"no JSON")

    assert curve.changes == [(0, 0), (2, 5), (4, 3)]


def test_a_long_curve_is_thinned_to_what_can_be_seen() -> None:
    changes = [(step, step) for step in range(5000)]

    assert len(thinned(changes)) == POINTS
    assert (thinned(changes)[0], thinned(changes)[-1]) == (changes[0], changes[-1])
