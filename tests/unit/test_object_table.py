"""The object table and the dictionary, in both of their layouts."""

import pytest

from tests.support.scenes.story_builder import a_story, with_dictionary, with_objects
from zmachine.dictionary import NOUN, dictionary_of, named_in
from zmachine.object_table import layout_of, names_of, tree_of

HALL, PLAYER, LAMP = 1, 2, 3
WORLD = (("hall", 0, 0, PLAYER), ("yourself", HALL, LAMP, 0), ("brass lamp", HALL, 0, 0), ("", 0, 0, 0))


@pytest.mark.parametrize("version", [1, 3, 4, 5, 8])
def test_objects_end_where_their_properties_begin(version: int) -> None:
    memory = with_objects(a_story(version=version), *WORLD)

    layout = layout_of(memory)

    assert layout.count == 4
    assert names_of(memory, layout) == ("", "hall", "yourself", "brass lamp", "")


@pytest.mark.parametrize("version", [3, 5])
def test_the_tree_tells_who_is_in_whom(version: int) -> None:
    memory = with_objects(a_story(version=version), *WORLD)
    layout = layout_of(memory)

    tree = tree_of(layout, memory[layout.start : layout.start + layout.length])

    assert tree.inside(HALL) == [PLAYER, LAMP]
    assert tree.ancestors(LAMP) == [HALL]
    assert tree.ancestors(HALL) == []


def test_a_damaged_tree_that_goes_in_circles_is_read_to_an_end() -> None:
    memory = with_objects(a_story(), ("a", 2, 2, 2), ("b", 1, 1, 1))
    layout = layout_of(memory)

    tree = tree_of(layout, memory[layout.start : layout.start + layout.length])

    assert tree.ancestors(1) == [2, 1]
    assert tree.inside(1) == [2, 1]


@pytest.mark.parametrize(("version", "length"), [(3, 6), (5, 9)])
def test_a_word_is_known_by_the_letters_that_the_parser_compares(version: int, length: int) -> None:
    dictionary = dictionary_of(with_dictionary(a_story(version=version), {"northwest": 0, "lamp": NOUN}))

    assert dictionary.length == length
    assert dictionary.known("Northwestern") == "northwest"[:length]
    assert dictionary.known("lampe") is None
    assert dictionary.is_noun("lamp")
    assert not dictionary.is_noun("northwest")


def test_a_property_of_dictionary_addresses_alone_names_an_object() -> None:
    dictionary = dictionary_of(with_dictionary(a_story(), {"brass": 0, "lamp": NOUN}))
    brass, lamp = (address.to_bytes(2, "big") for address in dictionary.addresses)

    assert named_in(brass + lamp, dictionary) == ["brass", "lamp"]
    assert named_in(brass + b"\0\1", dictionary) == []
    assert named_in(b"\7", dictionary) == []


def test_a_story_without_tables_has_no_words_and_no_objects_to_name() -> None:
    assert dictionary_of(a_story(dictionary=2000)).data == {}
