"""How a server's address and what it takes to log in come together, and that secrets stay where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from mesh.errors import InputError
from mesh.nats.connection import Login, split_login, with_login, without_login
from mesh.settings import MeshSettings


def test_a_login_survives_the_address_whatever_signs_it_has() -> None:
    url = with_login("nats://host:4222", "narrator", "a:b/c@d é%")

    assert split_login(url) == ("nats://host:4222", Login(user="narrator", password="a:b/c@d é%"))
    assert without_login(url) == "nats://host:4222"


def test_an_address_with_a_login_of_its_own_keeps_it() -> None:
    assert with_login("nats://me:pw@host", "you", "other") == "nats://me:pw@host"
    assert split_login("nats://token@host:1") == ("nats://host:1", Login(token="token"))
    assert split_login("host:1") == ("host:1", Login())


def test_a_password_comes_from_its_file_without_the_line_end(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("secret\n")
    settings = MeshSettings(NATS_URL="nats://host", nats_user="me", nats_password_file=file)

    assert settings.server() == "nats://me:secret@host"


def test_settings_do_not_show_a_password() -> None:
    settings = MeshSettings(NATS_URL="nats://host", nats_user="me", nats_password=SecretStr("hunter2"))

    assert "hunter2" not in repr(settings)
    assert settings.server() == "nats://me:hunter2@host"


def test_half_a_login_is_refused_with_the_variable_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Set NATS_URL too"):
        MeshSettings(NATS_URL=None, nats_user="me").server()
    with pytest.raises(InputError, match="LANTERN_NATS_PASSWORD_FILE"):
        MeshSettings(NATS_URL="nats://host", nats_user="me").server()
    with pytest.raises(InputError, match="Cannot read the password in"):
        MeshSettings(NATS_URL="nats://h", nats_user="me", nats_password_file=tmp_path / "none").server()


def test_the_token_of_the_page_comes_from_its_file_which_must_hold_one(tmp_path: Path) -> None:
    file = tmp_path / "token"
    settings = MeshSettings(web_token_file=file)

    with pytest.raises(InputError, match="Correct LANTERN_WEB_TOKEN_FILE"):
        settings.page_token()
    file.write_text("\n")
    with pytest.raises(InputError, match="is empty"):
        settings.page_token()
    file.write_text("sesame\n")
    assert settings.page_token() == "sesame"
