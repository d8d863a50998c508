"""Texts and names from stories, models, messages and users: none steers a terminal, a subject or a path."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
import structlog
from rich.console import Console

from folds.text.reader import TextReader
from lantern.commands.mesh.status import _table
from lantern.commands.playing.outcome import outcome_text
from lantern.commands.sessions.listing import summary_line
from lantern.error_output import print_error
from lantern.play.session_options import default_session
from lantern.play.summary import Summary
from lantern.views.live.live_view import LiveView
from lantern.views.live.view_state import PanelKind
from lantern.views.text_view import lines_of
from mesh.errors import NameRefused
from mesh.log import log_to
from mesh.nats.subjects import checked_cell, checked_service, checked_session
from mesh.printable import one_line, printable
from schemas.actor import ActionProposed, Mind
from schemas.base import Message
from schemas.critic import ActionJudged, Decision
from schemas.fragment import FragmentGiven, Section
from schemas.game import EndReason, Room, SessionEnded, SessionStarted, StepTaken
from schemas.language_model import ModelAsked
from schemas.mesh import ServiceAlive
from tests.support.scenes.moment_builders import said

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\u2066\r\b\x00[red]x[/red]\n[99] Forged Room"

EVIL_MESSAGES: tuple[Message, ...] = (
    SessionStarted(
        step=0, game=EVIL, story_md5="0" * 32, story_suffix=".z5", policy="random", seed=1, steps=1
    ),
    StepTaken(step=1, action=EVIL, observation=EVIL, room=Room(id=EVIL, name=EVIL)),
    FragmentGiven(step=1, sections=(Section(name="x", text=EVIL),)),
    FragmentGiven(step=1, suggestions=(EVIL,)),
    ActionProposed(
        step=1,
        action=EVIL,
        policy="random",
        reason=EVIL,
        notices=(EVIL,),
        mind=Mind(objective=EVIL, heading=EVIL, advice=(EVIL,)),
        degraded=EVIL,
    ),
    FragmentGiven(step=1, degraded=EVIL),
    ModelAsked(step=1, model=EVIL, prompt_sha256="0" * 64, prompt=EVIL, reply="", error=EVIL),
    ActionJudged(
        step=1, action=EVIL, proposed=EVIL, decision=Decision.SUBSTITUTE, score=0, reason=EVIL, by="critic"
    ),
    ActionJudged(
        step=1, action=EVIL, proposed=EVIL, decision=Decision.APPROVE, score=0, reason=EVIL, by="game"
    ),
    SessionEnded(step=1, reason=EndReason.FAILED, detail=EVIL),
)


def harmless(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text)


def test_what_is_printable_has_no_signs_but_line_ends() -> None:
    assert harmless(printable(EVIL + "\udc80"))
    assert printable("Größe – 日本\nzwei") == "Größe – 日本\nzwei"
    assert "\n" not in one_line(EVIL)


@pytest.mark.parametrize("message", EVIL_MESSAGES, ids=lambda message: message.kind)
def test_no_message_steers_the_terminal_or_forges_a_line(message: Message) -> None:
    lines = lines_of(said(message, "hint"), TextReader())

    assert all(harmless(line) and "\n" not in line for line in lines)
    if not isinstance(message, StepTaken):  # a story may print what it likes, line by line
        assert not any(line.startswith("[99]") for line in lines)


@pytest.mark.parametrize("panel", PanelKind)
@pytest.mark.parametrize("until", range(2, len(EVIL_MESSAGES) + 1))
def test_the_live_view_draws_no_sign_of_a_message(until: int, panel: PanelKind) -> None:
    console = Console(file=io.StringIO(), width=100, height=40, color_system=None)
    view = LiveView(console=console)
    view.state.panel = panel
    for message in EVIL_MESSAGES[:until]:
        view.show_message(said(message, "hint"))

    console.print(view.picture())

    assert isinstance(console.file, io.StringIO)
    assert harmless(console.file.getvalue())
    assert "[red]" in console.file.getvalue()


def test_a_summary_is_its_own_lines_and_no_more() -> None:
    summary = Summary("s1")
    for message in EVIL_MESSAGES:
        summary.after(said(message, "hint"))

    assert harmless(outcome_text(summary) + summary_line(summary))
    assert (outcome_text(summary).count("\n"), summary_line(summary).count("\n")) == (
        1 + len(summary.lines()),
        0,
    )
    assert all(line.isprintable() for line in summary.lines())


def test_the_table_of_live_services_is_not_steered_by_who_says_to_be_there() -> None:
    alive = ServiceAlive(name="x", version=EVIL, instance=EVIL, cell="main", scope=EVIL, time=NOW)
    console = Console(file=io.StringIO(), width=400, color_system=None)

    console.print(_table([alive]))

    assert isinstance(console.file, io.StringIO)
    assert harmless(console.file.getvalue())
    assert "[red]" in console.file.getvalue()
    assert len(console.file.getvalue().splitlines()) == 2


@pytest.mark.parametrize("json", [True, False])
def test_a_log_line_is_one_line_whatever_it_quotes(json: bool) -> None:
    stream = io.StringIO()
    log_to(stream, json=json)
    try:
        structlog.get_logger().warning("something", subject=EVIL, several=(EVIL,), error=EVIL)
    finally:
        structlog.reset_defaults()

    assert harmless(stream.getvalue())
    assert stream.getvalue().count("\n") == 1


def test_a_log_for_people_quotes_an_exception_without_its_signs() -> None:
    stream = io.StringIO()
    log_to(stream, json=False)
    try:
        try:
            raise ValueError(EVIL)
        except ValueError:
            structlog.get_logger().exception("something")
    finally:
        structlog.reset_defaults()

    assert harmless(stream.getvalue())
    assert "ValueError" in stream.getvalue()


def test_an_error_is_one_harmless_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_error(f"There is no {EVIL}.", 2) == 2

    said = capsys.readouterr().err
    assert harmless(said)
    assert said.count("\n") == 1


NAMES = [
    "", ".", "..", "a.b", "*", ">", "a*", "a b", "a\n", "\n", "a\r\nPUB x 0\r\n\r\n", "\x1b[31m", "../x",
    "/x", "ä", "日本", "a" * 65, "a\x00", "-a", "ask", "dead", "live",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_no_such_name_gets_into_a_subject_or_a_path(name: str) -> None:
    with pytest.raises(NameRefused) as refused:
        checked_session(name)
    assert harmless(one_line(str(refused.value)))
    if name not in ("ask", "dead", "live"):
        for check in (checked_cell, checked_service):
            with pytest.raises(NameRefused):
                check(name)


@pytest.mark.parametrize("story", [*NAMES, "../../etc/passwd", f"{EVIL}.z5", "Zork I (1980).z3"], ids=repr)
def test_whatever_a_story_is_called_its_session_has_a_fit_id(story: str) -> None:
    session = default_session(story, "2026-01-01T00:00:00")

    assert checked_session(session) == session
