"""What the live view draws, and what its keys do."""

from __future__ import annotations

import pytest

from lantern.views.live.frame import ViewStatus, frame
from lantern.views.live.keyboard import keys_in
from lantern.views.live.step_scene import SessionHistory
from lantern.views.live.view_state import PanelKind, ViewState
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged, Decision
from schemas.fragment import FragmentGiven, Section
from schemas.game import EndReason, SessionEnded, SessionPace
from schemas.language_model import ModelAsked
from tests.support.scenes.builders import a_session, a_step
from tests.support.scenes.moment_builders import said

SUB_AGENTS = ("memory", "narrator", "hint", "npc_tracker", "compass")
SIZES = ((80, 24), (100, 30), (120, 40), (200, 60), (40, 12), (20, 6), (10, 3))


def a_fragment(step: int, text: str = "There is a lamp.") -> FragmentGiven:
    return FragmentGiven(step=step, sections=(Section(name="told", text=text),))


def a_proposal(step: int) -> ActionProposed:
    return ActionProposed(step=step, action=f"action {step + 1}", policy="heuristic", reason="because")


def a_verdict(step: int) -> ActionJudged:
    action = f"action {step + 1}"
    return ActionJudged(
        step=step,
        action=action,
        proposed=action,
        decision=Decision.APPROVE,
        score=0,
        reason="so",
        by="critic",
    )


def history_of(steps: int, *, policy: str = "heuristic", text: str = "Nothing happens.") -> SessionHistory:
    history = SessionHistory()
    history.add(said(a_session(policy=policy, max_score=50), "game"))
    for number in range(steps):
        action = f"action {number}" if number else None
        history.add(said(a_step(number, action, text=text), "game"))
        for service in SUB_AGENTS:
            history.add(said(a_fragment(number, f"{service} tells of {number}"), service))
        history.add(said(a_proposal(number), "actor"))
        history.add(said(a_verdict(number), "critic"))
    return history


def state_of(history: SessionHistory, *, recorded: bool = False, cursor: int | None = None) -> ViewState:
    return ViewState(recorded, oldest=history.oldest, newest=history.newest, cursor=cursor)


def drawn(
    history: SessionHistory,
    state: ViewState,
    width: int = 80,
    height: int = 24,
    status: ViewStatus | None = None,
) -> list[str]:
    picture = frame(history, state, status or ViewStatus(), width, height)
    state.page, state.scroll = picture.page, picture.scroll
    return [line.plain for line in picture.lines]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("panel", PanelKind)
def test_a_picture_fills_the_terminal_and_no_more(width: int, height: int, panel: PanelKind) -> None:
    history = history_of(30, text="A long text with 日本 in it. " * 30)
    state = state_of(history)
    state.panel = panel

    picture = frame(history, state, ViewStatus(waited=3.0, notice="a notice " * 30), width, height)

    assert len(picture.lines) == height
    assert {line.cell_len for line in picture.lines} == {width}


@pytest.mark.parametrize(("width", "height"), SIZES[:4])
def test_every_sub_agent_the_actor_and_the_critic_are_seen(width: int, height: int) -> None:
    lines = drawn(history_of(3), state_of(history_of(3)), width, height)

    for service in SUB_AGENTS:
        assert any(f"{service} tells of 2" in " ".join(line.split()) for line in lines)
    assert any("actor" in line and "action 3" in line for line in lines)
    assert any("critic" in line and "approves action 3" in line for line in lines)


def test_a_small_terminal_names_those_that_it_has_no_room_for() -> None:
    lines = drawn(history_of(3), state_of(history_of(3)), 40, 12)

    assert any("more: Tab" in line for line in lines)
    assert any("approves action 3" in line for line in lines)


def test_a_wide_terminal_shows_the_map_and_the_last_actions() -> None:
    lines = drawn(history_of(20), state_of(history_of(20)), 200, 40)

    assert any("── map " in line for line in lines)
    assert any("── last actions " in line for line in lines)
    assert any("19  action 19" in line for line in lines)


def test_a_text_that_is_too_long_begins_with_its_action_and_is_scrolled_to_its_end() -> None:
    history = history_of(2, text="\n".join(f"line {number}" for number in range(40)))
    state = state_of(history)

    lines = drawn(history, state)
    assert lines[2].startswith("> action 1")
    assert "↑" in lines[1] and "↓" in lines[1] and "more lines" in lines[1]

    for _ in range(5):
        state.press("page down")
        lines = drawn(history, state)
    assert any("line 39" in line for line in lines)
    assert "↓" not in lines[1]


def test_what_is_read_stays_while_the_session_goes_on() -> None:
    history = history_of(5)
    state = state_of(history)
    state.press("up")
    before = drawn(history, state)

    history.add(said(a_step(5, "action 5", text="Something new."), "game"))
    state.newest = history.newest

    assert drawn(history, state)[1:10] == before[1:10]
    state.press("end")
    assert any("Something new." in line for line in drawn(history, state))


def test_a_model_that_is_asked_is_said_to_think_and_for_how_long() -> None:
    history = history_of(2, policy="reflact")
    history.add(said(ModelAsked(step=1, model="m", prompt_sha256="0" * 64, prompt="", reply=""), "hint"))
    history.add(said(a_step(2, "action 2"), "game"))

    def rows() -> str:
        return "\n".join(drawn(history, state_of(history), status=ViewStatus(waited=7.2)))

    assert "hint         thinking, 7 s" in rows()
    assert "thinking 7 s" in rows().splitlines()[0]
    for service in SUB_AGENTS:
        history.add(said(FragmentGiven(step=2, unchanged=True), service))
    assert "actor        thinking, 7 s" in rows()
    history.add(said(a_proposal(2), "actor"))
    assert "thinking" not in rows()


def test_space_pauses_and_the_full_stop_takes_as_many_steps_as_it_is_typed() -> None:
    state = ViewState(newest=5)

    assert state.press("space") == SessionPace(hold_after=5)
    assert state.held
    assert [state.press("."), state.press(".")] == [SessionPace(hold_after=6), SessionPace(hold_after=7)]
    state.newest = 7
    assert state.held
    assert state.press("space") == SessionPace()
    assert not state.held


def test_plus_and_minus_change_the_delay_and_end_at_full_speed() -> None:
    state = ViewState(newest=5)

    assert state.press("+") is None
    assert state.press("-") == SessionPace(delay=0.1)
    for _ in range(20):
        state.press("-")
    assert state.pace.delay == 10.0
    for _ in range(20):
        state.press("+")
    assert state.pace.delay == 0


def test_a_record_is_gone_through_forth_and_back() -> None:
    state = state_of(history_of(5), recorded=True, cursor=0)

    state.advance()
    assert (state.number, state.held) == (1, False)
    state.press("left")
    assert (state.number, state.held) == (0, True)
    state.press(".")
    assert not state.held
    state.advance()
    assert (state.number, state.held) == (1, True)
    state.press("end")
    assert state.number == 4
    state.advance()
    assert state.number == 4
    state.press("home")
    assert state.number == 0


def test_a_session_that_is_played_is_followed_again_from_its_newest_step() -> None:
    state = ViewState(newest=5)

    state.press("left")
    state.newest = 6
    assert state.number == 4
    state.press("right")
    state.press("right")
    assert state.cursor is None


def test_the_header_tells_whether_it_is_paused_stopping_or_over() -> None:
    history = history_of(3)
    state = state_of(history)

    assert drawn(history, state)[0].endswith("playing")
    state.press("space")
    assert drawn(history, state)[0].endswith("paused")
    assert drawn(history, state, status=ViewStatus(stopping=True))[0].endswith("stopping")
    history.add(said(SessionEnded(step=2, reason=EndReason.BUDGET), "game"))
    assert drawn(history, state)[0].endswith("ended: budget")


def test_a_history_keeps_its_newest_steps() -> None:
    history = SessionHistory(limit=10)
    for number in range(100):
        history.add(said(a_step(number, f"action {number}"), "game"))

    assert history.newest == 99
    assert 10 <= len(history.scenes) <= 20
    [scene] = history.until(99, 1)
    assert (scene.number, history.at(0)) == (99, history.scenes[0])


def test_keys_are_read_from_what_a_terminal_sends() -> None:
    assert keys_in(" .+\x1b[A\x1b[B\x1bOC\x1b[5~\x1b[1;5D\tq") == [
        *("space", ".", "+", "up", "down", "right", "page up", "left", "tab", "q")
    ]
    assert keys_in("\x1b\x1b[999z") == []
