"""Texts that share a budget: whole where all fit, and otherwise shortened where that is least useful."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from language_model.prompting.fitting import shares, shortened, without_middle
from language_model.prompting.tokens import tokens

SIZES = st.lists(st.integers(0, 500), min_size=1, max_size=12)


def test_what_fits_exactly_is_given_whole() -> None:
    assert shares([61], [27], 61) == [61]


@given(SIZES, st.data())
def test_each_gets_what_it_needs_or_a_share_by_weight(needs: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 40), min_size=len(needs), max_size=len(needs)))
    available = data.draw(st.integers(1, 4_000))

    got = shares(needs, weights, available)

    assert all(share <= need for share, need in zip(got, needs, strict=True))
    assert sum(got) <= max(available, 0) or got == needs
    if sum(needs) <= available:
        assert got == needs


def test_a_short_text_leaves_its_room_to_the_others() -> None:
    assert shares([10, 300, 300], [1, 1, 1], 210) == [10, 100, 100]


def test_prose_loses_its_middle_and_a_list_its_end() -> None:
    prose = "It began in the yard. " + "Nothing came of it. " * 40 + "Next, go north to the tower."
    items = "ALL: " + ", ".join(f"item{number}" for number in range(60))
    lines = "\n".join(f"- step {number}: look" for number in range(60, 0, -1))

    assert shortened(prose, 60).startswith("It began") and shortened(prose, 60).endswith(
        "north to the tower."
    )
    assert shortened(items, 30).startswith("ALL: item0, item1")
    assert shortened(lines, 40).splitlines()[0] == "- step 60: look"
    assert all(line in lines for line in shortened(lines, 40).splitlines())


@given(st.text(max_size=600), st.integers(20, 200))
def test_what_is_shortened_fits(text: str, most: int) -> None:
    assert tokens(without_middle(text, most)) <= most or tokens(text) <= most


def test_no_line_crowds_out_the_others() -> None:
    text = "A: " + "x, " * 500 + "\nB: y\nC: z"

    assert shortened(text, 80).splitlines()[1:] == ["B: y", "C: z"]
