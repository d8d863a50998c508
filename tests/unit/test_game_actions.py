"""What of a typed action reaches the game."""

import pytest

from services.game.actions import LanternCommand, is_reply, lantern_command_in, refusal
from zmachine.emulator.input_line import LONGEST, cleaned


@pytest.mark.parametrize(
    ("typed", "passed"),
    [
        ("  take   the\tlamp ", "take the lamp"),
        ("look\ninventory", "look inventory"),
        ("look\x00", "look"),
        ("say \\q", "say q"),
        ("naïve café", "naive cafe"),
        ("say “hello” – it’s me", 'say "hello" - it\'s me'),
        ("打开 door", "door"),
        ("", "look"),
        (" \n\x07 ", "look"),
    ],
)
def test_an_action_becomes_one_line_of_printable_ascii(typed: str, passed: str) -> None:
    assert cleaned(typed) == passed


def test_an_action_is_cut_to_what_the_emulator_bears() -> None:
    assert cleaned("x" * 5000) == "x" * LONGEST


def test_cleaning_twice_is_cleaning_once() -> None:
    for typed in ("a " * 100, "\\ \\ go", "é" * 200):
        assert cleaned(cleaned(typed)) == cleaned(typed)


@pytest.mark.parametrize(
    "word", "quit q save restore undo script recording help about menu hint info credits".split()
)
def test_a_word_that_harms_the_session_is_answered_by_lantern_in_brackets(word: str) -> None:
    for typed in (word, word.upper(), f"look. {word}", f"look then {word}", f"take lamp; {word}!"):
        answer = refusal(cleaned(typed))

        assert answer is not None
        assert answer.startswith("[Lantern")
        assert answer.endswith("]")
        assert word in answer


@pytest.mark.parametrize(
    "action", ["help the old man", "ask guard about hint", "say quit", "open menu", "n", "again"]
)
def test_an_ordinary_action_passes(action: str) -> None:
    assert refusal(action) is None


def test_in_version_3_six_letters_are_enough_to_be_taken_for_a_kept_word() -> None:
    assert refusal("restoring", length=6) is not None
    assert refusal("restoring", length=9) is None


def test_a_reply_may_be_taken_without_a_word() -> None:
    assert is_reply("No.")
    assert not is_reply("north")


def test_restart_is_recognised_alone_but_never_passed_on_within_a_line() -> None:
    assert lantern_command_in("Restart.") is LanternCommand.RESTART
    assert lantern_command_in("look. restart") is None
    assert refusal("look. restart") is not None
