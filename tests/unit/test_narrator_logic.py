"""Which summaries the narrator asks a model for, and what it publishes when."""

import pytest

from language_model.model import ModelError, Prompt, Reply
from schemas.fragment import Fragment
from schemas.language_model import Fault
from services.narrator.logic import (
    UNFINISHED,
    AskModel,
    Narration,
    Output,
    PublishRecorded,
    RecordAndPublish,
    RecordUnused,
    summary_fragment,
)
from services.narrator.prompt import prompt_of
from services.narrator.story import Chapter, StorySoFar, narrative
from tests.support.scenes.builders import a_session, folded
from tests.support.scenes.teller_scenes import DEATH, HOUSE

REPLY = Reply(model="m", text="It is cold.")
TIRED = ModelError("The model is\ntired.")


def chapters(step: int) -> list[Chapter]:
    """Summaries are due at the steps 0, 5, 7 and 10 of this story."""
    story = folded(StorySoFar.opening(a_session(policy="reflact")), (*HOUSE, *DEATH)[: step + 1])
    return list(story.chapters)


def due(step: int) -> Prompt:
    return prompt_of(chapters(step)[-1])


def at(
    narration: Narration, step: int, recorded: dict[int, Prompt] | None = None, may_ask: bool = True
) -> tuple[Narration, tuple[Output, ...]]:
    digests = {number: prompt.sha256 for number, prompt in (recorded or {}).items()}
    return narration.step_folded(step, chapters(step), digests, may_ask)


def asked_at(step: int) -> Narration:
    return at(Narration(), step)[0]


def test_a_summary_is_asked_for_when_it_is_due() -> None:
    narration, outputs = at(Narration(), 0)

    assert outputs == (AskModel(due(0)),)
    assert at(narration, 1)[1] == (), "one query at a time"


def test_an_outcome_is_published_at_the_next_step_and_not_at_the_step_that_is_delivered_again() -> None:
    arrived = asked_at(0).outcome_arrived(REPLY)

    assert at(arrived, 0)[1] == ()
    assert at(arrived, 1)[1] == (RecordAndPublish(due(0), REPLY),)


def test_an_error_is_published_like_a_reply() -> None:
    assert at(asked_at(0).outcome_arrived(TIRED), 1)[1] == (RecordAndPublish(due(0), TIRED),)


def test_after_a_slow_reply_the_newest_summary_that_is_due_is_asked_next() -> None:
    waiting = asked_at(0)
    for step in range(1, 9):
        waiting, outputs = at(waiting, step)
        assert outputs == ()

    assert at(waiting.outcome_arrived(REPLY), 9)[1] == (RecordAndPublish(due(0), REPLY), AskModel(due(7)))


def test_a_published_summary_is_not_asked_for_again() -> None:
    published, _ = at(asked_at(0).outcome_arrived(REPLY), 1)

    assert at(published, 2) == (published, ())
    assert published.steps_to_read(2, chapters(2)) == range(2, 3)


def test_a_restarted_narrator_finds_what_was_published_and_asks_nothing() -> None:
    assert list(Narration().steps_to_read(4, chapters(4))) == [1, 2, 3, 4]
    assert at(Narration(), 4, recorded={1: due(0)})[1] == ()


def test_a_restarted_narrator_asks_again_for_what_was_not_published() -> None:
    assert at(Narration(), 3)[1] == (AskModel(due(0)),)


def test_a_summary_that_is_recorded_at_the_step_is_published_and_the_own_call_is_unused() -> None:
    narration, outputs = at(asked_at(0), 1, recorded={1: due(0)})

    published, unused = outputs
    assert published == PublishRecorded(due(0))
    assert isinstance(unused, RecordUnused) and (unused.prompt, unused.due) == (due(0), 0)
    assert str(unused.outcome) == UNFINISHED
    assert narration.query is None


def test_a_recorded_summary_of_an_earlier_due_step_leaves_the_query_alone() -> None:
    waiting = asked_at(5)

    assert at(waiting, 6, recorded={6: due(0)})[1] == (PublishRecorded(due(0)),)
    assert at(waiting, 6, recorded={6: due(0)})[0].query == waiting.query


def test_what_another_instance_has_published_meanwhile_is_not_published_again() -> None:
    arrived = at(asked_at(0), 1)[0].outcome_arrived(REPLY)

    assert list(arrived.steps_to_read(2, chapters(2))) == [1, 2]
    assert at(arrived, 2, recorded={1: due(0)})[1] == (RecordUnused(due(0), 0, REPLY),)


def test_a_call_of_another_prompt_in_the_record_is_ignored() -> None:
    arrived = asked_at(0).outcome_arrived(REPLY)

    assert at(arrived, 1, recorded={1: Prompt(parts=())})[1] == (RecordAndPublish(due(0), REPLY),)


def test_where_nothing_may_be_asked_nothing_is() -> None:
    assert at(Narration(), 5, may_ask=False) == (Narration(), ())


@pytest.mark.parametrize("outcome", [REPLY, TIRED])
def test_a_session_that_is_left_records_the_unused_call(outcome: Reply | ModelError) -> None:
    narration, outputs = asked_at(5).outcome_arrived(outcome).session_left()

    assert narration == Narration()
    assert outputs == (RecordUnused(due(5), 5, outcome),)


def test_a_call_that_never_reached_a_model_cost_nothing_and_is_not_recorded() -> None:
    refused = ModelError("The budget is spent.", Fault.BUDGET)

    assert asked_at(0).outcome_arrived(refused).session_left()[1] == ()
    assert Narration().session_left()[1] == ()


def test_a_fragment_is_the_models_summary_or_the_rules_with_the_reason() -> None:
    by_rule = narrative("By rule.")

    assert summary_fragment(REPLY, by_rule) == (narrative("It is cold."), "")
    assert summary_fragment(TIRED, by_rule) == (by_rule, "The model is tired.")
    fragment, reason = summary_fragment(Reply(model="m", text="?!"), by_rule)
    assert isinstance(fragment, Fragment) and fragment == by_rule and "no words" in reason
