"""What is told from the story's text: questions, menus, ends, and offers at the opening."""

import pytest

from schemas.sources import TextKind
from zmachine.reading.prompts import declines, ended, kind_of, won

ASK = "\n\nWould you like to RESTART, RESTORE a saved game or QUIT?\n> "


@pytest.mark.parametrize(
    ("text", "aside", "kind"),
    [
        ("A voice asks: who goes there?", False, TextKind.STORY),
        ("Which do you mean, the red door or the blue door?", False, TextKind.QUESTION),
        ("What do you want to unlock the door with?", False, TextKind.QUESTION),
        ("Your score is 3.\nDo you wish to leave the game? (Y is affirmative):", True, TextKind.QUESTION),
        ("Grunk not sure. Really?", True, TextKind.QUESTION),
        ("It is dark.", True, TextKind.STORY),
        ("1. Say hello\n2. Say nothing\n\n>", True, TextKind.MENU),
        ("The list says:\n1. Eggs\n2. Milk", False, TextKind.STORY),
    ],
)
def test_a_question_is_told_by_its_words_or_by_where_the_story_reads(
    text: str, aside: bool, kind: TextKind
) -> None:
    assert kind_of(text, aside=aside) is kind


def test_an_end_without_stars_is_known_by_its_question_and_where_it_is_asked() -> None:
    text = "Your score is 10.\n\nWould you like to restart the game from the beginning, restore a saved game \
position, or end this session of the game?\n(Type RESTART, RESTORE, or QUIT):"

    assert ended(text, aside=True)
    assert not ended(text, aside=False)


@pytest.mark.parametrize(
    ("words", "full_score", "victory"),
    [
        ("You have won", False, True),
        ("The End", False, False),
        ("The End", True, True),
        ("You have died", True, False),
    ],
)
def test_a_victory_is_said_or_every_point_without_a_death(
    words: str, full_score: bool, victory: bool
) -> None:
    assert won(f"So.\n\n    *** {words} ***{ASK}", full_score=full_score) is victory


@pytest.mark.parametrize(
    ("text", "declined"),
    [
        ("Would you like to restore a saved game? (Y/N) >", True),
        ("Welcome.\n\nDo you want instructions?", True),
        ("Do you want to play as a man or as a woman?", False),
        ("West of House\nThere is a small mailbox here.\n\n>", False),
        ('(For help, use "HELP".)\n\nOutside\nIt is night.\n\n>', False),
        ("You could have saved her. Or could you?\n\nAttic\nDust lies here.\n\n>", False),
    ],
)
def test_an_offer_at_the_opening_that_is_no_part_of_the_story_is_declined(text: str, declined: bool) -> None:
    assert declines(text) is declined
