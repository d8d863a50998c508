"""The tables of a report, as rows of cells: the page and the Markdown show the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lantern.evaluation.report.statistics import DRAWS, Interval, PairedDifference
from lantern.evaluation.report.summary import AgentSummary, GameSummary, RegimeSummary
from mesh.printable import one_line

NOTHING = "–"
"""Shown for what is unknown."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: what is shown, and the number by which it is sorted (None: it is a text)."""

    text: str
    number: float | None = None
    code: bool = False
    """Whether it is to be typed."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption; the first column names the row."""

    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers, or nothing."""
        return all(row[column].number is not None or row[column].text == NOTHING for row in self.rows)


def tables_of(regime: RegimeSummary) -> list[Table]:
    """The tables of one regime that have rows, the most telling one first."""
    made = (
        _agents(regime),
        _figures(regime),
        _parts(regime),
        _pairs(regime),
        _games(regime),
        _costs(regime),
    )
    return [table for table in made if table.rows]


def markdown(table: Table) -> str:
    """The table in Markdown."""
    numeric = map(table.is_numeric, range(len(table.columns)))
    lines = [
        f"**{_cell(table.title)}.** {_cell(table.note)}",
        "",
        _line(table.columns),
        _line(["--:" if right else "---" for right in numeric]),
        *(_line([_cell(cell.text) for cell in row]) for row in table.rows),
    ]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """The text with every character escaped that Markdown or HTML would take for its own."""
    marked = "".join(f"\\{c}" if c in "\\`*_[]<>|~#" else c for c in one_line(text))
    return marked.replace("&", "&amp;")


def _agents(regime: RegimeSummary) -> Table:
    return Table(
        "Agents",
        "Scores above the opening's in percent of what is to be gained: the mean over games, its 95 % "
        "interval (what other games might give), ± the standard deviation over seeds. Two seeds differ: "
        "pairs of seeds of one game with different highest scores.",
        (
            "agent", "highest, %", "95 % interval", "final, %", "games with any score, %",
            "two seeds differ, %", "games", "plays", "failed",
        ),
        tuple(tuple(_agent_cells(agent)) for agent in regime.agents),
    )  # fmt: skip


def _agent_cells(agent: AgentSummary) -> Iterator[TableCell]:
    yield TableCell(agent.agent)
    yield _number(agent.best.mean, agent.best.deviation)
    yield _interval(agent.best.interval)
    yield _number(agent.final.mean, agent.final.deviation)
    yield _number(agent.any_score, agent.any_score_deviation, 1)
    yield _number(agent.disagreement, digits=1)
    yield from (count_cell(number) for number in (agent.games, agent.plays, agent.failed))


def _figures(regime: RegimeSummary) -> Table:
    names = [*dict.fromkeys(name for agent in regime.agents for name in agent.figures)]
    rows = (
        (TableCell(a.agent), *(_number(a.figures[name].value, a.figures[name].deviation) for name in names))
        for a in regime.agents
    )
    return Table(
        f"Figures of {regime.regime}",
        FIGURE_NOTES.get(regime.regime, ""),
        ("agent", *names),
        tuple(rows) if names else (),
    )


def _parts(regime: RegimeSummary) -> Table:
    shares = sorted(regime.parts, key=lambda each: -each.adds.difference)
    return Table(
        "What each part adds",
        "The agent minus the same agent without a behaviour, the critic or a sub-agent (or with another in "
        "its place), in percentage points of the highest score, over the same games and seeds.",
        ("agent", "compared with", "adds, points", "95 % interval", "sure, %", "pairs"),
        tuple(
            (TableCell(each.agent), TableCell(f"{each.change} ({each.other})"), *_difference_cells(each.adds))
            for each in shares
        ),
    )


def _pairs(regime: RegimeSummary) -> Table:
    return Table(
        "Agents in pairs",
        "Differences of the highest score in percentage points, over the same games and seeds. The interval "
        f"is that of {DRAWS:,} bootstrap draws of the games; sure: the share of draws that agree on which is "
        "better.",
        ("better", "than", "by, points", "95 % interval", "sure, %", "pairs"),
        tuple(
            (TableCell(each.b), TableCell(each.a), *_difference_cells(each.difference))
            for each in regime.pairs
        ),
    )


def _difference_cells(difference: PairedDifference) -> Iterator[TableCell]:
    yield TableCell(f"{difference.difference:+.2f}", difference.difference)
    yield _interval(difference.interval)
    sure = difference.sureness
    yield _number(None if sure is None else 100 * sure, digits=1)
    yield count_cell(difference.pairs)


def _games(regime: RegimeSummary) -> Table:
    """A row for each game, a column for each agent; the game with the highest mean first."""
    agents = [agent.agent for agent in regime.agents]
    games: dict[str, dict[str, GameSummary]] = {}
    for each in regime.games:
        games.setdefault(each.story_md5, {})[each.agent] = each
    ordered = sorted(games.values(), key=lambda game: (-_mean_of(game), next(iter(game.values())).game))
    names = game_names(regime)
    return Table(
        "Games",
        "Highest score in percent, the mean over seeds ± its standard deviation.",
        ("game", "maximum", *agents),
        tuple(
            (
                TableCell(names[next(iter(game.values())).story_md5]),
                count_cell(
                    max((e.max_score for e in game.values() if e.max_score is not None), default=None)
                ),
                *(_game_cell(game.get(agent)) for agent in agents),
            )
            for game in ordered
        ),
    )


def game_names(regime: RegimeSummary) -> dict[str, str]:
    """By story, the name of its file; with the start of its md5 where two stories have one name."""
    names = {each.story_md5: each.game for each in regime.games}
    taken = [*names.values()]
    return {md5: name if taken.count(name) == 1 else f"{name} ({md5[:6]})" for md5, name in names.items()}


def _mean_of(game: Mapping[str, GameSummary]) -> float:
    known = [each.best for each in game.values() if each.best is not None]
    return sum(known) / len(known) if known else -1.0


def _game_cell(game: GameSummary | None) -> TableCell:
    if game is None:
        return TableCell(NOTHING)
    return TableCell("failed") if game.failed == game.plays else _number(game.best, game.best_deviation)


def _costs(regime: RegimeSummary) -> Table:
    return Table(
        "Costs",
        "Over all plays. Degraded: steps at which a service was late, or rules replaced a model's reply.",
        ("agent", "policy", "model", "US$", "tokens", "seconds", "steps/s", "steps", "episodes", "deaths",
         "victories", "degraded", "handicaps"),
        tuple(tuple(_cost_cells(agent)) for agent in regime.agents),
    )  # fmt: skip


def _cost_cells(agent: AgentSummary) -> Iterator[TableCell]:
    yield from (TableCell(agent.agent), TableCell(agent.outside or agent.policy), TableCell(_model_of(agent)))
    yield TableCell(f"{agent.usd:.2f}", agent.usd)
    yield count_cell(agent.tokens)
    yield _number(agent.seconds, digits=0)
    yield _number(agent.steps / agent.seconds if agent.seconds else None, digits=1)
    for number in (agent.steps, agent.episodes, agent.deaths, agent.victories, agent.degraded_steps):
        yield count_cell(number)
    yield TableCell(", ".join(agent.handicaps) or "none")


def _model_of(agent: AgentSummary) -> str:
    """The model, with the plan's limit on what a play may cost."""
    limit = "" if agent.budget_usd is None else f", at most {agent.budget_usd:g} US$ a play"
    return f"{agent.model or NOTHING}{limit}"


def _number(value: float | None, deviation: float | None = None, digits: int = 2) -> TableCell:
    if value is None:
        return TableCell(NOTHING)
    return TableCell(
        f"{value:,.{digits}f}" + ("" if deviation is None else f" ± {deviation:.{digits}f}"), value
    )


def count_cell(number: int | None) -> TableCell:
    """A number of something; None: unknown."""
    return TableCell(NOTHING) if number is None else TableCell(f"{number:,}", number)


def _interval(interval: Interval | None) -> TableCell:
    return (
        TableCell(NOTHING)
        if interval is None
        else TableCell(f"{interval.low:.2f} to {interval.high:.2f}", interval.low)
    )


_SPREAD = "the mean over games ± the standard deviation over seeds."

FIGURE_NOTES = {
    "competition": "As in the text-based adventure AI competition: the final score, and the games with any "
    f"score, both above the opening's; {_SPREAD}",
    "tales": f"As in TALES: the highest score of all episodes, the opening's points included; {_SPREAD}",
    "textquests": "As in TextQuests: the furthest checkpoint, where the user gave checkpoints; beside it the "
    f"highest score above the opening's; {_SPREAD}",
    "jttl": "As in J-TTL: the area under the curve of the episodes' final scores, in percent of the area "
    f"under the maximum; {_SPREAD}",
    "search": "Per play, means over games.",
}
