"""What is missed is fetched, what was found last is gone to again, and what texts tell between the lines."""

from __future__ import annotations

from itertools import pairwise

import pytest

from folds.text.things.listings import things_in
from folds.vocabulary.nouns import nouns_in
from schemas.game import StepTaken
from services.actor.heuristic.behaviours.session.demands import demands_of
from services.actor.knowledge.best_route import BestRoute
from services.actor.knowledge.refusals import Refusals
from tests.support.scenes.builders import a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of

LEFT = (
    a_blind_step(0, held=["iron key"]),
    a_blind_step(1, "drop key", "Dropped.", seen=["key"]),
    a_blind_step(2, "north", "Attic", room="Attic"),
)
MISSED = a_blind_step(3, "open safe", "You don't have the key.", room="Attic", changed=False)


def test_what_an_answer_misses_is_fetched_from_where_it_was_laid_down() -> None:
    back = a_blind_step(4, "south", room="Hall", seen=["key"])

    assert "south" in ideas_of("travel", *LEFT, MISSED)
    assert ideas_of("fetch", *LEFT, back.model_copy(update={"step": 3})) == []
    assert ideas_of("fetch", *LEFT, MISSED, back) == ["take key"]


def test_what_proves_to_lie_there_no_more_is_not_fetched_again() -> None:
    back = a_blind_step(4, "south", room="Hall")
    vain = a_blind_step(5, "take key", "You can't see any such thing.", changed=False)

    assert ideas_of("fetch", *LEFT, MISSED, back, vain) == []


def test_what_is_done_with_a_thing_waits_until_it_is_in_hand() -> None:
    steps = (
        a_blind_step(0, None, "A door is locked.", held=["iron key"], seen=["door"]),
        a_blind_step(1, "unlock door with key", "You unlock it.", held=["iron key"], seen=["door"]),
        a_blind_step(2, "restart", seen=["door"], episode=2),
    )

    assert "unlock door with key" in a_situation(*steps).experience.history.due_in("Hall")
    assert utility_of("unlock door with key", *steps) == 0.0


def route_after(*steps: StepTaken, vain: tuple[str, ...] = ()) -> list[str]:
    """The actions that are gone again after these steps; `vain`: those without a known effect."""
    route, gone = BestRoute(), []
    for before, now in pairwise(steps):
        route.after(before, now, works=now.action not in vain)
    room = steps[-1].room.id if steps[-1].room else ""
    while action := route.next(room):
        gone.append(action)
        number = steps[-1].step + len(gone)
        after = next(each for each in steps if each.action == action)
        before = a_blind_step(number - 1, room=room)
        route.after(before, after.model_copy(update={"step": number}))
        room = after.room.id if after.room else ""
    return gone


FELL = (
    a_blind_step(0),
    a_blind_step(1, "examine rug", "There is a trapdoor under it.", changed=False),
    a_blind_step(2, "examine wall", "It is white.", changed=False),
    a_blind_step(3, "open trapdoor", "It creaks."),
    a_blind_step(4, "down", room="Cellar"),
    a_blind_step(5, "sing", "La.", room="Cellar"),
    a_blind_step(6, "down", "You fall.", room="Cellar", done=True),
)


def test_after_a_death_the_way_to_what_was_found_last_is_gone_again() -> None:
    assert route_after(*FELL, a_blind_step(7, "restart", episode=2)) == [
        "examine rug",
        "open trapdoor",
        "down",
    ]


def test_a_new_beginning_without_a_death_leads_nowhere_in_particular() -> None:
    assert route_after(*FELL[:6], a_blind_step(6, "restart", episode=2)) == []


def test_what_idled_is_no_part_of_a_route() -> None:
    steps = (
        *FELL[:4],
        a_blind_step(4, "push wall", "Ouch."),
        *FELL[4:],
        a_blind_step(7, "restart", episode=2),
    )

    assert "push wall" in route_after(*steps)
    assert "push wall" not in route_after(*steps, vain=("push wall",))


def test_a_thing_with_which_no_known_verb_is_understood_is_none() -> None:
    refusals = Refusals()
    unclear = "I don't understand that."
    for verb in ("examine", "open"):
        refusals.note_verb(verb, "It is a key.", "key")
        refusals.note_word("key", "Hall", "It is a key.")
    refusals.note_noun("examine", "hut", "Hall", unclear)
    assert refusals.words_in("Hall") == frozenset()

    refusals.note_noun("open", "hut", "Hall", unclear)
    refusals.note_noun("open", "key", "Hall", unclear)
    assert refusals.words_in("Hall") == {"hut"}

    refusals.note_word("hut", "Hall", "It is a hut.")
    assert refusals.words_in("Hall") == frozenset()


def test_a_verb_that_is_not_understood_with_a_thing_that_is_known_is_unknown_sooner() -> None:
    refusals = Refusals()
    refusals.note_word("key", "Hall", "It is a key.")
    refusals.note_verb("push", "I don't understand that.", "key")
    assert not refusals.is_unknown_verb_of("push plank")

    refusals.note_verb("push", "I don't understand that.", "plank")
    assert refusals.is_unknown_verb_of("push plank")


def test_one_digs_where_there_is_sand_whatever_the_game_calls_it() -> None:
    assert "dig" in ideas_of("apt", a_blind_step(0, None, "You are in a small sandpit."))
    assert "dig" not in ideas_of("apt", a_blind_step(0, None, "You are in a small kitchen."))


def test_what_is_hidden_in_something_is_searched_for() -> None:
    glimpse = a_blind_step(
        1, "examine castle", "You catch a glimpse of something red hidden in one of the piles."
    )

    assert "search piles" in ideas_of("look_closely", a_blind_step(0), glimpse)


@pytest.mark.parametrize(
    ("action", "text", "demands"),
    [
        ("take herring", "That costs money.", ("buy herring",)),
        ("examine note", "A note. It costs 2 kroner.", ("buy note",)),
        ("take lamp", "The lamp is hot.", ()),
    ],
)
def test_what_has_a_price_is_bought(action: str, text: str, demands: tuple[str, ...]) -> None:
    assert demands_of(action, text) == demands


def test_to_ask_for_the_score_does_not_make_forget_what_had_to_come_first() -> None:
    steps = (
        a_blind_step(0),
        a_blind_step(1, "pull lever", "You have to kneel first.", changed=False),
        a_blind_step(2, "kneel", "You kneel."),
        a_blind_step(3, "score", "Your score is 0.", changed=False),
    )

    assert "pull lever" in ideas_of("obey", *steps)


def test_after_a_gift_one_looks_at_what_has_come_to_hand() -> None:
    steps = (
        a_text_step(0, None, "Hall\nA man is here."),
        a_text_step(1, "inventory", "You are empty-handed."),
        a_text_step(2, "take lamp", "Taken."),
    )
    given = a_text_step(3, "give lamp to man", "The man takes the lamp, and beams.")

    assert "inventory" in ideas_of("open_well", *steps, given)
    assert "inventory" not in ideas_of("open_well", *steps)


def test_what_is_said_to_be_in_hand_is_looked_up_unless_that_was_done_lately() -> None:
    steps = (
        a_text_step(0, None, "Hall\nA bare hall."),
        a_text_step(1, "inventory", "You carry: a lamp"),
    )
    waits = (a_text_step(n, "wait", "Time passes.") for n in range(2, 12))
    text = "You already have that."

    assert "inventory" not in ideas_of("open_well", *steps, a_text_step(2, "take card", text))
    assert "inventory" in ideas_of("open_well", *steps, *waits, a_text_step(12, "take card", text))


def test_who_wears_too_little_puts_on_whatever_is_held() -> None:
    steps = (
        a_blind_step(0, held=["paper bag"]),
        a_blind_step(1, "east", "You are naked!", held=["paper bag"]),
    )

    assert "wear bag" in ideas_of("apt", *steps)
    assert "wear bag" not in ideas_of("apt", steps[0])


def test_a_padlock_is_tried_with_a_key() -> None:
    step = a_blind_step(0, None, "A boat is chained to a log with a padlock.", held=["brass key"])

    assert "unlock padlock with key" in ideas_of("unlock", step)


def test_what_a_word_names_in_hand_is_named_in_full_everywhere() -> None:
    held = ["reading glass", "hour glass"]
    asked = "Which do you mean, the reading glass or the hour glass?"
    known = a_situation(
        a_blind_step(0, held=held),
        a_blind_step(1, "rub glass", asked, held=held, changed=False),
        a_blind_step(2, "north", room="Attic", held=held),
    ).experience

    words = known.belongings.words
    assert known.ambiguities.told_apart("wave glass", "name:Attic", words) == (
        "wave reading glass",
        "wave hour glass",
    )
    assert known.ambiguities.told_apart("wave glass", "name:Attic", words - {"hour"}) == ("wave glass",)


def test_what_the_parser_asks_for_is_given_up_when_the_answers_are_alike() -> None:
    seen = ["log", "rock", "bush", "tree"]
    asked = (
        a_blind_step(0, seen=seen),
        a_blind_step(1, "empty bag", "What do you want to empty the bag on?", seen=seen),
    )
    vain = (
        a_blind_step(n + 2, f"empty bag on {seen[n]}", "You can't pour that.", seen=seen) for n in range(3)
    )

    assert "empty bag on tree" in ideas_of("complete", *asked)
    assert ideas_of("complete", *asked, *vain) == []


def test_a_word_that_is_carved_somewhere_is_said() -> None:
    carved = a_blind_step(1, "examine tree", 'Someone has carved "PLUGH" into it.')

    assert "plugh" in a_situation(a_blind_step(0), carved).experience.mentions.spoken


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("You found a brass door knob!", ("knob",)),
        ("You discover a small key under the mat.", ("key",)),
        ("You found nothing.", ()),
        ("Trolls are standing all around you.", ("trolls",)),
        ("Stairs are leading up.", ()),
    ],
)
def test_what_was_found_and_what_stands_about_is_here(text: str, things: tuple[str, ...]) -> None:
    assert things_in(text) == things


def test_a_negation_ends_a_name() -> None:
    assert nouns_in("The trolls won't let you pass.") == ("trolls",)
