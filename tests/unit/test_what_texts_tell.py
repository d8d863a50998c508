"""What texts tell the player to type, which words and verbs a game does not know, and what was opened."""

from __future__ import annotations

import pytest

from folds.playthrough import Playthrough
from folds.text.reader import TextReader
from folds.text.ways import ways_in
from services.actor.knowledge.instructions import Instructions
from services.actor.knowledge.refusals import Refusals
from tests.support.scenes.builders import a_text_step, folded
from tests.support.scenes.player_scenes import a_blind_step, ideas_of


def told_by(text: str) -> Instructions:
    """What the player learns from one text, in the hall."""
    instructions = Instructions()
    instructions.after(a_blind_step(1, "look", text))
    return instructions


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ('To record a fault, type "note [something]".', ["note"]),
        ("You can TALK TO them, INSULT them or SHOW things to them.", ["talk to", "insult"]),
        ("WELCOME TO THE LAND OF THINGS", []),
        ("The guard talks to them.", []),
        ('"PULL IT DOWN!"', ["pull"]),
        ("They say: WE TOOK IT", []),
    ],
)
def test_a_text_teaches_verbs(text: str, verbs: list[str]) -> None:
    assert list(told_by(text).verbs) == verbs


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("Whenever you are ready you can CLIMB ON STAGE.", ("climb on stage",)),
        ("THE ACORN COURT BY NOBODY", ()),
        ("You can climb the stage.", ()),
    ],
)
def test_a_text_names_whole_actions_in_capitals(text: str, actions: tuple[str, ...]) -> None:
    assert told_by(text).actions_in("Hall") == actions
    assert told_by(text).actions_in("Attic") == ()


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("You see a glint under the wooden bed.", ("look under bed",)),
        ("A cat sits behind the red curtain, asleep.", ("look behind curtain",)),
        ("You can't see any such thing under the bed.", ()),
        ("The ground gives way underneath.", ()),
    ],
)
def test_a_text_tells_where_something_hides(text: str, looks: tuple[str, ...]) -> None:
    assert told_by(text).hiding_in("Hall") == looks


def test_a_magic_word_is_said_in_each_room() -> None:
    axe = a_blind_step(1, "examine axe", "The magic word BUNYON is written on the haft.")

    assert ideas_of("heed", axe) == ["bunyon", "say bunyon"]
    assert ideas_of("heed", axe, a_blind_step(2, "bunyon")) == ["say bunyon"]
    assert "bunyon" in ideas_of("heed", axe, a_blind_step(2, "bunyon"), a_blind_step(3, "north", room="Bog"))


def test_the_preposition_up_to_which_a_sentence_was_understood_is_unknown_after_its_verb() -> None:
    refusals = Refusals()
    refusals.note_cut_short(("look", "behind", "rug"), "I only understood you as far as wanting to look.")
    refusals.note_cut_short(
        ("cut", "tree", "with", "axe"), "I only understood you as far as wanting to cut the tree."
    )

    assert refusals.is_unknown_verb_of("look behind table")
    assert not refusals.is_unknown_verb_of("look under table")
    assert refusals.is_unknown_verb_of("cut rope with knife")
    assert not refusals.is_unknown_verb_of("cut rope")


def test_a_verb_that_was_never_understood_is_unknown_after_three_sentences_or_one_plain_word() -> None:
    refusals = Refusals()
    for _ in range(2):
        refusals.note_verb("shake", "I don't understand that.")
    assert not refusals.is_unknown_verb_of("shake")

    refusals.note_verb("shake", "I don't understand that.")
    refusals.note_verb("knock", "That's not a verb I recognise.")
    assert refusals.is_unknown_verb_of("shake")
    assert refusals.is_unknown_verb_of("knock")

    refusals.note_verb("shake", "Nothing happens.")
    assert not refusals.is_unknown_verb_of("shake")


@pytest.mark.parametrize(
    "text",
    [
        "That sentence isn't one I recognize.",
        "[There seems to be a noun missing in that sentence.]",
        "[Please try to express that another way.]",
        "[Huh?]",
    ],
)
def test_words_that_make_no_sense_together_say_something_of_the_verb_alone(text: str) -> None:
    refusals = Refusals()
    refusals.note_word("door", "Hall", text)
    for _ in range(3):
        refusals.note_verb("shake", text)

    assert refusals.words_in("Hall") == frozenset()
    assert refusals.is_unknown_verb_of("shake")


def test_a_sentence_without_a_verb_had_none_that_the_game_knows() -> None:
    refusals = Refusals()
    refusals.note_verb("polish", "There was no verb in that sentence!")

    assert refusals.is_unknown_verb_of("polish")


BOOK = "The MENDU spell: repair what is broken\nThe doubla spell: make two of one\nNo magic spell is more."


def test_a_spell_that_a_text_names_is_cast_on_what_is_here() -> None:
    book = a_blind_step(1, "read book", BOOK, seen=["parchment"])

    cast = ("mendu", "mendu parchment", "doubla", "doubla parchment")
    assert set(cast) <= set(ideas_of("heed", book))
    assert not [each for each in ideas_of("heed", book) if each.startswith("magic")]
    done = a_blind_step(2, "mendu parchment", "It is whole again.", seen=["parchment"])
    assert "mendu parchment" not in ideas_of("heed", book, done)


@pytest.mark.parametrize("typed", ["mendu parchment", "cast mendu on parchment"])
def test_a_spell_that_is_not_in_mind_is_learned_and_cast_again(typed: str) -> None:
    refused = a_blind_step(1, typed, "You don't have the mendu spell committed to memory.", changed=False)
    learned = a_blind_step(2, "learn mendu", "You learn the mendu spell.")

    assert ideas_of("obey", a_blind_step(0), refused) == ["learn mendu"]
    assert (
        ideas_of("obey", a_blind_step(0), a_blind_step(1, typed, "Not in memory of men.", changed=False))
        == []
    )
    assert typed in ideas_of("obey", a_blind_step(0), refused, learned)


def test_a_game_that_does_not_know_one_diagonal_knows_none() -> None:
    refusals = Refusals()
    refusals.note_verb("northeast", "That's not a verb I recognise.")

    assert refusals.is_unknown_verb_of("southwest")
    assert not refusals.is_unknown_verb_of("north")


def test_a_sentence_that_is_not_understood_says_nothing_of_its_noun() -> None:
    refusals = Refusals()
    refusals.note_word("door", "Hall", "I don't understand that.")
    assert refusals.words_in("Hall") == frozenset()

    refusals.note_word("door", "Hall", "You can't see any such thing.")
    assert refusals.words_in("Hall") == {"door"}

    refusals.note_word("door", "Hall", "The door is locked.")
    assert refusals.words_in("Hall") == frozenset()


def test_in_the_dark_nothing_is_tried_on_what_cannot_be_seen() -> None:
    seen = a_blind_step(0, None, "A statue stands here.", seen=["statue"])
    dark = a_blind_step(1, "turn off lamp", "It is now pitch dark in here!", seen=["statue"])

    assert ideas_of("experiment", seen) != []
    assert ideas_of("experiment", seen, dark) == []


def test_what_is_fixed_stays_locked() -> None:
    steps = [
        a_text_step(0, None, "Cell\nA bare cell with a heavy door and a narrow bed of boards."),
        a_text_step(1, "open door", "It seems to be locked."),
        a_text_step(2, "take all", "door: That's fixed in place.\nbed: That's fixed in place."),
    ]
    played = folded(Playthrough(), steps)

    assert {noun: how.value for noun, how in played.conditions.of(played.room).items()} == {
        "door": "locked",
        "bed": "fixed",
    }


def test_inside_a_hut_is_another_room_than_outside_its_door() -> None:
    by_text = TextReader()
    texts = (
        ("south", "You are standing outside the door of a small hut. Paths lead east and west."),
        ("north", "You are inside the hut. A staircase leads into an abyss."),
    )
    outside, inside = (
        by_text.read(a_text_step(number, action, text)).room for number, (action, text) in enumerate(texts)
    )

    assert outside is not None
    assert inside is not None
    assert outside.id != inside.id


def test_stairs_lead_up_or_down_where_the_text_does_not_say_which() -> None:
    assert ways_in("A staircase leads into an abyss.") == ("up", "down")
    assert ways_in("A staircase leads down into an abyss.") == ("down",)


def test_one_answer_frees_barred_ways_once() -> None:
    gate = "The iron gate is closed."
    steps = [
        a_text_step(0, None, "Yard\nA yard with an iron gate to the north and a row of taps."),
        a_text_step(1, "north", gate),
        a_text_step(2, "turn tap", "It hisses and falls silent."),
    ]
    freed = folded(Playthrough(), steps)
    assert "north" in freed.map.freed[freed.room]

    again = folded(freed, [a_text_step(3, "north", gate), a_text_step(4, "pull tap", steps[2].observation)])
    assert "north" not in again.map.freed[again.room]


def test_the_weather_makes_no_answer_new() -> None:
    steps = [
        a_text_step(0, None, "Yard\nA yard with an iron gate to the north and a row of taps."),
        a_text_step(1, "north", "The iron gate is closed."),
        a_text_step(2, "turn tap", "It hisses and falls silent.\n\nRain falls."),
        a_text_step(3, "north", "The iron gate is closed."),
        a_text_step(4, "turn tap", "It hisses and falls silent.\n\nHail pounds on the ground."),
    ]
    played = folded(Playthrough(), steps)

    assert "north" not in played.map.freed[played.room]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What that mean, picture on west wall or picture on east wall?", "examine picture on west wall"),
        ("Are you sure you want to leave the club?", "no"),
        ("Are you sure you want to go in there?", "yes"),
        ("Please answer yes or n", "yes"),
    ],
)
def test_questions_of_any_form_are_answered(question: str, answers: str) -> None:
    assert ideas_of("answer", a_blind_step(1, "examine picture", question))[0] == answers


def test_what_an_answer_demands_is_done_again_once_something_has_changed() -> None:
    closed = "The door is closed."
    steps = [
        a_blind_step(0),
        a_blind_step(1, "open door", "It seems to be locked.", changed=False),
        a_blind_step(2, "north", closed, changed=False),
    ]
    unlocked = a_blind_step(3, "unlock door with key", "You turn the key.")

    assert ideas_of("obey", *steps) == []
    assert ideas_of("obey", *steps, unlocked, a_blind_step(4, "north", closed)) == ["open door"]
