"""What is left of a step in a text-only session, and what its end tells."""

from __future__ import annotations

import pytest

from schemas.game import MOST_SCORE_CHANGES, Room, Sources, StepTaken, Thing, ValidActions
from schemas.sources import Source, TextKind
from services.game.session.outcome import SessionOutcome
from services.game.session.text_only import redacted

FULL = StepTaken(
    step=7,
    action="take lamp",
    observation="Taken.",
    room=Room(id="12", name="Hall"),
    inventory=(Thing(id=3, name="lamp", container=None),),
    objects=(),
    score=5,
    reward=5,
    moves=7,
    world="0123456789abcdef",
    world_seen=2,
    changed=False,
    valid_actions=ValidActions(actions=("north",)),
    text_kind=TextKind.QUESTION,
    sources=Sources(room=Source.MEMORY),
    episode=2,
    digest="fedcba9876543210",
)


def test_nothing_but_the_text_is_left_of_a_step() -> None:
    left = redacted(FULL).model_dump(exclude_defaults=True)

    assert left == {
        "step": 7,
        "action": "take lamp",
        "observation": "Taken.",
        "episode": 2,
        "digest": "fedcba9876543210",
    }


def test_every_field_of_a_step_is_either_kept_or_differs_in_this_test() -> None:
    kept = {"step", "action", "observation", "done", "victory", "episode", "digest"}

    assert FULL.model_dump(exclude_defaults=True).keys() | kept == StepTaken.model_fields.keys()


@pytest.mark.parametrize(
    ("text", "won"),
    [
        ("*** You have won ***\n\nWould you like to RESTART, RESTORE a saved game or QUIT?", True),
        ("*** You have died ***\n\nWould you like to RESTART, RESTORE a saved game or QUIT?", False),
        ("Everything goes white.", False),
    ],
)
def test_a_victory_is_told_where_the_text_tells_it(text: str, won: bool) -> None:
    ended = FULL.model_copy(update={"observation": text, "done": True, "victory": True})

    assert (redacted(ended).done, redacted(ended).victory) == (True, won)


def test_an_outcome_has_the_last_score_and_the_best_one_and_each_change() -> None:
    outcome = SessionOutcome()
    for step, (score, victory) in enumerate(((0, False), (0, False), (9, True), (None, False), (2, False))):
        outcome = outcome.after(step, score, victory)

    changes = ((0, 0), (2, 9), (4, 2))
    assert outcome == SessionOutcome(score=2, best_score=9, victories=1, score_changes=changes)


def test_an_outcome_keeps_no_more_changes_than_a_message_can_take() -> None:
    outcome = SessionOutcome()
    for step in range(MOST_SCORE_CHANGES + 5):
        outcome = outcome.after(step, step, False)

    assert len(outcome.score_changes) == MOST_SCORE_CHANGES
    assert outcome.best_score == MOST_SCORE_CHANGES + 4
