"""What the folds make of a game's text alone: rooms, points, and what has happened."""

from __future__ import annotations

import pytest

from folds.playthrough import Playthrough
from folds.text.headings import headings_in
from folds.text.phrases import is_fruitless
from folds.text.points import points_announced
from folds.text.reader import TextReader
from tests.support.scenes.builders import a_step, a_text_step, folded
from tests.support.scenes.read_texts import ATTIC, HALL, read


def rooms(*told: tuple[str | None, str]) -> list[str]:
    return [step.room.name if step.room else "?" for step in read(*told)]


def ids(*told: tuple[str | None, str]) -> list[str]:
    return [step.room.id if step.room else "?" for step in read(*told)]


@pytest.mark.parametrize(
    ("opening", "room"),
    [
        (
            "ZORK I: The Great Underground Empire\nCopyright (c) 1981 Infocom, Inc.\nRevision 88\n\n"
            "West of House\nYou are standing in an open field west of a white house.",
            "West of House",
        ),
        (
            "Welcome to Adventure!\n\nADVENTURE\nThe Interactive Original\nRelease 9 / Serial number 0603\n\n"
            "At End Of Road\nYou are standing at the end of a road before a small brick building.",
            "At End Of Road",
        ),
        (
            "It's the end of the term.\n\nALL QUIET ON THE LIBRARY FRONT\nAn Interactive Midterm Paper\n"
            "Release 2\n\nLobby\nThis is the entrance to the library.\n\nThere is a guard here.",
            "Lobby",
        ),
        ("<< Chief's office >>\nYou are standing in the Chief's office.", "Chief's office"),
        ("You wake up.\nIt is morning.", "?"),
        ("", "?"),
    ],
)
def test_an_opening_ends_with_the_first_room(opening: str, room: str) -> None:
    assert rooms((None, opening)) == [room]


@pytest.mark.parametrize(
    ("action", "text", "room"),
    [
        ("up", ATTIC, "Attic"),
        ("up", "Attic", "Attic"),
        ("up", "Attic (on the trunk)", "Attic"),
        ("up", "The Attic (in the wooden box)\n\nIn the Attic you can see a lamp.", "Attic"),
        ("up", "Stairwell (Top)\nThe stairs end here.", "Stairwell (Top)"),
        ("up", "(first opening the trapdoor)\nIt comes up heavily.\n\n" + ATTIC, "Attic"),
        ("up", "The stairs creak.\n\n" + ATTIC + "\n\nBeware Of Bats\nsays a sign.", "Attic"),
        ("say plugh", "A puff of smoke!\n\n" + ATTIC, "Hall"),
        ("xyzzy", "A puff of smoke!\n\n" + ATTIC, "Attic"),
        ("turn on lamp", "The lamp is now on.\n\n" + ATTIC, "Attic"),
        ("up", "You can't go that way.", "Hall"),
        ("up", "The grating is closed!", "Hall"),
        ("up", "You can't see any such thing.", "Hall"),
        ("up", "Storm-tossed trees block your way.", "Hall"),
        ("up", "OUCH!\nThat was the wall.", "Hall"),
        ("up", "Which way?", "Hall"),
        ("take lamp", "Taken", "Hall"),
        ("inventory", "You are carrying:\n  a Brass Lantern\n  an Old Map", "Hall"),
        ("read sign", "Keep Out\nBy order of the Harbour Board", "Hall"),
        ("read book", "My Spell Book\n\ngnusto spell: copy a scroll", "Hall"),
        ("examine leaflet", "WELCOME\nto the museum", "Hall"),
    ],
)
def test_a_room_is_known_by_its_heading_and_else_stays(action: str, text: str, room: str) -> None:
    assert rooms((None, HALL), (action, text))[-1] == room


def test_a_title_is_a_room_where_such_a_room_has_been_seen() -> None:
    assert rooms((None, HALL), ("up", ATTIC), ("read scroll", "The world spins.\n\n" + HALL))[-1] == "Hall"


def test_the_text_of_an_ending_tells_no_room() -> None:
    by_text = TextReader()
    by_text.read(a_text_step(0, None, HALL))

    last = by_text.read(a_text_step(1, "up", ATTIC).model_copy(update={"done": True}))

    assert last.room is not None and last.room.name == "Hall"


def test_rooms_of_one_name_are_told_apart_by_their_descriptions() -> None:
    north = "Forest\nTall pines stand close together here, and it is dim between them."
    south = "Forest\nYoung birches, and a path that somebody must have made, run south."

    first, second, again, brief = ids((None, north), ("south", south), ("north", north), ("south", "Forest"))

    assert first == again == "name:Forest"
    assert second.startswith("name:Forest#")
    assert brief == second, "without a description it is where this way led before"


def test_looking_around_in_a_changed_room_leads_nowhere() -> None:
    changed = "Hall\nA bare hall, ankle-deep in water that comes in under the door."

    assert len(set(ids((None, HALL), ("look", changed), ("up", ATTIC), ("down", changed)))) == 2


DARK = "Darkness\nIt is pitch dark, and you can't see a thing."


def test_dark_places_are_told_apart_by_the_way_into_them() -> None:
    told = ids((None, HALL), ("down", DARK), ("look", DARK), ("up", HALL), ("west", DARK))

    assert told[1] == told[2] != told[4]
    assert all(room.startswith("name:Darkness#") for room in (told[1], told[4]))


def test_the_way_back_in_the_dark_leads_to_where_one_came_from() -> None:
    told = ids((None, HALL), ("down", DARK), ("north", DARK), ("south", DARK))

    assert told[3] == told[1] != told[2]


@pytest.mark.parametrize(
    ("action", "text"),
    [
        ("wait", "Your lamp goes out.\n\nDarkness\nIt is pitch dark, and you can't see a thing."),
        ("north", "You can't go that way.\n\nThe lantern goes out. It is now pitch dark in here!"),
        ("north", "It is too dark to see where that would lead."),
    ],
)
def test_a_light_that_goes_out_moves_nobody(action: str, text: str) -> None:
    assert rooms((None, HALL), (action, text))[-1] == "Hall"


def test_infocoms_dark_places_have_no_heading() -> None:
    text = "You have moved into a dark place.\nIt is pitch black. You are likely to be eaten by a grue."

    assert rooms((None, HALL), ("down", text))[-1] == "Darkness"


def test_what_a_step_tells_itself_is_never_replaced() -> None:
    told = a_step(
        0, text=ATTIC + " Your score has just gone up by five points.", held=["sword"], seen=["box"]
    )

    assert TextReader().read(told) == told


def test_steps_are_read_alike_a_second_time() -> None:
    told = ((None, HALL), ("take lamp", "Taken."), ("up", ATTIC), ("drop lamp", "Dropped."))
    once = read(*told)

    by_text = TextReader()
    assert [by_text.read(step) for step in once] == once


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("[Your score has just gone up by five points.]", 5),
        ("[Your score has just gone down by one point.]", -1),
        ("(Your score just increased by 25 points!)", 25),
        ("Well done. You have earned a hundred and twenty-five points.", 125),
        ("Your score is 10 of a possible 350.", 0),
        ("What is the point?", 0),
    ],
)
def test_points_are_known_where_they_are_announced(text: str, points: int) -> None:
    assert points_announced(text) == points
    assert read((None, HALL), ("push button", text))[-1].reward == points


def test_the_points_of_an_opening_are_no_reward() -> None:
    opening = HALL + "\n\n[Your score has just gone up by ten points.]"

    told = read((None, opening), ("jump", "Wheee!"), ("restart", opening))

    assert [step.reward for step in told] == [0, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "You can't go that way.",
        "That's hardly portable.",
        "The oak door is locked.",
        "Nothing happens.",
        'I don\'t know the word "fnord".',
        "Violence isn't the answer to this one.",
        "(first taking the lamp)\nYou can't pick up the lamp.",
        "But there's no water here to carry.",
        "I already have that.",
        "The lamp can't contain things.",
        "That sentence isn't one I recognize.",
        "(To interact with people you can TALK TO them.)",
        "[There was no verb in that sentence!]",
        '[This story doesn\'t know the word "fnord."]',
        "You'll have to open it first.",
        "You have to unlock the hatch with the key first.",
        "The hatch is welded shut.",
        "The button has no visible effect.",
        "What a strange idea!",
        "You hit your head against the bench as you attempt this feat.",
        "The miller pays no attention.",
        "Trying to attack the miller with your bare hands is suicidal.",
        "How peculiar!",
        "Kicking the bench won't help any.",
        "The miller isn't sleeping.",
        "You can't see that here.",
        '[You don\'t need to use the word "fnord."]',
        '[You used the word "fnord" in a way that the story doesn\'t understand.]',
        '[Lantern does not pass "save" on to the game. Nothing has changed.]',
        "Ogre not see that there.",
        "Red thing too far away for ogre.",
    ],
)
def test_a_refusal_changes_nothing(text: str) -> None:
    assert is_fruitless(text)
    assert not read((None, HALL), ("push button", text))[-1].changed


@pytest.mark.parametrize(
    "text",
    [
        "[Your score has just gone up by five points.]",
        "(to the guard)",
        "[A bell rings.]\n\nThe door opens.",
        "You look around. A strange idea is carved into the wall, and below it a lever of brass.",
    ],
)
def test_what_happened_is_no_refusal(text: str) -> None:
    assert not is_fruitless(text)


def test_a_deed_changes_something_and_a_look_does_not() -> None:
    told = read((None, HALL), ("push button", "A panel slides open."), ("examine panel", "It is thin."))

    assert [step.changed for step in told[1:]] == [True, False]


def test_the_map_and_the_attempts_are_those_of_the_rooms_read() -> None:
    steps = [
        a_text_step(0, None, HALL),
        a_text_step(1, "up", ATTIC),
        a_text_step(2, "north", "You can't go that way."),
        a_text_step(3, "take lamp", "Taken."),
    ]

    played = folded(Playthrough(), steps)
    chart, tried = played.map, played.attempts

    assert chart.exits["name:Hall"] == {"up": "name:Attic"}
    assert chart.blocked["name:Attic"] == {"north"}
    assert tried.by_room["name:Attic"][-1].gained == ("lamp",)


def test_a_first_deed_that_had_an_effect_makes_the_world_new() -> None:
    opening, push = a_text_step(0, None, HALL), a_text_step(1, "push button", "A panel slides open.")

    before, after = (
        folded(Playthrough(), [opening]).attempts.world,
        folded(Playthrough(), [opening, push]).attempts.world,
    )
    steps = [opening, push, a_text_step(2, "push button", "A panel slides open.")]
    again = folded(Playthrough(), steps).attempts.world

    assert before != after == again


def test_headings_stand_alone_in_their_lines() -> None:
    assert [found.name for found in headings_in("Taken.\n\n" + HALL + "\n\n" + ATTIC)] == ["Hall", "Attic"]
