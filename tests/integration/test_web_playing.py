"""What one can do on the page with `lantern web --control`: fork, compare, pause, play by hand."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from games import BUNDLED
from tests.support.browser.chromium import opened, web
from tests.support.processes.command import Lantern


def test_a_fork_with_another_action_plays_on_beside_its_parent(lantern: Lantern, browser: Browser) -> None:
    lantern.play("--steps", "12", "--session", "s1")
    with web(lantern, "--control") as url, opened(browser, f"{url}sessions/s1#4") as page:
        expect(page.locator("#inside .decision")).to_be_visible()
        page.get_by_role("button", name="Fork here").click()
        page.get_by_label("First action").fill("jump")
        page.get_by_label("Further steps").fill("5")
        page.get_by_role("button", name="Fork", exact=True).click()

        expect(page.locator("#summary")).to_contain_text("part at step 5")
        expect(page.locator("#parting")).to_contain_text("First difference: step 4, proposal, action")
        expect(page.locator("#parting")).to_contain_text('B "jump"')
        page.locator("#summary").get_by_role("button").click()
        parent, fork = page.locator("section").all()
        expect(fork.locator("li.here .action")).to_have_text("jump")
        expect(parent.locator("li.here .action")).not_to_have_text("jump")
        expect(fork.locator("header .chip").nth(1)).to_contain_text("step 5 of 9")
        page.keyboard.press("k")
        expect(fork.locator(".decision")).to_contain_text("typed by hand")


def test_a_person_takes_over_plays_and_hands_back(lantern: Lantern, browser: Browser) -> None:
    playing = lantern.start("play", "--steps", "4000", "--session", "s1", "--policy", "random")
    playing.wait_for_step(1)
    with web(lantern, "--control") as url, opened(browser, f"{url}sessions/s1") as page:
        page.get_by_role("button", name="Pause").click()
        expect(page.locator("#state")).to_have_text("paused")
        at = page.locator("#step-now").inner_text()
        page.keyboard.press(".")
        expect(page.locator("#step-now")).not_to_have_text(at)
        expect(page.locator("#state")).to_have_text("paused")

        page.get_by_role("button", name="Take over").click()
        expect(page.locator("#prompt")).to_be_visible()
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_text("The actor has not decided yet.")).to_be_visible()
        expect(page.locator("#state")).to_have_text("live")
        page.get_by_role("button", name="What would the agent do?").click()
        expect(page.locator("#prompt .action-chip")).to_be_visible()
        before = lantern.actions("s1")  # the page may still lag behind the record
        expect(page.locator("#step-now")).to_have_text(f"{len(before):,} / 4,000")
        page.get_by_label("Your action").fill("jump")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#prompt .says .opinion")).to_have_attribute(
            "aria-label", re.compile("of −1 to 1")
        )
        expect(page.locator("#step-now")).to_have_text(f"{len(before):,} / 4,000")
        page.get_by_label("Your action").fill("inventory")
        page.keyboard.press("Enter")
        expect(page.locator("#transcript li.here .action")).to_have_text("inventory")
        expect(page.locator("#transcript li.here")).to_contain_text("carrying")
        assert lantern.actions("s1") == [*before, "> inventory"], "an opinion plays nothing"

        at = page.locator("#step-now").inner_text()
        page.get_by_role("button", name="Hand back", exact=True).click()
        expect(page.locator("#prompt")).to_be_hidden()
        expect(page.locator("#step-now")).not_to_have_text(at)
        page.get_by_role("button", name="End", exact=True).click()
        expect(page.locator("#state")).to_have_text("stopped")
    playing.wait()


def test_a_new_session_is_begun_on_the_page(lantern: Lantern, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "stories").mkdir()
    (tmp_path / "stories" / "mine.z5").write_bytes(BUNDLED.read_bytes())
    lantern.env["LANTERN_STORIES"] = str(tmp_path / "stories")
    with web(lantern, "--control") as url, opened(browser, url) as page:
        page.get_by_role("button", name="New session").click()
        page.locator("dialog").get_by_label("Story").select_option("mine.z5")
        page.get_by_label("Played by").select_option("random")
        page.get_by_label("Steps").fill("5")
        page.get_by_label("Seed").fill("7")
        page.keyboard.press("Enter")
        expect(page.locator("#story")).to_have_text("mine")
        expect(page.locator("#policy")).to_have_text("random · seed 7")
        expect(page.locator("#step-now")).to_have_text("5 / 5")
        csrf = json.load(urllib.request.urlopen(f"{url}api/me"))["csrf"]
        elsewhere = {"story": "../mine.z5", "policy": "random", "steps": 5, "seed": 1}
        told = posted(f"{url}api/sessions", elsewhere, origin=url.rstrip("/"), csrf=csrf)
        assert told == (400, "There is no story '../mine.z5' here. LANTERN_STORIES names a folder of them.")


def test_a_session_is_played_by_hand_from_a_fork_at_its_beginning(lantern: Lantern, browser: Browser) -> None:
    lantern.play("--steps", "2", "--session", "s1")
    with web(lantern, "--control") as url, opened(browser, f"{url}sessions/s1#0") as page:
        expect(page.locator("#inside .decision")).to_be_visible()
        page.get_by_role("button", name="Fork here").click()
        page.get_by_label("Then play by").select_option("human")
        page.get_by_role("button", name="Fork", exact=True).click()
        for action in ("north", "south"):
            page.get_by_label("Your action").fill(action)
            page.keyboard.press("Enter")
            expect(page.locator("#transcript li.here .action")).to_have_text(action)
        expect(page.locator("#step-now")).to_contain_text("2 /")
        expect(page.locator("#policy")).to_contain_text("human")


def test_without_control_the_page_only_shows(lantern: Lantern, browser: Browser) -> None:
    lantern.play("--steps", "2", "--session", "s1")
    with web(lantern) as url:
        with opened(browser, f"{url}sessions/s1") as page:
            expect(page.locator("#step-now")).to_have_text("2 / 2")
            expect(page.locator("#fork")).to_be_hidden()
        for name in ("fork", "pace", "act", "controls", "stop", "advise", "opinion"):
            assert posted(f"{url}api/sessions/s1/{name}", origin=url.rstrip("/"))[0] == 403


def test_a_page_of_another_site_cannot_act(lantern: Lantern) -> None:
    lantern.play("--steps", "2", "--session", "s1")
    with web(lantern, "--control") as url:
        ours, pause = url.rstrip("/"), f"{url}api/sessions/s1/fork"
        csrf = json.load(urllib.request.urlopen(f"{url}api/me"))["csrf"]

        assert posted(pause, origin=ours)[0] == 403
        assert posted(pause, origin="http://evil.example", csrf=csrf)[0] == 403
        assert posted(pause, origin=ours, csrf=csrf, host="evil.example")[0] == 403
        assert posted(pause, origin=ours, csrf=csrf) == (
            400,
            "The request does not fit: Object missing required field `at`.",
        )


def test_elsewhere_than_on_this_machine_a_token_is_needed(lantern: Lantern) -> None:
    lantern.env["LANTERN_WEB_TOKEN"] = "open sesame"
    with web(lantern) as url:
        address = url.partition("?")[0]
        assert "token=open+sesame" in url
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{address}api/sessions")
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert opener.open(url).status == 200
        assert json.load(opener.open(f"{address}api/sessions")) == {"sessions": []}


def test_a_port_that_is_taken_is_said_in_one_line(lantern: Lantern) -> None:
    with web(lantern) as url:
        port = url.rstrip("/").rpartition(":")[2]
        done = lantern.run("web", "--port", port)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"The page cannot be served at 127.0.0.1:{port}" in done.stderr
    assert done.stderr.count("\n") == 1


def posted(url: str, told: object = None, *, origin: str, csrf: str = "", host: str = "") -> tuple[int, str]:
    """The status of a request that acts, and its error."""
    headers = {"origin": origin, "x-lantern-csrf": csrf, **({"host": host} if host else {})}
    request = urllib.request.Request(url, json.dumps(told or {}).encode(), headers, method="POST")
    try:
        return urllib.request.urlopen(request).status, ""
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)["error"]
