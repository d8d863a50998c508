"""What the client and its child say to each other survives the wire."""

import pytest

from services.game.emulator.protocol import (
    ActionsFound,
    Answer,
    Begin,
    Load,
    Loaded,
    MoveReplayed,
    MovesReplayed,
    ObservedObject,
    Play,
    Played,
    ReplayMoves,
    Request,
    RestoreSnapshot,
    SearchActions,
    SnapshotRejected,
    SnapshotTaken,
    Stay,
    TakeSnapshot,
    answer_in,
    encoded,
    request_in,
)

PLAYED = Played(
    observation='He says: "Grüße".\n\nTaken.',
    room_id="12",
    room_name="Hall",
    inventory=(ObservedObject(5, "lamp"), ObservedObject(6, "coin", 5)),
    objects=None,
    score=-5,
    max_score=None,
    moves=3,
    world="0123456789abcdef",
    changed=True,
    done=False,
    victory=False,
)
REQUESTS: list[Request] = [
    Load("/a b.z5", 7),
    Begin(),
    Play('say "a\\b\u2028"'),
    Stay("[No.]"),
    SearchActions(("north", "take lamp"), 12, 40, 0.1),
    ReplayMoves((Play("look"), Stay("[No.]"))),
    TakeSnapshot(),
    RestoreSnapshot("text"),
]
ANSWERS: list[Answer] = [
    Loaded(True, 350),
    ActionsFound((), 0, True),
    ActionsFound(("north", "take lamp"), 80, False),
    PLAYED,
    MovesReplayed((MoveReplayed("0123", "Grüße\n", None, False),)),
    SnapshotTaken("text"),
    SnapshotRejected("broken"),
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_arrives_as_it_was_sent_in_one_line(request_: Request) -> None:
    line = encoded(request_)

    assert line.count(b"\n") == 1
    assert request_in(line) == request_


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_arrives_as_it_was_sent_in_one_line(answer: Answer) -> None:
    line = encoded(answer)

    assert line.count(b"\n") == 1
    assert answer_in(line) == answer
