"""What the player plausibly sees and holds."""

from itertools import pairwise

from zmachine.object_table import Tree
from zmachine.reading.surroundings import (
    Item,
    held,
    internal_name,
    player_in,
    room_in,
    visible,
)
from zmachine.story_tables import display_names

NAMES = ("", "Hall", "yourself", "wooden chest", "gold coin", "lamp", "", "Cellar")
HALL, PLAYER, CHEST, COIN, LAMP, NAMELESS = 1, 2, 3, 4, 5, 6


def a_tree(**parents: int) -> Tree:
    """Everything by its parent; children in the order of their numbers."""
    by_number = {PLAYER: HALL, CHEST: HALL, COIN: CHEST, LAMP: PLAYER, NAMELESS: HALL}
    by_number |= {int(number[1:]): parent for number, parent in parents.items()}
    up = [by_number.get(number, 0) for number in range(len(NAMES))]
    inside = {number: [n for n in range(1, len(up)) if up[n] == number] for number in range(1, len(up))}
    down, beside = [0] * len(up), [0] * len(up)
    for number, members in inside.items():
        down[number] = members[0] if members else 0
        for one, next_one in pairwise(members):
            beside[one] = next_one
    return Tree(up, beside, down)


def nothing_printed(word: str) -> bool:
    return False


def test_the_players_own_things_are_held_and_not_seen() -> None:
    tree = a_tree()

    assert held(tree, NAMES, PLAYER, nothing_printed) == (Item(LAMP, "lamp", None),)
    assert Item(LAMP, "lamp", None) not in visible(tree, NAMES, HALL, PLAYER, nothing_printed)


def test_what_lies_in_a_container_is_seen_once_the_game_has_named_it() -> None:
    tree = a_tree()

    unseen = visible(tree, NAMES, HALL, PLAYER, nothing_printed)
    seen = visible(tree, NAMES, HALL, PLAYER, {"coin"}.__contains__)

    assert unseen == (Item(CHEST, "wooden chest", None),)
    assert seen == (Item(CHEST, "wooden chest", None), Item(COIN, "gold coin", CHEST))


def test_a_thing_without_a_name_is_not_listed() -> None:
    assert all(item.name for item in visible(a_tree(), NAMES, HALL, PLAYER, nothing_printed))


def test_the_player_is_found_by_name_where_they_are_somewhere() -> None:
    assert player_in(NAMES, a_tree(), None) == PLAYER
    assert player_in(NAMES, a_tree(), HALL) == PLAYER
    assert player_in(NAMES, a_tree(), LAMP) is None
    assert player_in(NAMES, a_tree(n2=0), None) is None


def test_the_room_is_the_topmost_thing_around_the_player() -> None:
    assert room_in(a_tree().ancestors(PLAYER), NAMES) == HALL
    assert room_in(a_tree(n2=CHEST).ancestors(PLAYER), NAMES) == HALL


def test_where_all_rooms_lie_in_one_nameless_object_the_room_is_the_one_below() -> None:
    assert room_in(a_tree(n1=NAMELESS, n6=0).ancestors(PLAYER), NAMES) == HALL


def test_a_name_that_a_routine_prints_is_shown_by_the_parsers_noun() -> None:
    assert display_names(("", "(hut_door)", "lamp"), {1: ("door", "hut")}) == ("", "door", "lamp")
    assert display_names(("", "(hut_door)"), {}) == ("", "")


def test_the_internal_name_is_the_sources_own_without_its_marks() -> None:
    assert internal_name("(hut_door)") == "hut door"
    assert internal_name("") == ""
