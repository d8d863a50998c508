"""The commands with a language model configured, and with one that cannot be asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lantern.play.session_options import BUDGET_USD
from schemas.game import REFLACT
from tests.support.processes.command import Lantern
from tests.support.servers.messages_server import (
    SILENCE,
    Answer,
    MessagesServer,
    Request,
    calls,
    in_turn,
    refuses,
    says,
)

KEY = "sk-ant-secret-98765"
NORTH = calls("play_action", reflection="All is well.", objective="See it all.", action="north")


def acting(request: Request) -> Answer:
    """Goes north where an action is wanted, and says something else where words are."""
    return NORTH if "play_action" in request.tools else says("Nothing new.")


@pytest.fixture
def asking(lantern: Lantern, messages_server: MessagesServer) -> Lantern:
    """A command whose environment names the server."""
    lantern.env |= messages_server.environment(KEY)
    messages_server.script = acting
    return lantern


def error_of(lantern: Lantern, *arguments: str) -> str:
    """The one line with which a command is refused; nothing is left running or recorded by it."""
    done = lantern.run(*arguments)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, (done.returncode, done.stderr)
    lantern.wait_until_gone()
    return done.stderr


def shown(lantern: Lantern, session: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(lantern.run("sessions", "show", session, "--json").stdout)
    return told


def payloads(lantern: Lantern, session: str) -> list[str]:
    """The messages of a session as they are recorded."""
    told = [json.loads(line) for line in lantern.run("sessions", "export", session, "-").stdout.splitlines()]
    return [json.dumps(each["message"], separators=(",", ":")) for each in told if "message" in each]


def test_without_key_and_address_the_error_names_both(lantern: Lantern) -> None:
    error = error_of(lantern, "play", "--policy", REFLACT, "--steps", "2")

    assert "ANTHROPIC_API_KEY" in error and "ANTHROPIC_BASE_URL" in error
    assert lantern.sessions() == []


def test_a_wrong_key_is_told_before_the_first_step_in_the_servers_words(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    messages_server.keys = {"another"}
    error = error_of(asking, "play", "--steps", "2", "--json")

    assert "(401): invalid x-api-key" in error and KEY not in error
    assert "ANTHROPIC_API_KEY" in error and "ANTHROPIC_BASE_URL" in error
    assert asking.sessions() == [] and len(messages_server.requests) == 1


def test_an_unknown_model_is_told_in_the_servers_words(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    messages_server.models = {"claude-sonnet-5-5"}
    error = error_of(asking, "play", "--steps", "2", "--model", "claude-nonsuch")

    assert "(404): model: claude-nonsuch" in error and "--model" in error
    assert asking.sessions() == []


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9", "cannot be reached"),
        ("ANTHROPIC_BASE_URL", "somewhere", "ANTHROPIC_BASE_URL cannot be used"),
        ("LANTERN_MODEL_DEADLINE", "soon", "LANTERN_MODEL_DEADLINE cannot be used"),
        ("ANTHROPIC_API_KEY_FILE", "/nowhere/key", "Cannot read the key in /nowhere/key"),
    ],
)
def test_settings_that_cannot_be_used_are_named(
    asking: Lantern, variable: str, value: str, told: str
) -> None:
    asking.env[variable] = value
    if variable == "ANTHROPIC_API_KEY_FILE":
        del asking.env["ANTHROPIC_API_KEY"]

    assert told in error_of(asking, "play", "--steps", "2")


def test_a_model_plays_where_one_is_configured_and_it_is_said_why(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    done = asking.run("play", "--steps", "3", "--session", "s1")

    assert done.returncode == 0
    first = done.stdout.splitlines()[0]
    assert first == f"policy {REFLACT}: asks claude-sonnet-5-5 at {messages_server.url}"
    assert "> north" in done.stdout and "\nmodels: " in done.stdout
    assert KEY not in done.stdout + done.stderr + (asking.home / "lantern.log").read_text()
    messages = payloads(asking, "s1")
    assert any('"prompt_sha256"' in message for message in messages)
    assert not [message for message in messages if KEY in message]


def test_without_a_model_the_rules_play_and_it_is_said_why(lantern: Lantern) -> None:
    done = lantern.run("play", "--steps", "1")

    assert done.returncode == 0
    assert done.stdout.startswith("policy heuristic: no language model is configured. Set ANTHROPIC_API_KEY")


def test_what_models_took_is_told_by_service(asking: Lantern, messages_server: MessagesServer) -> None:
    counts = asking.play("--steps", "4", "--session", "s1")

    actor = counts["models"]["by_service"]["actor"]
    assert actor["calls"] == 4 and actor["input_tokens"] > actor["cached_tokens"] >= 0
    assert min(actor["output_tokens"], actor["cost_usd"], actor["seconds"]) > 0
    assert (actor["failures"], actor["models"]) == ({}, ["claude-sonnet-5-5"])
    assert "actor" not in counts["degraded"]
    assert shown(asking, "s1")["models"] == counts["models"]
    assert len(messages_server.requests) - counts["models"]["calls"] == 1, "the one that tries it"


def test_a_spent_budget_lets_the_rules_play_on_and_names_the_steps(asking: Lantern) -> None:
    counts = asking.play("--steps", "5", "--budget-calls", "2")

    by_rule = counts["degraded"]["actor"]
    assert (counts["steps"], counts["ended"]) == (5, "budget")
    assert all("budget" in reason for reason in by_rule)
    assert {2, 3, 4} <= {step for steps in by_rule.values() for step in steps}
    assert counts["models"]["failures"]["budget"] >= 3
    assert counts["models"]["calls"] == 2, "whoever asks at the same time"


def test_a_spent_budget_is_said_once_and_its_steps_are_in_the_summary(asking: Lantern) -> None:
    played = asking.run("play", "--steps", "5", "--budget-calls", "2", "--session", "s1").stdout
    shown = asking.run("sessions", "show", "s1").stdout

    for told in (played, shown):
        steps, _, summary = told.partition("ended: budget")
        assert steps.count("budget for language models is spent") == 1, steps
        assert (
            "! The session's budget for language models is spent: 2 of 2 calls. From here on the rules"
            in steps
        )
        assert "degraded: actor at " in summary and "is spent: 2 of 2 calls" in summary


@pytest.mark.exhaustive
def test_a_session_goes_on_asking_when_it_is_resumed_with_a_larger_budget(asking: Lantern) -> None:
    first = asking.play("--steps", "2", "--session", "s1", "--budget-calls", "1")["models"]["calls"]

    again = asking.play("--resume", "s1", "--steps", "1")["models"]["calls"]
    more = asking.play("--resume", "s1", "--steps", "1", "--budget-calls", "9")["models"]["calls"]

    assert again == first < more


def test_a_resumed_session_asks_what_it_has_asked_before_and_says_so_first(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    asking.env["LANTERN_ACTOR_THINKING"] = "33"
    asking.play("--steps", "2", "--session", "s1", "--model", "claude-haiku-4-5", "--budget-usd", "0.5")
    del asking.env["LANTERN_ACTOR_THINKING"]
    asking.env["LANTERN_MODEL_NAME"] = "claude-opus-4-6"
    before = len(messages_server.requests)

    resumed = asking.run("resume", "s1", "--steps", "1")
    forked = asking.run("fork", "s1", "--at", "2", "--steps", "1", "--session", "f")

    first = resumed.stdout.splitlines()[0]
    assert first.startswith(
        f"policy reflact: asks claude-haiku-4-5 at {messages_server.url}; left of its budget: 0.49"
    )
    assert first.endswith(" of 0.5 USD")
    assert forked.stdout.startswith(f"policy reflact: asks claude-haiku-4-5 at {messages_server.url}; left")
    assert {request.body["model"] for request in messages_server.requests[before:]} == {"claude-haiku-4-5"}
    starts = [message for message in payloads(asking, "s1") if '"kind":"started"' in message]
    assert all('"name":"claude-haiku-4-5"' in each and '"thinking":33.0' in each for each in starts)


@pytest.mark.exhaustive
def test_a_resumed_session_keeps_its_model_on_another_machine(
    asking: Lantern, messages_server: MessagesServer, tmp_path: Path
) -> None:
    asking.play("--steps", "1", "--session", "s1", "--model", "claude-haiku-4-5", "--budget-usd", "0.5")
    file = str(tmp_path / "s1.jsonl")
    asking.run("sessions", "export", "s1", file)
    other = Lantern(tmp_path / "other")
    other.env |= messages_server.environment(KEY)
    other.play("--steps", "1", "--policy", "heuristic", "--session", "for-the-story")
    other.run("sessions", "import", file)

    resumed = other.run("resume", "s1", "--steps", "1")
    other.env["ANTHROPIC_BASE_URL"] = "http://192.0.2.1"
    elsewhere = error_of(other, "resume", "s1", "--steps", "1")

    assert "asks claude-haiku-4-5 at" in resumed.stdout and " of 0.5 USD" in resumed.stdout
    assert shown(other, "s1")["models"]["models"] == ["claude-haiku-4-5"]
    assert "and now http://192.0.2.1 would be asked" in elsewhere


def test_a_model_that_dies_under_way_is_named_in_the_statistics(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    asking.env |= {"LANTERN_MODEL_RETRIES": "0", "LANTERN_MODEL_BREAKER_THRESHOLD": "1"}

    def dying(request: Request) -> Answer:
        return acting(request) if len(messages_server.requests) <= 3 else refuses(529, "Overloaded")

    messages_server.script = dying
    counts = asking.play("--steps", "6")

    failures = counts["models"]["failures"]
    assert (counts["steps"], counts["ended"]) == (6, "budget")
    assert failures["overloaded"] >= 1 and failures["breaker_open"] >= 1
    assert "Overloaded" in json.dumps(counts["degraded"])
    assert {step for steps in counts["degraded"]["actor"].values() for step in steps} <= set(range(6))


def test_a_server_that_is_busy_at_the_beginning_does_not_keep_the_session_from_it(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    messages_server.script = in_turn(refuses(529, "Overloaded"), NORTH)

    assert asking.play("--steps", "2")["models"]["failures"] == {}


def test_a_replay_asks_nothing_unless_it_is_told_to(asking: Lantern, messages_server: MessagesServer) -> None:
    asking.play("--steps", "3", "--session", "s1")
    before = len(messages_server.requests)

    same = asking.run("replay", "s1", "all")
    asked = len(messages_server.requests)
    anew = asking.run("replay", "s1", "actor", "--live-model")
    asking.env.pop("ANTHROPIC_BASE_URL")
    asking.env.pop("ANTHROPIC_API_KEY")
    alone = asking.run("replay", "s1", "all")
    error = error_of(asking, "replay", "s1", "actor", "--live-model")

    assert (same.returncode, alone.returncode, anew.returncode, asked) == (0, 0, 0, before)
    assert len(messages_server.requests) > asked
    assert "--live-model" in error and "ANTHROPIC_BASE_URL" in error


@pytest.mark.exhaustive
def test_a_fork_and_a_resume_go_on_with_another_model(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    asking.play("--steps", "2", "--session", "s1")

    forked = asking.run("fork", "s1", "--at", "1", "--steps", "1", "--session", "f", "--model", "other-1")
    resumed = asking.run("play", "--resume", "s1", "--steps", "1", "--model", "other-2")

    assert (forked.returncode, resumed.returncode) == (0, 0), forked.stderr + resumed.stderr
    assert shown(asking, "f")["models"]["models"] == ["claude-sonnet-5-5", "other-1"]
    assert shown(asking, "s1")["models"]["models"] == ["claude-sonnet-5-5", "other-2"]
    assert shown(asking, "s1")["models"]["unpriced_calls"] > 0


def test_a_fork_that_asks_for_the_first_time_has_the_usual_budget(asking: Lantern) -> None:
    asking.play("--steps", "1", "--policy", "heuristic", "--session", "s1")

    forked = asking.run("fork", "s1", "--at", "1", "--steps", "1", "--policy", REFLACT, "--session", "f")

    assert forked.returncode == 0, forked.stderr
    assert shown(asking, "f")["models"]["calls"] > 0
    assert f'"budget":{{"usd":{BUDGET_USD}' in "".join(payloads(asking, "f"))


def test_what_is_for_models_is_refused_where_none_is_asked(asking: Lantern) -> None:
    asking.play("--steps", "1", "--policy", "heuristic", "--session", "s1")

    for error in (
        error_of(asking, "play", "--resume", "s1", "--steps", "1", "--model", "m", "--budget-calls", "3"),
        error_of(asking, "fork", "s1", "--at", "0", "--steps", "1", "--model", "m"),
    ):
        assert "The policy heuristic asks no language model. Leave out" in error and "--model" in error
    assert [session["session"] for session in asking.sessions()] == ["s1"]


def test_what_is_recorded_after_the_end_is_counted_too(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    """What the narrator has asked at the opening is not there when the session ends."""

    def silent_to_the_narrator(request: Request) -> Answer:
        is_check = request.number == 0  # whether the model answers at all, asked before the first step
        return acting(request) if request.tools or is_check else SILENCE

    messages_server.script = silent_to_the_narrator

    counts = asking.play("--steps", "2", "--session", "s1")

    narrator = counts["models"]["by_service"]["narrator"]
    assert (narrator["calls"], narrator["failures"]) == (1, {"unknown": 1})
    told = shown(asking, "s1")
    assert (told["models"], told["degraded"]) == (counts["models"], counts["degraded"])


def test_the_doctor_tells_whether_a_model_is_configured_and_never_its_key(
    asking: Lantern, messages_server: MessagesServer
) -> None:
    with_one = asking.run("doctor").stdout
    for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"):
        del asking.env[name]
    without = asking.run("doctor").stdout

    assert f"language model: claude-sonnet-5-5 at {messages_server.url}, with a key" in with_one
    assert KEY not in with_one and "No language model is configured" in without
    assert messages_server.requests == []
