"""How rooms are known from text alone: headings in small letters, no headings, changed descriptions."""

from __future__ import annotations

import pytest

from folds.text.headings import headings_in
from folds.text.places import place_told_in
from folds.text.reader import TextReader
from tests.support.scenes.builders import a_text_step

PIER = "On the pier\nPlanks creak above black water, and gulls cry somewhere in the fog."
OPENING = "Herring\nA fishy tale in one act, by nobody in particular.\n\n" + PIER
SHED = "Net shed\nNets hang from every beam of this shed. The pier lies to the south."


def ids(*told: tuple[str | None, str]) -> list[str]:
    by_text = TextReader()
    steps = (by_text.read(a_text_step(n, action, text)) for n, (action, text) in enumerate(told))
    return [step.room.id.removeprefix("name:") if step.room else "?" for step in steps]


@pytest.mark.parametrize(
    ("action", "text", "room"),
    [
        ("north", SHED, "Net shed"),
        ("north", "The door sticks.\n" + SHED, "Net shed"),
        ("enter shed", SHED, "Net shed"),
        ("north", "Net shed", "Net shed"),
        ("north", "door to the attic", "door to the attic"),
        ("north", "your room\nA bed stands here.", "your room"),
        ("north", "your room\nWelcome to your room\n\nA bed stands here.", "your room"),
        ("north", "your room\nHome at last\n\nYou can see a bed here.", "your room"),
        ("north", "It is cold here.\n\nNet Shed", "Net Shed"),
        ("north", "no way through", "On the pier"),
        ("read sign", "Net shed", "On the pier"),
        ("north", "old pier\nyou see a boat that is tied to the planks here.", "old pier"),
        ("north", "You slip\nand nearly fall.", "On the pier"),
        ("north", "a plank breaks\nyou nearly fall.", "On the pier"),
        ("north", "A gull is here\nIt stares.", "On the pier"),
        ("north", "The shed is locked\nYou need a key", "On the pier"),
        ("read sign", "Fresh fish\nCaught this morning by Olaf and sons.", "On the pier"),
        ("pull bell", "Ding dong\nThe bell swings and is still again.", "On the pier"),
    ],
)
def test_a_heading_in_small_letters_is_one_after_a_walk(action: str, text: str, room: str) -> None:
    assert ids((None, OPENING), (action, text)) == ["On the pier", room]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("-= Kitchen =-", ["Kitchen"]),
        ("--- Upper Hall ---", ["Upper Hall"]),
        ("=== attic ===", ["attic"]),
        ("-- a proverb", []),
    ],
)
def test_the_frame_around_a_rooms_name_is_no_part_of_it(line: str, names: list[str]) -> None:
    assert [found.name for found in headings_in(f"{line}\nIt is warm here.")] == names


MIST = "Misty Room\nYou are in a misty room. Exits lead south and east."


@pytest.mark.parametrize(
    ("action", "room"), [("take all", "Misty Room"), ("wait", "Misty Room"), ("read sign", "On the pier")]
)
def test_a_room_with_ways_out_is_entered_by_any_action_but_reading(action: str, room: str) -> None:
    assert ids((None, OPENING), (action, f"A spider bites you.\n\n{MIST}"))[-1] == room


def test_a_room_is_known_again_by_its_heading_alone() -> None:
    assert ids((None, OPENING), ("north", SHED), ("south", "On the pier"))[-1] == "On the pier"


def test_a_sentence_that_goes_on_below_is_no_heading() -> None:
    assert headings_in("Fog and\nwater everywhere.") == ()
    assert [found.described for found in headings_in("Thick fog\nhides everything.")] == [False]


GARDEN = "You are in a garden of tall, nodding sunflowers. Paths lead\nnorth and east"
WALL = "The path ends at a high brick wall. There is a way back to the south"


def test_where_no_walk_prints_a_heading_the_first_sentence_tells_the_place() -> None:
    told = ids(
        (None, "Welcome! This is a small tale."),
        ("north", GARDEN),
        ("north", WALL),
        ("north", "You can't go that way"),
        ("south", "You are in the sunflower garden"),
        ("examine wall", "You are at a loss for words"),
    )

    garden, wall = "Garden of tall, nodding sunflowers", "Path ends at a high brick wall"
    assert told == ["?", garden, wall, wall, garden, garden]


def test_a_way_leads_again_to_the_place_that_is_now_told_in_other_words() -> None:
    hall = "You are in a dining hall. Doors lead west and south."
    told = ids(
        (None, "Hello."),
        ("west", GARDEN),
        ("east", hall),
        ("west", GARDEN),
        ("east", "You are at a long table."),
    )

    assert told[4] == told[2] == "Dining hall"


def test_sentences_tell_no_place_where_walks_print_headings() -> None:
    assert ids((None, OPENING), ("north", SHED), ("up", "You are on the ladder.\n"))[-1] == "Net shed"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("You are standing outside the mill.\nIts wheel is still", "Outside the mill"),
        ("I'm in a swamp. Obvious exits: north.", "Swamp"),
        ("You're now at the edge of\na cliff; the sea is far below", "Edge of a cliff"),
        ("You are in no mood for that.", ""),
        ("You are carrying too much.", ""),
        ("The cat stares at you.", ""),
    ],
)
def test_a_place_is_told_by_where_the_player_is(text: str, place: str) -> None:
    assert place_told_in(text) == place


def test_a_room_is_known_again_when_its_description_is_brief_or_has_changed() -> None:
    cat = "A fat cat sleeps on the counter beside a bell of polished brass."
    shop = f"Shop\nShelves of jars reach up to the ceiling here. The street is west.\n\n{cat}"
    brief = f"Shop\n{cat}"
    burnt = "Shop\nBlack beams and broken glass are all that is left of it. The street is west."

    told = ids((None, OPENING), ("east", shop), ("west", PIER), ("in", brief), ("out", PIER), ("east", burnt))

    assert told[1] == told[3] == told[5] == "Shop"


def test_two_rooms_of_one_name_are_told_apart_by_their_ways() -> None:
    one = "Tunnel\nIt leads north and south, low, damp and cold, hewn into the living rock."
    other = "Tunnel\nIt leads east and south, low, damp and cold, hewn into the living rock."

    told = ids((None, OPENING), ("down", one), ("south", other))

    assert told[1] != told[2]


def test_rooms_that_begin_alike_and_name_other_ways_are_two() -> None:
    end = "End of Path\nThis appears to be the end of the path. There is an exit to the "
    fork = "Fork\nThis path forks to the southwest and southeast, between old oaks."
    told = [
        (None, fork),
        ("southeast", f"{end}northwest."),
        ("northwest", fork),
        ("southwest", f"{end}northeast."),
    ]
    southeast, southwest = ids(*told)[1::2]

    assert southeast != southwest


def test_after_a_walk_a_later_sentence_may_tell_the_place() -> None:
    text = "You enter the tunnel. Your lamp goes on. You are in a long, dark tunnel."

    assert place_told_in(text, surely=False) == "Long, dark tunnel"
    assert place_told_in(text) == ""


def test_where_rooms_have_no_headings_one_comes_out_of_the_dark_into_another_place() -> None:
    cellar = "You are in a cellar. There is a way north."
    hall = "Torches burn on every wall, and a king sits on a throne of bones."

    names = ids((None, "Welcome!"), ("look", cellar), ("north", "It is pitch dark."), ("north", hall))

    assert names[1] == "Cellar"
    assert names[2].startswith("Darkness#")
    assert names[3] == "Torches burn on every wall, and a king sits"


def test_a_sentence_that_a_story_has_broken_into_lines_is_read_as_one() -> None:
    broken = (
        '"Greetings!" says the old man. "I am the keeper. Please leave\nyour things here."\nA box\nlies here.'
    )

    read = TextReader().read(a_text_step(0, None, broken)).observation

    assert "Please leave your things here" in read
    assert read.endswith("\nA box\nlies here.")
