"""Which actions are worth a try, and in which order."""

from story_builder import a_story, with_dictionary

from services.game.dictionary import NOUN, Dictionary, dictionary_of
from services.game.surroundings import Item
from services.game.valid_actions import DIRECTIONS, Around, candidates, nouns_for

VERBS = "take open put in on with unlock drop quit help turn light examine jump".split()


def a_dictionary(*nouns: str, verbs: list[str] = VERBS) -> Dictionary:
    words = dict.fromkeys([*DIRECTIONS, *verbs], 0) | dict.fromkeys(nouns, NOUN)
    return dictionary_of(with_dictionary(a_story(length=8192), words))


def test_directions_come_first_then_what_is_likeliest_to_help() -> None:
    around = Around(seen=("chest",), held=("lamp",))

    tried = candidates(around, a_dictionary("chest", "lamp"))

    assert tried[:12] == DIRECTIONS
    assert tried.index("take chest") < tried.index("put lamp in chest") < tried.index("drop lamp")


def test_an_action_with_a_word_that_the_game_does_not_know_is_no_candidate() -> None:
    tried = candidates(
        Around(seen=("chest",), held=("lamp",)), a_dictionary("chest", "lamp", verbs=["take", "in"])
    )

    assert [action for action in tried if action not in DIRECTIONS] == ["take chest"]


def test_each_candidate_is_tried_once_and_no_kept_word_ever() -> None:
    tried = candidates(Around(seen=("chest", "chest"), held=()), a_dictionary("chest"))

    assert len(tried) == len(set(tried))
    assert not {"quit", "help"} & {word for action in tried for word in action.split()}


def test_the_same_surroundings_give_the_same_list() -> None:
    around = Around(seen=("chest", "door"), held=("lamp", "key"), mentioned=("window",))
    dictionary = a_dictionary("chest", "door", "lamp", "key", "window")

    assert candidates(around, dictionary) == candidates(around, dictionary)


def test_a_thing_is_called_by_the_last_known_word_of_its_name() -> None:
    dictionary = a_dictionary("lantern", "brass", "door", "oak")
    items = [Item(1, "brass lantern", None), Item(2, "front door", None), Item(3, "oak door", None)]

    assert nouns_for(items, {}, dictionary) == ("lantern", "door", "oak door")


def test_a_thing_whose_name_the_parser_does_not_know_is_called_by_the_parsers_noun() -> None:
    dictionary = a_dictionary("chest", "locker")

    assert nouns_for([Item(1, "thing", None)], {1: ("locker", "chest")}, dictionary) == ("locker",)
    assert nouns_for([Item(1, "thing", None)], {}, dictionary) == ()
