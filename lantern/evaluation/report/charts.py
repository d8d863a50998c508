"""Charts as SVG that stands inside the page and takes its colours of ink and grid from there.

matplotlib is imported here alone, and only when a chart is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import cycle
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, filterwarnings

from lantern.evaluation.report.curves import Curve
from lantern.evaluation.report.summary import AgentSummary, GameSummary
from mesh.printable import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, GRID = "#010203", "#040506"
"""Stand for the page's colours until the chart is drawn."""
FROM_PAGE = {INK: "currentColor", GRID: "var(--grid)"}

COLOURS = ("#3b82f6", "#ea7317", "#16a37b", "#c452c4", "#c79a00", "#e5484d", "#0aa2c0", "#8b6fe8")
"""One for each agent, again from the start when they run out; readable on white and on black."""
DASHES = ("-", "--", ":")
"""For each round of the colours, another line."""

WIDTH = 7.0
"""Inches."""
LONGEST_NAME = 32

ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3}
"""Where the legend stands: on the plot it would hide curves."""

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "lantern",
    "font.size": 10,
    "text.parse_math": False,  # a name may hold a `$`
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRID,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}


def curves_chart(curves: Sequence[Curve], agents: Sequence[str]) -> str:
    """The highest score so far over the steps, with a band of a standard deviation over seeds."""
    with _drawing(3.8) as (axes, svg):
        for curve in curves:
            colour, dash = _looks(agents)[curve.agent]
            low = [m - d for m, d in zip(curve.means, curve.deviations, strict=True)]
            high = [m + d for m, d in zip(curve.means, curve.deviations, strict=True)]
            axes.fill_between(curve.steps, low, high, color=colour, alpha=0.18, linewidth=0, step="post")
            axes.step(curve.steps, curve.means, dash, color=colour, where="post", label=_name(curve.agent))
        axes.set(xlabel="steps", ylabel="highest score so far, %")
        axes.set_xlim(0, max(1, curves[0].steps[-1]))
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.legend(**ABOVE)
    return svg.getvalue()


def games_chart(games: Sequence[GameSummary], names: Mapping[str, str], agents: Sequence[str]) -> str:
    """For each game a bar for each agent; the game with the highest mean on top. Empty: nobody scored."""
    values = {(each.story_md5, each.agent): each for each in games if each.best is not None}
    means = {
        story: sum(known) / len(known)
        for story in names
        if any(known := [values[story, a].best or 0.0 for a in agents if (story, a) in values])
    }
    if not means:
        return ""
    ordered = sorted(means, key=lambda story: (means[story], names[story]))
    thickness = 0.8 / len(agents)
    with _drawing(0.9 + len(ordered) * max(0.24, 0.13 * len(agents) + 0.08)) as (axes, svg):
        for i, (agent, (colour, dash)) in enumerate(_looks(agents).items()):
            drawn = [
                (at, values[story, agent]) for at, story in enumerate(ordered) if (story, agent) in values
            ]
            axes.barh(
                [at + 0.4 - (i + 0.5) * thickness for at, _ in drawn],
                [each.best or 0.0 for _, each in drawn],
                thickness * 0.9,
                color=colour,
                alpha=1.0 if dash == DASHES[0] else 0.6,
                xerr=[each.best_deviation or 0.0 for _, each in drawn],
                error_kw={"ecolor": INK, "elinewidth": 0.7},
                label=_name(agent),
            )
        axes.set_yticks(range(len(ordered)), [_name(names[story]) for story in ordered])
        axes.set_ylim(-0.6, len(ordered) - 0.4)
        axes.set(xlabel="highest score, %")
        axes.grid(visible=False, axis="y")
        axes.set_xlim(left=min(0.0, *(values[each].best or 0.0 for each in values)))
        axes.legend(**ABOVE)
    return svg.getvalue()


def cost_chart(agents: Sequence[AgentSummary]) -> str:
    """What a play costs against what it scores: in dollars, else in tokens, else in seconds."""
    label, costs = _costs(agents)
    looks = _looks([agent.agent for agent in agents])
    with _drawing(3.6) as (axes, svg):
        for agent, cost in zip(agents, costs, strict=True):
            if agent.best.mean is not None:
                colour, _ = looks[agent.agent]
                axes.plot(cost, agent.best.mean, "o", color=colour, markersize=8, label=_name(agent.agent))
        axes.set(xlabel=label, ylabel="highest score, %")
        axes.margins(x=0.1, y=0.2)
        axes.set_xlim(left=0.0)
        axes.legend(**ABOVE)
    return svg.getvalue()


def _costs(agents: Sequence[AgentSummary]) -> tuple[str, list[float]]:
    if any(agent.usd for agent in agents):
        return "US$ per play", [agent.usd / agent.plays for agent in agents]
    if any(agent.tokens for agent in agents):
        return "tokens per play", [agent.tokens / agent.plays for agent in agents]
    return "seconds per play", [agent.seconds / agent.plays for agent in agents]


def _looks(agents: Sequence[str]) -> dict[str, tuple[str, str]]:
    """By agent, its colour and line, the same in every chart."""
    looks = cycle([(colour, dash) for dash in DASHES for colour in COLOURS])
    return dict(zip(agents, looks, strict=False))


def _name(text: str) -> str:
    """The name in a chart; matplotlib leaves out of the legend what begins with an underscore."""
    plain = one_line(text)
    plain = f"\u200b{plain}" if plain.startswith("_") else plain
    return plain if len(plain) <= LONGEST_NAME else f"{plain[: LONGEST_NAME - 1]}…"


@contextmanager
def _drawing(height: float) -> Iterator[tuple[Axes, StringIO]]:
    """Axes to draw on; what was drawn is in the text afterwards."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    svg, drawn = StringIO(), StringIO()
    with rc_context(STYLE), catch_warnings():
        filterwarnings("ignore", "Glyph .* missing")  # the browser's fonts draw the texts
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        yield figure.add_subplot(), svg
        figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg.write(_for_page(drawn.getvalue()))


def _for_page(drawn: str) -> str:
    """The SVG without prologue, size and ids that could stand twice, in the page's colours."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", drawn[drawn.index("<svg") :], flags=re.S)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r'^<svg[^>]*?(viewBox="[^"]*")[^>]*>', r"<svg \1>", svg)
    for stand_in, colour in FROM_PAGE.items():
        svg = svg.replace(stand_in, colour)
    return svg
