"""Keys, passwords and addresses of model servers: they are sent where they belong, and stand nowhere else."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from pydantic import SecretStr

from language_model.configured import configured_model
from language_model.settings import ModelSettings, NoModelConfigured
from lantern.play.models.session_models import model_settings as settings_from_the_environment
from mesh.errors import InputError
from tests.support.servers.asking_api import Making, failing, prompt
from tests.support.servers.messages_server import (
    MessagesServer,
    in_turn,
    refuses,
    says,
)

KEY, PASSWORD = "sk-ant-secret-98765", "secret-of-the-house"
LOGIN = base64.b64encode(f"me:{PASSWORD}".encode()).decode()


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    events: list[str] = []
    structlog.configure(processors=[lambda logger, name, event: events.append(repr(event)) or str(event)])  # type: ignore[func-returns-value]
    with caplog.at_level(logging.DEBUG):
        yield events
    events += [record.getMessage() for record in caplog.records]


async def test_key_and_password_are_sent_and_stand_nowhere_else(
    making: Making,
    messages_server: MessagesServer,
    everything_logged: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    messages_server.script = in_turn(
        refuses(401, f"the key {KEY} of {PASSWORD} is not known"), says(f"I was told {KEY}")
    )
    address = messages_server.url.replace("//", f"//me:{PASSWORD}@")
    model = await making(api_key=SecretStr(KEY), base_url=address)

    error = await failing(model)
    reply = await model.ask(prompt())

    sent = messages_server.requests[0].headers
    assert (sent["x-api-key"], sent["authorization"]) == (KEY, f"Basic {LOGIN}")
    told = [str(error), repr(error), repr(model), repr(model.settings), str(vars(error)), repr(reply)]
    told += [*everything_logged, caplog.text]
    assert [text for text in told if KEY in text or PASSWORD in text or LOGIN in text] == []
    assert KEY not in model.settings.model_dump_json()
    assert "***" in str(error) and error.__cause__ is None
    assert reply.text == "I was told ***"


async def test_a_word_for_a_key_is_left_in_replies(making: Making, messages_server: MessagesServer) -> None:
    messages_server.script = lambda request: says("a text of type text")

    assert (await (await making(api_key=SecretStr("text"))).ask(prompt())).text == "a text of type text"


def test_a_key_in_a_file_is_read_and_a_missing_file_is_told_by_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(Exception, match="ANTHROPIC_API_KEY_FILE"):
        ModelSettings().key()
    (tmp_path / "key").write_text(f"{KEY}\n")

    assert (ModelSettings().key(), ModelSettings().is_configured) == (KEY, True)


@pytest.mark.parametrize("key", [f"{KEY}\n{KEY}", f"{KEY} x", f"{KEY}é", " \n"])
def test_what_cannot_be_a_key_is_refused_without_telling_it(key: str) -> None:
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY gives is no key") as raised:
        ModelSettings.model_validate({"ANTHROPIC_API_KEY": key}).key()
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    "address",
    ["somewhere", "ftp://x", "http://", "http://x:99999", "http://a b/", "http://[::1", "http://é\n"],
)
def test_what_is_no_address_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)

    with pytest.raises(InputError, match="The environment variable ANTHROPIC_BASE_URL cannot be used"):
        settings_from_the_environment()


def test_an_address_is_told_without_what_may_be_secret_in_it() -> None:
    settings = ModelSettings.model_validate(
        {"ANTHROPIC_BASE_URL": f"https://me:{KEY}@example.org:8443/x?k={KEY}"}
    )

    assert settings.where == "https://example.org:8443"


async def test_without_key_and_address_no_model_is_configured() -> None:
    with pytest.raises(NoModelConfigured, match=r"ANTHROPIC_API_KEY.*ANTHROPIC_BASE_URL"):
        async with configured_model(ModelSettings(), "It"):
            pass


async def test_to_a_server_on_this_machine_no_proxy_leads(
    making: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")

    assert (await (await making()).ask(prompt())).text == "ready"
