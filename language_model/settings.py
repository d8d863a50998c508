"""Settings of language models: `LANTERN_MODEL_...`, and the SDK's own `ANTHROPIC_...`."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from language_model.known_models import DEFAULT
from mesh.errors import InputError
from mesh.file_reading import SECRET_SIZE, read_limited_text
from mesh.settings import Settings
from schemas.language_model import ModelApi

LOCAL, GGUF = "local", ".gguf"
"""Names that mean a model on this machine: the packaged one, and the end of a file's."""

_HOST = re.compile(r"[A-Za-z0-9._:-]+")
PUBLIC, PUBLIC_CHAT = "https://api.anthropic.com", "https://api.openai.com/v1"
NONE_CONFIGURED = (
    "No language model is configured. Set ANTHROPIC_API_KEY (or ANTHROPIC_API_KEY_FILE), "
    "or ANTHROPIC_BASE_URL to a server that speaks the Messages API; or LANTERN_MODEL_API=chat and "
    "OPENAI_BASE_URL or OPENAI_API_KEY for a server that speaks chat completions."
)


class NoModelConfigured(InputError):
    """A language model is needed, and none is configured."""

    def __init__(self, needed_for: str) -> None:
        super().__init__(f"{needed_for} asks a language model. {NONE_CONFIGURED}")


class ModelUnnamed(InputError):
    """A server that speaks chat completions has no model that is the usual one."""

    def __init__(self) -> None:
        super().__init__(
            "LANTERN_MODEL_API=chat asks a server that has models of its own. "
            "Name one by --model NAME (or LANTERN_MODEL_NAME)."
        )


class ModelSettings(Settings):
    """Which model is asked, and how. Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_MODEL_", protected_namespaces=())

    name: str = Field(
        DEFAULT,
        min_length=1,
        max_length=4096,
        description="The model that is asked; local or a .gguf file: one on this machine.",
    )
    api: ModelApi = Field(
        ModelApi.MESSAGES,
        description="What the model's server speaks: messages (Claude's API), or chat (OpenAI's chat "
        "completions).",
    )
    api_key: SecretStr | None = Field(
        None, validation_alias="ANTHROPIC_API_KEY", description="The key for the server of the model."
    )
    api_key_file: Path | None = Field(
        None, validation_alias="ANTHROPIC_API_KEY_FILE", description="A file that holds the key alone."
    )
    base_url: str | None = Field(
        None,
        validation_alias="ANTHROPIC_BASE_URL",
        repr=False,
        description="A server that speaks the Messages API; a password may stand in it.",
    )
    chat_key: SecretStr | None = Field(
        None, validation_alias="OPENAI_API_KEY", description="The key for a server of chat completions."
    )
    chat_key_file: Path | None = Field(
        None, validation_alias="OPENAI_API_KEY_FILE", description="A file that holds that key alone."
    )
    chat_url: str | None = Field(
        None,
        validation_alias="OPENAI_BASE_URL",
        repr=False,
        description="A server that speaks chat completions, often with /v1 at its end.",
    )
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = Field(
        "low", description="For models that accept it; a step is one small decision."
    )
    temperature: float | None = Field(
        None, ge=0, le=2, description="For your own servers; the Claude API accepts none since 2026-10-21."
    )
    deadline: float = Field(30.0, gt=0, le=600, description="How long a call may take, retries included.")
    retries: int = Field(4, ge=0, le=20, description="Of a call, after a transient error.")
    max_concurrency: int = Field(
        4, ge=1, le=100, description="Calls in flight at the same time in a process."
    )
    breaker_threshold: int = Field(
        5, ge=1, le=1000, description="Failed calls in a row after which the breaker opens."
    )
    breaker_cooldown: float = Field(
        30.0, gt=0, le=3600, description="How long the breaker stays open; then one call is a trial."
    )

    @field_validator("base_url", "chat_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is not None:
            parts = urlsplit(value)
            if parts.scheme not in ("http", "https") or not _HOST.fullmatch(parts.hostname or ""):
                raise ValueError("it is not an address such as http://127.0.0.1:8080")
            _ = parts.port  # raises where it is none
        return value

    @property
    def is_configured(self) -> bool:
        """Whether there is a model to ask."""
        return self.is_local or any((*self._key_and_file, self._server))

    @property
    def is_local(self) -> bool:
        """Whether the name means a model that is to run on this machine."""
        return self.name == LOCAL or self.name.lower().endswith(GGUF)

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the server that is asked is one of this machine."""
        return self.is_local or is_loopback(urlsplit(self.address).hostname or "")

    @property
    def local_file(self) -> Path | None:
        """The file of a local model; None: the packaged one."""
        return None if self.name == LOCAL else Path(self.name)

    @property
    def where(self) -> str:
        """The server, without anything that may be secret in its address."""
        if self.is_local:
            return "this machine"
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def address(self) -> str:
        """The server's address, without the login that may stand in it."""
        parts = urlsplit(self._server or self._public)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    @property
    def login(self) -> tuple[str, str] | None:
        """The user and the password that stand in the address; None: there are none."""
        parts = urlsplit(self._server or self._public)
        if parts.username is None and parts.password is None:
            return None
        return unquote(parts.username or ""), unquote(parts.password or "")

    @property
    def without_proxy(self) -> tuple[str, ...]:
        """Addresses that are asked directly, whatever proxy the environment names: those of this machine."""
        parts = urlsplit(self.address)
        return (f"all://{parts.netloc}",) if is_loopback(parts.hostname or "") else ()

    def key(self) -> str | None:
        """The key; None: there is none.

        Raises:
            InputError: its file cannot be read, or what is given cannot be a key.
        """
        (key, file), variable = self._key_and_file, self.key_variable
        if key is not None:
            return _checked(key.get_secret_value(), variable)
        if file is None:
            return None
        try:
            return _checked(read_limited_text(file, SECRET_SIZE), f"{variable}_FILE")
        except OSError as error:
            raise InputError(
                f"Cannot read the key in {file} ({error.strerror}). Correct {variable}_FILE."
            ) from None

    @property
    def key_variable(self) -> str:
        """The variable that holds the key."""
        return "OPENAI_API_KEY" if self.api is ModelApi.CHAT else "ANTHROPIC_API_KEY"

    @property
    def url_variable(self) -> str:
        """The variable that names the server."""
        return "OPENAI_BASE_URL" if self.api is ModelApi.CHAT else "ANTHROPIC_BASE_URL"

    @property
    def is_named(self) -> bool:
        """Whether the name is not the usual one, which a server of chat completions does not have."""
        return self.name != DEFAULT

    @property
    def _key_and_file(self) -> tuple[SecretStr | None, Path | None]:
        is_chat = self.api is ModelApi.CHAT
        return (self.chat_key, self.chat_key_file) if is_chat else (self.api_key, self.api_key_file)

    @property
    def _server(self) -> str | None:
        return self.chat_url if self.api is ModelApi.CHAT else self.base_url

    @property
    def _public(self) -> str:
        return PUBLIC_CHAT if self.api is ModelApi.CHAT else PUBLIC


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _checked(key: str, variable: str) -> str:
    """A key as it can stand in a header: an error about the header would tell it."""
    stripped = key.strip()
    if not stripped or not stripped.isascii() or not stripped.isprintable() or " " in stripped:
        raise InputError(f"What {variable} gives is no key: it is empty, or has characters that no key has.")
    return stripped
