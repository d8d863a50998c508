"""Conditions on a step: what they mean, what is refused, and that nothing of Python can be reached."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantern.inspect.comparison import ExpressionRefused
from lantern.inspect.expression import ANY, DEEPEST, ITSELF, LONGEST, parsed

KNOWN = {
    "score": None,
    "room": None,
    "done": None,
    "inventory": None,
    "observation": None,
    "verdict": {"decision": None, "action": None},
    "fragment": {ANY: {"text": None}},
    "step": {"score": None},
}
VALUES: dict[str, Any] = {
    "score": 11,
    "room": "Kitchen",
    "done": False,
    "inventory": ["lamp", "egg"],
    "observation": "You take the lamp.",
    "verdict": {"decision": "substitute", "action": "north"},
    "fragment": {"narrator": {"text": "once upon a time"}},
    "step": {"score": 11, ITSELF: 7},
}


def holds(text: str, **values: Any) -> bool:
    return parsed(text, KNOWN).holds({**VALUES, **values})


def refusal(text: str) -> str:
    with pytest.raises(ExpressionRefused) as refused:
        holds(text)
    return str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "score > 10",
        "score >= 11 and not done",
        'room == "Kitchen"',
        "room == 'Kitchen' or score < 0",
        'verdict.decision == "substitute"',
        '"lamp" in inventory',
        '"sword" not in inventory',
        '"take the" in observation',
        '"once" in fragment.narrator.text',
        'room in ["Attic", "Kitchen"]',
        "0 < score < 12",
        "step == 7 and step.score == 11",
        "not (score == 1 or score == 2)",
        "score != -5",
        "score == 11.0",
        "done == false",
        r'room != "Kit\"chen"',
        "true",
        "True and not False",
    ],
)
def test_what_holds(text: str) -> None:
    assert holds(text)


@pytest.mark.parametrize(
    "text",
    [
        "score > 11",
        "score > 10 and done",
        "not not done",
        'room == "kitchen"',
        '"rope" in inventory',
        "score == true",
        'fragment.hint.text == ""',
        "1 < score < 5",
    ],
)
def test_what_does_not_hold(text: str) -> None:
    assert not holds(text)


@pytest.mark.parametrize("sign", ["==", "!=", "<", "<=", ">", ">=", "in", "not in"])
def test_what_is_unknown_makes_every_comparison_false(sign: str) -> None:
    assert not holds(f"score {sign} 3", score=None)
    assert not holds(f"3 {sign} score", score=None)


def test_and_binds_closer_than_or_and_not_closest() -> None:
    assert holds("true or true and false")
    assert not holds("(true or true) and false")
    assert holds("not false or true")


@pytest.mark.parametrize(
    ("text", "position", "hint"),
    [
        ("", 1, "names"),
        ("score >", 8, "names, numbers"),
        ("score 3", 7, "and, or"),
        ("score = 3", 7, "comparisons"),
        ("scroe > 3", 1, "score"),
        ("verdict.decison == 1", 9, "action, decision"),
        ("room.name == 1", 6, "no parts"),
        ("fragment.narrator.words == 1", 19, "text"),
        ("(score > 3", 1, "never closed"),
        ("score > 3)", 10, "and, or"),
        ('room == "Kitchen', 9, "texts"),
        ("score not 3", 11, "in"),
        ("[1 2]", 2, "forgot a comma"),
        ("score.__class__", 7, "no parts"),
        ("verdict.__class__", 9, "action, decision"),
        ("__import__('os')", 1, "score"),
        ("score > 3; quit()", 10, "comparisons"),
        ("lambda: 1", 1, "comparisons"),
        ("(score > 3).real", 2, "only a message"),
        ("score + 1 > 3", 1, "comparisons"),
        ("score is 3", 1, "comparisons"),
        ("score > None", 9, "comparisons"),
        ('room == "ß" or rom == 1', 16, "Did you mean room?"),
        ("score > 3\ud83d", 10, "Unicode"),
    ],
)
def test_what_is_refused_names_the_position_and_what_may_stand_there(
    text: str, position: int, hint: str
) -> None:
    told = refusal(text)

    assert told.startswith(f"Position {position} of the expression")
    assert hint in told
    assert "\n" not in told


@pytest.mark.parametrize("text", ['score > "many"', "room < 3", "score in 3", "done > false", "verdict > 1"])
def test_what_cannot_be_compared_is_said_and_not_guessed(text: str) -> None:
    assert "says nothing" in refusal(text)


def test_length_and_depth_are_bounded() -> None:
    assert holds("(" * DEEPEST + "true" + ")" * DEEPEST)
    assert "levels" in refusal("[" * (DEEPEST + 1) + "true" + "]" * (DEEPEST + 1))
    assert "levels" in refusal("not " * (DEEPEST + 1) + "true")
    assert "levels" in refusal("-" * (LONGEST - 1) + "1")
    assert "Shorten it" in refusal("1" * (LONGEST + 1))


@pytest.mark.filterwarnings("error")
def test_what_python_only_warns_of_is_nothing_to_the_user() -> None:
    assert holds("1or 2")
    assert holds(r'"\d" == "\d"')


@pytest.mark.filterwarnings("error")
@given(st.text(string.printable + "äßπ\x1b\x00", max_size=60))
def test_any_text_is_an_expression_or_refused_in_one_line(text: str) -> None:
    try:
        holds(text)
    except ExpressionRefused as refused:
        assert "\n" not in str(refused).replace(repr("\n"), "")


WORDS = ["score", "room", "verdict", "fragment", "narrator", ".", "(", ")", "[", "]", ",", "and", "or",
         "not", "in", "==", "<", "3", '"x"', "true"]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_any_row_of_words_is_an_expression_or_refused(words: list[str]) -> None:
    try:
        holds(" ".join(words))
    except ExpressionRefused as refused:
        assert str(refused)


@given(st.integers(-99, 99), st.integers(-99, 99), st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
def test_numbers_compare_as_numbers_do(one: int, other: int, sign: str) -> None:
    expected = {
        "==": one == other, "!=": one != other, "<": one < other,
        "<=": one <= other, ">": one > other, ">=": one >= other,
    }[sign]  # fmt: skip

    assert holds(f"score {sign} {other}", score=one) is expected


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20))
def test_a_text_in_quotes_is_that_text(text: str) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')

    assert holds(f'room == "{quoted}"', room=text)
