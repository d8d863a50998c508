"""Two sessions side by side: where they part, and how their scores went."""

from __future__ import annotations

from itertools import zip_longest

from lantern.inspect.diffing import ROWS, Comparison, lines_about
from mesh.record.step_messages import StepMessages
from tests.support.scenes.builders import a_session, a_step
from tests.support.scenes.moment_builders import a_fragment, a_moment, a_proposed, a_verdict, a_walk, said


def compared(one: list[StepMessages], other: list[StepMessages]) -> Comparison:
    comparison = Comparison("one", "other")
    for pair in zip_longest(one, other):
        comparison.after(*pair)
    return comparison


def test_a_session_is_the_same_as_itself_but_for_digests_and_times() -> None:
    one, other = a_walk(5), a_walk(5)
    changed = a_step(3, "north", room="Room 3").model_copy(update={"digest": "0" * 16})
    other[3] = a_moment(changed, *one[3].messages[1:])

    comparison = compared(one, other)

    assert comparison.same
    assert (comparison.same_actions, comparison.last_steps) == (5, (5, 5))
    assert "every step is the same" in list(lines_about(comparison))


def test_the_first_message_that_differs_is_named_with_its_field() -> None:
    one = [a_moment(a_step(0), a_fragment(0, "x"), a_proposed(0, "up"), a_verdict(0, "up"))]
    cases = {
        ("step", "observation"): a_moment(a_step(0, text="else"), *one[0].messages[1:]),
        ("step", "score"): a_moment(a_step(0, score=4, world="v"), *one[0].messages[1:]),
        ("fragment narrator", "sections"): a_moment(a_step(0), a_fragment(0, "y"), *one[0].messages[2:]),
        ("fragment narrator", ""): a_moment(a_step(0), *one[0].messages[2:]),
        ("proposal", "action"): a_moment(
            a_step(0), a_fragment(0, "x"), a_proposed(0, "in"), a_verdict(0, "in")
        ),
        ("verdict", "action"): a_moment(*_first(one), a_verdict(0, "in", proposed="up")),
    }
    for expected, moment in cases.items():
        found = compared(one, [moment]).divergence
        assert found is not None
        assert (found.message, found.field) == expected


def _first(one: list[StepMessages]) -> tuple:  # type: ignore[type-arg]
    step, *others = one[0].messages
    return (step.body, *others[:2])


def test_a_session_that_goes_on_longer_parts_where_the_other_ends() -> None:
    comparison = compared(a_walk(5), a_walk(3))

    assert comparison.divergence is not None
    assert (comparison.divergence.step, comparison.divergence.message) == (3, "proposal")
    assert "they part at step 3: proposal is in A only" in list(lines_about(comparison))
    assert comparison.headers == {"steps": (5, 3)}


def test_how_they_were_started_is_told() -> None:
    one, other = a_walk(2), a_walk(2)
    other[0] = StepMessages(0, (said(a_session(steps=2, seed=9, policy="random")), *one[0].messages[1:]))

    comparison = compared(one, other)

    assert comparison.headers == {"policy": ("heuristic", "random"), "seed": (1, 9)}
    assert comparison.divergence is None
    assert not comparison.same


def test_the_table_has_a_row_where_a_score_changes_and_is_bounded() -> None:
    few = compared(a_walk(50, scores={10: 3}), a_walk(50, scores={10: 3, 30: 9}))
    many = compared(a_walk(300, scores={n: n for n in range(300)}), a_walk(300))

    assert [row.step for row in few.turns()] == [0, 10, 30, 50]
    lines = list(lines_about(many))
    assert len(lines) < ROWS + 12
    assert f"({ROWS} of the 301 steps at which a score changed; --json tells all)" in lines
    assert sum(line.strip().split()[0].isdecimal() for line in lines if line.strip()) == ROWS


def test_text_is_shown_without_anything_that_could_steer_a_terminal() -> None:
    evil = "\x1b]0;title\x07"
    one = [StepMessages(0, (said(a_session().model_copy(update={"game": evil})), said(a_step(0, text=evil))))]
    other = [StepMessages(0, (said(a_session()), said(a_step(0, evil, text="fine", room=evil))))]

    lines = list(lines_about(compared(one, other)))

    assert any("title" in line for line in lines)
    assert all(line.isprintable() for line in lines)
