"""`lantern web` in a real browser: sessions are found, watched while they are played, and walked through."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.long_record import record_session_live
from games import BUNDLED
from lantern.nats.connection import connection, nats_url
from lantern.web.api import export
from lantern.web.feed.session_feed import TICK
from mesh.nats.codec import encode, envelope_address
from mesh.nats.subjects import message_id, subject_of
from mesh.record import archive
from mesh.record.archive import ArchivedMessage
from mesh.settings import MeshSettings
from schemas.lookahead import ActionRisk, LookedAhead
from tests.support.browser.chromium import opened, stopped, web
from tests.support.processes.command import ROOT, Lantern
from tests.support.servers.own_server import OwnServer

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
SESSIONS = ("heuristic", "a-talk", "text-only")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[str]:
    """The address of a page that shows recorded sessions, one of them hostile."""
    folder = tmp_path_factory.mktemp("web")
    lantern = Lantern(folder / "home")
    for name in SESSIONS:
        imported = lantern.run("sessions", "import", str(a_record(folder, name)))
        assert imported.returncode == 0, imported.stderr
    storing = store_hostile_session(lantern.home, (folder / "heuristic.jsonl").read_text())
    with ThreadPoolExecutor() as thread:  # Playwright's event loop is this thread's
        thread.submit(asyncio.run, storing).result()
    with web(lantern) as url:
        yield url
    lantern.wait_until_gone()


def a_record(folder: Path, name: str) -> Path:
    """A recorded session as a file that can be imported."""
    path = folder / f"{name}.jsonl"
    path.write_bytes(gzip.decompress((ROOT / "tests" / "recorded" / f"{name}.jsonl.gz").read_bytes()))
    return path


async def store_hostile_session(home: Path, record: str) -> None:
    """A session whose game, rooms, actions and sub-agents say what a browser must not run."""
    lines = [json.loads(line) for line in record.splitlines() if '"message"' in line]
    messages = []
    for line in lines:
        message = {
            **line["message"],
            "cell": "main",
            "session": "hostile",
            "body": hostile(line["message"]["body"]),
        }
        subject, number = (
            line[name].replace("recorded.heuristic", "main.hostile") for name in ("subject", "id")
        )
        messages.append(ArchivedMessage(subject, number, json.dumps(message).encode()))
    ahead = LookedAhead(
        step=3,
        origin=3,
        probes=1_200,
        spent=1_200,
        points=5,
        actions=("north", HOSTILE),
        risks=(ActionRisk(action="jump", tries=6, deaths=4),),
    )
    async with nats_url(MeshSettings(home=home)) as url, connection(url, "main") as bus:
        told = bus.writer.envelope("hostile", ahead, None)
        address = envelope_address(told)
        messages.append(ArchivedMessage(subject_of(address), message_id(address), encode(told)))
        await archive.store(bus.writer, "hostile", messages)


def hostile(value: Any) -> Any:
    if isinstance(value, list):
        return [hostile(each) for each in value]
    if not isinstance(value, dict):
        return value
    texts = {"text"} if "text" in value else {"observation", "reason", "name", "action", "proposed", "game"}
    return {
        name: HOSTILE if name in texts and isinstance(each, str) and each != "budget" else hostile(each)
        for name, each in value.items()
    }


def step_of(page: Page) -> int:
    return int(page.locator("#strip").get_attribute("aria-valuenow") or -1)


def wait_for_last_step(page: Page) -> int:
    """Which step that is; what a key changes is drawn with the next picture, not with the key."""
    wait_until(
        lambda: page.evaluate(
            "Number(strip.ariaValueNow) === Number(strip.ariaValueMax) && strip.ariaValueNow > 0"
        )
    )
    return step_of(page)


def test_sessions_are_searched_filtered_and_sorted(recorded: str, browser: Browser) -> None:
    with opened(browser, recorded) as page:
        rows = page.locator("#rows tr")
        expect(rows).to_have_count(4)
        expect(rows.filter(has_text="a-talk")).to_contain_text("kelder")

        page.keyboard.press("/")
        page.keyboard.type("text-on")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("text only")
        page.get_by_label("Search").fill("")
        page.get_by_role("button", name="Score").click()
        expect(page.get_by_role("columnheader", name="Score")).to_have_attribute("aria-sort", "descending")
        page.get_by_role("link", name="kelder").first.click()
        expect(page.locator("#story")).to_have_text("kelder")


def test_a_session_is_walked_through_by_keys_and_by_the_timeline(recorded: str, browser: Browser) -> None:
    with opened(browser, f"{recorded}sessions/heuristic") as page:
        expect(page.locator("#step-now")).to_have_text("40 / 40")
        expect(page.locator("#transcript li.here .text")).not_to_have_text("…")

        page.keyboard.press("g")
        expect(page.locator("#step-now")).to_have_text("0 / 40")
        expect(page.locator("#map-count")).to_have_text("1 room")
        expect(page.locator("#transcript li.here")).to_contain_text("THE KELDER LIGHT")
        page.keyboard.press("j")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#step-now")).to_have_text("2 / 40")
        expect(page.locator("#inside .decision")).to_contain_text("actor")
        expect(page.locator("#inside article[aria-label=hint]")).to_be_visible()
        page.keyboard.press("n")
        expect(page.locator("#transcript li.here .chip.points")).to_be_visible()
        with_points = step_of(page)
        assert with_points > 2
        page.keyboard.press("p")
        assert step_of(page) == with_points, "there were no points before"

        strip = page.locator("#strip").bounding_box()
        assert strip is not None
        page.mouse.move(strip["x"] + 3, strip["y"] + 10)
        page.mouse.down()
        page.mouse.move(strip["x"] + strip["width"] * 20.5 / 60, strip["y"] + 10, steps=8)
        page.mouse.up()
        expect(page.locator("#step-now")).to_have_text("20 / 40")
        expect(page).to_have_url(f"{recorded}sessions/heuristic#20")
        page.reload()
        expect(page.locator("#step-now")).to_have_text("20 / 40")
        expect(page.locator(".room.here")).to_have_count(1)


def test_inside_a_step_there_are_all_messages_and_who_took_how_long(recorded: str, browser: Browser) -> None:
    with opened(browser, f"{recorded}sessions/heuristic#5") as page:
        page.get_by_role("tab", name="Messages").click()
        kinds = page.locator("details.message summary b")
        expect(kinds.first).to_have_text("step")
        assert {"step", "fragment", "proposal", "verdict"} == set(kinds.all_inner_texts())
        page.locator("details.message").first.locator("summary").click()
        expect(page.locator("pre.json").first).to_contain_text('"observation"')
        page.keyboard.press("m")
        expect(page.get_by_role("tab", name="Models")).to_have_attribute("aria-selected", "true")
        page.get_by_role("tab", name="Time").click()
        expect(page.locator(".waterfall")).to_contain_text("actor")


def test_no_text_of_a_story_or_a_model_runs_as_a_script(recorded: str, browser: Browser) -> None:
    with opened(browser, f"{recorded}sessions/hostile#3") as page:
        expect(page.locator("#transcript li.here")).to_contain_text("<script>")
        expect(page.locator("#inside .decision")).to_contain_text("onerror")
        expect(page.locator("#room-info")).to_contain_text("<img")
        for tab in ("Messages", "Models", "Time"):
            page.get_by_role("tab", name=tab).click()
        assert page.locator("img, body script").count() == 0
        assert "owned" not in page.title().split(" · ")
        page.goto(recorded)
        expect(page.locator("#rows tr").filter(has_text="hostile")).to_contain_text("<img")
        assert page.title() == "Sessions · Lantern"


def test_the_memory_is_asked_what_it_knew_after_a_step(recorded: str, browser: Browser) -> None:
    with opened(browser, f"{recorded}sessions/heuristic#3") as page:
        page.get_by_role("tab", name="Ask").click()
        page.get_by_label("Question").fill("where am I?")
        page.keyboard.press("Enter")
        expect(page.locator(".answer")).to_contain_text("After step 3")
        page.locator(".ask .more").first.click()
        expect(page.locator("#step-now")).to_have_text("3 / 40")
        page.get_by_label("Question").fill("x" * 400)
        page.keyboard.press("Enter")
        expect(page.locator(".answer").first).to_be_visible()


def test_an_exported_session_opens_from_disk_and_needs_nothing_else(
    recorded: str, browser: Browser, tmp_path: Path
) -> None:
    for session in ("heuristic", "hostile"):
        with opened(browser, f"{recorded}sessions/{session}") as page:
            expect(page.locator("#state")).to_be_visible()
            with page.expect_download() as download:
                page.get_by_role("link", name="Export").click()
            download.value.save_as(tmp_path / f"{session}.html")
    with opened(browser, f"file://{tmp_path}/heuristic.html#12") as page:
        expect(page.locator("#step-now")).to_have_text("12 / 40")
        expect(page.locator("#inside .decision")).to_contain_text("actor")
        page.keyboard.press("g")
        expect(page.locator("#transcript li.here")).to_contain_text("THE KELDER LIGHT")
        page.keyboard.press("G")
        expect(page.locator(".room")).not_to_have_count(1)
        assert (
            page.locator(".room").evaluate_all(
                "rooms => new Set(rooms.map(r => r.getAttribute('transform'))).size"
            )
            > 1
        )
    with opened(browser, f"file://{tmp_path}/hostile.html#3") as page:
        expect(page.locator("#transcript li.here")).to_contain_text("<script>")
        assert page.locator("img").count() == 0
        assert "owned" not in page.title().split(" · ")


def test_an_export_has_every_step_in_parts_that_are_opened_when_they_are_shown(
    lantern: Lantern, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "PART", 10)
    assert lantern.run("sessions", "import", str(a_record(tmp_path, "heuristic"))).returncode == 0
    with ThreadPoolExecutor() as thread:
        text = thread.submit(asyncio.run, export_of(lantern.home, "heuristic")).result()
    (tmp_path / "heuristic.html").write_text(text)
    assert text.count('<script type="application/gzip" id="part-') == 5
    assert "THE KELDER LIGHT" not in text, "the parts are compressed"
    with opened(browser, f"file://{tmp_path}/heuristic.html#39") as page:
        expect(page.locator("#inside .decision")).to_contain_text("actor")
        page.keyboard.press("g")
        expect(page.locator("#transcript li.here")).to_contain_text("THE KELDER LIGHT")
        for _ in range(21):
            page.keyboard.press("j")
        expect(page.locator("#step-now")).to_have_text("21 / 40")
        expect(page.locator("#inside .decision")).to_contain_text("actor")
        expect(page.locator("#transcript li.here .text")).not_to_have_text("…")


async def export_of(home: Path, session: str) -> str:
    async with nats_url(MeshSettings(home=home)) as url, connection(url, "main") as bus:
        return "".join([part async for part in export.exported(bus.in_cell("recorded"), session)])


def test_what_the_planner_has_found_ahead_is_beside_what_it_says(recorded: str, browser: Browser) -> None:
    with opened(browser, f"{recorded}sessions/hostile#3") as page:
        ahead = page.locator("article[aria-label='planner: ahead']")
        expect(ahead).to_contain_text("+5 points in 2 steps")
        expect(ahead).to_contain_text("1,200 actions tried")
        expect(ahead.locator(".way .action-chip")).to_have_text(["north", HOSTILE])
        expect(ahead.locator(".risks li")).to_have_text("jumpkilled in 4 of 6 tries")


def test_the_mesh_and_the_evaluations_have_a_page_each(
    lantern: Lantern, browser: Browser, tmp_path: Path
) -> None:
    run = (
        "evaluate",
        "--games",
        str(BUNDLED),
        "--policy",
        "random",
        "--steps",
        "3",
        "--seeds",
        "1",
        "--jobs",
        "1",
    )
    done = lantern.run(*run, "--out", str(tmp_path / "runs" / "one"), timeout=120)
    assert done.returncode == 0, done.stderr
    playing = lantern.start("play", "--steps", "3000", "--policy", "random", "--session", "s1")
    playing.wait_for_step(1)
    with web(lantern, "--evaluations", str(tmp_path / "runs")) as url, opened(browser, f"{url}mesh") as page:
        expect(page.get_by_role("row").filter(has_text="game")).to_contain_text("ready")
        expect(page.get_by_role("link", name="s1").first).to_have_attribute("href", "/sessions/s1")
        stopped(playing)
        expect(page.get_by_text("No service is live.")).to_be_visible()

        page.get_by_role("link", name="Evaluations").click()
        expect(page.get_by_role("row").filter(has_text="random")).to_contain_text("1 of 1")
        page.get_by_role("link", name="Report").click()
        expect(page.get_by_role("heading", name="Evaluation: one")).to_be_visible()


def test_a_comparison_without_sessions_says_how_they_are_named(recorded: str, browser: Browser) -> None:
    for path in ("compare", "compare?a=heuristic"):
        with opened(browser, f"{recorded}{path}") as page:
            expect(page.get_by_role("alert")).to_contain_text("Open a session and press Compare.")


PAGES = ("", "sessions/heuristic#12", "compare?a=heuristic&b=a-talk#3", "mesh", "evaluations")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_labels_and_contrast_are_right_in_both_themes(recorded: str, browser: Browser, theme: str) -> None:
    for path in PAGES[2:]:
        with opened(browser, f"{recorded}{path}", color_scheme=theme, bypass_csp=True) as page:
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            if path.startswith("compare"):
                expect(page.locator("#parting")).to_contain_text("First difference")
                expect(page.locator(".decision")).to_have_count(2)
            check_accessible(page)
    with opened(browser, recorded, color_scheme=theme, bypass_csp=True) as page:
        expect(page.locator("#rows tr")).to_have_count(4)
        check_accessible(page)
        page.goto(f"{recorded}sessions/heuristic#12")
        expect(page.locator("#inside .decision")).to_be_visible()
        for tab in ("Mesh", "Messages", "Time"):
            page.get_by_role("tab", name=tab).click()
            check_accessible(page)


def test_everything_is_reached_by_the_keyboard_alone(recorded: str, browser: Browser) -> None:
    with opened(browser, recorded) as page:
        expect(page.locator("#rows tr")).to_have_count(4)
        tab_to(page, page.get_by_role("button", name="Score"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("columnheader", name="Score")).to_have_attribute("aria-sort", "descending")
        tab_to(page, page.locator('a[href="/sessions/heuristic"]'))
        page.keyboard.press("Enter")
        expect(page.locator("#step-now")).to_have_text("40 / 40")
        page.keyboard.press("g")
        tab_to(page, page.get_by_role("tab", name="Mesh"))
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name="Messages")).to_be_focused()
        expect(page.locator("details.message").first).to_be_visible()
        tab_to(page, page.locator("details.message summary").first)
        page.keyboard.press("Enter")
        expect(page.locator("pre.json").first).to_be_visible()
        tab_to(page, page.locator("#map-view .room").first)
        page.keyboard.press("Enter")
        expect(page.locator("#room-info")).to_contain_text("entered")
        tab_to(page, page.locator("#strip"))
        page.keyboard.press("ArrowRight")
        expect(page.locator("#step-now")).to_have_text("1 / 40")
        tab_to(page, page.get_by_role("button", name="Compare"), back=True)
        page.keyboard.press("Enter")
        expect(page.locator("dialog select")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        expect(page.get_by_role("button", name="Compare")).to_be_focused()


def tab_to(page: Page, target: Locator, *, back: bool = False) -> None:
    """Press Tab until something has the focus, which must be visible then."""
    expect(target).to_be_visible()
    for _ in range(120):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {target}")


def check_accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [
        (each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")
    ] == []


def test_a_phone_shows_one_area_at_a_time_and_nothing_is_cut_off(recorded: str, browser: Browser) -> None:
    with opened(browser, f"{recorded}sessions/heuristic", viewport={"width": 390, "height": 780}) as page:
        expect(page.locator("#transcript li.here")).to_be_visible()
        for area in ("Mesh", "Map", "Score", "Game"):
            page.locator("#areas").get_by_role("button", name=area).click()
            expect(page.locator(f"#{area.lower()}")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for path in PAGES:
        with opened(browser, f"{recorded}{path}", viewport={"width": 390, "height": 780}) as page:
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            if not path:
                expect(page.locator("#rows tr")).to_have_count(4)
            if path.startswith("compare"):
                expect(page.locator("#parting")).to_contain_text("First difference")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_page_ends_at_once_under_its_viewers_who_are_told(lantern: Lantern, browser: Browser) -> None:
    lantern.play("--steps", "2", "--session", "s1")
    with ExitStack() as stack:
        with web(lantern) as url:
            page = stack.enter_context(opened(browser, f"{url}sessions/s1"))
            expect(page.locator("#step-now")).to_have_text("2 / 2")
        expect(page.locator("#notice")).to_contain_text("connection to Lantern is lost")


def test_an_unknown_session_is_said_to_be_one(recorded: str, browser: Browser) -> None:
    with opened(browser, f"{recorded}sessions/nobody") as page:
        expect(page.locator("#fault")).to_contain_text("no session 'nobody'")
        expect(page.locator("#notice")).to_be_hidden()


def test_a_live_game_arrives_can_be_left_and_followed_again(lantern: Lantern, browser: Browser) -> None:
    playing = lantern.start("play", "--steps", "5000", "--session", "s1", "--policy", "random")
    playing.wait_for_step(1)
    with web(lantern) as url, opened(browser, f"{url}sessions/s1") as page:
        expect(page.locator("#state")).to_have_text("live")
        page.wait_for_timeout(300)
        before = step_of(page)
        expect(page.locator("#strip")).not_to_have_attribute("aria-valuenow", str(before))
        expect(page.locator("#inside article").first).to_be_visible()

        page.keyboard.press("g")
        expect(page.locator("#follow")).to_have_attribute("aria-pressed", "false")
        expect(page.locator("#step-now")).to_have_text("0 / 5,000")
        page.keyboard.press("G")
        expect(page.locator("#follow")).to_have_attribute("aria-pressed", "true")
        assert wait_for_last_step(page) > before

        assert stopped(playing).returncode == 130
        expect(page.locator("#state")).to_have_text("stopped")
        page.keyboard.press("G")
        last = wait_for_last_step(page)
        page.reload()
        expect(page.locator("#strip")).to_have_attribute("aria-valuenow", str(last))


def test_a_game_of_sixty_steps_a_second_arrives_whole_and_is_drawn_at_the_pages_own_pace(
    lantern: Lantern, browser: Browser
) -> None:
    published: list[float] = []
    playing = record_session_live(lantern.home, "fast", 60, 10, published)
    with web(lantern) as url, ThreadPoolExecutor() as thread:
        game = thread.submit(asyncio.run, playing)
        wait_until(lambda: len(published) > 10)
        with opened(browser, f"{url}sessions/fast", bypass_csp=True) as page:
            expect(page.locator("#state")).to_have_text("live")
            page.evaluate(COUNT_EVENTS, f"{url}api/sessions/fast/events")
            game.result()
            expect(page.locator("#strip")).to_have_attribute("aria-valuenow", "599")
            expect(page.locator("#transcript li.here")).to_have_attribute("data-step", "599")
            expect(page.locator("#transcript li.here .text")).not_to_have_text("…")
            page.wait_for_function("seen.size === 600")
            assert page.evaluate("events") < (published[-1] - published[0]) / TICK + 20, (
                "told at its own pace"
            )
            page.keyboard.press("g")
            expect(page.locator("#step-now")).to_have_text("0 / 600")


COUNT_EVENTS = """(path) => {
  window.seen = new Set(); window.events = 0;
  new EventSource(path).addEventListener("rows", (event) => {
    for (const row of JSON.parse(event.data)) seen.add(row.step);
    events += 1;
  });
}"""


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_page_goes_on_after_nats_was_killed_and_started_again(
    lantern: Lantern, server: OwnServer, browser: Browser
) -> None:
    playing = lantern.start(
        "play", "--steps", "5000", "--session", "s1", "--nats", server.url, "--policy", "random"
    )
    playing.wait_for_step(1)
    with web(lantern, "--nats", server.url) as url, opened(browser, f"{url}sessions/s1") as page:
        expect(page.locator("#state")).to_have_text("live")
        server.kill()
        expect(page.locator("#notice")).to_contain_text("NATS does not answer")
        server.start()
        expect(page.locator("#notice")).to_be_hidden()
        now = step_of(page)
        expect(page.locator("#strip")).not_to_have_attribute("aria-valuenow", str(now))
        stopped(playing)


def test_a_server_that_does_not_answer_in_time_is_said_to_whoever_asks_and_ends_nothing(
    lantern: Lantern, server: OwnServer
) -> None:
    lantern.play("--steps", "2", "--session", "s1", "--nats", server.url)
    with (
        web(lantern, "--nats", server.url) as url,
        urllib.request.urlopen(f"{url}api/sessions/s1/events") as events,
    ):
        told_of(events, '"whole":true')
        server.pause()
        told_of(events, '"away":true')
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{url}api/sessions/s1/steps/1")

        server.go_on()

        assert (caught.value.code, json.load(caught.value)) == (
            503,
            {"error": "The NATS server does not answer in time. See its log, and try again."},
        )
        told_of(events, '"away":false')
        assert urllib.request.urlopen(f"{url}api/sessions/s1/steps/1").status == 200


def told_of(events: Iterable[bytes], text: str) -> None:
    """Read events until a text is in one."""
    assert any(text.encode() in line for line in events)
