"""The grammar tables of stories, of every compiler that wrote any."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from games import BUNDLED
from tests.support.scenes.story_builder import a_story, z_string
from zmachine.dictionary import dictionary_of
from zmachine.grammar.phrases import generic_phrases, phrases_of
from zmachine.grammar.sentence import GrammarUnreadable, Sentence, Slot
from zmachine.grammar.tables import grammar_of

GAMES = Path(__file__).parents[3] / "shared" / "games"
STATIC = 0x400


def read(memory: bytes) -> tuple[Sentence, ...]:
    return grammar_of(memory, dictionary_of(memory))


def a_file(name: str) -> bytes:
    path = GAMES / name
    if not path.is_file():
        pytest.skip(f"{name} is not there: the development stories are not part of the repository")
    return path.read_bytes()


def an_infocom_story(words: dict[str, bytes], *verbs: bytes) -> bytes:
    """A version 3 story with these words, each with its three bytes, and these entries of verbs."""
    data = bytearray(a_story(version=3, static=STATIC, high=STATIC, dictionary=0x600))
    at = STATIC + 2 * len(verbs)
    for number, entry in enumerate(verbs):
        struct.pack_into(">H", data, STATIC + 2 * number, at)
        data[at : at + len(entry)] = entry
        at += len(entry)
    entries = [z_string(word, length=6) + told for word, told in words.items()]
    table = b"\0\x07" + struct.pack(">h", len(entries)) + b"".join(entries)
    data[0x600 : 0x600 + len(table)] = table
    return bytes(data)


WORDS = {
    "take": bytes([0x41, 255, 0]),
    "get": bytes([0x41, 255, 0]),
    "put": bytes([0x41, 254, 0]),
    "in": bytes([0x08, 0xFE, 0]),
    "into": bytes([0x08, 0xFE, 0]),
}
EXPECTED = (
    Sentence(("take", "get"), (Slot.THING,), 7),
    Sentence(("put",), (Slot.HELD, ("in", "into"), Slot.THING), 9),
)


def test_infocoms_lines_of_eight_bytes() -> None:
    take = bytes([1, 1, 0, 0, 0, 0, 0x30, 0, 7])
    put = bytes([1, 2, 0, 0xFE, 0, 0, 0x82, 0x30, 9])

    assert read(an_infocom_story(WORDS, take, put)) == EXPECTED


def test_infocoms_lines_of_two_four_and_seven_bytes() -> None:
    take = bytes([1, 0x40, 7, 0, 0x30])
    put = bytes([1, 0x80, 9, 0, 0x82, 0x3E, 0, 0x30])

    assert read(an_infocom_story(WORDS, take, put)) == EXPECTED


def test_a_story_of_infocoms() -> None:
    found = read(a_file("zork1.z5"))

    [put] = [s for s in found if "put" in s.verbs and s.parts[1:2] == (("in", "inside", "into"),)]
    assert put.slots == (Slot.HELD, Slot.THING)
    assert "hide" in put.verbs


@pytest.mark.parametrize("name", ["library.z5", "temple.z5", "ztuu.z5"])
def test_stories_of_informs_first_grammar(name: str) -> None:
    found = read(a_file(name))

    assert any("unlock" in s.verbs and s.parts == (Slot.THING, ("with",), Slot.HELD) for s in found)


def test_a_story_of_informs_second_grammar() -> None:
    found = read(BUNDLED.read_bytes())

    assert any("unlock" in s.verbs and s.parts == (Slot.THING, ("with",), Slot.HELD) for s in found)
    [asks] = {s.slots for s in found if "ask" in s.verbs and ("about",) in s.parts}
    assert asks == (Slot.CREATURE, Slot.WORDS)


def test_verbs_about_the_program_are_left_out() -> None:
    verbs = {verb for sentence in read(BUNDLED.read_bytes()) for verb in sentence.verbs}

    assert not {"quit", "save", "restore", "score", "verify"} & verbs


@pytest.mark.parametrize("cut", [0x401, 0x420, 0x700])
def test_damaged_tables_are_refused_and_never_more(cut: int) -> None:
    memory = bytearray(BUNDLED.read_bytes())
    static = int.from_bytes(memory[0x0E:0x10], "big")
    memory[static : static + 2] = cut.to_bytes(2, "big")

    with pytest.raises(GrammarUnreadable):
        read(bytes(memory))


def test_one_phrase_stands_for_all_that_mean_the_same_and_the_plainest() -> None:
    sentences = [
        Sentence(("carry", "get", "take"), (Slot.THING,), 1),
        Sentence(("pick",), (("up",), Slot.THING), 1),
        Sentence(("discar", "drop"), (Slot.HELD,), 2),
        Sentence(("polish",), (Slot.THING,), 3),
        Sentence(("look",), (), 4),
        Sentence(("quit",), (), 5),
    ]

    assert [phrase.text for phrase in phrases_of(sentences, 6)] == ["take {}", "drop {}", "polish {}"]


def test_what_a_thing_is_turned_to_may_be_a_thing_and_other_free_text_is_none() -> None:
    parts = (Slot.THING, ("to",), Slot.WORDS)
    turn, adjust = Sentence(("rotate", "turn"), parts, 1), Sentence(("adjust",), parts, 1)

    assert [phrase.text for phrase in phrases_of([turn, adjust], 6)] == ["turn {} to {}"]
    assert phrases_of([adjust], 6) == ()


def test_cut_words_are_written_out_where_they_are_usual() -> None:
    sentences = [Sentence(("unlock",), (Slot.THING, ("throug", "with"), Slot.HELD), 1)]

    assert [phrase.text for phrase in phrases_of(sentences, 6)] == ["unlock {} with {}"]


def test_where_no_grammar_is_the_usual_sentences_stand_in_as_far_as_the_words_are_known() -> None:
    memory = an_infocom_story(WORDS)

    phrases = {phrase.text: phrase.slots for phrase in generic_phrases(dictionary_of(memory))}

    assert phrases == {
        "take {}": (Slot.THING,),
        "put {} in {}": (Slot.HELD, Slot.THING),
        "get in {}": (Slot.THING,),
    }
