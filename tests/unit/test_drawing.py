"""The map as it is drawn, and the graph for other programs."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from lantern.views.drawing.graphml import graphml
from lantern.views.drawing.labels import HEIGHT, LETTER, Box, Labels
from lantern.views.drawing.layout import Cell, Way, placed
from lantern.views.drawing.svg import drawn
from schemas.game import Thing
from services.memory.timeline.snapshot import GraphSnapshot, snapshot_at
from services.memory.timeline.world_model import WorldModel
from tests.support.scenes.memory_builders import ATTIC, KITCHEN, LAMP, Walk

SVG = "{http://www.w3.org/2000/svg}"
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


def cells_of(*ways: tuple[str, str, str]) -> dict[str, Cell]:
    """Of ways written as room, direction, room."""
    rooms = dict.fromkeys(room for start, _, end in ways for room in (start, end))
    return placed(list(rooms), [Way(start, end, by) for start, by, end in ways])


@pytest.mark.parametrize(
    ("way", "cell"),
    [("north", (0, -1)), ("south", (0, 1)), ("east", (1, 0)), ("west", (-1, 0)), ("southwest", (-1, 1))],
)
def test_a_room_lies_where_the_compass_says(way: str, cell: Cell) -> None:
    cells = cells_of(("hall", way, "other"))

    (x, y), (from_x, from_y) = cells["other"], cells["hall"]
    assert (x - from_x, y - from_y) == cell


def test_a_house_walked_around_comes_out_as_a_house() -> None:
    cells = cells_of(
        ("west", "north", "north"), ("north", "east", "east"), ("east", "south", "south"),
        ("south", "west", "west"), ("west", "south", "south"), ("north", "west", "west"),
        ("east", "north", "north"), ("south", "east", "east"),
    )  # fmt: skip

    assert cells["north"][1] < cells["west"][1] == cells["east"][1] < cells["south"][1]
    assert cells["west"][0] < cells["north"][0] == cells["south"][0] < cells["east"][0]


def test_no_two_rooms_share_a_cell_however_they_are_joined() -> None:
    ways = [("hub", "north", f"room {number}") for number in range(120)]

    cells = cells_of(*ways)

    assert len(set(cells.values())) == len(cells) == 121


def test_parts_that_no_way_joins_stand_side_by_side() -> None:
    cells = placed(["a", "b", "c", "d"], [Way("a", "b", "east"), Way("c", "d", "west")])

    assert max(cells["a"][0], cells["b"][0]) < min(cells["c"][0], cells["d"][0])
    assert len(set(cells.values())) == 4


def a_snapshot(walk: Walk, at: int | None = None) -> GraphSnapshot:
    world = WorldModel()
    for step in walk.steps:
        world.after(step)
    return snapshot_at(world, len(walk.steps) - 1 if at is None else at)


def a_walk(hall: str = "Hall", thing: str = "brass lantern") -> Walk:
    walk, lamp = Walk(), Thing(id=11, name=thing)
    walk.then(room=hall, room_id="hall", objects=[lamp])
    walk.then("east", room=hall, room_id="hall", observation="A wall.")
    walk.then("north", room=KITCHEN)
    walk.then("south", room=hall, room_id="hall", objects=[lamp])
    walk.then("north", room=KITCHEN)
    walk.then("up", room=ATTIC)
    return walk


def classes(svg: str, tag: str) -> list[str]:
    return [found.get("class", "") for found in ElementTree.fromstring(svg).iter(f"{SVG}{tag}")]


def test_the_room_of_the_player_is_marked_and_no_other() -> None:
    svg = drawn(a_snapshot(a_walk()), "title")

    assert classes(svg, "rect").count("room here") == 1
    assert classes(svg, "rect").count("room") == 2


def test_a_way_there_and_back_is_one_line_and_a_way_one_way_has_an_arrow() -> None:
    svg = drawn(a_snapshot(a_walk()), "title")

    ways = [path for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("class") == "way"]

    assert ["marker-end" in way.attrib for way in ways] == [False, True]


def test_a_blocked_way_has_a_bar_and_a_way_off_the_compass_its_name() -> None:
    svg = drawn(a_snapshot(a_walk()), "title")

    assert classes(svg, "path").count("blocked") == 1
    assert '<text class="label"' in svg and ">up</text>" in svg


def test_rooms_that_share_a_name_are_told_apart_by_what_answers_call_them() -> None:
    walk = Walk()
    walk.then(room="Maze", room_id="1")
    walk.then("north", room="Maze", room_id="2")
    walk.then("north", room=KITCHEN, room_id="3")

    svg = drawn(a_snapshot(walk), "title")

    told = [found.text for found in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {"[1]", "[2]"} <= set(told) and "[3]" not in told


def test_the_names_of_ways_do_not_cover_each_other_nor_rooms() -> None:
    labels = Labels([Box(0, 0, 120, 56), Box(170, 0, 120, 56)])
    line = [(60 + 50 * t, 0.0) for t in (0.3, 0.5, 0.7)]

    first, second = labels.place("down", line), labels.place("push green button", line[::-1])

    one, other = label_box("down", first), label_box("push green button", second)
    assert one.shared_with(other) == 0
    assert other.y != 0


def label_box(told: str, at: tuple[float, float]) -> Box:
    return Box(*at, LETTER * len(told), HEIGHT)


def test_the_map_at_a_step_is_what_was_known_then() -> None:
    assert KITCHEN not in drawn(a_snapshot(a_walk(), at=1), "title")
    assert drawn(a_snapshot(a_walk(), at=3), "t") == drawn(a_snapshot(a_walk(), at=3), "t")


AWKWARD = [
    "<script>alert('x')</script>",
    'a & "b"',
    "\x1b[31mred\x00",
    "a\nb",
    "ランプ",
    "n" * 10_000,
    "",
    "]]>",
]


@pytest.mark.parametrize("name", AWKWARD)
def test_any_name_is_drawn_as_text(name: str) -> None:
    graph = a_snapshot(a_walk(hall=name, thing=name))
    svg, xml = drawn(graph, name), graphml(graph)

    assert "\x1b" not in svg + xml and "\x00" not in svg + xml
    assert not list(ElementTree.fromstring(svg).iter(f"{SVG}script"))
    assert ElementTree.fromstring(xml).tag == f"{GRAPHML}graphml"


def test_graphml_holds_every_entity_and_every_fact_that_holds() -> None:
    graph = a_snapshot(a_walk())

    root = ElementTree.fromstring(graphml(graph))

    nodes = {node.get("id") for node in root.iter(f"{GRAPHML}node")}
    edges = [(edge.get("source"), edge.get("target")) for edge in root.iter(f"{GRAPHML}edge")]
    assert nodes >= {"player", "room:hall", "room:kitchen", "item:11", "direction:east"}
    assert ("player", "room:attic") in edges and ("player", "room:hall") not in edges
    assert {end for edge in edges for end in edge} <= nodes


def test_a_snapshot_of_the_past_has_open_ends_where_they_were_open_then() -> None:
    walk = a_walk()
    walk.then("down", room=KITCHEN, inventory=[LAMP])

    then, now = a_snapshot(walk, at=0), a_snapshot(walk)

    assert {fact.relation for fact in then.facts} == {"at", "located_in"}
    assert all(fact.valid_to == -1 for fact in then.facts)
    assert [f.valid_to for f in now.facts if f.relation == "at"] == [2, 3, 4, 5, 6, -1]
    assert [step.step for step in then.steps] == [0]
    assert now.mentions[1] == ("room:hall", "direction:east")
