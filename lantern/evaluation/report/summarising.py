"""Makes summaries of plays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from lantern.evaluation.report.averages import (
    by_game,
    deviation_over_seeds,
    grouped,
    known_values,
    mean_over_games,
    seeds_of,
)
from lantern.evaluation.report.figures import figures_of
from lantern.evaluation.report.plays import SETUP, Score, percent, percent_any_score
from lantern.evaluation.report.statistics import (
    PairedDifference,
    deviation,
    disagreement,
    interval,
    mean,
    paired_difference,
)
from lantern.evaluation.report.summary import (
    AgentPair,
    AgentSummary,
    GameSummary,
    PartShare,
    RegimeSummary,
    ScoreSummary,
)
from lantern.evaluation.results import PlayResult, PlayState


def summaries(plays: Iterable[PlayResult]) -> list[tuple[RegimeSummary, list[PlayResult]]]:
    """A summary for each regime, with its plays."""
    regimes = grouped(plays, lambda play: (play.regime, play.step_budget))
    return [(_of_regime(regimes[name]), regimes[name]) for name in sorted(regimes)]


def compared(a: Iterable[PlayResult], b: Iterable[PlayResult], by: Score) -> PairedDifference | None:
    """B minus A over the games and seeds that both have finished; None: there are none."""
    return paired_difference(_percents(a, by), _percents(b, by))


def _percents(plays: Iterable[PlayResult], by: Score) -> dict[tuple[str, object], float]:
    known = ((play, percent(play, by)) for play in plays)
    return {(play.story_md5, seeds_of(play)): value for play, value in known if value is not None}


def _of_regime(plays: list[PlayResult]) -> RegimeSummary:
    by_agent = grouped(plays, lambda play: play.agent)
    agents = sorted((_of_agent(each) for each in by_agent.values()), key=_rank)
    ranked = {each.agent: by_agent[each.agent] for each in agents}
    games = [_of_game(game) for game in grouped(plays, lambda play: (play.story_md5, play.agent)).values()]
    order = [*ranked]
    return RegimeSummary(
        regime=plays[0].regime,
        step_budget=plays[0].step_budget,
        plays=len(plays),
        failed=_failed(plays),
        agents=tuple(agents),
        games=tuple(sorted(games, key=lambda each: (each.game, each.story_md5, order.index(each.agent)))),
        without_maximum=_without_maximum(plays),
        pairs=tuple(_pairs(ranked)),
        parts=tuple(_part_shares(ranked)),
    )


def _without_maximum(plays: Iterable[PlayResult]) -> tuple[str, ...]:
    finished = [play for play in plays if play.state is PlayState.FINISHED]
    games = grouped(finished, lambda play: (play.game, play.story_md5))
    return tuple(name for (name, _), each in sorted(games.items()) if all(p.max_score is None for p in each))


def _rank(agent: AgentSummary) -> tuple[float, str]:
    return (1.0 if agent.best.mean is None else -agent.best.mean, agent.agent)


def _of_agent(plays: Sequence[PlayResult]) -> AgentSummary:
    first = plays[0]
    games = grouped(plays, lambda play: play.story_md5).values()
    disagreeing = [each for game in games if (each := _disagreement(game)) is not None]
    return AgentSummary(
        agent=first.agent,
        policy=first.policy,
        model=first.model,
        outside=first.outside,
        budget_usd=first.budget_usd,
        without=first.without,
        without_behaviours=first.without_behaviours,
        replaced=dict(first.replaced),
        handicaps=tuple(sorted({each for play in plays for each in play.handicaps})),
        plays=len(plays),
        failed=_failed(plays),
        games=len(games),
        best=_score(plays, Score.BEST),
        final=_score(plays, Score.FINAL),
        any_score=mean_over_games(plays, percent_any_score),
        any_score_deviation=deviation_over_seeds(plays, percent_any_score),
        disagreement=mean(disagreeing),
        steps=sum(play.steps for play in plays),
        episodes=sum(play.episodes for play in plays),
        deaths=sum(play.deaths for play in plays),
        victories=sum(play.victories for play in plays),
        tokens=sum(play.tokens for play in plays),
        usd=sum(play.usd for play in plays),
        seconds=sum(play.seconds for play in plays),
        degraded_steps=sum(play.degraded_steps for play in plays),
        search_cut=sum(play.search_cut for play in plays),
        figures=figures_of(plays),
    )


def _score(plays: Sequence[PlayResult], by: Score) -> ScoreSummary:
    def value(play: PlayResult) -> float | None:
        return percent(play, by)

    return ScoreSummary(
        mean=mean_over_games(plays, value),
        deviation=deviation_over_seeds(plays, value),
        interval=interval([*by_game(plays, value).values()]),
    )


def _of_game(plays: Sequence[PlayResult]) -> GameSummary:
    best, final = ([known for p in plays if (known := percent(p, by)) is not None] for by in Score)
    return GameSummary(
        game=plays[0].game,
        story_md5=plays[0].story_md5,
        agent=plays[0].agent,
        plays=len(plays),
        failed=_failed(plays),
        best=mean(best),
        best_deviation=deviation(best),
        final=mean(final),
        highest_score=max((play.best_score for play in plays if play.best_score is not None), default=None),
        max_score=max((play.max_score for play in plays if play.max_score is not None), default=None),
        disagreement=_disagreement(plays),
    )


def _disagreement(plays: Sequence[PlayResult]) -> float | None:
    share = disagreement(known_values(plays, _finished_best_score))
    return None if share is None else 100 * share


def _finished_best_score(play: PlayResult) -> float | None:
    return None if play.state is PlayState.FAILED else play.best_score


def _failed(plays: Iterable[PlayResult]) -> int:
    return sum(play.state is PlayState.FAILED for play in plays)


def _pairs(ranked: Mapping[str, Sequence[PlayResult]]) -> Iterator[AgentPair]:
    """Each agent with each better one: A is the lower in the ranking, B the higher."""
    for better, lower in combinations(ranked, 2):
        if difference := compared(ranked[lower], ranked[better], Score.BEST):
            yield AgentPair(lower, better, difference)


def _part_shares(ranked: Mapping[str, Sequence[PlayResult]]) -> Iterator[PartShare]:
    """Each agent that lacks or replaces parts, beside the most complete one that else is the same."""
    for label, plays in ranked.items():
        fuller = [each for each in ranked.values() if _is_fuller(each[0], plays[0])]
        if fuller:
            whole = min(fuller, key=lambda each: (_changes(each[0]), each[0].agent))
            if adds := compared(plays, whole, Score.BEST):
                yield PartShare(whole[0].agent, label, _change(whole[0], plays[0]), adds)


def _is_fuller(one: PlayResult, other: PlayResult) -> bool:
    """Whether `one` is `other` but for parts that `other` lacks or replaces."""
    same = all(getattr(one, name) == getattr(other, name) for name in SETUP)
    fewer = {*_lacking(one)} <= {*_lacking(other)} and one.replaced.items() <= other.replaced.items()
    return same and fewer and _changes(one) < _changes(other)


def _changes(play: PlayResult) -> int:
    return len(_lacking(play)) + len(play.replaced)


def _lacking(play: PlayResult) -> tuple[str, ...]:
    """The services and behaviours that it does without."""
    return (*play.without, *(f"the behaviour {name}" for name in play.without_behaviours))


def _change(whole: PlayResult, other: PlayResult) -> str:
    lacking = [part for part in _lacking(other) if part not in _lacking(whole)]
    replaced = [
        f"{service} replaced by {by}"
        for service, by in other.replaced.items()
        if service not in whole.replaced
    ]
    return ", ".join([*([f"without {', '.join(lacking)}"] if lacking else []), *replaced])
