"""What leads to a death some steps later, whatever is done in between."""

from __future__ import annotations

from folds.delayed_deaths import DelayedDeaths

ALARM, ARREST = ("Street", "break window"), "The police arrest you.\n\n*** You have lost ***\nScore {}."
LAST = [("Hall", "take lamp"), ("Hall", "up"), ("Attic", "wait")]


def arrested(last: list[tuple[str, str]], *, after: int = 8, quiet_first: int = 0) -> DelayedDeaths:
    """Episodes that each end some steps after the alarm, with another deed."""
    deaths, step = DelayedDeaths(), 0
    for number, deed in enumerate(last):
        deaths.begin(step)
        deaths.note(ALARM, step + quiet_first)
        deaths.note(deed, step := step + quiet_first + after)
        deaths.note_death(deed, step, ARREST.format(number))
    deaths.begin(step + 1)
    return deaths


def test_deaths_in_the_same_words_are_put_down_to_what_came_before_them_all() -> None:
    assert all(arrested(LAST).is_innocent(deed) for deed in LAST)
    assert not any(arrested(LAST[:2]).is_innocent(deed) for deed in LAST)
    assert [arrested([*LAST, LAST[0]]).is_innocent(deed) for deed in LAST] == [False, True, True]
    assert not any(arrested(LAST[:1] * 3).is_innocent(deed) for deed in LAST)


def test_deaths_in_other_words_and_long_after_prove_nothing() -> None:
    other = arrested(LAST[:2])
    other.note(ALARM, 20)
    other.note_death(LAST[2], 25, "You fall into the pit.")

    assert not any(other.is_innocent(deed) for deed in LAST)
    assert not any(arrested(LAST, after=16).is_innocent(deed) for deed in LAST)


def test_what_leads_to_death_is_known_when_the_player_has_lived_for_longer_without_it() -> None:
    assert not arrested(LAST).is_cause(ALARM)
    assert arrested(LAST, quiet_first=16).is_cause(ALARM)


def test_what_was_survived_for_long_leads_to_no_death() -> None:
    deaths = arrested(LAST, quiet_first=16)
    deaths.note(ALARM, 200)
    deaths.begin(220)

    assert not deaths.is_cause(ALARM)
    assert not any(deaths.is_innocent(deed) for deed in LAST)
