"""Which messages a replayed service receives at a step, and which context a replayed actor."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from mesh.replay.replayed_record import ReplayedRecord
from mesh.replay.step_windows import could_have_published, in_order, step_windows_in
from mesh.runner.service import Session
from schemas.actor import ActionProposed, FragmentUsed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope, ServiceRef
from schemas.fragment import FragmentGiven, Section
from schemas.game import EndReason, SessionEnded, SessionStarted, StepTaken
from schemas.language_model import ModelAsked
from services.actor.context.recorded import RecordedContext
from services.actor.context.source import ActorContext


def said(service: str, body: Message, instance: str = "1") -> Envelope:
    return Envelope(
        version=body.version,
        kind=body.kind,
        cell="c",
        session="s",
        step=body.step,
        service=ServiceRef(name=service, version="1.0.0", instance=instance),
        time=datetime(2026, 1, 1, tzinfo=UTC),
        trace_id="0" * 32,
        body=body,
    )


def a_start(step: int = 0, *, resumed: bool = False) -> Envelope:
    told: dict[str, Any] = {"game": "g", "story_md5": "0" * 32, "story_suffix": ".z5", "policy": "random"}
    return said("game", SessionStarted(step=step, seed=1, steps=9, resumed=resumed, **told))


def a_step(step: int) -> Envelope:
    return said("game", StepTaken(step=step, action=None, observation=""))


def a_fragment(step: int, service: str, text: str = "", instance: str = "1") -> Envelope:
    """What a service says about a step; without a text: "unchanged"."""
    sections = (Section(name="s", text=text),) if text else ()
    return said(service, FragmentGiven(step=step, sections=sections, unchanged=not text), instance)


def a_proposal(step: int, *, missing: tuple[str, ...] = (), **used: int) -> Envelope:
    """`used`: by service, the step of its fragment."""
    fragments = tuple(FragmentUsed(service=service, step=at) for service, at in used.items())
    body = ActionProposed(
        step=step, action="look", policy="random", reason="", fragments=fragments, missing=missing
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


def test_a_window_lasts_from_a_step_to_the_next_and_the_start_belongs_to_the_first() -> None:
    messages = [a_start(), a_step(0), a_proposal(0), a_step(1), a_fragment(0, "hint"), an_end(1)]

    windows = step_windows_in(messages)

    assert [window.number for window in windows] == [0, 1]
    assert names(windows[0].messages) == ["started 0 game", "step 0 game", "proposal 0 actor"]
    assert windows[0].step_messages.of(Kind.FRAGMENT), "it is about step 0, though it came later"
    assert names(windows[1].messages) == ["step 1 game", "fragment 0 hint", "ended 1 game"]


def test_a_record_without_a_step_is_one_window_and_one_without_messages_none() -> None:
    failed = [a_start(), an_end(0, EndReason.FAILED)]

    assert [names(window.messages) for window in step_windows_in(failed)] == [
        ["started 0 game", "ended 0 game"]
    ]
    assert step_windows_in([]) == []


def test_what_a_model_replied_comes_before_the_step() -> None:
    (window,) = step_windows_in([a_start(), a_step(0), a_reply(0), a_fragment(0, "hint")])

    assert names(in_order(window)) == ["model 0 hint", "started 0 game", "step 0 game", "fragment 0 hint"]


def test_a_message_too_many_counts_where_its_service_was_there_and_had_time() -> None:
    went_on, broke_off = step_windows_in(
        [a_step(0), a_proposal(0, missing=("slow",)), a_verdict(0, "game"), a_step(1), a_fragment(1, "slow")]
    )
    (spent,) = step_windows_in([a_step(2), an_end(2)])

    assert could_have_published(went_on, "slow", Kind.FRAGMENT)
    assert not could_have_published(went_on, "absent", Kind.FRAGMENT)
    assert not could_have_published(went_on, "critic", Kind.VERDICT), "the game has judged"
    assert not could_have_published(broke_off, "actor", Kind.PROPOSAL)
    assert could_have_published(spent, "actor", Kind.PROPOSAL)


def test_a_message_too_many_counts_only_where_an_instance_was_there_before_and_after() -> None:
    missing = ("slow", "gone", "back")
    windows = step_windows_in(
        [
            *(a_step(0), a_fragment(0, "slow"), a_fragment(0, "gone"), a_fragment(0, "back"), a_proposal(0)),
            *(a_step(1), a_proposal(1, missing=missing)),
            *(a_step(2), a_fragment(2, "slow"), a_fragment(2, "back", instance="2"), a_proposal(2)),
        ]
    )

    published = [name for name in missing if could_have_published(windows[1], name, Kind.FRAGMENT)]

    assert published == ["slow"]


def test_what_a_replayed_service_publishes_stands_in_the_place_of_what_was_recorded() -> None:
    then, other = a_fragment(0, "hint", "north"), a_fragment(0, "memory")
    record = ReplayedRecord([a_step(0), then, other, a_verdict(0, "game")], ["hint", "critic"])

    assert record.replacement_of(then) is None
    record.put(now := a_fragment(0, "hint", "south"))

    assert record.replacement_of(then) is now
    assert record.original(Kind.FRAGMENT, 0, "hint") is then
    assert record.replacement_of(other) is other
    assert record.replacement_of(reply := a_reply(0)) is reply, "a reply of a model is an input"


async def context_at(step: int, record: ReplayedRecord) -> ActorContext:
    start = a_start().body
    assert isinstance(start, SessionStarted)
    return await RecordedContext(record, "actor").context_for(Session("s", start, None), a_step(step))


def texts(context: ActorContext) -> dict[str, list[str]]:
    return {service: [s.text for s in given.sections] for service, given in context.fragments.items()}


RECORD = [
    a_step(0), a_fragment(0, "hint", "north"), a_fragment(0, "npc"), a_proposal(0, hint=0, npc=0),
    a_step(1), a_fragment(1, "hint"), a_fragment(1, "npc", "hello"),
    a_proposal(1, hint=0, npc=0, missing=("npc",)),
    a_step(2), a_fragment(2, "hint", "east"), a_proposal(2, hint=2, npc=1, missing=("deaf", "npc")),
]  # fmt: skip


async def test_the_recorded_context_is_what_the_proposal_names() -> None:
    record = ReplayedRecord(RECORD, ["actor"])

    contexts = [await context_at(step, record) for step in range(4)]

    assert [texts(context) for context in contexts] == [
        {"hint": ["north"], "npc": []},
        {"hint": ["north"], "npc": []},
        {"hint": ["east"], "npc": ["hello"]},
        {},
    ]
    assert [context.missing for context in contexts] == [(), ("npc",), ("deaf", "npc"), ()]
    assert [context.used for context in contexts[:3]] == [
        envelope.body.fragments for envelope in RECORD if isinstance(envelope.body, ActionProposed)
    ]


async def test_a_fragment_that_the_record_does_not_hold_is_missing() -> None:
    record = ReplayedRecord([a_step(0), a_proposal(0, hint=0)], ["actor"])

    assert await context_at(0, record) == ActorContext({}, ("hint",))


async def test_a_service_that_is_replayed_too_is_quoted_by_what_it_publishes_now() -> None:
    record = ReplayedRecord(RECORD, ["actor", "hint", "npc"])
    for now in (a_fragment(0, "hint", "up"), a_fragment(1, "hint", "down"), a_fragment(1, "npc", "bye")):
        record.put(now)

    assert texts(await context_at(1, record)) == {"hint": ["down"]}, "the actor had not had the other"
    assert texts(await context_at(2, record)) == {"hint": ["down"], "npc": ["bye"]}
    assert (await context_at(2, record)).missing == ("deaf", "hint", "npc"), "hint does not answer step 2 now"


async def test_what_a_sub_agent_would_have_said_before_it_joined_was_not_known() -> None:
    joined = [a_step(0), a_proposal(0), a_step(1), a_fragment(1, "hint"), a_proposal(1, hint=1)]
    record = ReplayedRecord(joined, ["actor", "hint"])
    record.put(a_fragment(0, "hint", "north"))
    record.put(a_fragment(1, "hint"))

    assert texts(await context_at(1, record)) == {"hint": []}
