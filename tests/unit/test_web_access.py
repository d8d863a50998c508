"""Who may open the page, and act through it."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from lantern.web.access import Access

OURS = "127.0.0.1:8080"


def asked(method: str = "GET", *, access: Access | None = None, host: str = OURS, **headers: str) -> str:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return (access or Access("127.0.0.1", control=True)).refusal(method, Headers({"host": host, **named}))


@pytest.mark.parametrize("host", [OURS, "localhost:1", "[::1]:8080", "192.168.0.7:80", "localhost"])
def test_a_host_that_is_an_address_or_this_machine_is_let_in(host: str) -> None:
    assert asked(host=host) == ""


@pytest.mark.parametrize(
    "host", ["evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", ""]
)
def test_a_foreign_name_that_points_here_is_refused(host: str) -> None:
    assert "not this server's" in asked(host=host)


def test_another_site_may_lead_here_but_not_ask_from_there() -> None:
    assert asked(sec_fetch_site="cross-site", sec_fetch_mode="navigate") == ""
    assert asked(sec_fetch_site="cross-site", sec_fetch_mode="cors") != ""
    assert asked(origin="http://evil.example") != ""
    assert asked(origin=f"http://{OURS}") == ""


def test_only_this_page_acts_and_only_where_it_may() -> None:
    access = Access("127.0.0.1", control=True)
    ours = {"origin": f"http://{OURS}", "x_lantern_csrf": access.csrf}

    assert asked("POST", access=access, **ours) == ""
    assert "not come from this page" in asked("POST", access=access, origin=f"http://{OURS}")
    assert "not come from this page" in asked("POST", access=access, x_lantern_csrf=access.csrf)
    assert asked("POST", access=access, **{**ours, "origin": "http://localhost:9"}) != ""
    assert "--control" in asked("POST", access=Access("127.0.0.1"), **ours)
    assert "--control" in asked("DELETE", access=Access("127.0.0.1"), **ours)


def test_a_token_is_known_by_its_cookie_alone() -> None:
    access = Access("0.0.0.0", token="secret")

    assert access.knows_token(Headers({"cookie": "other=1; lantern=secret"}))
    assert not access.knows_token(Headers({"cookie": "lantern=other"}))
    assert not access.knows_token(Headers({}))
    assert Access("127.0.0.1").knows_token(Headers({}))
