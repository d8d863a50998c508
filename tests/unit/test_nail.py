"""NAIL: modules bid, and one knowledge graph remembers."""

from __future__ import annotations

import pytest

from schemas.game import RESTART
from services.actor.baselines.nail.knowledge_graph import KnowledgeGraph
from services.actor.baselines.nail.nail import Nail
from services.actor.baselines.player import BaselineSituation
from tests.support.scenes import baseline_scenes
from tests.support.scenes.baseline_scenes import CAVE, DEATH, HALL, choice, choices

TAKEN = ("take all", "brass lamp: Taken.\nplinth: That's fixed in place.")
LAMP = "A brass lamp, dented on one side and black with soot all over."


def after(room: str, *answers: tuple[str, str]) -> BaselineSituation:
    """The situation after the first look around, and the answers to further commands."""
    return baseline_scenes.after(
        "nail", f"A story, in which you are lost.\n\n{room}", ("look", room), *answers
    )


def test_it_begins_with_a_look() -> None:
    assert choices(baseline_scenes.after("nail", HALL)) == {"look"}


def test_all_is_taken_in_a_new_room_once() -> None:
    assert choices(after(HALL)) == {"take all"}
    assert choice(after(HALL)).reason == "hoarder bids 1.00"
    assert "take all" not in choices(after(HALL, TAKEN))
    assert choices(after(HALL, TAKEN, ("north", CAVE))) == {"take all"}
    assert "take all" not in choices(after(HALL, TAKEN, ("north", CAVE), TAKEN, ("south", HALL)))


def test_after_a_death_all_is_taken_again_where_something_could_be_taken() -> None:
    died = (("jump", DEATH), (RESTART, HALL), ("look", HALL))

    assert choices(after(HALL, TAKEN, *died)) == {"take all"}
    assert "take all" not in choices(after(HALL, ("take all", "There is nothing to take."), *died))


def test_a_question_is_answered_with_yes_or_no() -> None:
    assert choices(after(HALL, ("jump", "Are you sure you want to jump? (y/n)"))) == {"yes", "no"}


def test_light_is_asked_for_in_the_dark_once_for_each_text() -> None:
    dark = after(HALL, TAKEN, ("north", "It is pitch dark."))

    assert (choice(dark).action, choice(dark).reason) == ("turn on", "darkness bids 1.00")
    again = after(HALL, TAKEN, ("north", "It is pitch dark."), ("turn on", "It is pitch dark."))
    assert "turn on" not in choices(again)


def test_what_the_game_names_is_examined_first() -> None:
    chosen = choice(after(HALL, TAKEN))

    assert (chosen.action, chosen.reason) == ("examine lamp", "examiner bids 0.90") or (
        chosen.action == "examine plinth"
    )


def test_plausible_commands_come_before_a_search_for_more_nouns_and_before_a_walk() -> None:
    known = after(
        HALL, TAKEN, ("examine lamp", LAMP), ("examine plinth", "Somebody has carved a name into it.")
    )

    chosen = choice(known)
    assert chosen.reason.startswith("interactor bids 0.")
    assert chosen.action == "turn on lamp"


def test_a_room_without_anything_is_left_by_the_way_that_its_text_names() -> None:
    bare = after("Void\nNothing at all. You may go east.", ("take all", "There is nothing to take."))

    chosen = choice(bare)
    assert (chosen.action, chosen.reason) == ("east", "navigator bids 0.10")


def test_a_refusal_that_names_a_way_is_believed() -> None:
    void = ("Void\nNothing at all.", ("take all", "There is nothing to take."))
    refused = after(*void, ("north", "You can't go that way, only southwest."))

    assert choices(refused) == {"southwest"}


def test_a_command_that_was_tried_with_a_thing_is_not_given_again() -> None:
    tried = ("turn on lamp", "Nothing happens.")
    before = (TAKEN, ("examine lamp", LAMP), ("examine plinth", "Somebody has carved a name into it."))

    assert choice(after(HALL, *before, tried)).action != "turn on lamp"


def test_a_word_that_the_parser_does_not_know_is_used_in_no_later_command() -> None:
    unknown = ("polish lamp", "I don't know the word 'lamp'.")
    graph = _graph(HALL, TAKEN, unknown)

    assert not any("lamp" in command for command in choices(after(HALL, TAKEN, unknown)))
    assert not graph.allows("put lamp in box")
    assert graph.allows("put key in box")


def test_two_nouns_with_the_same_description_are_one_thing() -> None:
    graph = _graph(
        HALL, ("examine lamp", LAMP), ("examine passage", LAMP), ("examine hall", "Bare and grey.")
    )

    assert [entity.names for entity in graph.here.entities] == [["lamp", "passage"], ["hall"]]


def test_a_noun_that_the_game_does_not_know_is_no_thing() -> None:
    graph = _graph(HALL, ("examine stone", "You can't see any such thing."))

    assert list(graph.here.entities) == []
    assert "stone" not in graph.here.candidates


def test_after_a_death_what_failed_is_still_known_and_what_worked_is_to_be_done_again() -> None:
    graph = _graph(
        HALL,
        TAKEN,
        ("rub lamp", "The lamp begins to glow."),
        ("eat lamp", "That's plainly inedible."),
        ("jump", DEATH),
        (RESTART, HALL),
        ("look", HALL),
    )
    [lamp] = [entity for entity in graph.entities() if entity.name == "lamp"]

    assert "eat lamp" in lamp.tried and "rub lamp" not in lamp.tried
    assert not graph.allows("jump")


@pytest.mark.parametrize("seed", range(5))
def test_where_all_is_known_it_walks_or_idles(seed: int) -> None:
    ways = "north south east west northeast northwest southeast southwest up down in out".split()
    tried = [(way, "You can't go that way.") for way in ways]
    stuck = after("Void\nNothing.", ("take all", "There is nothing to take."), *tried)

    assert choice(stuck, seed).reason.split(" bids ")[0] in ("navigator", "idler")


def _graph(opening: str, *answers: tuple[str, str]) -> KnowledgeGraph:
    player = after(opening, *answers).player
    assert isinstance(player, Nail)
    return player.graph
