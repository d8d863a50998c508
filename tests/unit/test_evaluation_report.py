"""The report on an evaluation: what is joined, what the tables say, and that the page shows data as data."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lantern.cli import run
from lantern.evaluation.report.charts import COLOURS
from lantern.evaluation.report.export import tales_rows
from lantern.evaluation.report.page import headline
from lantern.evaluation.report.plays import joined_plays
from lantern.evaluation.report.summarising import summaries
from lantern.evaluation.report.summary import RegimeSummary
from lantern.evaluation.report.tables import markdown, tables_of
from lantern.evaluation.report.writing import REPORT, SUMMARY, page_of, write_report
from lantern.evaluation.results import PlayResult, PlayState
from mesh.errors import InputError
from schemas.language_model import ModelAsked
from tests.support.scenes.builders import a_text_step
from tests.support.scenes.moment_builders import a_moment, said
from tests.support.scenes.results_builder import a_play, a_run

HOSTILE = "<script>alert(1)</script>$x_{$ | \x1b[31m\" onload='x' &amp; [a](b)\n"


def summary_of_one(plays: list[PlayResult]) -> RegimeSummary:
    [(regime, _)] = summaries(plays)
    return regime


def rows_of(regime: RegimeSummary, title: str) -> list[list[str]]:
    [table] = [each for each in tables_of(regime) if each.title == title]
    return [[cell.text for cell in row] for row in table.rows]


def test_the_best_agent_and_the_game_with_most_points_stand_first() -> None:
    plays = [
        a_play(agent=agent, game=game, best=score)
        for agent, game, score in [("low", "a", 1), ("low", "b", 2), ("high", "a", 10), ("high", "b", 40)]
    ]

    regime = summary_of_one(plays)

    assert [row[:2] for row in rows_of(regime, "Agents")] == [["high", "25.00"], ["low", "1.50"]]
    assert [row[0] for row in rows_of(regime, "Games")] == ["b", "a"]
    assert rows_of(regime, "Agents in pairs")[0][:3] == ["high", "low", "+23.50"]
    assert "high scores highest: 25.00 %" in headline(regime)
    assert "+23.50 points against low" in headline(regime)


def test_points_beyond_the_maximum_count_as_the_maximum() -> None:
    plays = [a_play(agent="one", game=game, best=best) for game, best in [("a", 50), ("faulty", 2_638)]]

    assert [row[:2] for row in rows_of(summary_of_one(plays), "Agents")] == [["one", "75.00"]]


def test_an_agent_without_a_part_is_paired_with_the_whole_one_alone() -> None:
    plays = [
        a_play(agent=agent, game=game, best=best, **more)
        for game in ("a", "b")
        for agent, best, more in [
            ("whole", 30, {}),
            ("no hint", 20, {"without": ("hint",)}),
            ("mine", 35, {"replaced": {"hint": "mine.py:Hint"}}),
            ("set", 5, {"settings": {"LANTERN_X": "1"}}),
            ("set, no hint", 1, {"settings": {"LANTERN_X": "1"}, "without": ("hint",)}),
            ("timid", 26, {"without_behaviours": ("fight",)}),
            ("timid, no hint", 25, {"without_behaviours": ("fight",), "without": ("hint",)}),
            ("random", 2, {"policy": "random"}),
        ]
    ]

    shown = [row[:3] for row in rows_of(summary_of_one(plays), "What each part adds")]

    assert shown == [
        ["whole", "without hint (no hint)", "+10.00"],
        ["whole", "without hint, the behaviour fight (timid, no hint)", "+5.00"],
        ["whole", "without the behaviour fight (timid)", "+4.00"],
        ["set", "without hint (set, no hint)", "+4.00"],
        ["whole", "hint replaced by mine.py:Hint (mine)", "-5.00"],
    ]


def test_agents_that_differ_by_their_command_or_budget_alone_are_not_taken_for_one(tmp_path: Path) -> None:
    mine, yours = (a_play(policy="outside", outside=name, agent=name) for name in ("mine", "yours"))
    cheap = a_play(policy="reflact", model="m", agent="cheap", budget_usd=0.5)
    dear = a_play(policy="reflact", model="m", agent="dear", without=("hint",))

    regime = summary_of_one([mine, yours, cheap, dear])

    told = {row[0]: row[1:3] for row in rows_of(regime, "Costs")}
    assert (told["mine"], told["yours"]) == (["mine", "–"], ["yours", "–"])
    assert (told["cheap"], told["dear"]) == (["reflact", "m, at most 0.5 US$ a play"], ["reflact", "m"])
    assert regime.parts == ()
    one, other = (
        a_run(tmp_path / "1", [mine]),
        a_run(tmp_path / "2", [mine.model_copy(update={"play": "0" * 16, "outside": "yours"})]),
    )
    with pytest.raises(InputError, match=r"The agent 'mine' is not the same .*: outside differ"):
        joined_plays([one, other])


def test_plays_that_failed_count_nowhere_else() -> None:
    plays = [a_play(seed=1, best=50), a_play(seed=2, best=0, state=PlayState.FAILED, failure="no story")]

    regime = summary_of_one(plays)

    assert rows_of(regime, "Agents")[0][1:] == ["50.00", "–", "50.00", "100.0", "–", "1", "2", "1"]


@pytest.mark.parametrize(
    ("regime", "columns", "shown"),
    [
        ("competition", ("% of maximum", "% of games with any score"), ["20.00 ± 28.28", "50.00 ± 70.71"]),
        ("tales", ("highest score, % of maximum",), ["40.00 ± 28.28"]),
        ("jttl", ("AUC over episodes, %",), ["20.00 ± 28.28"]),
    ],
)
def test_each_preset_has_the_figures_of_its_source(
    regime: str, columns: tuple[str, ...], shown: list[str]
) -> None:
    plays = [
        a_play(seed=1, best=52, final_score=20, opening_score=20, regime=regime, score_changes=[(0, 20)]),
        a_play(seed=2, best=60, final_score=52, opening_score=20, regime=regime, score_changes=[(0, 52)]),
    ]
    plays = [plays[0].model_copy(update={"best_score": 20}), plays[1]]

    [table] = [each for each in tables_of(summary_of_one(plays)) if each.title == f"Figures of {regime}"]

    assert table.columns == ("agent", *columns)
    assert [cell.text for cell in table.rows[0]] == ["one", *shown]


def test_games_without_a_maximum_are_named() -> None:
    plays = [a_play(game="a"), a_play(game="b", max_score=None), a_play(game="c", state=PlayState.FAILED)]

    regime = summary_of_one(plays)

    assert regime.without_maximum == ("b",)
    assert "Without a known maximum, and so in no percentage of points: b." in headline(regime)


def test_regimes_are_reported_apart() -> None:
    plays = [a_play(), a_play(regime="tales"), a_play(step_budget=50)]

    assert [(r.regime, r.step_budget, r.plays) for r, _ in summaries(plays)] == [
        ("custom", 50, 1), ("custom", 100, 1), ("tales", 100, 1),
    ]  # fmt: skip


def test_two_stories_of_one_name_are_told_apart() -> None:
    plays = [a_play(game="cave", story_md5=digit * 32, play=digit * 16) for digit in "ab"]

    assert [row[0] for row in rows_of(summary_of_one(plays), "Games")] == ["cave (aaaaaa)", "cave (bbbbbb)"]


def test_a_play_in_two_directories_is_counted_once(tmp_path: Path) -> None:
    again = a_play(seed=1, session="another", seconds=9.0)
    runs = [a_run(tmp_path / "a", [a_play(seed=1)]), a_run(tmp_path / "b", [again, a_play(seed=2)])]

    assert [play.agent_seed for play in joined_plays(runs)] == [1, 2]


def test_a_failure_may_hold_any_break_of_lines(tmp_path: Path) -> None:
    play = a_play(state=PlayState.FAILED, failure="one\u2028two\x85three\nfour")

    assert joined_plays([a_run(tmp_path / "a", [play])]) == [play]


def test_directories_that_disagree_are_refused(tmp_path: Path) -> None:
    runs = [a_run(tmp_path / "a", [a_play(best=1)]), a_run(tmp_path / "b", [a_play(best=2)])]

    with pytest.raises(
        InputError, match=r"different results \(final_score, best_score.*one on cave, seeds 1 and 1"
    ):
        joined_plays(runs)


def test_one_label_for_two_agents_is_refused(tmp_path: Path) -> None:
    other = a_play(seed=2, settings={"LANTERN_X": "1"})
    runs = [a_run(tmp_path / "a", [a_play(seed=1)]), a_run(tmp_path / "b", [other])]

    with pytest.raises(InputError, match=r"'one' is not the same in .*a and in .*b: settings differ"):
        joined_plays(runs)


class Tags(HTMLParser):
    """What an HTML parser makes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs


def test_names_and_failures_are_shown_as_data() -> None:
    plays = [
        a_play(agent=HOSTILE, game=HOSTILE, best=10, session=HOSTILE, handicaps=(HOSTILE,), model=HOSTILE),
        a_play(agent="</style></svg>", game=HOSTILE, best=20),
        a_play(agent=HOSTILE, game=HOSTILE, seed=2, state=PlayState.FAILED, failure=HOSTILE, model=HOSTILE),
    ]

    page = page_of([each.model_copy(update={"regime": HOSTILE}) for each in plays], [Path("</title><b>")])

    tags = Tags()
    tags.feed(page)
    assert tags.names.count("script") == 1
    assert "b" not in tags.names
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert "alert(1)&lt;/script&gt;" in page
    assert "\x1b" not in page


def test_the_page_needs_nothing_but_itself() -> None:
    plays = [a_play(agent=agent, game=game, seed=seed) for agent in "xy" for game in "ab" for seed in (1, 2)]

    page = page_of(plays, [Path("run")])

    tags = Tags()
    tags.feed(page)
    assert tags.names.count("svg") == 3
    assert [value for name, value in tags.attributes if name in ("src", "href")] == []
    assert all((value or "").startswith("#") for name, value in tags.attributes if name == "xlink:href")
    assert not re.search(r"url\((?!#)", page)
    assert "lantern watch a-x-1" in page
    assert page == page_of(plays, [Path("run")])


def test_every_agent_has_its_colour_in_all_charts() -> None:
    plays = [a_play(agent="_first", best=90, score_changes=()), a_play(agent="other", best=10)]

    curves, bars, cost = re.findall("<svg.*?</svg>", page_of(plays, [Path("run")]), re.S)

    assert "_first" in bars
    assert "_first" in cost
    assert "_first" not in curves
    assert COLOURS[0] not in curves
    assert all(COLOURS[1] in chart for chart in (curves, bars, cost))


@pytest.mark.parametrize(
    "plays",
    [
        [a_play(max_score=None)],
        [a_play(best=None, score_changes=())],
        [a_play(best=0)],
        [a_play(state=PlayState.FAILED, failure="no story")],
        [a_play(seconds=0.0, steps=0, step_budget=0, score_changes=[(0, 0)])],
    ],
    ids=["no maximum", "no score", "no points", "failed", "no steps"],
)
def test_a_page_is_made_of_plays_of_which_little_is_known(plays: list[PlayResult]) -> None:
    assert "<h3>Agents</h3>" in page_of(plays, [Path("run")])


def test_a_report_stands_beside_the_results(tmp_path: Path) -> None:
    directory = a_run(tmp_path / "run", [a_play(game=game) for game in "ab"])

    assert write_report(directory) == directory / REPORT

    summary = json.loads((directory / SUMMARY).read_text())
    [regime] = summary["regimes"]
    assert regime["agents"][0]["best"] == {"mean": 10, "deviation": None, "interval": {"low": 10, "high": 10}}
    assert summary["bootstrap"]["draws"] == 10_000


def test_markdown_escapes_what_would_end_a_cell() -> None:
    [table, *_] = tables_of(summary_of_one([a_play(agent="a|b <b> `c`\nd")]))

    lines = markdown(table).splitlines()

    assert lines[-1].startswith(r"| a\|b \<b\> \`c\` d |")
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines[2:]}) == 1


def test_a_row_of_the_tales_export_is_a_step_with_what_the_model_was_asked_before_it() -> None:
    asked = ModelAsked(
        session="s1",
        step=0,
        model="m",
        prompt_sha256="0" * 64,
        prompt="P",
        reply="R",
        input_tokens=7,
        output_tokens=2,
    )
    moments = [
        a_moment(a_text_step(0, None, "A cave."), said(asked, by="actor")),
        a_moment(a_text_step(1, "take lamp", "Taken.")),
    ]

    [row] = tales_rows(a_play(model="m", score_changes=[(0, 0), (1, 10)]), moments)

    assert [row["run_id"], row["model"], row["Step"]] == ["cave-one-1", "m", 1]
    assert [row["Score"], row["Max Score"], row["Normalized Score"]] == [10, 100, 0.1]
    assert [row["Observation"], row["Action"], row["Feedback"]] == ["A cave.", "take lamp", "Taken."]
    assert [row["Prompt"], row["Response"], row["Token Usage"], row["Moves"]] == ["P", "R", 9, None]


def test_the_command_joins_runs_and_refuses_what_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(a_run(tmp_path / each, [a_play(agent=each)])) for each in "ab"]
    out = str(tmp_path / "joined.html")

    assert run(["evaluate", "report", *runs, "--out", out]) == 0
    assert "Evaluation: a, b" in (tmp_path / "joined.html").read_text()
    assert run(["evaluate", "report", *runs, "--format", "markdown"]) == 0
    assert "| a | 10.00 |" in capsys.readouterr().out
    assert run(["evaluate", "report", str(tmp_path / "none")]) == 2
    assert run(["evaluate", "report", runs[0], "--out", str(tmp_path / "no" / "x.html")]) == 2
    assert run(["evaluate", "report", *runs]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3
