"""The share of decisions that fit is counted as the replies amount to, over HTTP."""

from __future__ import annotations

from benchmarks.decisions import DecisionCounts, with_replies
from benchmarks.recorded_replies import replies
from games import BUNDLED


async def test_what_is_counted_is_what_the_replies_amount_to() -> None:
    counts, amount = await with_replies(str(BUNDLED), 45)

    assert (counts.at_once, counts.corrected, counts.by_rules) == amount
    assert counts.corrected >= 5 and counts.no_reply == 0
    assert counts.asked >= 20


def test_the_share_is_of_all_decisions_also_those_without_a_reply() -> None:
    counts = DecisionCounts(at_once=6, corrected=3, by_rules=1) + DecisionCounts(at_once=9, no_reply=1)

    assert (counts.asked, counts.share) == (20, 0.9)
    assert DecisionCounts().share == 0


def test_the_replies_make_faults_of_every_kind() -> None:
    assert len({reply["what"] for reply in replies() if not reply["fits"]}) >= 10
