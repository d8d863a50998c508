"""The competition's baseline, and how policies are named."""

from random import Random

import pytest

from services.actor.logic import chance
from services.actor.policies import UnknownPolicy, initial_situation, policy_of
from services.actor.random_policy import ACTIONS, RandomPolicy
from tests.support.scenes.builders import a_session, a_step


def test_each_of_the_eight_actions_comes_as_often_as_the_others() -> None:
    situation = initial_situation(a_session()).after(a_step(0))
    random = Random(1)

    chosen = [RandomPolicy().choose(situation, {}, random).action for _ in range(8_000)]

    assert set(chosen) == set(ACTIONS)
    assert all(900 < chosen.count(action) < 1_100 for action in ACTIONS)


def test_a_step_has_the_same_chance_whenever_it_is_decided() -> None:
    session = a_session(seed=7)

    assert chance(session, 3).random() == chance(session, 3).random()
    assert chance(session, 3).random() != chance(session, 4).random()
    assert chance(session, 3).random() != chance(a_session(seed=8), 3).random()


def test_an_unknown_policy_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(UnknownPolicy, match=r"No policy is called 'clever'.*heuristic, random"):
        policy_of("clever")
