"""Golovin: generators in an order, weights and a roulette wheel, a blacklist, and the blame for deaths."""

from __future__ import annotations

from schemas.game import RESTART
from services.actor.baselines.golovin.memory import BLOWS
from services.actor.baselines.player import BaselineSituation
from tests.support.scenes.baseline_scenes import CAVE, DEATH, HALL, after, choice, choices

LAMP = "Cellar\nYou are in a low cellar. There is a brass lamp here."
BEGUN = (("verbose", "Maximum verbosity."), ("look", LAMP))
GATHERED = (*BEGUN, ("take lamp", "That's fixed in place."), ("take all", "None."))
BLOW = ("attack troll", "The troll dodges your blow.")


def spent(*more: tuple[str, str], room: str = LAMP) -> BaselineSituation:
    """A room in which nothing is left to gather."""
    return after("golovin", room, *GATHERED, ("take cellar", "That's fixed in place."), *more)


def test_it_begins_with_full_descriptions() -> None:
    assert choices(after("golovin", HALL)) == {"verbose"}
    assert choices(after("golovin", HALL, BEGUN[0])) == {"look"}


def test_the_nouns_of_a_new_place_are_taken_and_then_all() -> None:
    first = choice(after("golovin", LAMP, *BEGUN))
    last = choice(after("golovin", LAMP, *GATHERED[:3], ("take cellar", "That's fixed in place.")))

    assert (first.action.split()[0], first.reason) == ("take", "gathering")
    assert (last.action, last.reason) == ("take all", "gathering")
    assert choice(spent()).reason == "general"


def test_an_enemy_is_fought_before_anything_else_five_times_in_a_row() -> None:
    met = (*BEGUN, ("north", CAVE))
    first = choice(after("golovin", HALL, *met))
    blows = [choice(after("golovin", HALL, *met, *[BLOW] * n)) for n in range(1, BLOWS + 1)]

    assert first.reason == "battle"
    assert [blow.action for blow in blows[:-1]] == ["attack troll"] * (BLOWS - 1)
    assert blows[0].reason == "battle: blow 2 of 5"
    assert blows[-1].action != "attack troll"
    assert "attack troll" not in choices(after("golovin", HALL, *met, *[BLOW] * BLOWS))


def test_a_command_that_failed_is_not_given_there_until_the_inventory_changes() -> None:
    rubbed = ("rub lamp", "Nothing happens.")
    taken = (("take key", "Taken."), *[("wait", "Time passes.")] * 3)
    banned, forgiven = spent(rubbed), spent(rubbed, *taken)

    assert "rub lamp" in choices(spent(), 800)
    assert "rub lamp" not in choices(banned, 800)
    assert "rub lamp" in choices(forgiven, 800)


def test_what_was_just_taken_is_used_first() -> None:
    reasons = [choice(spent(("take rope", "Taken."))), choice(spent(("take rope", "Taken."), ("look", LAMP)))]

    assert {each.reason for each in reasons} == {"inventory"}
    assert all("rope" in each.action for each in reasons)


def test_a_place_is_left_when_enough_was_tried_and_untried_ways_come_first() -> None:
    tried = [(f"polish lamp {n}", "Nothing happens.") for n in range(20)]
    ways = [(way, "You can't go that way.") for way in ("north", "south", "east")]

    assert choice(spent(*tried)).reason == "exploration: an untried way"
    assert choices(spent(*tried)) == {"north", "south", "east", "west"}
    assert choices(spent(*tried, *ways)) == {"west"}


def test_an_exhausted_place_is_left_for_one_that_promises_more() -> None:
    tried = [(f"polish lamp {n}", "Nothing happens.") for n in range(30)]
    every = "south east west northeast northwest southeast southwest up down in out".split()
    walls = [(way, "You can't go that way.") for way in every]
    back = (("north", "Attic\nYou are in an attic under the old roof, full of dust."), ("south", LAMP))

    chosen = choice(spent(*back, *tried, *walls))

    assert (chosen.action, chosen.reason) == ("north", "exploration: towards a promising place")


def test_it_leaves_the_dark_by_the_way_that_led_there() -> None:
    assert choices(after("golovin", HALL, *BEGUN, ("down", "It is pitch dark."))) == {"up"}


def test_what_killed_is_never_done_again_in_its_place_and_a_restart_forgives_the_rest() -> None:
    rubbed, eaten = ("rub lamp", "Nothing happens."), ("eat lamp", DEATH)
    again = after("golovin", LAMP, *GATHERED, rubbed, eaten, (RESTART, LAMP), *GATHERED)

    assert "eat lamp" not in choices(again, 800)
    assert choice(after("golovin", LAMP, *GATHERED, eaten, (RESTART, LAMP))).action == "verbose"
    assert choice(after("golovin", LAMP, *GATHERED, eaten, (RESTART, LAMP), *BEGUN)).reason == "gathering"
