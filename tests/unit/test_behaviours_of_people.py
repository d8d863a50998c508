"""What the behaviours of the rule-based player do with people."""

from __future__ import annotations

import pytest

from schemas.game import StepTaken
from services.actor.heuristic.options import options
from tests.support.scenes.builders import a_step, a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of


def a_fight(*answers: str) -> list[StepTaken]:
    """Blows against a troll, each with its answer."""
    opening = a_blind_step(0, None, "A troll swings at you.", held=["sword"], seen=["troll"])
    blow = "attack troll with sword"
    steps = [a_blind_step(n, blow, text, held=["sword"], seen=["troll"]) for n, text in enumerate(answers, 1)]
    return [opening, *steps]


def test_whoever_attacks_is_attacked_with_the_weapon_held() -> None:
    assert ideas_of("fight", *a_fight()) == ["attack troll with sword"]


def test_a_weapon_that_is_thrown_is_thrown_at_whoever_attacks() -> None:
    step = a_step(0, text="A troll swings at you.", held=["axe"], seen=["troll"])

    assert ideas_of("fight", step) == ["attack troll with axe", "throw axe at troll"]


def test_a_weapon_is_thrown_where_the_game_does_not_understand_to_strike_with_it() -> None:
    told = ("I only understood you as far as wanting to attack the troll.", "A troll swings at you.")
    steps = [a_blind_step(0, None, told[1], held=["axe"], seen=["troll"])]
    blow = a_blind_step(1, "attack troll with axe", told[0], held=["axe"], seen=["troll"], changed=False)
    waited = a_blind_step(2, "wait", told[1], held=["axe"], seen=["troll"])

    assert ideas_of("fight", *steps, blow, waited) == ["throw axe at troll", "attack troll"]


def test_a_monster_is_struck_with_the_next_weapon_where_one_came_to_nothing() -> None:
    held, seen = ["knife", "shovel"], ["cobra"]
    steps = [
        a_blind_step(0, None, "The cobra rears up.", held=held, seen=seen),
        a_blind_step(
            1, "attack cobra with knife", "The blade is too short.", held=held, seen=seen, changed=False
        ),
        a_blind_step(2, "wait", "The cobra rears up.", held=held, seen=seen),
    ]

    assert ideas_of("fight", *steps[:1])[0] == "attack cobra with knife"
    assert "attack cobra with shovel" in ideas_of("fight", *steps)


def test_bare_hands_that_are_said_to_be_useless_strike_no_second_blow() -> None:
    steps = (
        a_blind_step(0, None, "A dwarf swings at you.", seen=["dwarf"]),
        a_blind_step(1, "attack dwarf", "Not with your bare hands. It hits you.", seen=["dwarf"]),
    )

    assert ideas_of("fight", *steps) == []


def test_whoever_a_text_says_attacks_is_attacked_though_he_was_gone_before() -> None:
    steps = (
        a_text_step(0, None, "Hall\nA dwarf is here."),
        a_text_step(1, "examine dwarf", "You can't see any such thing."),
        a_text_step(2, "wait", "Time passes. The little dwarf throws a nasty knife at you!"),
    )

    assert "attack dwarf" in ideas_of("fight", *steps)


def test_what_was_thrown_and_has_missed_is_picked_up_unless_it_is_known_to_be_gone() -> None:
    throw = "The guard throws a rusty little knife at you, but misses!"
    hit = a_blind_step(0, None, "The guard throws a rusty little knife at you, and hits!", seen=["guard"])
    steps = (
        a_blind_step(0, None, throw, seen=["guard"]),
        a_blind_step(1, "take knife", "You can't see any such thing.", seen=["guard"], changed=False),
        a_blind_step(2, "look", throw, seen=["guard"]),
    )

    assert ideas_of("fight", steps[0])[0] == "take knife"
    assert "take knife" not in ideas_of("fight", *steps)
    assert "take knife" not in ideas_of("fight", hit)


def test_a_thrown_weapon_leaves_the_hand_and_is_picked_up() -> None:
    told = (("take axe", "Taken."), ("throw axe at guard", "You killed the guard!"))
    opening = a_text_step(0, None, "Hall\nA guard and an axe are here.")
    steps = (opening, *(a_text_step(n, *each) for n, each in enumerate(told, 1)))
    missed = a_text_step(2, "throw axe at guard", "Why would you do that?")

    assert ideas_of("fight", *steps) == ["take axe"]
    assert ideas_of("fight", *steps[:2], missed) == []


def test_whoever_attacks_is_neither_offered_nor_asked_anything() -> None:
    calm = a_blind_step(0, None, "A guard stands here.", held=["coin"], seen=["guard"])
    wild = a_blind_step(1, "wait", "The guard swings at you.", held=["coin"], seen=["guard"])

    assert ideas_of("give", calm) and ideas_of("talk", calm)
    assert ideas_of("give", calm, wild) == ideas_of("talk", calm, wild) == []


def test_whoever_attacks_is_attacked_with_bare_hands_where_there_is_no_weapon() -> None:
    assert ideas_of("fight", a_blind_step(0, None, "The guard hits you.", seen=["guard"])) == ["attack guard"]


def test_nobody_is_attacked_who_does_not_attack() -> None:
    assert ideas_of("fight", a_blind_step(0, None, "A guard is here.", held=["sword"], seen=["guard"])) == []


def test_a_blow_is_struck_again_while_the_answers_change() -> None:
    steps = a_fight("The troll staggers and strikes you.", "The troll parries.")

    assert ideas_of("fight", *steps) == ["attack troll with sword"]


def test_a_blow_is_not_struck_again_where_the_answer_is_the_same() -> None:
    assert ideas_of("fight", *a_fight("The troll grins.", "The troll grins.")) == []


def test_a_fight_ends_after_eight_blows() -> None:
    blows = [f"The troll bleeds from wound number {n} of many." for n in range(8)]

    assert ideas_of("fight", *a_fight(*blows[:7])) == ["attack troll with sword"]
    assert ideas_of("fight", *a_fight(*blows)) == []


def test_people_are_asked_about_what_is_held_and_seen_but_not_about_themselves() -> None:
    found = ideas_of("talk", a_blind_step(0, seen=["old man", "well"], held=["coin"]))

    assert set(found) == {"talk to man", "ask man about coin", "ask man about well"}


def test_things_are_not_talked_to() -> None:
    assert ideas_of("talk", a_blind_step(0, seen=["well"], held=["coin"])) == []


def test_what_proved_lifeless_is_not_talked_to_any_more() -> None:
    steps = (
        a_blind_step(0, seen=["guard"]),
        a_blind_step(1, "ask guard about key", "You can't talk to inanimate things.", seen=["guard"]),
    )

    assert ideas_of("talk", *steps) == []


def test_who_always_answers_alike_is_asked_no_more() -> None:
    held = "coin key hat map rod bell lamp book cup".split()
    scene = {"seen": ["guard"], "held": held}
    steps = [a_blind_step(0, **scene)]
    steps += [a_blind_step(n, f"ask guard about {held[n]}", "He only hums.", **scene) for n in range(1, 6)]

    assert "ask guard about book" in ideas_of("talk", *steps[:5])
    assert ideas_of("talk", *steps) == ["talk to guard"]


def test_nobody_is_asked_where_all_give_one_answer() -> None:
    held = "coin key hat map rod bell lamp book cup".split()
    people = [*(["guard"] * 3), *(["man"] * 3), *(["woman"] * 3), "king"]
    asked = [
        a_blind_step(n, f"ask {who} about {held[n % 9]}", "You can only talk here.", seen=[who], held=held)
        for n, who in enumerate(people[:9], start=1)
    ]
    opening, before_king = a_blind_step(0, seen=["guard"], held=held), [asked[n] for n in (0, 1, 2, 3, 4, 5)]
    king = a_blind_step(10, "wait", "Time passes.", seen=["king"], held=held)

    assert "ask king about coin" in ideas_of("talk", opening, *before_king, king)
    assert ideas_of("talk", opening, *asked, king) == ["talk to king"]


def test_each_thing_is_given_and_shown_to_each_person_once() -> None:
    steps = (
        a_blind_step(0, seen=["guard"], held=["coin"]),
        a_blind_step(1, "give coin to guard", "He is not interested.", seen=["guard"], held=["coin"]),
    )

    assert set(ideas_of("give", *steps[:1])) == {"give coin to guard", "show coin to guard"}
    assert ideas_of("give", *steps) == ["show coin to guard"]


def test_who_follows_the_player_is_offered_the_same_in_two_rooms_alone() -> None:
    def offered(*rooms: str) -> bool:
        begin = a_blind_step(0, seen=["guard"], held=["coin"])
        refusal = "He is not interested."
        steps = [
            step
            for n, room in enumerate(rooms)
            for step in (
                a_blind_step(3 * n + 1, "north", room, room=room, seen=["guard"], held=["coin"]),
                a_blind_step(
                    3 * n + 2, "give coin to guard", refusal, room=room, seen=["guard"], held=["coin"]
                ),
            )
        ]
        last = a_blind_step(9, "north", "Barn", room="Barn", seen=["guard"], held=["coin"])
        return "give coin to guard" in ideas_of("give", begin, *steps, last)

    assert offered("Field")
    assert not offered("Field", "Meadow")


def a_talk(*answers: str) -> list[StepTaken]:
    """Words with a clerk, each with their answer."""
    talks = [a_blind_step(n, "talk to clerk", text, seen=["clerk"]) for n, text in enumerate(answers, 1)]
    return [a_blind_step(0, seen=["clerk"]), *talks]


def gifts_offered(*given: str) -> set[str]:
    """What a guard would be given before everything else, after some gifts that were refused."""
    held = ["card", "coin", "book", "cup"]
    steps = [
        a_blind_step(n, each, "The guard refuses.", held=held, seen=["guard"], changed=False)
        for n, each in enumerate(given, 1)
    ]
    found = options(a_situation(a_blind_step(0, held=held, seen=["guard"]), *steps))
    return {each.action for each in found if each.action.startswith("give ") and each.utility > 50}


def test_somebody_is_given_three_things_before_most_else_is_done() -> None:
    assert "give card to guard" in gifts_offered()
    assert "give cup to guard" in gifts_offered("give card to guard", "give coin to guard")
    assert not gifts_offered("give card to guard", "give coin to guard", "give book to guard")


def test_who_had_something_to_say_is_spoken_to_again_in_a_new_episode() -> None:
    steps = (
        a_blind_step(0, "look", "To speak, 'talk to [someone]'.", seen=["old man", "old woman"]),
        a_blind_step(1, "talk to man", "He tells you of his youth.", seen=["old man", "old woman"]),
        a_blind_step(2, "talk to woman", "There is no reply.", seen=["old man", "old woman"]),
        a_blind_step(3, "restart", "Hall", seen=["old man", "old woman"], episode=2),
    )

    assert ideas_of("heed", *steps[:3]) == []
    assert ideas_of("heed", *steps) == ["talk to man"]


def test_somebody_is_talked_to_again_while_there_is_more_to_hear() -> None:
    assert "talk to clerk" in ideas_of("talk", *a_talk("Once there was a king.", "He had a ring."))
    assert "talk to clerk" not in ideas_of(
        "talk", *a_talk("Once there was a king.", "He yawns.", "He yawns.")
    )
    assert "talk to clerk" not in ideas_of("talk", *a_talk("He had a ring.", "There is no reply."))


def test_somebody_is_known_by_a_name_in_a_sentence() -> None:
    text = "Hall\nA bare hall.\n\nRalph, one of his men, is sitting here. Winter has come."

    assert ideas_of("talk", a_text_step(0, None, text)) == ["talk to ralph"]


@pytest.mark.parametrize(("name", "is_somebody"), [("Angela", True), ("Old Eva", True), ("Steel key", False)])
def test_somebody_is_known_by_a_name_among_plain_words_that_ends_with_a_capital(
    name: str, is_somebody: bool
) -> None:
    plain = ["lamp", "rope", "egg", "old map", "red box"]

    mentions = a_situation(a_step(0, seen=[*plain, name])).experience.mentions

    assert mentions.is_person(name) == is_somebody


def test_where_valid_actions_are_known_they_tell_what_can_be_given() -> None:
    assert ideas_of("give", a_step(0, seen=["guard"], held=["coin"], valid=["north"])) == []


def test_what_somebody_here_has_handed_over_is_kept_for_a_while() -> None:
    dealt = a_blind_step(
        1, "give card to clerk", "The clerk gives you a key.", held=["coin", "iron key"], seen=["clerk"]
    )

    offers = ideas_of("give", a_blind_step(0, held=["card", "coin"], seen=["clerk"]), dealt)

    assert offers == ["give coin to clerk", "show coin to clerk", "give key to clerk", "show key to clerk"]


def test_who_bars_a_way_is_offered_things_before_anybody_has_looked_at_them() -> None:
    hall = a_blind_step(0, None, "A gallery. A hulk squats here.", held=["cheese"])
    barred = a_blind_step(1, "north", "The hulk stretches out an arm.", held=["cheese"], changed=False)

    assert "give cheese to hulk" not in ideas_of("give", hall)
    assert "give cheese to hulk" in ideas_of("give", hall, barred)
