"""What a text says is there, or in hand, or gone: sentences as games' libraries write them."""

from __future__ import annotations

import pytest

from folds.text.things.inventory import gone_in, handed_over_in
from folds.text.things.listings import people_named_in, things_in
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("There is a brown sack here.", ["sack"]),
        ("There is a doorway to the east, a trophy case, and a large rug in the centre.", ["case", "rug"]),
        ("You can see a lamp (providing light), two keys and a slight, fishy eel here.",
         ["lamp", "keys", "eel"]),
        ("On the table is an elongated brown sack, smelling of hot peppers.", ["sack"]),
        ("On the counter are four bars (a Baby Rune and a ZigZag), some popcorn and a chicken finger.",
         ["bars", "rune", "zigzag", "popcorn", "finger"]),
        ("Lying in a tight coil at the edge of the chasm is a hissing snake.", ["snake"]),
        ("Slung over one of the bushes is a red carpet.", ["carpet"]),
        ("A bottle is sitting on the table.", ["bottle"]),
        ("In the tin bucket are twenty-one tennis balls.", ["balls"]),
        ("You dig a hole, and are rewarded by the discovery of a brass lamp.", ["lamp"]),
        ("On the shelf you make out a passkey and a worm.", ["passkey", "worm"]),
        ("A rusty sword hangs on the wall.", ["sword"]),
        ("The glass bottle contains:\n  A quantity of water\n  A cork\n", ["quantity of water", "cork"]),
        ("You can see a coil of rope, a pair of candles and a set of hairy gloves here.",
         ["coil of rope", "candles", "gloves"]),
        ("You can see a box (in which are a map and a pen) here.", ["box", "map", "pen"]),
        ("A nasty-looking troll, brandishing a bloody axe, blocks all passages.", ["troll"]),
        ("In Fridge is Milk.", ["milk"]),
        ("On Desk are Pens, Drawer (closed) and Big Lamp.", ["pens", "drawer", "lamp"]),
        ("You open the fridge, revealing Cold milk.", ["milk"]),
        ("You see the chairs all moved aside, and a cupboard full of rolls.", ["chairs", "cupboard"]),
        ("You dig up a bone, and a small iron box!", ["bone", "box"]),
        ("A bell tolls, and an iron key falls down from the belfry!", ["key"]),
        ("A brass lantern is on the trophy case.", ["lantern"]),
        ("There is a filthy, worn down couch here.", ["couch"]),
        ("There is Raven here.", ["raven"]),
        ("A path falls down to the river. The rain falls on you.", []),
        ("The old wizard smiles.", ["wizard"]),
        ("A guard post is here.", ["post"]),
        ("People say that the mayor's house is haunted.", []),
        ("There is a path to the north wall, and there is no way back.", []),
        ("There is nothing here. You can see no lamp.", []),
        ("You notice that the guard has left.", []),
        ("There's a rumble, and there is a slight, fishy odor.", []),
    ],
)  # fmt: skip
def test_what_a_text_lists_is_there_and_what_it_merely_speaks_of_is_not(text: str, names: list[str]) -> None:
    assert sorted(things_in(text)) == sorted(names)


def test_a_name_without_an_article_is_somebodys() -> None:
    assert people_named_in("There is Raven here.\nThere is a desk here.") == ("raven",)
    assert people_named_in("You can see Kai Chen here.") == ("chen",)
    assert people_named_in("You can see Mirror and Cart here. There is nothing here.") == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(first taking the fish-mouthed mask)\nYou put on the fish-mouthed mask.", ("fish-mouthed mask",)),
        ("The attendant gives you the brass key to the cellar, and smiles.", ("key",)),
        ("He hands you an old map.", ("map",)),
        ("She passes you a sheet of paper.", ("paper",)),
        ("(first taking it off)\nYou put the watch on the shelf.", ()),
        ("(first taking the snorkel off)\nYou drop it.", ()),
        ("The bird gives you a suspicious glare.", ()),
        ("It gives you an unexpected feeling of fear, and some special peril.", ()),
    ],
)
def test_what_comes_into_the_hand_unasked_is_held(text: str, names: tuple[str, ...]) -> None:
    assert handed_over_in(text) == names


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("The scroll on which it was written vanishes.", "scroll", "written"),
        ("As you look, the blue sapphire cracks and wastes away to dust.", "sapphire", "look"),
        ("The wizard waves the wand and disappears.", "wizard", "wand"),
        ("The lamp is now on. The mist dissolves.", "mist", "lamp"),
    ],
)
def test_what_vanishes_is_gone_and_what_is_named_beside_it_is_not(text: str, gone: str, left: str) -> None:
    assert gone in gone_in(text) and left not in gone_in(text)


@pytest.mark.parametrize("action", ["get out", "get out of boat", "get in car", "get off horse", "get up"])
def test_getting_about_is_no_taking(action: str) -> None:
    assert action_kind_of(action) is ActionKind.MOVE
    assert not normal(action).startswith("take")


def test_getting_a_thing_is_taking_it() -> None:
    assert normal("get lamp") == "take lamp" and action_kind_of("get lamp") is ActionKind.TAKE
    assert direction_of("go up") == "up"
