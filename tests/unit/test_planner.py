"""How the planner follows a session, and what it and the critic make of what is ahead."""

from __future__ import annotations

import pytest

from schemas.critic import Decision
from schemas.lookahead import ActionRisk, LookedAhead
from schemas.sources import TextKind
from services.critic.logic import judge
from services.critic.state import CriticState
from services.planner.logic import PositionHistory, fragment_of
from tests.support.scenes.builders import a_proposal, a_session, a_step, folded

LANTERN = TextKind.LANTERN


def found(
    *, step: int = 3, origin: int = 3, points: int = 0, actions: tuple[str, ...] = (), **risks: int
) -> LookedAhead:
    """`risks`: the deaths in six tries, by action."""
    return LookedAhead(
        step=step,
        origin=origin,
        probes=500,
        spent=520,
        points=points,
        actions=actions,
        risks=tuple(ActionRisk(action=action, tries=6, deaths=deaths) for action, deaths in risks.items()),
    )


def test_the_moves_lead_from_the_opening_to_the_position() -> None:
    route = folded(PositionHistory(), (a_step(0), a_step(1, "north"), a_step(2, "take lamp")))

    assert route.moves() == ("north", "take lamp")
    assert route.after(a_step(2, "take lamp")).moves() == ("north", "take lamp")


def test_what_the_game_did_not_execute_is_no_move() -> None:
    route = folded(PositionHistory(), (a_step(0), a_step(1, "help", kind=LANTERN), a_step(2, "north")))

    assert route.moves() == ("north",)


def test_another_episode_begins_at_the_opening() -> None:
    steps = (
        a_step(0),
        a_step(1, "jump", done=True),
        a_step(2, "restart", episode=2),
        a_step(3, "up", episode=2),
    )

    assert folded(PositionHistory(), steps).moves() == ("up",)


def test_undo_and_restore_lead_back() -> None:
    undone = (a_step(0), a_step(1, "north"), a_step(2, "east"), a_step(3, "undo", kind=LANTERN))
    saved = (a_step(0), a_step(1, "north"), a_step(2, "save", kind=LANTERN), a_step(3, "east"))

    assert folded(PositionHistory(), undone).moves() == ("north",)
    assert folded(PositionHistory(), (*saved, a_step(4, "restore", kind=LANTERN))).moves() == ("north",)
    assert folded(PositionHistory(), (*saved, a_step(4, "restore 0", kind=LANTERN))).moves() == ()
    assert folded(PositionHistory(), (*saved, a_step(4, "restore 9", kind=LANTERN))).moves() == (
        "north",
        "east",
    )


def test_the_fragment_tells_points_and_risks_and_suggests_the_first_action() -> None:
    told = fragment_of(found(points=8, actions=("open chest", "take lens"), jump=6, fight=2))

    assert told.sections[0].text == (
        "From here, in 500 probes:\n"
        "- this earned 8 points: open chest; take lens\n"
        "- jump: in 6 of 6 tries this killed\n"
        "- fight: in 2 of 6 tries this killed"
    )
    assert told.suggestions == ("open chest",)


def test_what_comes_late_names_its_position_and_suggests_nothing() -> None:
    told = fragment_of(found(step=5, origin=3, points=1, actions=("east",)))

    assert told.sections[0].text.startswith(
        "From the position after step 3, in 500 probes:\n- this earned 1 point:"
    )
    assert told.suggestions == ()
    assert fragment_of(None).sections == ()


def test_the_critic_substitutes_what_mostly_kills_by_something_that_does_not() -> None:
    state = folded(CriticState.opening(a_session()), (a_step(0, valid=["jump", "fight", "north"]),))
    ahead = found(jump=6, fight=2)

    refused = judge(a_proposal("jump"), state, ahead)
    doubtful = judge(a_proposal("fight"), state, ahead)

    assert (refused.decision, refused.action) == (Decision.SUBSTITUTE, "north")
    assert refused.reason.startswith("in 6 of 6 tries this killed")
    assert (doubtful.decision, doubtful.score) == (Decision.APPROVE, -0.5)


@pytest.mark.parametrize("ahead", [None, found()])
def test_the_critic_judges_by_its_own_rules_where_nothing_is_known_to_kill(ahead: LookedAhead | None) -> None:
    state = folded(CriticState.opening(a_session()), (a_step(0, valid=["jump"]),))

    assert judge(a_proposal("jump"), state, ahead).score == 1.0
