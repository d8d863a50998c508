"""Composes the live view: exactly as many lines as the terminal has, none wider than it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from lantern.views.live import panels
from lantern.views.live.panels import ScrolledLines
from lantern.views.live.service_rows import service_rows, services_at_work, thinks
from lantern.views.live.step_scene import SessionHistory, StepScene
from lantern.views.live.view_state import PanelKind, ViewState
from lantern.views.text_view import one_line

SIDE_BY_SIDE, THREE_COLUMNS = 100, 150
"""Columns of a terminal from which on the services stand beside the text, and the map beside both."""

SERVICES_WIDTH, MAP_WIDTH = 44, 40
"""Columns for the services and for the map, at most."""

KEYS = (
    *(("space", "pause"), (".", "step"), ("+/-", "pace"), ("←→", "back, forth")),
    *(("↑↓", "scroll"), ("Tab", "panels"), ("q", "end")),
)


@dataclass(frozen=True, slots=True)
class ViewStatus:
    """What is said about the session beside its messages."""

    waited: float | None = None
    """Seconds since the last message of a session under way."""
    elapsed: float = 0.0
    """Seconds for which it has been watched."""
    stopping: bool = False
    notice: str = ""
    keys: bool = True
    """Whether keys can be typed."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What is drawn."""

    lines: list[Text]
    page: int
    """Lines of the panel that scrolls."""
    scroll: int
    """How far it is scrolled."""


def frame(history: SessionHistory, view: ViewState, status: ViewStatus, width: int, height: int) -> Frame:
    """The whole picture."""
    scene = history.at(view.number)
    if scene is None:
        lines = [panels.fitted(Text(status.notice or "starting"), width)]
        return Frame(_filled(lines, width, height), 1, 0)
    top = _header(history, scene, view, status, width)
    foot = [_progress(history, scene, view, status, width)]
    if height >= 8:
        foot.append(_keys(view, status, width))
    rows = height - 1 - len(foot)
    draw = _columns if width >= SIDE_BY_SIDE and rows >= 12 else _stacked
    body, seen = draw(history, scene, view, status, width, rows)
    lines = [top, *_filled(body, width, rows), *foot]
    return Frame(lines[:height], max(rows // 2, len(seen.lines)), seen.scroll)


def _stacked(
    history: SessionHistory, scene: StepScene, view: ViewState, status: ViewStatus, width: int, rows: int
) -> tuple[list[Text], ScrolledLines]:
    """The text above, the services below."""
    words = service_rows(history, scene, status.waited)
    room = rows - 2
    services = panels.service_lines(words, width, min(max(len(words), room * 2 // 5), room - min(4, room)))
    seen = _main(history, scene, view, status, width, room - len(services))
    body = [_title(view.panel, width, seen), *_filled(seen.lines, width, room - len(services))]
    return [*body, _title(PanelKind.SERVICES, width), *services], seen


def _columns(
    history: SessionHistory, scene: StepScene, view: ViewState, status: ViewStatus, width: int, rows: int
) -> tuple[list[Text], ScrolledLines]:
    """The text at the left, the services and the map at the right: in one column or in two."""
    wide = width >= THREE_COLUMNS
    aside = min(SERVICES_WIDTH, width * 2 // 5)
    map_width = MAP_WIDTH if wide else aside
    text_width = width - aside - 3 - ((MAP_WIDTH + 3) if wide else 0)
    seen = _main(history, scene, view, status, text_width, rows - 1)
    left = [_title(view.panel, text_width, seen), *seen.lines]
    words = service_rows(history, scene, status.waited)
    known = _map(history, scene, map_width, rows if wide else rows // 3)
    services = panels.service_lines(words, aside, rows - 1 - (0 if wide else len(known)))
    middle = [_title(PanelKind.SERVICES, aside), *services]
    if wide:
        return list(_beside(((left, text_width), (middle, aside), (known, map_width)), rows)), seen
    middle = _filled(middle, aside, rows - len(known)) + known
    return list(_beside(((left, text_width), (middle, aside)), rows)), seen


def _main(
    history: SessionHistory, scene: StepScene, view: ViewState, status: ViewStatus, width: int, rows: int
) -> ScrolledLines:
    """What the panel that scrolls shows."""
    if view.panel is PanelKind.SERVICES:
        lines = panels.whole_services(service_rows(history, scene, status.waited), width)
        return panels.scrolled(lines, rows, 0, view.scroll)
    scenes = history.until(scene.number, panels.TRANSCRIPT)
    if view.panel is PanelKind.MAP:
        lines = [*panels.map_lines(scene, width), Text(""), *reversed(panels.action_lines(scenes, width))]
        return panels.scrolled(lines, rows, 0, view.scroll)
    lines, start = panels.transcript(scenes, width)
    return panels.scrolled(lines, rows, start if len(lines) - start > rows else len(lines), view.scroll)


def _map(history: SessionHistory, scene: StepScene, width: int, rows: int) -> list[Text]:
    """The ways out of the room, and the last actions."""
    ways = panels.map_lines(scene, width)[: max(rows // 2, 1)]
    actions = panels.action_lines(history.until(scene.number, rows), width)
    room = rows - len(ways) - 2
    last = actions[-room:] if room > 0 else []
    return [_rule("map", width), *ways, *([_rule("last actions", width), *last] if last else [])]


def _header(
    history: SessionHistory, scene: StepScene, view: ViewState, status: ViewStatus, width: int
) -> Text:
    started, step = history.started, scene.step
    room = one_line(step.room.name) if step.room else "somewhere"
    parts = [Text(one_line(started.game) if started else "", style="bold"), Text(room, style="bold")]
    if step.score is not None:
        of = "" if started is None or started.max_score is None else f"/{started.max_score}"
        parts.append(Text(f"score {step.score}{of}"))
    if step.episode > 1:
        parts.append(Text(f"episode {step.episode}"))
    state = _state(history, view, status)
    left = panels.fitted(Text("  ").join(parts), width - state.cell_len - 2)
    return panels.fitted(Text.assemble(left, "  ", state), width)


def _state(history: SessionHistory, view: ViewState, status: ViewStatus) -> Text:
    """What goes on, in a word."""
    if history.ended is not None and view.number >= view.newest:
        return Text(f"ended: {history.ended.reason}", style="bold")
    if status.stopping:
        return Text("stopping", style="bold yellow")
    if view.recorded and view.number >= view.newest:
        return Text("the record ends here", style="bold")
    if view.held:
        return Text("paused", style="bold yellow")
    scene = history.at(view.newest)
    if status.waited is not None and scene is not None:
        busy = services_at_work(history, scene)
        if any(thinks(name, history) for name in busy):
            return Text(f"thinking {status.waited:.0f} s", style="yellow")
    return Text("recorded" if view.recorded else "playing", style="green")


def _progress(
    history: SessionHistory, scene: StepScene, view: ViewState, status: ViewStatus, width: int
) -> Text:
    """How far it is, and what there is to say."""
    total = view.newest if view.recorded or history.started is None else history.started.steps
    pace = f"a step every {view.pace.delay:g} s" if view.pace.delay else "full speed"
    where = f"step {scene.number} of {total}"
    if view.number < view.newest and not view.recorded:
        where = f"step {scene.number}, and the session is at {view.newest} (End goes there)"
    minutes, seconds = divmod(int(status.elapsed), 60)
    tail = "" if view.recorded else f"  {minutes}:{seconds:02}"
    told = Text.assemble(where, (f"  {pace}{tail}", "dim"))
    if status.notice:
        told = Text.assemble((one_line(status.notice), "yellow"), "  ", told)
    room = width - told.cell_len - 2
    if room < 8:
        return panels.fitted(told, width)
    done = min(room, room * scene.number // max(total, 1))
    bar = Text.assemble(told, "  ", ("━" * done, "green"), ("─" * (room - done), "dim"))
    return panels.fitted(bar, width)


def _keys(view: ViewState, status: ViewStatus, width: int) -> Text:
    if not status.keys:
        return panels.fitted(Text("Ctrl-C ends it", style="dim"), width)
    words = [f"{key} {'go on' if key == 'space' and view.held else what}" for key, what in KEYS]
    line = "   ".join(words)
    for short in ("  ".join(words), " ".join(key for key, _ in KEYS)):
        line = line if len(line) <= width else short
    return panels.fitted(Text(line, style="dim"), width)


def _title(panel: PanelKind, width: int, seen: ScrolledLines | None = None) -> Text:
    """A panel's name, and whether there is more of it than is seen."""
    more = ""
    if seen is not None and (seen.above or seen.below):
        above = f"↑ {seen.above}" if seen.above else ""
        below = f"↓ {seen.below}" if seen.below else ""
        more = f"{'  '.join(filter(None, (above, below)))} more lines"
    return _rule(panel.value, width, more)


def _rule(name: str, width: int, more: str = "") -> Text:
    tail = f" {more} ──" if more else ""
    line = f"── {name} "
    return panels.fitted(Text(line + "─" * max(width - len(line) - len(tail), 0) + tail, style="blue"), width)


def _beside(columns: Sequence[tuple[list[Text], int]], rows: int) -> Iterator[Text]:
    filled = [_filled(lines, width, rows) for lines, width in columns]
    for first, *others in zip(*filled, strict=True):
        yield Text.assemble(first, *(part for other in others for part in ((" │ ", "blue"), other)))


def _filled(lines: list[Text], width: int, rows: int) -> list[Text]:
    """Exactly so many lines of exactly that width."""
    empty = [Text(" " * max(width, 0))] * max(rows - len(lines), 0)
    return [*(panels.fitted(line, width) for line in lines[: max(rows, 0)]), *empty]
