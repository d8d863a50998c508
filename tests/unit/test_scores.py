"""Score, moves and maximum, as games write them."""

import pytest

from zmachine.reading.scores import Fraction, Status, announced, fraction_of, number_of, status_in


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("[Your score has just gone up by five points.]", 5),
        ("[Your score has just gone up by 25 points.]", 25),
        ("[Your score has just gone down by\none point.]", -1),
        ("[Your score has gone up by one hundred and twenty-three points.]", 123),
        ("You have just gained ten points! You lose 3 points.", 7),
        ("You have so far scored 5 points.", 0),
        ("Your score has just gone up by some points.", 0),
    ],
)
def test_points_are_announced_in_digits_or_words(text: str, points: int) -> None:
    assert announced(text) == points


@pytest.mark.parametrize(
    ("written", "number"), [("zero", 0), ("forty-two", 42), ("two hundred", 200), ("007", 7), ("lots", 0)]
)
def test_numbers_are_read_in_digits_and_words(written: str, number: int) -> None:
    assert number_of(written) == number


@pytest.mark.parametrize(
    ("opening", "waited", "score", "meaning"),
    [
        ("-= Attic =-0/1", "-= Attic =-0/2", 0, Fraction(counts_moves=True)),
        ("Attic 0/7", "Attic 0/7", None, Fraction(counts_moves=False)),
        ("Attic 3/7", "Attic 3/7", 0, None),
        ("9:15", "9:16", 0, None),
    ],
)
def test_the_numbers_of_a_status_line_are_understood_by_what_waiting_does_to_them(
    opening: str, waited: str, score: int | None, meaning: Fraction | None
) -> None:
    assert fraction_of(opening, waited, score) == meaning


def test_a_dash_before_the_score_is_no_minus_where_it_closes_the_rooms_name() -> None:
    counts = Fraction(counts_moves=True)

    assert status_in("-= Attic =-2/4", counts) == Status(score=2, moves=4)
    assert status_in("Attic -2/4", counts) == Status(score=-2, moves=4)
    assert status_in("Attic 2/4", Fraction(counts_moves=False)) == Status(score=2, max_score=4)
    assert status_in("Attic 2/4") == Status()
