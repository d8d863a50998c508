"""The parts of the live view, as lines of a given width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rich.console import Console
from rich.text import Text

from lantern.views.live.service_rows import ServiceRow
from lantern.views.live.step_scene import StepScene
from lantern.views.text_view import one_line, printable
from schemas.game import StepTaken

TRANSCRIPT = 200
"""Steps whose text one can scroll back through, from the step that is looked at."""

_WRAPPING = Console(width=80, color_system=None)


@dataclass(frozen=True, slots=True)
class ScrolledLines:
    """The lines of a panel that are seen, and how many are not."""

    lines: list[Text]
    above: int
    below: int
    scroll: int
    """As far as it could be scrolled."""


def scrolled(lines: Sequence[Text], rows: int, top: int, scroll: int) -> ScrolledLines:
    """So many rows of these lines: from the line `top` on, moved by `scroll`."""
    last = max(len(lines) - rows, 0)
    top = min(max(top, 0), last)
    first = min(max(top + scroll, 0), last)
    seen = list(lines[first : first + rows])
    return ScrolledLines(seen, first, max(len(lines) - first - rows, 0), first - top)


def transcript(scenes: Sequence[StepScene], width: int) -> tuple[list[Text], int]:
    """The game's text, and the number of the line at which the last step begins."""
    lines: list[Text] = []
    start = 0
    for scene in scenes:
        start = len(lines)
        lines += step_text(scene.step.step, scene.step.action, scene.step.observation, width)
    return lines[:-1] if lines and not lines[-1].plain else lines, start


@lru_cache(maxsize=2 * TRANSCRIPT)
def step_text(number: int, action: str | None, observation: str, width: int) -> list[Text]:
    """The action and the game's answer, with an empty line at the end."""
    lines = [] if action is None else wrapped(Text(f"> {one_line(action)}", style="bold"), width)
    return [*lines, *wrapped(Text(printable(observation).strip()), width), Text("")]


def wrapped(text: Text, width: int) -> list[Text]:
    """A text in lines of at most that width."""
    return list(text.wrap(_WRAPPING, max(width, 1), tab_size=4))


def service_lines(rows: Sequence[ServiceRow], width: int, height: int) -> list[Text]:
    """Every service, each with as many lines as there is room for; a cut is marked with an ellipsis."""
    if height <= 0 or not rows:
        return []
    name_width = min(max(len(row.name) for row in rows), max(width // 3, 6))
    shown = _most_important(rows, height)
    hidden = len(rows) - len(shown)
    texts = [wrapped(row.words, width - name_width - 2) or [Text("")] for row in shown]
    lines = []
    for row, text, count in zip(shown, texts, _shares(texts, height - bool(hidden)), strict=True):
        for number, line in enumerate(text[:count]):
            if number == count - 1 and len(text) > count:
                line = cut_short(line, width - name_width - 2)
            name = row.name if number == 0 else ""
            lines.append(Text.assemble(fitted(Text(name, style="bold cyan"), name_width), "  ", line))
    return lines + ([Text(f"and {hidden} more: Tab", style="dim")] if hidden else [])


def whole_services(rows: Iterable[ServiceRow], width: int) -> list[Text]:
    """All that every service said."""
    lines = []
    for row in rows:
        lines.append(Text(row.name, style="bold cyan"))
        lines += [*wrapped(Text(row.whole) if row.whole else row.words, width), Text("")]
    return lines


def map_lines(scene: StepScene, width: int) -> list[Text]:
    """The room, and its ways out."""
    room = one_line(scene.step.room.name) if scene.step.room else "somewhere"
    ways = [f"  {one_line(way)}" for way in scene.exits] or ["  no way out is known yet"]
    return [Text(room, style="bold"), *(cut(Text(way), width) for way in ways)]


def action_lines(scenes: Sequence[StepScene], width: int) -> list[Text]:
    """The last actions, a line each."""
    return [cut(_action_line(scene.step), width) for scene in scenes if scene.step.action is not None]


def _action_line(step: StepTaken) -> Text:
    points = (f"  {step.reward:+d}", "bold green" if step.reward > 0 else "bold red") if step.reward else ""
    room = f"  {one_line(step.room.name)}" if step.room else ""
    return Text.assemble((f"{step.step:>4}  ", "dim"), one_line(step.action or ""), points, (room, "dim"))


def cut(text: Text, width: int) -> Text:
    """The text in at most that width; a cut ends with an ellipsis."""
    short = text.copy()
    short.truncate(max(width, 0), overflow="ellipsis")
    return short


def cut_short(line: Text, width: int) -> Text:
    """A line after which more would follow."""
    short = line.copy()
    short.rstrip()
    short.truncate(max(width - 1, 0))
    return short.append("…")


def fitted(text: Text, width: int) -> Text:
    """The text in exactly that width."""
    fit = text.copy()
    fit.truncate(max(width, 0), overflow="ellipsis", pad=True)
    return fit


def _most_important(rows: Sequence[ServiceRow], height: int) -> Sequence[ServiceRow]:
    """All; where there is too little room, the first ones, the actor and the critic."""
    if len(rows) <= height:
        return rows
    room = max(height - 1, 1)
    tail = rows[-min(2, room) :]
    return [*rows[: room - len(tail)], *tail]


def _shares(texts: Sequence[Sequence[Text]], height: int) -> list[int]:
    """Lines for each: one at first, then one more for each in turn that has more, from the last on."""
    shares = [1] * len(texts)
    left = height - len(texts)
    while left > 0:
        wanting = [n for n in reversed(range(len(texts))) if shares[n] < len(texts[n])]
        if not wanting:
            break
        for number in wanting[:left]:
            shares[number] += 1
        left -= len(wanting[:left])
    return shares
