"""How the rule-based player heeds what texts say can be done, and what one should not be without."""

from __future__ import annotations

import pytest

from folds.text.settable import settings_in
from folds.vocabulary.verbs import verb_of_participle
from schemas.game import StepTaken
from tests.support.scenes.player_scenes import a_blind_step, ideas_of, utility_of


def test_what_a_text_says_can_be_done_with_a_thing_is_done() -> None:
    looked = a_blind_step(1, "examine ladder", "It is short, but could be extended.", held=["ladder"])
    web = a_blind_step(1, "examine web", "A net to get into.", seen=["web"])

    assert ideas_of("heed", a_blind_step(0, held=["ladder"]), looked) == ["extend ladder"]
    assert ideas_of("heed", a_blind_step(0, seen=["web"]), web) == ["enter web"]
    assert ideas_of("heed", a_blind_step(0, held=["ladder"])) == []


@pytest.mark.parametrize(
    ("action", "text", "deeds"),
    [
        ("open door", "It won't budge, but feels weak enough to be kicked.", ["kick door"]),
        ("examine door", "It must be broken.", ["break door"]),
        ("examine door", "It is locked, but does not look that strong.", ["break door", "kick door"]),
        ("examine door", "A strong door.", []),
        (
            "examine door",
            "He waits for guests. Buy a ticket by asking him about shows.",
            ["ask door about shows"],
        ),
    ],
)
def test_what_gives_way_to_force_is_forced_and_what_somebody_tells_of_is_asked(
    action: str, text: str, deeds: list[str]
) -> None:
    told = a_blind_step(1, action, text, seen=["door"], changed=False)

    assert ideas_of("heed", a_blind_step(0, seen=["door"]), told) == deeds


@pytest.mark.parametrize(
    ("participle", "verb"),
    [
        ("extended", "extend"),
        ("inflated", "inflate"),
        ("stopped", "stop"),
        ("pulled", "pull"),
        ("emptied", "empty"),
        ("raised", "raise"),
        ("heated", "heat"),
        ("released", "release"),
        ("broken", "break"),
    ],
)
def test_the_verb_of_a_regular_participle(participle: str, verb: str) -> None:
    assert verb_of_participle(participle) == verb


def killed_without_a_suit() -> list[StepTaken]:
    return [
        a_blind_step(0, None, "No entry without suit! A door leads south.", seen=["suit"]),
        a_blind_step(1, "south", "The heat kills you.", room="Oven", done=True),
        a_blind_step(2, "restart", "No entry without suit! A door leads south.", seen=["suit"], episode=2),
    ]


def test_what_killed_is_dared_with_what_one_should_not_be_without() -> None:
    suit = a_blind_step(3, "take suit", "Taken.", held=["suit"], episode=2)
    hat = a_blind_step(3, "take hat", "Taken.", held=["hat"], episode=2)

    assert "south" in ideas_of("heed", *killed_without_a_suit(), suit)
    assert "south" not in ideas_of("heed", *killed_without_a_suit(), hat)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("PILGRIM: PRAY, AND BE BORNE UP.", ["pray"]),
        ("Speak my name, Olmira, and be free.", ["say olmira", "olmira"]),
        ("It is black with age.", []),
    ],
)
def test_what_an_inscription_tells_to_do_or_say_is_done(text: str, told: list[str]) -> None:
    steps = [
        a_blind_step(0, seen=["stone"]),
        a_blind_step(1, "read stone", text, seen=["stone"], changed=False),
    ]

    assert [each for each in ideas_of("heed", *steps) if each in ("pray", "say olmira", "olmira")][:2] == told


def test_where_one_word_has_led_away_the_other_is_hardly_worth_a_walk_back() -> None:
    told = "PRAY, or speak my name, Olmira."
    steps = [
        a_blind_step(0, seen=["stone"]),
        a_blind_step(1, "read stone", told, seen=["stone"], changed=False),
    ]
    away = [a_blind_step(2, "pray", "Glade", room="Glade"), a_blind_step(3, "in", "Hall", seen=["stone"])]

    assert utility_of("olmira", *steps) > 50 > 20 > utility_of("olmira", *steps, *away)


def test_a_verb_for_people_is_tried_on_no_thing_and_what_is_shown_to_them_is_no_verb_for_things() -> None:
    told = "To interact with people you can INSULT them or SHOW things to them. POLISH things at will."
    steps = a_blind_step(0, seen=["bench", "man"]), a_blind_step(1, "wait", told, seen=["bench", "man"])

    assert set(ideas_of("heed", *steps)) == {"insult man", "polish bench", "polish man"}


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("It can be set to low, medium or high. At the moment it's set on medium.", "low high medium"),
        ("The dial has two settings: warm and cool. It's currently in the 'cool' position.", "warm cool"),
        ("The lever can be turned to left or right.", "left right"),
        ("The dial is numbered from 1 to 4, and is set to 2.", "1 3 4 2"),
        ("It has the numbers 1 to 500.", ""),
        ("You turned to go. The positions of the guards are known.", ""),
    ],
)
def test_what_a_thing_can_be_set_to_is_read(text: str, settings: str) -> None:
    assert " ".join(settings_in(text)) == settings


def test_a_thing_is_set_to_one_setting_soon_and_to_the_others_later() -> None:
    told = "It can be set to low or high, and is set to high."
    looked = [a_blind_step(0, seen=["knob"]), a_blind_step(1, "examine knob", told, seen=["knob"])]
    low, turned = "set knob to low", "turn knob to low"
    done = a_blind_step(2, low, "The hum dies away.", seen=["knob"])
    unknown = a_blind_step(2, low, "You can't see any such thing.", seen=["knob"])

    assert ideas_of("heed", *looked)[0] == low
    assert ideas_of("heed", *looked, done) == ["set knob to high"]
    assert utility_of(low, *looked) > 50 > 30 > utility_of("set knob to high", *looked, done) > 0
    assert turned in ideas_of("heed", *looked, unknown)


def test_what_a_text_tells_everywhere_is_done_in_two_rooms() -> None:
    told = "When you are ready you can RING BELL."
    rooms = [a_blind_step(n, "east", f"{told} {n}", room=f"R{n}") for n in (1, 3, 5)]
    rung = [a_blind_step(n, "ring bell", "It rings.", room=f"R{n - 1}") for n in (2, 4)]

    assert "ring bell" in ideas_of("heed", rooms[0], rung[0], rooms[1])
    assert "ring bell" not in ideas_of("heed", rooms[0], rung[0], rooms[1], rung[1], rooms[2])


def test_a_verb_that_wants_a_person_is_no_action() -> None:
    told = a_blind_step(1, "wait", "To interact with people you can TALK TO them.")

    assert "talk to" not in ideas_of("heed", a_blind_step(0), told)
