"""What the published agents have in common: they play alone, from their record, and read texts alike."""

from __future__ import annotations

import io
import pickle
from collections import Counter
from random import Random

import pytest

from lantern.play.session_options import absent_services
from mesh.errors import InputError
from mesh.runner.states.state_cache import StateUnpickler
from schemas.game import RESTART
from services.actor.baselines.affordances import commands_for, commands_for_two, is_a, is_fixed
from services.actor.baselines.blacklist import Blacklist
from services.actor.baselines.reading import YES_OR_NO, alike, unknown_word
from services.actor.baselines.roulette import spin
from services.actor.logic import by_policy
from services.actor.policies import PLAYERS, PolicyName, initial_situation, plays_alone, policy_of
from tests.support.scenes.baseline_scenes import CAVE, DEATH, HALL, after, choice
from tests.support.scenes.builders import a_session, a_text_step

BASELINES = [*PLAYERS]
ANSWERS = (
    ("take all", "lamp: Taken."),
    ("north", CAVE),
    ("attack troll", "You hit the troll, who growls."),
    ("look", CAVE),
    ("south", HALL),
    ("examine lamp", "It is a battered thing of brass."),
    ("polish lamp", "I don't know the word 'polish'."),
)


def test_a_baseline_plays_without_the_others_unless_something_is_named() -> None:
    others = ("memory", "narrator", "hint", "npc_tracker", "critic")

    assert {name for name in PolicyName if plays_alone(name)} == {"competition-random", "search", *BASELINES}
    assert all(absent_services(name, []) == others for name in PolicyName if plays_alone(name))
    assert absent_services("nail", ["hint"]) == ("hint",)
    assert absent_services("heuristic", []) == absent_services("no such policy", []) == ()
    with pytest.raises(InputError, match="no service 'hnt'"):
        absent_services("nail", ["hnt"])


@pytest.mark.parametrize("policy", BASELINES)
def test_the_same_record_gives_the_same_choice(policy: str) -> None:
    once, again = after(policy, HALL, *ANSWERS), after(policy, HALL, *ANSWERS)

    assert [choice(once, seed) for seed in range(20)] == [choice(again, seed) for seed in range(20)]


@pytest.mark.parametrize("policy", BASELINES)
def test_choosing_changes_nothing_and_a_step_counts_once(policy: str) -> None:
    asked, silent = after(policy, HALL, *ANSWERS), after(policy, HALL, *ANSWERS)
    for seed in range(20):
        choice(asked, seed)
    asked.after(a_text_step(3, "attack troll", "You hit the troll, who growls."))

    assert [choice(asked, seed) for seed in range(20)] == [choice(silent, seed) for seed in range(20)]


@pytest.mark.parametrize("policy", BASELINES)
def test_a_stored_state_chooses_like_the_one_that_was_stored(policy: str) -> None:
    situation = after(policy, HALL, *ANSWERS)
    stored = StateUnpickler(io.BytesIO(pickle.dumps(situation)), situation.started).load()

    assert [choice(stored, seed) for seed in range(20)] == [choice(situation, seed) for seed in range(20)]


@pytest.mark.parametrize("policy", ["competition-random", *BASELINES])
def test_a_game_that_is_over_is_begun_again(policy: str) -> None:
    session = a_session(policy=policy)
    situation = initial_situation(session).after(a_text_step(0, None, HALL))
    over = situation.after(a_text_step(1, "north", DEATH).model_copy(update={"done": True}))

    assert by_policy(over, policy_of(policy), {}, Random(1)).choice.action == RESTART


def test_the_competition_s_random_agent_repeats_itself_as_chance_wills() -> None:
    situation = initial_situation(a_session(policy="competition-random"))
    for number, action in enumerate([None, "no", "no", "no"]):
        situation = situation.after(a_text_step(number, action, HALL))

    chosen = {
        by_policy(situation, policy_of("competition-random"), {}, Random(n)).choice.action for n in range(99)
    }
    assert chosen == {"north", "south", "east", "west", "verbose", "take all", "yes", "no"}


def test_a_wheel_turns_up_commands_in_proportion_to_their_weights() -> None:
    random = Random(1)
    spins = Counter(spin(random, {"take lamp": 3.0, "eat lamp": 1.0, "kiss lamp": 0.0}) for _ in range(4_000))

    assert spins.keys() == {"take lamp", "eat lamp"}
    assert 2_900 < spins["take lamp"] < 3_100
    assert spin(random, {"kiss lamp": 0.0}) is None


def test_a_command_that_failed_is_banned_in_its_place_until_it_is_forgiven() -> None:
    blacklist = Blacklist()
    blacklist.note("hall", "open lamp", failed=True)
    blacklist.note("hall", "take lamp", failed=False)

    assert (blacklist.bans("hall", "open lamp"), blacklist.bans("cave", "open lamp")) == (True, False)
    assert not blacklist.bans("hall", "take lamp")
    blacklist.forgive()
    assert not blacklist.bans("hall", "open lamp")


def test_a_death_is_blamed_on_the_last_command_at_once_and_on_earlier_ones_later() -> None:
    blacklist, walk = Blacklist(), ("east", "east", "north", "open box", "pull lever", "jump")
    banned: list[list[str]] = []
    for _ in range(5):
        for command in walk:
            blacklist.note("hall", command, failed=False)
        blacklist.died()
        blacklist.forgive()
        banned.append([command for command in walk[1:] if blacklist.bans("hall", command)])

    assert banned[0] == ["jump"]
    assert banned[1] == ["pull lever", "jump"]
    assert banned[4] == ["east", "north", "open box", "pull lever", "jump"]


def test_what_can_be_done_with_a_thing_follows_from_its_kind_and_the_broader_ones() -> None:
    sword = dict(commands_for("sword"))

    assert sword["wield sword"] > sword["use sword"] > sword["look under sword"] > 0
    assert next(iter(dict(commands_for("door")))) == "open door"
    assert next(iter(dict(commands_for("frobnitz")))) == "take frobnitz"
    assert (is_a("troll", "person"), is_fixed("troll"), is_fixed("sword")) == (True, True, False)
    assert commands_for_two("door", "key")[0][0] == "unlock door with key"
    assert "give sword to wizard" in dict(commands_for_two("sword", "wizard"))
    assert commands_for_two("door", "river") == ()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I don't know the word 'polish'.", "polish"),
        ('You don\'t need to use the word "lamp" to finish this story.', "lamp"),
        ("That's not a verb I recognise.", "polish"),
        ("You can't see any such thing.", None),
    ],
)
def test_the_word_that_the_parser_does_not_know_is_found(text: str, word: str | None) -> None:
    assert unknown_word("polish lamp", text) == word


def test_questions_for_yes_or_no_are_told_from_others() -> None:
    asked = ("Do you want to go on? (y/n)", "Please answer yes or no.", "Are you sure you want to jump?")

    assert all(YES_OR_NO.search(text) for text in asked)
    assert not YES_OR_NO.search("No one answers. What do you want to open?")


def test_two_answers_are_alike_if_they_share_nearly_all_words() -> None:
    text = " ".join(f"word{chr(97 + n)}" for n in range(25))

    assert alike(text, f"{text} more")
    assert not alike("You see a brass lamp.", "You see a silver key.")
