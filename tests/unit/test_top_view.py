"""What `lantern top` makes of what it sees."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

from rich.console import Console

from lantern.views.cell_activity import SILENT_FOR, UNDER_WAY, CellActivity
from lantern.views.top_view import drawn
from mesh.nats.codec import trace_id
from mesh.observability.cell_status import CellStatus
from schemas.base import Message
from schemas.envelope import Envelope, ServiceRef
from schemas.game import EndReason, SessionEnded
from schemas.mesh import ServiceAlive
from tests.support.scenes.builders import a_step

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def alive(seconds: float, name: str = "hint", **told: Any) -> ServiceAlive:
    return ServiceAlive.model_validate(
        {
            "name": name,
            "version": "1.0.0",
            "instance": f"{name}1",
            "cell": "main",
            "time": at(seconds),
            **told,
        }
    )


def a_look(*live: ServiceAlive) -> CellStatus:
    return CellStatus(live, messages=12, bytes=3_400_000)


def an_envelope(body: Message, seconds: float, session: str = "s") -> Envelope:
    return Envelope.model_construct(
        version="1.0",
        kind=body.kind,
        cell="main",
        session=session,
        step=body.step,
        service=ServiceRef(name="game", version="1.0.0", instance="g"),
        time=at(seconds),
        trace_id=trace_id(session, body.step),
        body=body,
    )


def shown(board: CellActivity, width: int = 160) -> str:
    console = Console(file=StringIO(), width=width)
    console.print(drawn(board))
    told: str = console.file.getvalue()  # type: ignore[attr-defined]
    return told


def test_a_rate_is_what_was_handled_between_two_looks() -> None:
    board = CellActivity("main", at(0))

    board.update(a_look(alive(0, handled=10)), at(0))
    assert [seen.rate for seen in board.services()] == [None]

    board.update(a_look(alive(2, handled=16)), at(2.1))
    assert [seen.rate for seen in board.services()] == [3.0]


def test_who_answers_no_more_is_silent_for_a_while_and_then_forgotten() -> None:
    board = CellActivity("main", at(0))
    board.update(a_look(alive(0), alive(0, "critic")), at(0))

    board.update(a_look(alive(5)), at(5))
    assert [line.split()[4:7] for line in shown(board).splitlines() if line.startswith("critic")] == [
        ["silent", "5", "s"]
    ]

    board.update(a_look(alive(6 + SILENT_FOR)), at(6 + SILENT_FOR))
    assert [seen.alive.name for seen in board.services()] == ["hint"]


def test_who_took_its_leave_is_not_missed() -> None:
    board = CellActivity("main", at(0))
    board.update(a_look(alive(0)), at(0))
    board.add_heartbeat(alive(1, state="draining"))
    board.update(a_look(), at(2))

    assert board.services() == []
    assert "nobody is live" in shown(board)


def test_while_nats_is_away_the_last_known_stays_and_it_is_said() -> None:
    board = CellActivity("main", at(0))
    board.update(a_look(alive(0)), at(0))
    board.update(None, at(3))

    assert "NATS is away" in shown(board)
    assert "silent 3 s" in shown(board)
    assert "12 messages, 3.4 MB" in shown(board)


def test_a_session_is_shown_with_its_pace_until_it_ends_or_stands_still() -> None:
    board = CellActivity("main", at(0))
    for number in range(20):
        board.add_message(an_envelope(a_step(number, score=7), number / 2))
        board.add_message(an_envelope(a_step(number, score=None), number / 2, session="other"))
    board.update(a_look(), at(10))

    told = board.as_json()["sessions"]
    assert told == [
        {"session": "other", "step": 19, "score": None, "steps_per_second": 2.0},
        {"session": "s", "step": 19, "score": 7, "steps_per_second": 2.0},
    ]

    board.add_message(an_envelope(SessionEnded(step=19, reason=EndReason.BUDGET), 10))
    assert [session["session"] for session in board.as_json()["sessions"]] == ["other"]
    board.update(a_look(), at(10 + UNDER_WAY))
    assert board.as_json()["sessions"] == []


def test_what_services_tell_of_themselves_cannot_steer_a_terminal() -> None:
    board = CellActivity("main", at(0))
    ill = alive(0, version="1\x1b[2J", healthy=False, problems=("[red]stuck\x1b]0;title\x07",))
    board.update(a_look(ill), at(0))

    assert "\x1b" not in shown(board)
    assert "\x07" not in shown(board)
    assert "hint hint1: [red]stuck" in shown(board)


def test_a_terminal_of_80_columns_shows_every_service_on_a_line_that_is_not_cut() -> None:
    board = CellActivity("main", at(0))
    names = ("memory", "narrator", "npc_tracker", "critic")
    scope = "zork1-20261122-204717-992c"
    told = {"scope": scope, "handled": 123456, "seconds_p50": 0.0123, "seconds_p99": 1.5}
    board.update(a_look(*(alive(0, name, **told) for name in names), alive(0, "game", healthy=False)), at(0))

    lines = shown(board, 80).splitlines()

    assert max(map(len, lines)) <= 80
    rows = {line.split()[0]: line.split() for line in lines if line.split()[:1] and line.split()[0] in names}
    assert set(rows) == set(names)
    assert rows["memory"][1:3] == ["zork1-20261122-…", "ready"]
    assert rows["memory"][-2] == "1500.0"
    assert any(line.startswith("game ") and " ill " in line for line in lines)
    assert "123456" in shown(board, 160)


def test_latencies_are_told_in_milliseconds_and_not_where_there_are_none() -> None:
    board = CellActivity("main", at(0))
    board.update(a_look(alive(0, seconds_p50=0.0123, seconds_p99=1.5), alive(0, "critic")), at(0))

    rows = {line.split()[0]: line.split() for line in shown(board).splitlines() if "1.0.0" in line}
    assert rows["hint"][-3:-1] == ["12.3", "1500.0"]
    assert rows["critic"][-3:-1] == ["-", "-"]
