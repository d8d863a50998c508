"""The statistics of an evaluation, against values computed by hand and against what must hold of any."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantern.evaluation.report.averages import by_game, deviation_over_seeds, mean_over_games
from lantern.evaluation.report.curves import curve_of, highest_after
from lantern.evaluation.report.figures import area_under_curve, episode_scores, percent_of_highest
from lantern.evaluation.report.plays import Score, percent, percent_any_score
from lantern.evaluation.report.statistics import deviation, disagreement, interval, mean, paired_difference
from lantern.evaluation.report.summarising import summaries
from lantern.evaluation.results import PlayResult, PlayState
from tests.support.scenes.results_builder import a_play

Keyed = dict[tuple[str, object], float]
scores = st.dictionaries(
    st.sampled_from([(game, seed) for game in "abcde" for seed in (1, 2)]), st.integers(0, 100), min_size=1
)
few = settings(max_examples=25, deadline=None)
"""A bootstrap takes milliseconds, and more on a busy machine."""


def best(play: PlayResult) -> float | None:
    return percent(play, Score.BEST)


def test_means_and_deviations() -> None:
    assert mean([2, 4, 4, 4, 5, 5, 7, 9]) == 5
    assert deviation([2, 4, 4, 4, 5, 5, 7, 9]) == pytest.approx((32 / 7) ** 0.5)
    assert mean([]) is None
    assert deviation([3]) is None


@pytest.mark.parametrize(
    ("values", "share"), [([1, 1, 1], 0), ([1, 1, 2], 2 / 3), ([1, 2, 3], 1), ([1], None), ([], None)]
)
def test_disagreement_is_the_share_of_pairs_that_differ(values: list[float], share: float | None) -> None:
    assert disagreement(values) == share


def test_a_score_is_what_was_gained_over_what_was_to_be_gained() -> None:
    play = a_play(best=30, opening_score=10, max_score=50, final_score=5)

    assert percent(play, Score.BEST) == 50
    assert percent(play, Score.FINAL) == -12.5
    assert percent_of_highest(play) == 60
    assert percent_any_score(play) == 100
    assert percent_any_score(a_play(best=10, opening_score=10)) == 0


def test_nothing_is_known_of_a_play_that_failed_or_of_a_story_without_a_maximum() -> None:
    failed = a_play(state=PlayState.FAILED)
    endless = a_play(max_score=None)

    assert [measure(failed) for measure in (best, percent_any_score, percent_of_highest)] == [None] * 3
    assert [measure(endless) for measure in (best, percent_any_score, percent_of_highest)] == [
        None,
        100,
        None,
    ]


def test_each_game_counts_the_same_whatever_the_number_of_its_seeds() -> None:
    plays = [a_play(game="a", seed=seed, best=10) for seed in (1, 2, 3)] + [a_play(game="b", best=40)]

    assert [*by_game(plays, best).values()] == [10, 40]
    assert mean_over_games(plays, best) == 25


def test_the_deviation_over_seeds_leaves_out_a_seed_that_lacks_a_game() -> None:
    plays = [
        a_play(game=game, seed=seed, best=score)
        for game, seed, score in [("a", 1, 10), ("b", 1, 20), ("a", 2, 20), ("b", 2, 30), ("a", 3, 90)]
    ]

    assert deviation_over_seeds(plays, best) == pytest.approx(deviation([15, 25]))


def test_a_paired_difference_by_hand() -> None:
    a: Keyed = {("x", 1): 10, ("x", 2): 20, ("y", 1): 0, ("only a", 1): 99}
    b: Keyed = {("x", 1): 16, ("x", 2): 24, ("y", 1): 1, ("only b", 1): 99}

    found = paired_difference(a, b)

    assert found is not None
    assert found.pairs == 3
    assert found.by_game == {"x": 5, "y": 1}
    assert found.difference == 3
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (
        1,
        5,
    )  # x and x, or y and y: each is a quarter of the draws
    assert found.above_zero == found.sureness == 1


def test_two_agents_without_a_common_play_have_no_difference() -> None:
    assert paired_difference({("x", 1): 1.0}, {("x", 2): 1.0}) is None


def test_one_game_alone_gives_no_interval() -> None:
    found = paired_difference({("x", 1): 1.0, ("x", 2): 2.0}, {("x", 1): 3.0, ("x", 2): 3.0})

    assert found is not None
    assert (found.difference, found.interval, found.sureness) == (1.5, None, None)


@few
@given(scores, st.sampled_from([0.0, 0.5, 8.0, -16.0]))
def test_the_interval_of_a_constant_difference_has_no_width(a: Keyed, shift: float) -> None:
    found = paired_difference(a, {key: value + shift for key, value in a.items()})

    assert found is not None
    assert found.difference == shift
    if found.interval is not None:
        assert (found.interval.low, found.interval.high) == (shift, shift)


@few
@given(scores, scores)
def test_swapping_the_agents_flips_the_sign(a: Keyed, b: Keyed) -> None:
    forth, back = paired_difference(a, b), paired_difference(b, a)

    if forth is None or back is None:
        assert forth is back
        return
    assert back.difference == pytest.approx(-forth.difference)
    if forth.interval is not None and back.interval is not None:
        assert back.interval.low == pytest.approx(-forth.interval.high)
        assert back.interval.high == pytest.approx(-forth.interval.low)
        assert back.above_zero is not None
        assert forth.above_zero == pytest.approx(1 - back.above_zero)


@few
@given(st.lists(st.floats(0, 100), min_size=2, max_size=30))
def test_an_interval_lies_within_the_games_and_is_the_same_again(values: list[float]) -> None:
    found = interval(values)

    assert found == interval(values)
    assert found is not None
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_the_interval_of_a_known_spread_is_near_the_normal_one() -> None:
    found = interval([0.0, 10.0] * 50)  # mean 5, standard error 0.5

    assert found is not None
    assert found.low == pytest.approx(5 - 1.96 * 0.5, abs=0.15)
    assert found.high == pytest.approx(5 + 1.96 * 0.5, abs=0.15)


def test_the_area_under_the_curve_is_the_mean_of_the_episodes_final_scores() -> None:
    play = a_play(
        score_changes=[(0, 0), (5, 20), (11, 0), (15, 60), (21, 0), (22, 10)], episode_ends=(10, 20), steps=30
    )

    assert episode_scores(play) == [20, 60, 10]
    assert area_under_curve(play) == 30


def test_a_curve_holds_the_highest_score_so_far() -> None:
    play = a_play(score_changes=[(0, 0), (5, 20), (11, 0), (15, 60)], steps=20)

    assert [highest_after(step)(play) for step in (0, 4, 5, 12, 15, 99)] == [0, 0, 20, 20, 60, 60]


def test_a_curve_ends_with_the_mean_of_the_table() -> None:
    plays = [a_play(game=game, seed=seed, best=10 * seed) for game in "ab" for seed in (1, 2)]

    curve = curve_of(plays, step_budget=100)
    [(regime, _)] = summaries(plays)

    assert curve is not None
    assert curve.steps[-1] == 100
    assert curve.means[-1] == regime.agents[0].best.mean == 15
    assert curve.deviations[-1] == regime.agents[0].best.deviation
