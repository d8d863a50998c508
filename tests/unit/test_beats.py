"""Which messages a replayed service is given in a beat, in which order, and what can be compared."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from mesh.replay.step_windows import as_the_actor_had_it, could_have_said, in_order, step_windows_in
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope, ServiceRef
from schemas.fragment import FragmentGiven
from schemas.game import EndReason, SessionEnded, SessionStarted, StepTaken
from schemas.language_model import ModelAsked


def said(service: str, body: Message) -> Envelope:
    return Envelope(
        version=body.version,
        kind=body.kind,
        cell="c",
        session="s",
        step=body.step,
        service=ServiceRef(name=service, version="1.0.0", instance="1"),
        time=datetime(2026, 1, 1, tzinfo=UTC),
        trace_id="0" * 32,
        body=body,
    )


def a_start(step: int = 0, *, resumed: bool = False) -> Envelope:
    told: dict[str, Any] = {"game": "g", "story_md5": "0" * 32, "story_suffix": ".z5", "policy": "random"}
    return said("game", SessionStarted(step=step, seed=1, steps=9, resumed=resumed, **told))


def a_step(step: int) -> Envelope:
    return said("game", StepTaken(step=step, action=None, observation=""))


def a_fragment(step: int, service: str) -> Envelope:
    return said(service, FragmentGiven(step=step))


def a_proposal(step: int, had: tuple[str, ...] = (), missing: tuple[str, ...] = ()) -> Envelope:
    body = ActionProposed(
        step=step, action="look", policy="random", reason="", fragments=had, missing=missing
    )
    return said("actor", body)


def a_verdict(step: int, by: str = "critic") -> Envelope:
    body = ActionJudged(
        step=step, action="look", proposed="look", decision=Decision.APPROVE, score=0, reason="", by=by
    )
    return said(by, body)


def an_end(step: int, reason: EndReason = EndReason.BUDGET) -> Envelope:
    return said("game", SessionEnded(step=step, reason=reason))


def a_reply(step: int) -> Envelope:
    return said("hint", ModelAsked(step=step, model="m", prompt_sha256="0" * 64, prompt="", reply=""))


def names(messages: Iterable[Envelope]) -> list[str]:
    return [f"{message.kind} {message.step} {message.service.name}" for message in messages]


def test_a_beat_lasts_from_a_step_to_the_next_and_the_start_belongs_to_the_first() -> None:
    messages = [a_start(), a_step(0), a_proposal(0), a_step(1), a_fragment(0, "hint"), an_end(1)]

    beats = step_windows_in(messages)

    assert [beat.number for beat in beats] == [0, 1]
    assert names(beats[0].messages) == ["started 0 game", "step 0 game", "proposal 0 actor"]
    assert names(beats[0].fragments) == ["fragment 0 hint"], "it is about step 0, though it came later"
    assert names(beats[1].messages) == ["step 1 game", "fragment 0 hint", "ended 1 game"]


def test_a_record_without_a_step_is_one_beat_and_one_without_messages_none() -> None:
    failed = [a_start(), an_end(0, EndReason.FAILED)]

    assert [names(beat.messages) for beat in step_windows_in(failed)] == [["started 0 game", "ended 0 game"]]
    assert step_windows_in([]) == []


def test_what_a_model_replied_comes_before_the_step() -> None:
    (beat,) = step_windows_in([a_start(), a_step(0), a_reply(0), a_fragment(0, "hint")])

    assert names(in_order(beat)) == ["model 0 hint", "started 0 game", "step 0 game", "fragment 0 hint"]
    assert names(as_the_actor_had_it(beat).first)[0] == "model 0 hint"


def test_the_actor_has_what_it_had_before_the_step_and_the_rest_afterwards() -> None:
    (beat,) = step_windows_in(
        [
            a_start(),
            a_step(0),
            a_fragment(0, "slow"),
            a_fragment(0, "hint"),
            a_fragment(0, "gone"),
            a_proposal(0, had=("hint",), missing=("slow", "mute")),
            a_verdict(0),
        ]
    )

    course = as_the_actor_had_it(beat)

    assert names(course.first) == ["started 0 game", "fragment 0 hint", "step 0 game"]
    assert names(course.then) == [
        "fragment 0 slow",
        "fragment 0 gone",
        "proposal 0 actor",
        "verdict 0 critic",
    ]
    assert beat.live == {"hint", "slow", "mute"}


def test_a_service_that_was_late_before_is_known_by_then_if_it_came_before_the_proposal() -> None:
    proposals = a_proposal(0, missing=("a", "b")), a_proposal(1, had=("a",), missing=("b",))
    late = a_fragment(0, "a"), a_fragment(0, "b")
    beat = step_windows_in([a_step(0), proposals[0], a_step(1), late[0], proposals[1], late[1]])[1]

    course = as_the_actor_had_it(beat)

    assert names(course.first) == ["fragment 0 a", "step 1 game"]
    assert names(course.then) == ["proposal 1 actor", "fragment 0 b"]


def test_a_resume_comes_after_the_step_that_it_goes_on_from() -> None:
    messages = [a_start(), a_step(0), an_end(0), a_start(0, resumed=True), a_proposal(0)]
    (beat,) = step_windows_in(messages)

    assert names(as_the_actor_had_it(beat).first) == ["started 0 game", "step 0 game"]
    assert names(as_the_actor_had_it(beat).then) == ["ended 0 game", "started 0 game", "proposal 0 actor"]


def test_a_word_too_many_counts_where_its_service_was_there_and_had_time() -> None:
    went_on, broke_off = step_windows_in(
        [a_step(0), a_proposal(0, missing=("slow",)), a_verdict(0, "game"), a_step(1)]
    )
    (spent,) = step_windows_in([a_step(2), an_end(2)])

    assert could_have_said(went_on, "slow", Kind.FRAGMENT)
    assert not could_have_said(went_on, "absent", Kind.FRAGMENT)
    assert not could_have_said(went_on, "critic", Kind.VERDICT), "the game has judged"
    assert not could_have_said(broke_off, "actor", Kind.PROPOSAL)
    assert could_have_said(spent, "actor", Kind.PROPOSAL)
