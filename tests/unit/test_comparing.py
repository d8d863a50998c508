"""Messages side by side, and how their differences are told."""

from __future__ import annotations

from test_beats import a_fragment, a_proposal, a_step, said

from lantern.inspect.replay_report import ReplayReport, difference_line
from mesh.record.comparison import FieldDifference, differences
from mesh.record.step_messages import StepMessages
from mesh.replay.replay import ReplayedStep
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven, Section


def a_text(*texts: str) -> Envelope:
    return said("narrator", FragmentGiven(step=3, sections=tuple(Section(name="n", text=t) for t in texts)))


def test_equal_messages_do_not_differ_whoever_said_them_and_when() -> None:
    older = a_text("a").model_copy(update={"cell": "other", "cause": "x"})

    assert differences("narrator", Kind.FRAGMENT, older, a_text("a")) == ()
    assert differences("narrator", Kind.FRAGMENT, None, None) == ()


def test_each_field_that_differs_is_named_wherever_it_is() -> None:
    found = differences("actor", Kind.PROPOSAL, a_proposal(1, a=1, b=1), a_proposal(1, a=1, b=0, d=1))

    assert [(each.field, each.recorded, each.replayed) for each in found] == [
        ("fragments[1].step", 1, 0),
        ("fragments[2]", None, {"service": "d", "step": 1}),
    ]


def test_a_message_on_one_side_alone_differs_as_a_whole() -> None:
    (missing,) = differences("hint", Kind.FRAGMENT, a_fragment(1, "hint"), None, "ValueError: no")
    (extra,) = differences("hint", Kind.FRAGMENT, None, a_fragment(1, "hint"))

    assert (missing.field, missing.recorded["step"], missing.replayed) == ("", 1, None)
    assert (extra.recorded, extra.replayed["step"]) == (None, 1)
    assert difference_line(missing).endswith("now nothing (ValueError: no)")
    assert difference_line(extra).startswith("hint fragment: recorded nothing, now {")


def test_long_texts_are_shown_around_where_they_part() -> None:
    (found,) = differences("narrator", Kind.FRAGMENT, a_text("x" * 300 + "old"), a_text("x" * 300 + "new"))

    line = difference_line(found)

    assert line.startswith("narrator fragment: sections[0].text: recorded …xxx")
    assert 'old", now …' in line and line.endswith('new"')
    assert len(line) < 250


def test_what_could_steer_a_terminal_is_not_shown() -> None:
    line = difference_line(FieldDifference("a", Kind.MODEL, "reply", "\x1b[2J\n\u202e", "\x9b2J", "a\nb\x07"))

    assert line.isprintable()


def test_a_report_tells_the_first_difference_field_by_field_and_counts_the_steps() -> None:
    report = ReplayReport()
    parted = differences("narrator", Kind.FRAGMENT, a_text("a", "b"), a_text("c", "d"))
    steps = [
        ReplayedStep(StepMessages(n, (a_step(n),)), parted if n in (3, 4) else (), n > 0) for n in range(6)
    ]

    lines = [line for step in steps for line in report.after(step)]

    assert lines == [
        "step 3: narrator fragment (2 differences)",
        '  narrator fragment: sections[0].text: recorded "a", now "c"',
        '  narrator fragment: sections[1].text: recorded "b", now "d"',
        "step 4: narrator fragment (2 differences)",
    ]
    assert report.total() == "3 of 5 steps the same"
    assert report.as_json()["differences"][2]["step"] == 4
    assert not report.same
