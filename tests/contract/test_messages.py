"""What every message of the catalogue promises."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mesh.nats.codec import Undecodable, UnknownVersion, decode, encode, envelope_address, trace_id
from mesh.nats.subjects import address_of, subject_of
from schemas.actor import ActionProposed, ControlsTaken
from schemas.base import Kind, Message
from schemas.catalogue import CATALOGUE, MESSAGE_OF, PARTIES, RECORDED, CatalogueEntry, summary_of
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope, ServiceRef
from schemas.fragment import FragmentGiven, Section
from schemas.game import EndReason, Room, SessionEnded, SessionStarted, StepTaken, Thing, ValidActions
from schemas.generation.generate import breaking, generated
from schemas.generation.json_schema import breaking_changes, wire_schema
from schemas.language_model import ModelAsked
from schemas.lookahead import ActionRisk, LookedAhead
from schemas.mesh import OfferMessage

EXAMPLES: tuple[Message, ...] = (
    SessionStarted(
        step=0, game="g", story_md5="0" * 32, story_suffix=".z5", policy="random", seed=1, steps=5
    ),
    StepTaken(
        step=1,
        action="take lamp",
        observation="Taken.",
        room=Room(id="4", name="Shed"),
        inventory=(Thing(id=7, name="lamp"),),
        objects=(),
        valid_actions=ValidActions(actions=("north",), complete=True, tried=12),
    ),
    FragmentGiven(step=1, sections=(Section(name="hints", text="go north"),), suggestions=("north",)),
    ActionProposed(step=1, action="north", policy="random", reason="chance"),
    ActionJudged(
        step=1,
        action="south",
        proposed="north",
        decision=Decision.SUBSTITUTE,
        score=-1,
        reason="blocked",
        by="critic",
    ),
    ModelAsked(step=1, model="m", prompt_sha256="0" * 64, prompt="p", reply="r"),
    SessionEnded(step=5, reason=EndReason.BUDGET),
    ControlsTaken(step=1, by_hand=True),
    LookedAhead(step=1, origin=1, probes=60, spent=60, risks=(ActionRisk(action="jump", tries=6, deaths=4),)),
)


def in_envelope(message: Message, **fields: Any) -> Envelope:
    told: dict[str, Any] = {
        "version": message.version,
        "kind": message.kind,
        "cell": "main",
        "session": "s1",
        "step": message.step,
        "service": ServiceRef(name="tester", version="1.0.0", instance="a"),
        "time": datetime(2026, 1, 1, tzinfo=UTC),
        "trace_id": trace_id("s1", message.step),
        "body": message,
    }
    return Envelope(**{**told, **fields})


def on_the_wire(message: Message, **changes: Any) -> tuple[str, bytes]:
    envelope = in_envelope(message)
    raw = {**json.loads(encode(envelope)), **changes}
    return subject_of(envelope_address(envelope)), json.dumps(raw).encode()


def test_there_is_an_example_of_each_recorded_message() -> None:
    assert {type(message) for message in EXAMPLES} == set(RECORDED)
    assert set(MESSAGE_OF) == set(Kind)


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda m: type(m).__name__)
def test_a_message_comes_off_the_wire_as_it_went_on(message: Message) -> None:
    subject, data = on_the_wire(message)

    assert decode(subject, data) == in_envelope(message)


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda m: type(m).__name__)
def test_a_message_on_the_wire_fits_its_json_schema(message: Message) -> None:
    [entry] = [entry for entry in CATALOGUE if entry.message is type(message)]

    jsonschema.validate(json.loads(on_the_wire(message)[1]), wire_schema(entry))


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda m: type(m).__name__)
def test_an_unknown_field_and_a_newer_minor_version_are_ignored(message: Message) -> None:
    subject, data = on_the_wire(message, version="1.9", surprise=True)
    raw = json.loads(data)
    raw["body"]["surprise"] = [1, 2]

    assert decode(subject, json.dumps(raw).encode()).body == message


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda m: type(m).__name__)
def test_an_unknown_major_version_is_refused_by_name(message: Message) -> None:
    subject, data = on_the_wire(message, version="2.0")

    with pytest.raises(UnknownVersion, match=r"version 2\.0, but this code reads 1\.x"):
        decode(subject, data)


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda m: type(m).__name__)
def test_a_message_is_frozen(message: Message) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        message.step = 9  # type: ignore[misc]


@pytest.mark.parametrize("change", [{"session": "s2"}, {"cell": "other"}, {"step": 2}, {"kind": "verdict"}])
def test_a_message_on_a_subject_that_is_not_its_own_is_refused(change: dict[str, Any]) -> None:
    subject, data = on_the_wire(EXAMPLES[3], **change)

    with pytest.raises(Undecodable):
        decode(subject, data)


@given(st.binary(max_size=200))
def test_no_bytes_whatever_do_worse_than_be_refused(data: bytes) -> None:
    with pytest.raises(Undecodable):
        decode("lantern.main.s1.step.1", data)


@given(st.text(max_size=40))
def test_no_subject_whatever_does_worse_than_be_no_place(subject: str) -> None:
    place = address_of(subject)

    assert place is None or subject_of(place) == subject


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda e: e.message.__name__)
def test_the_docstring_of_a_message_says_what_happened_who_says_it_and_who_listens(
    entry: CatalogueEntry,
) -> None:
    known = {*PARTIES, "every service"}

    assert summary_of(entry.message).endswith((".", "`."))
    assert set(entry.publishers) <= known
    assert set(entry.consumers) <= known
    assert entry.consumers
    assert entry.publishers or entry.message in (ModelAsked, OfferMessage)


def test_what_is_generated_is_up_to_date() -> None:
    stale = [path.name for path, text in generated().items() if path.read_text() != text]

    assert stale == [], "run `make generate`"
    assert breaking() == []


STEP_ENTRY = next(entry for entry in CATALOGUE if entry.message is StepTaken)


def test_adding_a_field_with_a_default_breaks_nobody() -> None:
    old, new = wire_schema(STEP_ENTRY), wire_schema(STEP_ENTRY)
    new["$defs"]["StepTaken"]["properties"]["weather"] = {"type": "string", "default": ""}

    assert breaking_changes(old, new) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda step: step["properties"].pop("reward"), "StepTaken.reward is gone"),
        (lambda step: step["properties"]["reward"].update(type="string"), "means something else"),
        (lambda step: step["required"].append("reward"), "StepTaken.reward is now required"),
    ],
)
def test_a_change_that_breaks_readers_or_writers_is_named(change: Any, told: str) -> None:
    old, new = wire_schema(STEP_ENTRY), wire_schema(STEP_ENTRY)
    change(new["$defs"]["StepTaken"])

    assert any(told in fault for fault in breaking_changes(old, new))
