"""The web page in a container: with its token alone, on loopback alone, and read-only."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from urllib.error import HTTPError

import pytest
from engine import docker
from stack import Stack, free_port, until


@pytest.fixture(scope="module")
def page(deployed: Stack) -> Iterator[str]:
    """The address that the deployment prints; the page has ended afterwards."""
    done = deployed.up("--web", str(free_port()))
    assert done.returncode == 0, done.stdout + done.stderr
    [watch] = [line for line in done.stdout.splitlines() if line.startswith("Watch: ")]
    yield watch.removeprefix("Watch: ")
    ended = deployed.up("--web", "0")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "web" not in deployed.containers().values()


def test_the_page_shows_a_session_to_whom_the_token_is_known(mesh: Stack, page: str) -> None:
    with mesh.playing("bundled", "watched", 5) as play:
        play.finish()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    address = page.partition("?")[0]

    assert "<html" in browser.open(page, timeout=60).read().decode()
    assert "watched" in browser.open(f"{address}api/sessions", timeout=60).read().decode()
    assert "narrator" in browser.open(f"{address}api/mesh", timeout=60).read().decode()
    with pytest.raises(HTTPError, match="401"):
        urllib.request.urlopen(f"{address}api/sessions", timeout=60)
    with pytest.raises(HTTPError, match="403"):
        browser.open(f"{address}api/sessions/watched/pace", data=b"{}", timeout=60)


def test_the_page_is_published_on_loopback_alone_and_holds_two_secrets(mesh: Stack, page: str) -> None:
    told = mesh.inspect("web")
    [published] = told["NetworkSettings"]["Ports"].values()

    assert {address["HostIp"] for address in published} == {"127.0.0.1"}
    assert told["HostConfig"]["ReadonlyRootfs"] and told["HostConfig"]["CapDrop"] == ["ALL"]
    assert {*mesh.execute("web", "ls", "/run/secrets").stdout.split()} == {"viewer", "web_token"}


def test_the_image_of_the_page_has_no_browser(mesh: Stack, page: str) -> None:
    listed = mesh.execute("web", "ls", "/opt/extra", "/opt/libraries").stdout

    assert "starlette" in listed and "playwright" not in listed
    assert mesh.execute("web", "sh", "-c", "command -v chromium").returncode != 0


def test_the_page_is_not_well_while_nats_does_not_answer(mesh: Stack, page: str) -> None:
    nats = mesh.container("nats")
    docker("pause", nats)
    try:
        until(lambda: mesh.health("web") == "unhealthy", "the page is not well")
    finally:
        docker("unpause", nats)
    mesh.wait_until_well("nats", "web")
