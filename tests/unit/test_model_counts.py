"""What asking models came to, and what was degraded: counted by service, told with steps and reasons."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest

from language_model.client.breaker import Breaker
from language_model.client.call_error import CallError
from language_model.known_models import DEFAULT, KNOWN, known
from language_model.model import ModelError, Usage
from lantern.play.models.model_counts import CallTotals, DegradedSteps
from lantern.play.session_options import BUDGET_USD, budget_of
from lantern.play.summary import Summary
from mesh.errors import InputError
from schemas.actor import ActionProposed
from schemas.base import Message
from schemas.critic import ActionJudged, Decision
from schemas.fragment import FragmentGiven
from schemas.game import REFLACT
from schemas.language_model import Fault, ModelAsked, ModelBudget
from tests.support.scenes.moment_builders import said

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def asked(step: int = 1, fault: Fault | None = None, **told: object) -> ModelAsked:
    error = "no" if fault else ""
    usage = {"input_tokens": 100, "cached_tokens": 60, "output_tokens": 10, "seconds": 1.5, "cost_usd": 0.1}
    took = {} if fault else usage
    fields = {"model": "m", "prompt_sha256": "0" * 64, "prompt": "", "reply": "", **took, **told}
    return ModelAsked.model_validate({"step": step, "error": error, "fault": fault, **fields})


def a_proposal(step: int, degraded: str = "", missing: tuple[str, ...] = ()) -> ActionProposed:
    return ActionProposed(
        step=step, action="north", policy=REFLACT, reason="why", degraded=degraded, missing=missing
    )


def a_verdict_by_the_game(step: int) -> ActionJudged:
    return ActionJudged(
        step=step, by="game", decision=Decision.APPROVE, action="n", proposed="n", score=0, reason="late"
    )


def summary_of(*messages: tuple[str, Message]) -> Summary:
    summary = Summary("s1")
    for service, message in messages:
        summary.after(said(message, service))
    return summary


def test_calls_are_counted_by_service_and_failures_by_their_kind() -> None:
    counts = summary_of(
        ("actor", asked(1)),
        ("actor", asked(2, call=1)),
        ("actor", asked(2, Fault.TIMEOUT, seconds=30.0)),
        ("hint", asked(3, Fault.BUDGET)),
    ).as_json()["models"]

    actor, hint = counts["by_service"]["actor"], counts["by_service"]["hint"]
    assert (counts["calls"], actor["calls"], hint["calls"]) == (3, 3, 0)
    assert (actor["input_tokens"], actor["cached_tokens"], actor["output_tokens"]) == (200, 120, 20)
    assert (actor["cost_usd"], actor["seconds"], actor["models"]) == (0.2, 33.0, ["m"])
    assert (actor["failures"], hint["failures"]) == ({"timeout": 1}, {"budget": 1})
    assert counts["failures"] == {"timeout": 1, "budget": 1}


def test_a_session_that_asked_nobody_says_so_in_numbers_and_in_no_line() -> None:
    summary = summary_of(("actor", a_proposal(1)))

    assert (summary.as_json()["models"]["calls"], summary.as_json()["degraded"]) == (0, {})
    assert summary.lines() == []


def test_what_is_not_known_to_cost_something_is_not_told_as_free() -> None:
    told = summary_of(("actor", asked(1, priced=False, cost_usd=0.0)), ("actor", asked(2))).lines()

    tokens = "200 tokens in (120 cached), 20 out"
    assert told == [f"models: 2 calls of m, {tokens}, 0.1000 USD and 1 call of unknown price, 3.0 s"]


def test_every_degraded_step_is_told_with_who_and_why() -> None:
    summary = summary_of(
        ("narrator", FragmentGiven(step=3, degraded="no reply", unchanged=True)),
        ("actor", a_proposal(3, "no reply")),
        ("actor", a_proposal(4, "no reply")),
        ("actor", a_proposal(5, missing=("memory",))),
        ("game", a_verdict_by_the_game(7)),
        ("actor", a_proposal(9, "no reply")),
    )

    assert summary.as_json()["degraded_steps"] == 5
    assert summary.as_json()["degraded"] == {
        "actor": {"no reply": [3, 4, 9]},
        "critic": {"no verdict in time": [7]},
        "memory": {"no fragment in time": [5]},
        "narrator": {"no reply": [3]},
    }
    assert "degraded: actor at 3-4, 9 (no reply)" in summary.lines()


def test_a_step_that_is_told_twice_counts_once() -> None:
    degraded = DegradedSteps()
    for _ in range(2):
        degraded.add("actor", "why", 3)

    assert (degraded.count, degraded.as_json()) == (1, {"actor": {"why": [3]}})


def test_hostile_words_stay_in_their_line() -> None:
    calls = CallTotals()
    calls.add(asked(model="evil\n\x1b[2J"))
    degraded = DegradedSteps()
    degraded.add("actor", "a\nb\x1b[2J", 1)

    for line in (calls.line(), *degraded.lines()):
        assert line.isprintable()


# -- prices


def test_the_cost_of_a_call_counts_each_kind_of_token_at_its_own_price() -> None:
    model = KNOWN["claude-haiku-4-5"]
    usage = Usage(input_tokens=1_000_000, cached_tokens=300_000, output_tokens=100_000)

    cost = model.cost(usage, cache_writes=200_000)

    assert cost == pytest.approx(0.5 * 1 + 0.3 * 0.10 + 0.2 * 1.25 + 0.1 * 5)


def test_a_model_is_known_by_its_name_with_a_date_too_and_another_is_not() -> None:
    assert known("claude-haiku-4-5-20251001") is KNOWN["claude-haiku-4-5"]
    assert known("claude-haiku-4-5-latest") is known("llama") is None
    assert DEFAULT in KNOWN


def test_reading_from_the_cache_is_never_dearer_than_reading_and_keeping_never_cheaper() -> None:
    for model in KNOWN.values():
        assert model.cache_read_price < model.input_price < model.cache_write_price < model.output_price, (
            model.name
        )


# -- the breaker


def failing(breaker: Breaker, wait: float | None = None) -> None:
    with suppress(CallError), breaker.call():
        raise CallError("It failed.", Fault.SERVER, wait=wait)


def test_a_breaker_lets_one_call_try_after_the_cooldown() -> None:
    now = [0.0]
    breaker = Breaker(threshold=2, cooldown=10.0, clock=lambda: now[0])
    for _ in range(2):
        failing(breaker)
    with pytest.raises(ModelError), breaker.call():
        pass
    now[0] = 10.0

    with breaker.call(), pytest.raises(ModelError), breaker.call():
        pass
    with breaker.call(), breaker.call():
        pass


def test_a_pause_that_the_server_asks_for_is_kept_at_the_first_failure() -> None:
    now = [0.0]
    breaker = Breaker(threshold=5, cooldown=10.0, clock=lambda: now[0])
    failing(breaker, wait=3.0)

    with pytest.raises(ModelError) as raised, breaker.call():
        pass
    now[0] = 3.0
    with breaker.call():
        pass
    assert raised.value.fault is Fault.BREAKER_OPEN


def test_a_model_that_declines_has_not_failed_and_a_refused_request_says_nothing() -> None:
    breaker = Breaker(threshold=2, cooldown=10.0, clock=lambda: 0.0)
    failing(breaker)
    with suppress(ModelError), breaker.call():
        raise ModelError("No.", Fault.DECLINED)
    failing(breaker)
    with suppress(CallError), breaker.call():
        raise CallError("Bad request.", Fault.REFUSED, is_about_request=True)

    with breaker.call():
        pass


# -- the budget that a user gives


def test_a_session_that_asks_has_a_budget_of_money_if_nothing_is_said() -> None:
    assert budget_of(REFLACT, None, None, None, 7) == ModelBudget(usd=BUDGET_USD, calls=7)
    assert budget_of("heuristic", None, None, None, None) is None


@pytest.mark.parametrize("given", [(0.0, None, None), (None, -1, None), (float("nan"), None, None)])
def test_a_budget_of_nothing_is_refused(given: tuple[float | None, int | None, int | None]) -> None:
    with pytest.raises(InputError, match="above 0"):
        budget_of(REFLACT, None, *given)


def test_a_budget_or_a_model_for_a_policy_that_asks_none_is_refused() -> None:
    with pytest.raises(InputError, match="--budget-calls, --model"):
        budget_of("random", "claude", None, None, 3)
