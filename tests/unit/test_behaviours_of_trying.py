"""What the rule-based player tries where it knows nothing better, and what others offer and suggest."""

from __future__ import annotations

from schemas.game import StepTaken
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.behaviours.offered import IDLE
from services.actor.logic import by_policy, chance
from services.actor.policies import policy_of
from tests.support.scenes.builders import a_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of, worth_of


def test_what_is_valid_is_done_and_while_the_search_goes_on_one_may_idle() -> None:
    assert ideas_of("valid", a_step(0, valid=["push bell"], complete=True)) == ["push bell"]
    assert "wait" in ideas_of("valid", a_step(0, valid=["push bell"], complete=False))


def test_where_valid_actions_are_not_known_none_is_done_for_it() -> None:
    assert ideas_of("valid", a_blind_step(0)) == []


def test_a_suggestion_is_followed_once() -> None:
    hints = {"push bell": "hint"}
    opening, done = a_step(0, seen=["bell"], valid=[]), a_step(1, "push bell", seen=["bell"], valid=[])

    assert ideas_of("suggested", opening, hints=hints) == ["push bell"]
    assert ideas_of("suggested", opening, done, hints=hints) == []
    assert ideas_of("suggested", opening) == []


def test_advice_is_taken_where_nothing_better_is_known_even_if_the_rules_make_nothing_of_it() -> None:
    hints = {"drop ghost": "oracle"}

    assert ideas_of("suggested", a_step(0, valid=[]), hints=hints) == []
    assert ideas_of("take_advice", a_step(0, valid=[]), hints=hints) == ["drop ghost"]


def test_each_verb_is_tried_once_with_each_thing() -> None:
    opening = a_blind_step(0, seen=["statue"])
    tried = a_blind_step(1, "push statue", "It does not move.", seen=["statue"], changed=False)

    assert ideas_of("experiment", opening)[0] == "push statue"
    assert "push statue" not in ideas_of("experiment", opening, tried)
    assert "turn statue" in ideas_of("experiment", opening, tried)


def test_tools_are_tried_on_what_is_here() -> None:
    found = ideas_of("experiment", a_blind_step(0, seen=["boulder"], held=["crowbar"]))

    assert {"pry boulder with crowbar", "open boulder with crowbar"} <= set(found)


def test_what_is_held_is_experimented_with_once_and_not_in_each_room() -> None:
    steps = (
        a_blind_step(0, held=["lump"]),
        a_blind_step(1, "rub lump", "It gets warm.", held=["lump"]),
        a_blind_step(2, "north", "Attic", room="Attic", held=["lump"]),
    )

    assert "rub lump" not in ideas_of("experiment", *steps)
    assert "shake lump" in ideas_of("experiment", *steps)


def test_an_experiment_with_an_effect_is_made_again_in_a_new_episode_and_a_vain_one_is_not() -> None:
    steps = (
        a_blind_step(0, seen=["statue"]),
        a_blind_step(1, "turn statue", "The wall slides aside.", seen=["statue"]),
        a_blind_step(2, "rub statue", "Nothing happens.", seen=["statue"], changed=False),
        a_blind_step(3, "restart", "Hall", seen=["statue"], episode=2),
    )

    assert "turn statue" not in ideas_of("experiment", *steps[:3])
    assert "turn statue" in ideas_of("experiment", *steps)
    assert "rub statue" not in ideas_of("experiment", *steps)


def test_a_thing_is_no_tool_for_itself() -> None:
    found = ideas_of("experiment", a_blind_step(0, seen=["key"], held=["key"]))

    assert not any(action.count("key") > 1 for action in found)


def test_verbs_that_only_get_stock_answers_come_last() -> None:
    things = ["ball", "cube", "cone"]
    steps = [a_blind_step(0, seen=[*things, "statue"])]
    for n, thing in enumerate(things, start=1):
        text = f"Pushing the {thing} achieves nothing."
        steps.append(a_blind_step(n, f"push {thing}", text, seen=[*things, "statue"], changed=False))
    found = ideas_of("experiment", *steps)

    assert "push statue" not in found[: found.index("turn statue") + 1]


def test_where_valid_actions_are_known_the_others_are_experiments_still() -> None:
    opening = a_step(0, seen=["statue"], valid=["push statue"], complete=True)

    assert "knock on statue" in ideas_of("experiment", opening)
    assert utility_of("push statue", opening) > utility_of("knock on statue", opening)


def test_lone_verbs_are_tried_once_in_a_room() -> None:
    opening, tried = a_blind_step(0), a_blind_step(1, "pray", "Your prayers are heard by nobody.")

    assert "pray" in ideas_of("say", opening)
    assert "pray" not in ideas_of("say", opening, tried)


def test_a_word_that_was_read_is_said() -> None:
    steps = (
        a_blind_step(0, seen=["scroll"]),
        a_blind_step(1, "read scroll", "It says 'abraxas' in red ink.", seen=["scroll"]),
        a_blind_step(2, "say abraxas", "You hear a distant rumble.", seen=["scroll"]),
    )

    assert ideas_of("say", *steps[:2])[:2] == ["abraxas", "say abraxas"]
    assert "say abraxas" not in ideas_of("say", *steps)


def test_where_nothing_is_untried_one_does_again_what_was_done_least() -> None:
    steps = [a_blind_step(0, seen=["statue"])]
    steps += [a_blind_step(n, "push statue", seen=["statue"], changed=False) for n in (1, 2)]
    found = ideas_of("improvise", *steps)
    steps += [a_blind_step(n, action, seen=["statue"], changed=False) for n, action in enumerate(found, 3)]

    assert "turn statue" in found
    assert "push statue" not in found
    next_ones = ideas_of("improvise", *steps)[:5]
    assert len(next_ones) == 5
    assert not set(found) & set(next_ones)


def test_what_was_refused_until_something_is_done_is_done_again_where_an_answer_speaks_of_that() -> None:
    refused = [
        a_blind_step(0, seen=["crank"]),
        a_blind_step(1, "tie bucket to rope", "You can't, until the rope is raised.", changed=False),
    ]

    def retried(answer: str, *before: StepTaken) -> bool:
        turned = a_blind_step(len(before) + 2, "turn crank", answer)
        return "tie bucket to rope" in ideas_of("retry_refused", *refused, *before, turned)

    assert retried("You turn the crank, raising it.")
    assert not retried("The crank creaks.")
    assert not retried("You can't raise it any further.")
    again = "You can't tie anything to that while it has not been raised."
    vain = [a_blind_step(n, "tie bucket to rope", again, changed=False) for n in range(2, 6)]
    assert retried("You turn the crank, raising it.", *vain[:3])
    assert not retried("You turn the crank, raising it.", *vain)


def test_what_an_answer_says_to_need_something_is_done_again_once_that_is_in_hand() -> None:
    steps = [
        a_blind_step(0, seen=["wad"]),
        a_blind_step(1, "take wad", "You'd need gloves to touch it.", seen=["wad"], changed=False),
        a_blind_step(2, "north", "Attic", room="Attic"),
        a_blind_step(3, "take gloves", "Taken.", room="Attic", held=["leather gloves"]),
        a_blind_step(4, "south", "Hall", seen=["wad"], held=["leather gloves"]),
    ]

    assert ideas_of("retry_refused", *steps[:2]) == []
    assert ideas_of("retry_refused", *steps) == ["take wad", "take wad with gloves"]


def test_what_had_an_effect_is_done_again_before_what_had_none() -> None:
    steps = (
        a_blind_step(0, seen=["statue", "lever"]),
        a_blind_step(1, "pull lever", "A bell rings.", seen=["statue", "lever"]),
        a_blind_step(2, "push statue", "It does not move.", seen=["statue", "lever"], changed=False),
        a_blind_step(3, "north", "Attic", room="Attic"),
        a_blind_step(4, "south", "Hall", seen=["statue", "lever"]),
    )

    assert set(ideas_of("improvise", *steps)[:2]) == {"north", "pull lever"}


def test_what_was_never_done_comes_before_what_had_an_effect_after_a_while() -> None:
    steps = [
        a_blind_step(n, "pull lever" if n else None, f"A bell rings: {n}.", seen=["lever"]) for n in range(20)
    ]

    assert ideas_of("improvise", *steps[:2])[0] == "pull lever"
    assert ideas_of("improvise", *steps)[0] != "pull lever"


def test_where_valid_actions_are_known_only_these_are_done_again() -> None:
    valid = ["push bell", "drop hat"]
    steps = (
        a_step(0, valid=valid, world="a"),
        a_step(1, "drop hat", valid=valid, world="b", changed=True),
        a_step(2, "push bell", valid=valid, world="c", changed=True),
    )

    assert ideas_of("improvise", *steps) == ["push bell"]


def test_while_the_search_for_valid_actions_goes_on_one_idles() -> None:
    step = a_step(0, valid=["push bell"], complete=False)

    assert set(ideas_of("improvise", step)) == {"push bell", *IDLE}


def test_a_session_without_behaviours_looks_around_and_waits() -> None:
    session = a_situation(a_blind_step(0, seen=["statue"]), without=BEHAVIOUR_NAMES)
    choice = by_policy(session, policy_of("heuristic"), {}, chance(session.started, 0)).choice

    assert choice.reason == "nothing is untried: what was done least"


def test_what_worked_with_a_thing_in_hand_is_tried_on_the_others() -> None:
    held, seen = ["telescope"], ["statue", "tower"]
    steps = (
        a_blind_step(0, held=held, seen=seen),
        a_blind_step(1, "aim telescope at statue", "You turn the heavy tube.", held=held, seen=seen),
    )

    assert ideas_of("experiment", *steps)[0] == "aim telescope at tower"


def test_what_has_had_an_effect_is_done_less_the_oftener_it_was_done() -> None:
    seen = ["lever", "wheel"]
    steps = [a_blind_step(0, seen=seen), a_blind_step(1, "turn wheel", "It creaks.", seen=seen)]
    steps += [a_blind_step(n, "pull lever", f"A bell rings: {n}.", seen=seen) for n in range(2, 6)]
    found = ideas_of("improvise", *steps)

    assert found.index("turn wheel") < found.index("pull lever")


def test_things_that_only_got_stock_answers_are_experimented_with_last() -> None:
    verbs = ("push", "pull", "turn", "rub", "open", "touch")
    steps = [a_blind_step(0, seen=["statue", "tower"])]
    steps += [
        a_blind_step(n, f"{verb} statue", "Nothing happens.", seen=["statue", "tower"], changed=False)
        for n, verb in enumerate(verbs, 1)
    ]
    found = ideas_of("experiment", *steps)

    assert found.index("shake tower") < found.index("shake statue")


def test_a_behaviour_whose_verb_gets_only_stock_phrases_gives_way_but_does_not_end() -> None:
    seen = [f"thing{letter}" for letter in "abcdefgh"]
    opening = a_blind_step(0, text="You may PRAISE things.", seen=seen)
    vain = [a_blind_step(n, f"praise {thing}", seen=seen) for n, thing in enumerate(seen[:7], 1)]
    told = [
        a_blind_step(n, f"praise {thing}", f"It turns {colour}.", seen=seen)
        for n, (thing, colour) in enumerate(
            zip(seen, "red green blue white black grey pink".split(), strict=False), 1
        )
    ]

    first, after_vain, after_news = (
        worth_of("praise thingh", *steps) for steps in ([opening], [opening, *vain], [opening, *told])
    )
    assert after_vain < first * 0.6
    assert after_news == first


def test_what_only_got_stock_answers_is_handled_less_with_a_verb_that_works_elsewhere() -> None:
    seen = ["statue", "rug"]
    verbs = ("push", "pull", "turn", "rub", "touch", "shake")
    steps = [a_blind_step(0, seen=seen)]
    vain = [a_blind_step(n, f"{verb} rug", seen=seen) for n, verb in enumerate(verbs, 1)]

    assert worth_of("look under rug", *steps, *vain) < 0.6 * worth_of("look under rug", *steps)


def test_searches_in_vain_leave_the_next_one_before_experiments() -> None:
    nooks = [f"nook{n}" for n in range(40)]
    vain = [
        a_blind_step(n, f"search {nook}", f"There is nothing in the {nook}.", seen=["heap"], changed=False)
        for n, nook in enumerate(nooks, start=1)
    ]

    assert worth_of("search heap", a_blind_step(0, seen=["heap"]), *vain) > 6.0


def test_long_without_anything_new_every_fourth_step_is_an_experiment() -> None:
    waits = [a_blind_step(n, "wait", "Time passes.", seen=["statue"], changed=False) for n in range(1, 40)]
    steps = [a_blind_step(0, seen=["statue"]), *waits]
    tried = [n for n in range(20, 40) if ideas_of("break_out", *steps[:n])]

    assert tried == [26, 30, 34, 38]


def test_a_sign_that_forbids_something_refuses_nothing() -> None:
    sign = "A sign: DO NOT STRAY FROM THE PATH UNLESS YOU WANT TO GET LOST."
    steps = [a_blind_step(0, seen=["sign"]), a_blind_step(1, "examine sign", sign, seen=["sign"])]

    assert ideas_of("retry_refused", *steps, a_blind_step(2, "read sign", sign, seen=["sign"])) == []
