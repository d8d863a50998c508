"""A resumed session asks the model that it has asked before, unless it is told otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from language_model.budget.budget import Spending
from language_model.session_model import OtherServer, kept_model, model_options
from language_model.settings import ModelSettings
from lantern.play.models.session_models import resume_explanation
from lantern.play.services import checked_without
from lantern.play.session_options import USUAL_BUDGET, deadlines_set, merged_budget
from mesh.errors import InputError
from schemas.game import Deadlines, ResumeSession
from schemas.language_model import ModelBudget, ModelOptions
from services.game.session.requests import changed_by
from tests.support.scenes.builders import a_session

CHEAP = ModelOptions(name="cheap-1", server="https://api.anthropic.com", effort="high", deadline=90.0)


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE_URL", "API_KEY", "API_KEY_FILE"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)


def today(monkeypatch: pytest.MonkeyPatch, **variables: str) -> ModelSettings:
    """The settings of today's environment."""
    for name, value in {"ANTHROPIC_API_KEY": "sk-ant-test-0123456789", **variables}.items():
        monkeypatch.setenv(name, value)
    return ModelSettings()


def test_the_record_names_the_model_whatever_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = kept_model("s1", today(monkeypatch, LANTERN_MODEL_NAME="dear-9"), CHEAP, named=False)

    assert (kept.name, kept.effort, kept.deadline) == ("cheap-1", "high", 90.0)
    assert model_options(kept) == CHEAP


def test_the_command_line_names_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    named = today(monkeypatch).model_copy(update={"name": "dear-9"})

    kept = kept_model("s1", named, CHEAP, named=True)

    assert (kept.name, kept.effort, kept.deadline) == ("dear-9", "high", 90.0)


def test_what_the_environment_sets_takes_the_place_of_effort_and_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = today(monkeypatch, LANTERN_MODEL_EFFORT="low", LANTERN_MODEL_DEADLINE="5")

    kept = kept_model("s1", settings, CHEAP, named=False)

    assert (kept.name, kept.effort, kept.deadline) == ("cheap-1", "low", 5.0)


def test_a_session_that_has_asked_nothing_yet_asks_what_is_configured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = today(monkeypatch, LANTERN_MODEL_NAME="dear-9")

    assert kept_model("s1", settings, None, named=False) == settings


def test_a_server_that_may_be_dearer_is_not_asked_in_place_of_the_one_of_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = ModelOptions(name="mine", server="http://127.0.0.1:8080")
    settings = today(monkeypatch)

    with pytest.raises(
        OtherServer, match=r"mine at http://127.0.0.1:8080, and now https://api.anthropic.com"
    ):
        kept_model("s1", settings, own, named=False)
    assert kept_model("s1", settings, own, named=True).where == "https://api.anthropic.com"
    nearby = today(monkeypatch, ANTHROPIC_BASE_URL="http://localhost:9")
    assert kept_model("s1", nearby, CHEAP, named=False).where == "http://localhost:9"


def test_a_model_of_this_machine_is_asked_again_without_a_key() -> None:
    kept = kept_model("s1", ModelSettings(), ModelOptions(name="local", server="this machine"), named=False)

    assert kept.is_local and kept.is_configured


def test_a_limit_that_is_given_leaves_the_others_as_they_were() -> None:
    before = ModelBudget(usd=0.5, tokens=1_000)

    assert merged_budget(before, ModelBudget(calls=7)) == ModelBudget(usd=0.5, tokens=1_000, calls=7)
    assert merged_budget(before, ModelBudget(usd=1.0)) == ModelBudget(usd=1.0, tokens=1_000)
    assert merged_budget(before, None) == before
    assert merged_budget(None, None) == USUAL_BUDGET


@pytest.mark.parametrize(
    ("spent", "told"),
    [
        (Spending(0.1, 400, 3), "left of its budget: 0.4000 of 0.5 USD, 600 of 1,000 tokens, 6 of 9 calls"),
        (Spending(0.6, 400, 3), "its budget is spent (0.6000 of 0.5 USD): the rules decide, unless"),
    ],
)
def test_before_anything_is_asked_it_is_said_what_and_how_much_is_left(
    monkeypatch: pytest.MonkeyPatch, spent: Spending, told: str
) -> None:
    asked = kept_model("s1", today(monkeypatch), CHEAP, named=False)
    budget = ModelBudget(usd=0.5, tokens=1_000, calls=9)

    line = resume_explanation(asked, budget, spent)

    assert line.startswith("policy reflact: asks cheap-1 at https://api.anthropic.com")
    assert told in line
    assert resume_explanation(None, budget, spent).startswith("policy reflact: asks the models that its")


def test_deadlines_are_recorded_where_the_user_sets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANTERN_ACTOR_THINKING", "120")
    monkeypatch.setenv("LANTERN_ACTOR_MODEL_DEADLINE", "20")
    monkeypatch.setenv("LANTERN_MODEL_FRAGMENT_DEADLINE", "15")

    assert deadlines_set(True) == Deadlines(thinking=120, fragments=20, model_fragment=15)
    assert deadlines_set(False) == Deadlines(thinking=120, model_fragment=15)


def test_a_resume_changes_what_it_names_and_nothing_else() -> None:
    before: dict[str, Any] = {
        "episodes": None,
        "model": CHEAP,
        "budget": ModelBudget(usd=1.0),
        "deadlines": Deadlines(thinking=120, verdict=3),
        "without": ("critic",),
    }
    started = a_session(policy="reflact").model_copy(update=before)
    named = ResumeSession(
        session="s1", model=ModelOptions(name="dear-9"), deadlines=Deadlines(verdict=4), without=()
    )

    assert changed_by(ResumeSession(session="s1"), started) == before
    assert changed_by(named, started) == {
        "episodes": None,
        "model": ModelOptions(name="dear-9"),
        "budget": ModelBudget(usd=1.0),
        "deadlines": Deadlines(thinking=120, verdict=4),
        "without": (),
    }


def test_the_services_to_play_without_are_named_once_and_in_their_order() -> None:
    assert checked_without(["critic", "memory", "critic"]) == ("memory", "critic")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("crtic", "There is no service 'crtic' to play without. Did you mean critic?"),
        ("zzz", "Name any of memory, narrator, hint, npc_tracker, critic, planner."),
        ("game", "No session is played without the game. Leave out --without game."),
        ("actor", "No session is played without the actor. Leave out --without actor."),
    ],
)
def test_a_service_that_cannot_be_left_out_is_told_in_one_line(name: str, told: str) -> None:
    with pytest.raises(InputError, match=told.replace(".", r"\.").replace("?", r"\?")):
        checked_without([name])
