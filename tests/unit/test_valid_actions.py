"""Which actions are worth a try, and in which order."""

from collections.abc import Collection

import pytest

from services.game.valid_actions.searcher import candidates_in
from tests.support.scenes.story_builder import a_story, with_dictionary
from zmachine.dictionary import NOUN, Dictionary, dictionary_of
from zmachine.grammar.candidates import DIRECTIONS, candidates
from zmachine.grammar.nouns import forms_of
from zmachine.grammar.patterns import SceneNouns
from zmachine.grammar.phrases import Phrase, generic_phrases
from zmachine.grammar.sentence import Slot
from zmachine.story_file import StoryFile

VERBS = "take open put in on with unlock drop quit help turn light examine jump throw at".split()


def a_dictionary(*nouns: str, verbs: list[str] = VERBS) -> Dictionary:
    words = dict.fromkeys([*DIRECTIONS, *verbs], 0) | dict.fromkeys(nouns, NOUN)
    return dictionary_of(with_dictionary(a_story(length=8192), words))


def tried(
    around: SceneNouns,
    dictionary: Dictionary,
    *,
    phrases: tuple[Phrase, ...] | None = None,
    worked: Collection[str] = (),
) -> list[str]:
    """The candidates, where only those named change the world."""
    attempts = candidates(around, generic_phrases(dictionary) if phrases is None else phrases, dictionary)
    found = [next(attempts)]
    try:
        while True:
            found.append(attempts.send(found[-1] in worked))
    except StopIteration:
        return found


def test_directions_come_first_then_what_is_likeliest_to_help() -> None:
    found = tried(SceneNouns(seen=("chest",), held=("lamp",)), a_dictionary("chest", "lamp"))

    assert found[: len(DIRECTIONS)] == list(DIRECTIONS)
    assert found.index("drop lamp") < found.index("take chest") < found.index("put lamp in chest")
    assert found.index("put lamp in chest") < found.index("unlock chest with lamp")


def test_a_direction_that_the_game_does_not_know_is_no_candidate() -> None:
    dictionary = dictionary_of(with_dictionary(a_story(length=8192), {"north": 0}))

    assert tried(SceneNouns(seen=(), held=()), dictionary) == ["north"]


def test_a_tool_is_what_is_held_whichever_way_the_sentence_goes() -> None:
    unlock = (Phrase("unlock {} with {}", (Slot.THING, Slot.THING)),)
    around = SceneNouns(seen=("door",), held=("key",))

    found = tried(around, a_dictionary("door", "key"), phrases=unlock)

    assert found[len(DIRECTIONS) :] == ["unlock door with key", "unlock key with door"]


def test_where_one_thing_goes_in_the_others_follow_and_all_at_once() -> None:
    put = (Phrase("put {} in {}", (Slot.HELD, Slot.THING)),)
    around = SceneNouns(seen=("box", "case", "desk", "sack"), held=("lamp", "coin", "rope"))

    found = tried(around, a_dictionary(), phrases=put, worked=["put lamp in case"])

    assert found.index("put coin in case") < found.index("put coin in desk")
    assert found.index("put all in case") < found.index("put rope in sack")


def test_what_is_only_seen_is_put_somewhere_last_of_all() -> None:
    phrases = (
        Phrase("put {} in {}", (Slot.HELD, Slot.THING)),
        Phrase("pull {}", (Slot.THING,)),
    )

    found = tried(SceneNouns(seen=("box", "case"), held=()), a_dictionary(), phrases=phrases)

    assert found[len(DIRECTIONS) :] == ["pull box", "pull case", "put box in case", "put case in box"]


def test_what_can_be_taken_is_put_somewhere_before_what_cannot() -> None:
    phrases = (
        Phrase("take {}", (Slot.THING,)),
        Phrase("put {} in {}", (Slot.HELD, Slot.THING)),
    )

    around = SceneNouns(seen=("tree", "coin"), held=())

    found = tried(around, a_dictionary(), phrases=phrases, worked=["take coin"])

    assert found.index("put coin in tree") < found.index("put tree in coin")


def test_of_things_of_one_kind_the_second_waits_when_the_first_did_nothing() -> None:
    pull = (Phrase("pull {}", (Slot.THING,)),)
    around = SceneNouns(seen=("oak", "elm", "bell"), held=(), kinds={"oak": b"1", "elm": b"1", "bell": b"2"})

    refused = tried(around, a_dictionary(), phrases=pull)
    worked = tried(around, a_dictionary(), phrases=pull, worked=["pull oak"])

    assert refused[len(DIRECTIONS) :] == ["pull oak", "pull bell", "pull elm"]
    assert worked[len(DIRECTIONS) :] == ["pull oak", "pull elm", "pull bell"]


def test_a_phrase_that_does_nothing_gives_way_to_another() -> None:
    phrases = tuple(Phrase(f"{verb} {{}}", (Slot.THING,)) for verb in ("oil", "bend"))

    found = tried(SceneNouns(seen=("pipe", "tap"), held=()), a_dictionary(), phrases=phrases)

    assert found[len(DIRECTIONS) :] == ["oil pipe", "bend pipe", "oil tap", "bend tap"]


def test_no_word_about_the_program_is_ever_tried() -> None:
    found = tried(SceneNouns(seen=("chest",), held=()), a_dictionary("chest"))

    assert not {"quit", "help"} & {word for action in found for word in action.split()}


def test_the_same_surroundings_give_the_same_list() -> None:
    around = SceneNouns(seen=("chest", "door"), held=("lamp", "key"), mentioned=("window",))
    dictionary = a_dictionary("chest", "door", "lamp", "key", "window")

    assert tried(around, dictionary) == tried(around, dictionary)


def test_a_thing_is_called_by_the_last_known_word_of_its_name_then_by_two_words_then_by_others() -> None:
    dictionary = a_dictionary("door", "oak", "front", "gate")

    forms = forms_of("front door", ("door", "front", "oak", "gate"), dictionary)

    assert forms == ("door", "front door", "oak door", "gate door", "front", "oak", "gate")


def test_a_thing_whose_name_the_parser_does_not_know_is_called_by_the_parsers_noun() -> None:
    dictionary = a_dictionary("chest", "locker")

    assert forms_of("thing", ("locker", "chest"), dictionary)[0] == "locker"
    assert forms_of("thing", (), dictionary) == ()


def test_a_number_at_the_end_of_a_name_is_the_last_word_to_call_a_thing_by() -> None:
    data = {"card": b"\x80", "1": b"\x80"}

    assert forms_of("card_1", ("1", "card"), Dictionary(data, {}, 9)) == ("card", "1 card", "1")


def test_of_what_cannot_be_taken_nothing_is_worn() -> None:
    wear = (Phrase("take {}", (Slot.THING,)), Phrase("wear {}", (Slot.HELD,)))
    around = SceneNouns(seen=("hat", "tree"), held=())

    found = tried(around, a_dictionary("hat", "tree"), phrases=wear, worked=["take hat"])

    assert "wear hat" in found
    assert "wear tree" not in found


def test_where_one_thing_is_moved_to_another_it_is_moved_to_the_others_at_once() -> None:
    push = (Phrase("push {} to {}", (Slot.THING, Slot.THING)),)
    around = SceneNouns(seen=("cart", "gate", "wall", "yard"), held=())

    found = tried(around, a_dictionary(), phrases=push, worked=["push cart to gate"])

    assert (
        found.index("push cart to wall") < found.index("push cart to yard") < found.index("push gate to cart")
    )


def test_of_two_things_of_one_name_the_one_inside_is_taken_out() -> None:
    out = (Phrase("take {} from {}", (Slot.THING, Slot.THING)),)
    around = SceneNouns(seen=("bucket", "ball", "net"), held=(), shared=frozenset({"ball"}))

    found = tried(around, a_dictionary(), phrases=out)

    assert "take ball from bucket" in found
    assert "take net from bucket" not in found


def test_number_words_that_the_story_knows_are_tried_last() -> None:
    take = (Phrase("take {}", (Slot.THING,)),)

    found = tried(SceneNouns(seen=("coin", "ring"), held=()), a_dictionary("two"), phrases=take)

    assert found[-1] == "take two"


def test_a_direction_known_by_its_letters_alone_is_typed_so() -> None:
    dictionary = dictionary_of(with_dictionary(a_story(length=8192), {"north": 0, "ne": 0}))

    assert tried(SceneNouns(seen=(), held=()), dictionary) == ["north", "ne"]


def test_a_held_thing_stands_where_the_sentence_wants_it() -> None:
    phrases = (
        Phrase("show {} {}", (Slot.CREATURE, Slot.HELD)),
        Phrase("give {} to {}", (Slot.HELD, Slot.CREATURE)),
    )
    around = SceneNouns(seen=("troll",), held=("lunch",))

    found = tried(around, a_dictionary("troll", "lunch"), phrases=phrases)

    assert found[len(DIRECTIONS) :][:2] == ["show troll lunch", "give lunch to troll"]


@pytest.mark.parametrize(
    ("version", "size", "number"),
    [(3, 92_160, 400), (5, 90_000, 100), (5, 192 * 1024, 40), (8, 326_656, 25)],
)
def test_the_number_of_candidates_follows_from_the_story_alone(version: int, size: int, number: int) -> None:
    assert candidates_in(StoryFile("", f".z{version}", version, bytes(size)), 100) == number
