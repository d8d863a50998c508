"""The map as SVG: rooms as boxes, ways as lines, one-way ones with an arrow, blocked ones with a bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import floor, hypot
from textwrap import wrap

from folds.vocabulary.actions import OPPOSITE
from lantern.views.drawing.labels import Box, Labels, Point
from lantern.views.drawing.layout import COMPASS, Cell, Way, placed
from lantern.views.drawing.xml import attribute, one_line, text
from services.memory.beliefs.facts import BLOCKED, EXIT, LED, LOCKED, Fact
from services.memory.timeline.snapshot import GraphSnapshot

CELL_WIDTH, CELL_HEIGHT = 170, 110
BOX_WIDTH, BOX_HEIGHT = 120, 56
MARGIN, TITLE = 50, 40
_STUB = 14
_BEND, _SAMPLES = 140, 30
"""How far a bent line swings out; points of it that are looked at."""
_NEAR = (0.3, 0.15, 0.45, 0.6)
"""Where along a line its name may stand, the best first."""
_LINE, _LINES = 17, 2
_NAMED = ("up", "down", "in", "out", "fore", "aft", "port", "starboard")
_ARROW = """<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"
orient="auto-start-reverse"><path d="M 0 0 L 10 5 L 0 10 z" fill="#333"/></marker></defs>"""
_STYLE = """<style>text{font-family:sans-serif;font-size:12px;text-anchor:middle}
.room{fill:#fff;stroke:#333;stroke-width:1.2}.here{fill:#ffe9a8;stroke:#b35900;stroke-width:3}
.way{stroke:#333;stroke-width:1.4;fill:none}.deed{stroke-dasharray:2 4}.shut{stroke:#b00;stroke-dasharray:7 4}
.blocked{stroke:#b00;stroke-width:2}.small{font-size:10px;fill:#555}.title{font-size:15px;text-anchor:start}
.label{font-size:10px;fill:#004d99}.halo{font-size:10px;fill:#fff;stroke:#fff;stroke-width:4}</style>"""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line to draw: a way, and whether the same line is also walked back."""

    way: Way
    back: str | None
    shut: bool
    deed: bool


def drawn(graph: GraphSnapshot, title: str) -> str:
    """The map of everything known at the snapshot's step; the room of the player is marked."""
    facts = graph.valid_facts
    names = {room.id: room.name for room in graph.rooms}
    shared = Counter(names.values())
    lines = list(_lines(facts))
    cells = placed(list(names), [line.way for line in lines])
    left = min((x for x, _ in cells.values()), default=0)
    top = min((y for _, y in cells.values()), default=0)
    at = {room: _middle((x - left, y - top)) for room, (x, y) in cells.items()}
    width = max((x for x, _ in at.values()), default=0.0) + CELL_WIDTH / 2 + MARGIN
    height = max((y for _, y in at.values()), default=0.0) + CELL_HEIGHT / 2 + MARGIN
    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}">',
        _ARROW,
        _STYLE,
        f'<rect width="{width:g}" height="{height:g}" fill="#fdfdf8"/>',
        f'<text class="title" x="{MARGIN}" y="{TITLE}">{text(title)}</text>',
        *(_line(line, at) for line in lines),
        *_bars(facts, at),
        *(part for room, point in at.items() for part in _box(names[room], point, here=room == graph.room)),
        *(_id(room, point) for room, point in at.items() if shared[names[room]] > 1),
        *_notes(facts, at),
        *_labels(lines, at),
        "</svg>",
    )
    return "\n".join(filter(None, parts)) + "\n"


def _lines(facts: Iterable[Fact]) -> Iterator[_Line]:
    """The ways, each pair of opposite ones once."""
    facts = tuple(facts)
    shut = {(fact.subject, fact.relation.removeprefix(LOCKED)) for fact in facts if _is(fact, LOCKED)}
    walked = {(f.subject, f.relation.removeprefix(EXIT)): f.object for f in facts if _is(f, EXIT)}
    drawn: set[tuple[str, str]] = set()
    for (start, by), end in walked.items():
        back = OPPOSITE.get(by)
        both = back is not None and walked.get((end, back)) == start
        if (start, by) in drawn:
            continue
        drawn |= {(end, back)} if both and back else set()
        is_shut = (start, by) in shut or (both and (end, back) in shut)
        yield _Line(Way(start, end, by), back if both else None, is_shut, deed=False)
    for fact in facts:
        if _is(fact, LED):
            yield _Line(Way(fact.subject, fact.object, fact.relation.removeprefix(LED)), None, False, True)


def _is(fact: Fact, prefix: str) -> bool:
    return fact.relation.startswith(prefix)


def _middle(cell: Cell) -> Point:
    return (MARGIN + (cell[0] + 0.5) * CELL_WIDTH, MARGIN + TITLE / 2 + (cell[1] + 0.5) * CELL_HEIGHT)


def _port(room: Point, way: str) -> Point | None:
    """Where a compass way leaves a room's box; None: it is none of the compass."""
    if way not in COMPASS:
        return None
    dx, dy = COMPASS[way]
    return (room[0] + dx * BOX_WIDTH / 2, room[1] + dy * BOX_HEIGHT / 2)


def _edge(room: Point, other: Point) -> Point:
    """Where the line to another point leaves a room's box."""
    dx, dy = other[0] - room[0], other[1] - room[1]
    scale = max(abs(dx) / (BOX_WIDTH / 2), abs(dy) / (BOX_HEIGHT / 2), 1e-9)
    return (room[0] + dx / scale, room[1] + dy / scale)


def _ends(line: _Line, at: Mapping[str, Point]) -> tuple[Point, Point]:
    start, end = at[line.way.start], at[line.way.end]
    begin = _port(start, line.way.by) or _edge(start, end)
    finish = (line.back and _port(end, line.back)) or _edge(end, begin)
    return begin, finish


def _course(line: _Line, at: Mapping[str, Point]) -> tuple[Point, Point, Point]:
    """A way's beginning, the point that bends it, and its end; it bends around rooms in between."""
    begin, finish = _ends(line, at)
    middle = ((begin[0] + finish[0]) / 2, (begin[1] + finish[1]) / 2)
    dx, dy = finish[0] - begin[0], finish[1] - begin[1]
    length = hypot(dx, dy) or 1.0
    others = {point for room, point in at.items() if room not in (line.way.start, line.way.end)}
    bends = (
        (middle[0] - dy / length * swing, middle[1] + dx / length * swing)
        for swing in (0, _BEND, -_BEND, 2 * _BEND, -2 * _BEND)
    )
    return begin, min(bends, key=lambda bend: _hits((begin, bend, finish), others)), finish


def _hits(course: tuple[Point, Point, Point], rooms: set[Point]) -> int:
    """How many points of a curve lie in the boxes of rooms."""
    hits = 0
    for x, y in _along(*course):
        room = _middle(_cell_at((x, y)))
        inside = abs(x - room[0]) < BOX_WIDTH / 2 and abs(y - room[1]) < BOX_HEIGHT / 2
        hits += inside and room in rooms
    return hits


def _along(begin: Point, bend: Point, finish: Point) -> Iterator[Point]:
    """Points of the curve."""
    return (_point(begin, bend, finish, at / _SAMPLES) for at in range(1, _SAMPLES))


def _point(begin: Point, bend: Point, finish: Point, t: float) -> Point:
    """The point of a quadratic curve at `t` from 0 to 1."""
    x, y = (
        (1 - t) ** 2 * start + 2 * (1 - t) * t * middle + t**2 * end
        for start, middle, end in zip(begin, bend, finish, strict=True)
    )
    return x, y


def _cell_at(point: Point) -> Cell:
    return floor((point[0] - MARGIN) / CELL_WIDTH), floor((point[1] - MARGIN - TITLE / 2) / CELL_HEIGHT)


def _line(line: _Line, at: Mapping[str, Point]) -> str:
    (x1, y1), (x, y), (x2, y2) = _course(line, at)
    kinds = " ".join(("way", *(["deed"] if line.deed else []), *(["shut"] if line.shut else [])))
    arrow = "" if line.back else ' marker-end="url(#arrow)"'
    straight = (x, y) == ((x1 + x2) / 2, (y1 + y2) / 2)
    course = f"L {x2:g} {y2:g}" if straight else f"Q {x:g} {y:g} {x2:g} {y2:g}"
    return f'<path class="{kinds}" d="M {x1:g} {y1:g} {course}"{arrow}/>'


def _labels(lines: Iterable[_Line], at: Mapping[str, Point]) -> Iterator[str]:
    """The names of ways that the compass does not tell, near their beginnings, and of the ways back."""
    labels = Labels(Box(x, y, BOX_WIDTH, BOX_HEIGHT) for x, y in at.values())
    for line in lines:
        course = _course(line, at)
        for way, where in ((line.way.by, _NEAR), (line.back, tuple(1 - t for t in _NEAR))):
            if way is not None and way not in COMPASS:
                x, y = labels.place(_short(way), [_point(*course, t) for t in where])
                for kind in ("halo", "label"):
                    yield f'<text class="{kind}" x="{x:g}" y="{y + 4:g}">{text(_short(way))}</text>'


def _bars(facts: Iterable[Fact], at: Mapping[str, Point]) -> Iterator[str]:
    """A short stub with a bar across it for each compass way that was found blocked."""
    for fact in facts:
        way = fact.relation.removeprefix(BLOCKED)
        if _is(fact, BLOCKED) and fact.subject in at and (port := _port(at[fact.subject], way)):
            dx, dy = COMPASS[way]
            x, y = port[0] + dx * _STUB * 0.7, port[1] + dy * _STUB * 0.7
            yield (
                f'<path class="blocked" d="M {port[0]:g} {port[1]:g} L {x:g} {y:g}'
                f' M {x - dy * 5:g} {y + dx * 5:g} L {x + dy * 5:g} {y - dx * 5:g}"/>'
            )


def _box(name: str, at: Point, *, here: bool) -> Iterator[str]:
    x, y = at[0] - BOX_WIDTH / 2, at[1] - BOX_HEIGHT / 2
    kind = "room here" if here else "room"
    yield f"<g><title>{text(name[:1_000])}</title>"
    yield (
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5"'
        f" aria-label={attribute('you are here' if here else 'room')}/>"
    )
    lines = _wrapped(name)
    for number, line in enumerate(lines):
        below = at[1] + 4 + 14 * (number - (len(lines) - 1) / 2)
        yield f'<text x="{at[0]:g}" y="{below:g}">{text(line)}</text>'
    yield "</g>"


def _id(room: str, at: Point) -> str:
    """In the box of a room that shares its name with others, what answers call it by."""
    called = room.removeprefix("room:")
    told = f"[{called if len(called) <= _LINE else '…' + called[1 - _LINE :]}]"
    return f'<text class="small" x="{at[0]:g}" y="{at[1] - BOX_HEIGHT / 2 + 11:g}">{text(told)}</text>'


def _notes(facts: Iterable[Fact], at: Mapping[str, Point]) -> Iterator[str]:
    """Below a room, which of the ways off the compass are blocked."""
    blocked: dict[str, list[str]] = {}
    for fact in facts:
        way = fact.relation.removeprefix(BLOCKED)
        if _is(fact, BLOCKED) and way in _NAMED:
            blocked.setdefault(fact.subject, []).append(way)
    for room, ways in blocked.items():
        if room in at:
            x, y = at[room][0], at[room][1] + BOX_HEIGHT / 2 - 4
            yield f'<text class="small" x="{x:g}" y="{y:g}">no {text(", ".join(sorted(ways)))}</text>'


def _wrapped(name: str) -> list[str]:
    lines = wrap(one_line(name[:200]), _LINE) or [""]
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], _short(lines[_LINES - 1] + "…", _LINE)]


def _short(told: str, length: int = 22) -> str:
    line = one_line(told[:200])
    return line if len(line) <= length else line[: length - 1] + "…"
