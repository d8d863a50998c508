"""`report.html`: one file that needs nothing else and works without its script, which only sorts tables.

Names, failures and all else that comes from plays is data: it is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from lantern.evaluation.report.charts import cost_chart, curves_chart, games_chart
from lantern.evaluation.report.curves import curve_of
from lantern.evaluation.report.statistics import FEW_GAMES, FEW_GAMES_NOTE
from lantern.evaluation.report.summary import RegimeSummary
from lantern.evaluation.report.tables import NOTHING, Table, TableCell, count_cell, game_names, tables_of
from lantern.evaluation.results import PlayResult, PlayState
from mesh.printable import counted, one_line

STYLE = """
:root{color-scheme:light dark;
--ink:#1b1f24;--paper:#fff;--grid:#d5dae1;--faint:#5b6470;--shade:#f5f7f9}
@media(prefers-color-scheme:dark){:root{
--ink:#e6e9ed;--paper:#14171b;--grid:#3a414b;--faint:#9aa4b1;--shade:#1c2127}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:72rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;margin:.5rem 0}
h2{font-size:1.3rem;margin:2rem 0 .3rem;border-top:2px solid var(--grid);padding-top:1rem}
h3,figcaption,summary{font-size:1.05rem;font-weight:600;margin:1.8rem 0 .2rem}
p{margin:.3rem 0 .7rem}
.note{color:var(--faint);font-size:.88rem;max-width:52rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:.28rem .6rem;border-bottom:1px solid var(--grid);text-align:left;white-space:nowrap}
th{vertical-align:bottom;background:var(--shade);white-space:normal}
th:first-child{white-space:nowrap}
.number{text-align:right}
.long{white-space:normal;min-width:16rem;overflow-wrap:anywhere}
tbody tr:hover{background:var(--shade)}
th button{font:inherit;color:inherit;background:none;border:0;padding:0;text-align:inherit;cursor:pointer}
th[aria-sort=ascending] button::after{content:" ▲"}
th[aria-sort=descending] button::after{content:" ▼"}
code{font-size:.92em;user-select:all}
figure{margin:1rem 0;max-width:52rem}
figure svg{display:block;width:100%;min-width:30rem;height:auto}
figure text{font-family:system-ui,sans-serif!important}
summary{cursor:pointer}
"""

SCRIPT = """
for (const head of document.querySelectorAll("th")) {
  const table = head.closest("table"), column = head.cellIndex;
  const button = document.createElement("button");
  button.append(...head.childNodes);
  head.append(button);
  button.onclick = () => {
    const up = head.getAttribute("aria-sort") === "descending";
    table.querySelectorAll("th").forEach(each => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const of = row => row.cells[column].dataset.number ?? "";
    const text = row => row.cells[column].textContent;
    const rows = [...table.tBodies[0].rows].sort((a, b) =>
      (of(a) !== "" && of(b) !== "") ? of(a) - of(b)
      : of(a) !== "" ? 1 : of(b) !== "" ? -1 : text(a).localeCompare(text(b)));
    table.tBodies[0].append(...(up ? rows : rows.reverse()));
  };
}
"""


NUMBER = ' class="number"'
LONG = 60
"""Characters of a cell that is broken into lines."""


def page(title: str, regimes: Sequence[tuple[RegimeSummary, Sequence[PlayResult]]]) -> str:
    """The whole page."""
    return "\n".join(_page(title, regimes))


def _page(title: str, regimes: Sequence[tuple[RegimeSummary, Sequence[PlayResult]]]) -> Iterator[str]:
    script = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'"
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield f"<style>{STYLE}</style></head><body><h1>{_text(title)}</h1>"
    for regime, plays in regimes:
        yield from _regime(regime, plays)
    yield f"<script>{SCRIPT}</script></body></html>"


def _regime(regime: RegimeSummary, plays: Sequence[PlayResult]) -> Iterator[str]:
    yield f"<h2>{_text(regime.regime)}, {counted(regime.step_budget, 'step')}</h2>"
    yield f"<p>{_text(headline(regime))}</p>"
    agents, *others = tables_of(regime)
    yield from _table(agents)
    yield from _charts(regime, plays)
    for table in others:
        yield from _table(table)
    yield from _table(_failures(plays))
    yield f"<details><summary>All {counted(len(plays), 'play')}, with their sessions</summary>"
    yield from _table(_plays(plays))
    yield "</details>"


def headline(regime: RegimeSummary) -> str:
    """The outcome in a few sentences."""
    games = len({each.story_md5 for each in regime.games})
    size = (
        f"{counted(regime.plays, 'play')}{f', {regime.failed:,} of which failed' if regime.failed else ''}: "
        f"{counted(len(regime.agents), 'agent')} on {counted(games, 'game')}."
    )
    if regime.without_maximum:
        names = ", ".join(regime.without_maximum)
        size += f" Without a known maximum, and so in no percentage of points: {names}."
    best = regime.agents[0]
    if best.best.mean is None:
        return f"{size} No score is known."
    said = f"{size} {best.agent} scores highest: {best.best.mean:.2f} % of what is to be gained"
    second = next((pair for pair in regime.pairs if pair.b == best.agent), None)
    if second is None:
        return f"{said}."
    lead = f"{said}, {second.difference.difference:+.2f} points against {second.a} on the same plays"
    sure = second.difference.sureness
    few = f" {FEW_GAMES_NOTE}" if len(second.difference.by_game) < FEW_GAMES else ""
    return f"{lead}." if sure is None else f"{lead} (sure: {100 * sure:.1f} %).{few}"


def _charts(regime: RegimeSummary, plays: Sequence[PlayResult]) -> Iterator[str]:
    names = [agent.agent for agent in regime.agents]
    curves = (curve_of([play for play in plays if play.agent == name], regime.step_budget) for name in names)
    if known := [curve for curve in curves if curve]:
        note = "Mean over games; the band is the standard deviation over seeds."
        yield _figure("Score over steps", note, curves_chart(known, names))
    stories = game_names(regime)
    if drawn := games_chart(regime.games, stories, names):
        note = (
            "Games in which nobody scored are not drawn; the whiskers are the standard deviation over seeds."
        )
        yield _figure("Score by game", note, drawn)
    if any(agent.best.mean is not None for agent in regime.agents):
        yield _figure("Cost against score", "", cost_chart(regime.agents))


def _figure(title: str, note: str, svg: str) -> str:
    caption = f'<figcaption>{_text(title)}</figcaption><p class="note">{_text(note)}</p>'
    return f'<figure role="group" aria-label="{_text(title)}">{caption}<div class="wide">{svg}</div></figure>'


def _failures(plays: Iterable[PlayResult]) -> Table:
    failed = sorted((p for p in plays if p.state is PlayState.FAILED), key=lambda p: (p.failure, _order(p)))
    return Table(
        "Plays that failed",
        "They count nowhere else.",
        ("game", "agent", "seeds", "reason", "session"),
        tuple(
            (TableCell(p.game), TableCell(p.agent), _seeds(p), TableCell(p.failure), _watch(p))
            for p in failed
        ),
    )


def _plays(plays: Iterable[PlayResult]) -> Table:
    return Table(
        "",
        "Seeds: of the emulator, of the agent. lantern sessions transcript, lantern replay and lantern fork "
        "take the id of a session as well.",
        ("game", "agent", "seeds", "highest", "final", "maximum", "steps", "episodes", "deaths", "session"),
        tuple(tuple(_play(play)) for play in sorted(plays, key=_order)),
    )


def _play(play: PlayResult) -> Iterator[TableCell]:
    yield from (TableCell(play.game), TableCell(play.agent), _seeds(play))
    for number in (play.best_score, play.final_score, play.max_score, play.steps, play.episodes, play.deaths):
        yield count_cell(number)
    yield _watch(play)


def _order(play: PlayResult) -> tuple[str, str, int, int]:
    return play.game, play.agent, play.emulator_seed, play.agent_seed


def _seeds(play: PlayResult) -> TableCell:
    return TableCell(f"{play.emulator_seed}, {play.agent_seed}")


def _watch(play: PlayResult) -> TableCell:
    return TableCell(f"lantern watch {shlex.quote(play.session)}", code=True)


def _table(table: Table) -> Iterator[str]:
    """A table with its title, note and all; nothing, if it has no rows."""
    if not table.rows:
        return
    title = f"<h3>{_text(table.title)}</h3>" if table.title else ""
    yield f'{title}<p class="note">{_text(table.note)}</p><div class="wide"><table><thead><tr>'
    for i, column in enumerate(table.columns):
        yield f'<th scope="col"{NUMBER if table.is_numeric(i) else ""}>{_text(column)}</th>'
    yield "</tr></thead><tbody>"
    for row in table.rows:
        yield f"<tr>{''.join(map(_td, row))}</tr>"
    yield "</tbody></table></div>"


def _td(cell: TableCell) -> str:
    text = f"<code>{_text(cell.text)}</code>" if cell.code else _text(cell.text)
    if cell.number is not None:
        return f'<td{NUMBER} data-number="{cell.number!r}">{text}</td>'
    kind = (
        NUMBER if cell.text == NOTHING else ' class="long"' if len(cell.text) > LONG and not cell.code else ""
    )
    return f"<td{kind}>{text}</td>"


def _text(text: str) -> str:
    return escape(one_line(text))
