"""Score, moves and end, as games print them."""

import pytest

from zmachine.reading.prompts import ended, won
from zmachine.reading.scores import Status, score_answer, status_in
from zmachine.reading.texts import heading_in, place_in_status, split_status_line, with_numbers_apart

BLANK = " " * 40
QUESTION = "\n\nWould you like to RESTART, RESTORE a saved game or QUIT?\n> "


@pytest.mark.parametrize(
    ("printed", "observation", "line"),
    [
        (f"\nTaken.\n\n>{BLANK}GardenScore: 3Moves: 12", "Taken.", "GardenScore: 3Moves: 12"),
        (f"Taken.\n\n>{BLANK} Garden   Score: 3   Moves: 12\n", "Taken.", "Garden   Score: 3   Moves: 12"),
        (
            f"> Hall{BLANK}Score: 0   Moves: 1   \nTaken.\n\n",
            "Taken.",
            f"> Hall{BLANK}Score: 0   Moves: 1   ",
        ),
        ("\n\nTaken.  \n\n>", "Taken.", ""),
        (">\n\nTaken.\n", "Taken.", ""),
        ("One.\n\n[Press any key to continue.]\n\nTwo.", "One.\n\n\nTwo.", ""),
        ("One.\n[MORE]\nPress SPACE.\n", "One.", ""),
        ("Press any key on the piano.", "Press any key on the piano.", ""),
        (f"Really done?{BLANK * 3}HallScore: 1", "Really done?", "HallScore: 1"),
        ("A sign says: > this way <", "A sign says: > this way <", ""),
        ("", "", ""),
    ],
)
def test_prompt_and_status_line_are_no_part_of_the_observation(
    printed: str, observation: str, line: str
) -> None:
    assert split_status_line(printed) == (observation, line)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("At End Of RoadScore: 36Moves: 0", Status(score=36, moves=0)),
        ("Garden   Score: -5   Turns: 7", Status(score=-5, moves=7)),
        ("OutsideScore: 0", Status(score=0)),
        ("LobbyTime:  3:00 pm", Status()),
        ("", Status()),
    ],
)
def test_a_status_line_tells_what_it_tells_and_no_more(line: str, status: Status) -> None:
    assert status_in(line) == status


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (
            "You have so far scored 36 out of a possible 350, in 2 turns, earning you the rank of …",
            Status(36, 2, 350),
        ),
        ("Your score is 0 (total of 350 points), in 1 move.", Status(0, 1, 350)),
        ("Grunk have 0 out of 7 so far.", Status(0, None, 7)),
        ("In that game you scored -10 out of a possible 50, in 9 turns.", Status(-10, 9, 50)),
        ("There is no score in this story.", Status()),
        ("That's not a verb I recognise.", Status()),
    ],
)
def test_the_answer_to_score_is_understood(answer: str, status: Status) -> None:
    assert score_answer(answer) == status


@pytest.mark.parametrize(
    ("text", "over", "victory"),
    [
        (f"You fall.\n\n    *** You have died ***{QUESTION}", True, False),
        (f"It burns.\n\n    *** You have won ***{QUESTION}", True, True),
        ("A sign says *** WARNING ***", False, False),
        ("You may RESTART or QUIT at any time.", False, False),
    ],
)
def test_the_end_is_stars_and_a_question(text: str, over: bool, victory: bool) -> None:
    assert (ended(text), won(text)) == (over, victory)


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("Oh dear! You scored 0 points out of a maximum of 250.\nAnother game, your Lordship?", True),
        ("You are dead. Do you want to play again? (Y/N)\n>", True),
        ("The game is over. Would you like to try again?", True),
        ("Would you like to start over, restore a saved position, or end this session?", True),
        ("Do you want to RESTART, RESTORE or try again?", True),
        ("You scored a goal. The crowd cheers.", False),
        ("The dealer shuffles the cards. Another game?", False),
        ("Another game? You have lost the last one, he says, and shrugs.", False),
    ],
)
def test_the_question_after_another_game_is_the_end_where_somebody_has_died_or_scored(
    text: str, over: bool
) -> None:
    assert ended(text, aside=True) is over
    assert not ended(text)


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("At End Of RoadScore: 36Moves: 0", "At End Of Road"),
        (f"> West of House{BLANK}Score: 0", "West of House"),
        ("-= Attic =-2/4", "-= Attic =-"),
        ("LobbyTime:  3:00 pm", "Lobby"),
        ("", ""),
    ],
)
def test_the_room_stands_on_the_left_of_a_status_line(line: str, place: str) -> None:
    assert place_in_status(line) == place


@pytest.mark.parametrize(
    ("line", "apart"),
    [
        ("Cell 24/12", "Cell 2 4/12"),
        ("Cell 124/12", "Cell 12 4/12"),
        ("Cell 1-4/12", "Cell 1 -4/12"),
        ("Cell 12/5", "Cell 1 2/5"),
        ("Cellar 24/12", "Cellar 24/12"),
        ("Cell 2Score: 4", "Cell 2Score: 4"),
    ],
)
def test_a_digit_at_the_end_of_a_name_is_none_of_the_score(line: str, apart: str) -> None:
    assert with_numbers_apart(line, ("Cell 1", "Cell 2", "Cell 12")) == apart


def test_a_description_begins_with_the_rooms_name_or_with_a_sentence() -> None:
    assert heading_in("Attic\nDust lies here.") == "Attic"
    assert heading_in("It is dark.\nVery dark.") == ""
    assert heading_in("You are in a garden. There are paths to\nthe north.") == ""
    assert heading_in("St. James Square\nA fountain plays.") == "St. James Square"
