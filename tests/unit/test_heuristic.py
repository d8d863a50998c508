"""How the rule-based player plays."""

from random import Random

import pytest

from schemas.fragment import Fragment
from schemas.game import StepTaken
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.caution import PASTIMES
from services.actor.heuristic.policy import Heuristic
from services.actor.knowledge.notices import Level, notices
from services.actor.logic import by_policy, chance
from services.actor.policies import initial_situation, policy_of
from services.actor.policy import Choice
from tests.support.scenes.builders import a_session, a_step, a_text_step, folded
from tests.support.scenes.player_scenes import a_situation


def proposed(
    *steps: StepTaken, hints: tuple[str, ...] = (), policy: str = "heuristic", budget: int = 1_000
) -> str:
    session = a_session(policy=policy, steps=budget)
    situation = folded(initial_situation(session), steps)
    fragments = {"hint": Fragment(suggestions=hints)} if hints else {}
    random = chance(session, situation.step.step)
    return by_policy(situation, policy_of(policy), fragments, random).choice.action


def test_what_can_be_taken_is_taken_first() -> None:
    assert proposed(a_step(0, valid=["north", "drop hat", "open box", "take lamp"])) == "take lamp"


def test_a_box_is_opened_before_one_walks_on() -> None:
    assert proposed(a_step(0, valid=["north", "open box"])) == "open box"


def test_what_failed_in_this_state_of_the_world_is_not_repeated() -> None:
    steps = (a_step(0, valid=["take lamp", "north"]), a_step(1, "take lamp", valid=["take lamp", "north"]))

    assert proposed(*steps) == "north"


def test_dropping_and_taking_again_is_no_novelty() -> None:
    steps = (
        a_step(0, seen=["hat"], valid=["take hat", "north"]),
        a_step(1, "take hat", held=["hat"], world="v", changed=True, valid=["drop hat", "north"]),
        a_step(2, "drop hat", seen=["hat"], world="x", changed=True, valid=["take hat", "north"]),
    )

    assert proposed(*steps[:2]) == "north"
    assert proposed(*steps) == "north"


def test_an_exhausted_room_is_left_for_the_nearest_unexplored_way() -> None:
    steps = (
        a_step(0, valid=["north", "east"]),
        a_step(1, "north", room="Attic", world="v", valid=["south"]),
    )

    assert proposed(*steps) == "south"


def test_a_way_back_is_explored_after_a_way_on() -> None:
    steps = (
        a_step(0, valid=["north"]),
        a_step(1, "north", room="Attic", world="v", valid=["south", "west"]),
    )

    assert proposed(*steps) == "west"


def test_a_lamp_is_lit_where_it_is_dark() -> None:
    steps = (
        a_step(0, held=["brass lamp"], valid=["down"]),
        a_step(
            1, "down", room="Cellar", held=["brass lamp"], text="It is pitch black.", world="v", valid=["up"]
        ),
    )

    assert proposed(*steps) == "turn on lamp"


def test_without_a_light_one_leaves_the_dark_by_the_way_one_came() -> None:
    steps = (
        a_step(0, valid=["down"]),
        a_step(1, "down", room="Cellar", text="It is pitch black.", world="v", valid=["up", "east"]),
    )

    assert proposed(*steps) == "up"


def test_what_killed_here_is_not_done_again() -> None:
    steps = (
        a_step(0, valid=["north", "east"]),
        a_step(1, "north", room="Pit", world="x", done=True, valid=None),
        a_step(2, "restart", episode=2, valid=["north", "east"]),
    )

    assert proposed(*steps) == "east"


def test_what_earned_points_before_a_death_is_done_again_after_it() -> None:
    valid = ["open box", "dig", "take hat"]
    steps = (
        a_step(0, valid=valid),
        a_step(1, "dig", reward=5, score=5, world="v", changed=True, valid=["jump"]),
        a_step(2, "jump", world="x", score=5, done=True, valid=None),
        a_step(3, "restart", episode=2, valid=valid),
    )

    assert proposed(*steps) == "dig"


def test_a_hint_tips_the_choice_between_equals() -> None:
    valid = [f"push b{n}" for n in range(12)]

    assert proposed(a_step(0, valid=valid), hints=("push b7",)) == "push b7"


@pytest.mark.parametrize("policy", ["heuristic", "random"])
def test_a_game_that_is_over_is_restarted_whatever_the_policy(policy: str) -> None:
    assert proposed(a_step(0), a_step(1, "jump", done=True), policy=policy) == "restart"


def test_three_identical_actions_in_one_room_are_followed_by_a_look() -> None:
    asked = "Which do you mean, the red box or the blue box?"
    steps = [
        a_step(0),
        *(a_step(n, "yes", text="Please answer yes or no.", world=f"w{n}") for n in range(1, 4)),
    ]

    assert proposed(*steps) != "yes"
    assert proposed(a_step(0), a_step(1, "open box", text=asked)) == "open red box"


def test_without_valid_actions_the_visible_things_are_taken() -> None:
    step = a_step(0, valid=None, seen=["brass lamp"], text="Hall\nA door leads north.")

    assert proposed(step) == "take lamp"


def test_without_valid_actions_a_way_that_the_text_mentions_comes_before_others() -> None:
    step = a_step(0, valid=None, seen=None, held=None, text="Hall\nA corridor runs southeast.")

    assert proposed(step, a_step(1, "take all", valid=None, seen=None, held=None, world="v")) == "southeast"


def test_where_only_text_is_known_rooms_are_wanted_in_full_at_first() -> None:
    assert proposed(a_text_step(0, None, "Hall\nA bare hall.")) == "verbose"


def test_where_only_text_is_known_what_lies_here_is_taken() -> None:
    steps = (
        a_text_step(0, None, "Hall\nA bare hall."),
        a_text_step(1, "verbose", "Maximum verbosity."),
        a_text_step(2, "north", "Attic\nA dusty attic under the roof of the house.\nThere is a rope here."),
    )

    assert proposed(*steps) in ("take all", "take rope")


def test_what_was_found_locked_is_unlocked_when_a_key_is_held() -> None:
    steps = (
        a_step(0, valid=None, seen=["oak chest"], text="Hall"),
        a_step(1, "open chest", valid=None, seen=["oak chest"], text="It is locked."),
        a_step(2, "take chest", valid=None, seen=["oak chest"], text="That's hardly portable."),
        a_step(3, "take key", valid=None, seen=["oak chest"], held=["iron key"], world="v", changed=True),
    )

    assert proposed(*steps) == "unlock chest with key"


def test_somebody_is_asked_about_what_is_held_when_nothing_else_is_left() -> None:
    steps = [a_step(0, seen=["gnome"], held=["coin"], valid=[])]
    for n, action in enumerate(("examine gnome", "examine coin", "talk to gnome", "read coin"), start=1):
        steps.append(a_step(n, action, text=f"Vain {n}.", seen=["gnome"], held=["coin"], valid=[]))

    assert proposed(*steps) == "ask gnome about coin"


def test_room_is_made_for_what_could_not_be_carried() -> None:
    held = ["cup", "brass lamp"]
    steps = (
        a_step(0, held=held, seen=["crown"], valid=["take crown", "drop cup", "drop lamp"]),
        a_step(
            1,
            "take crown",
            text="You're carrying too many things.",
            held=held,
            valid=["drop cup", "drop lamp"],
        ),
    )

    assert proposed(*steps) == "drop cup"


def test_near_the_end_of_a_deadly_session_nothing_new_is_risked() -> None:
    ways = ["north", "south", "dig"]
    new = ["east", "enter cave"]
    steps = [
        a_step(0, valid=ways),
        a_step(1, "north", room="Pit", world="x", done=True, valid=None),
        a_step(2, "restart", episode=2, valid=ways),
        a_step(3, "south", episode=2, room="Pit", world="x", done=True, valid=None),
        a_step(4, "restart", episode=3, valid=ways),
        a_step(5, "dig", episode=3, reward=40, score=40, world="v", changed=True, valid=new),
        a_step(6, "look", episode=3, score=40, world="v", valid=new),
    ]

    assert proposed(*steps, budget=1_000) in new
    assert proposed(*steps, budget=40) in new
    assert proposed(*steps, budget=7) not in new


@pytest.mark.parametrize(
    ("left_out", "budget", "done"),
    [(("restart",), 1_000, "look"), ((), 1_000, "restart"), ((), len(PASTIMES) + 22, "look")],
)
def test_where_nothing_is_left_to_try_a_session_begins_anew_if_it_has_time(
    left_out: tuple[str, ...], budget: int, done: str
) -> None:
    others = tuple(name for name in BEHAVIOUR_NAMES if name != "restart")
    steps = [a_step(n, action) for n, action in enumerate((None, *PASTIMES, "wait", "wait"))]
    situation = a_situation(*steps, without=(*others, *left_out), budget=budget)

    assert Heuristic().choose(situation, {}, Random(1)).action == done


def test_before_a_new_beginning_one_waits_for_something_to_happen() -> None:
    steps = [a_step(n, action) for n, action in enumerate((None, *PASTIMES))]

    assert Heuristic().choose(a_situation(*steps, without=BEHAVIOUR_NAMES), {}, Random(1)).action == "wait"


def test_the_same_record_gives_the_same_choice() -> None:
    steps = [a_step(0, valid=[f"push b{n}" for n in range(30)])]

    assert proposed(*steps) == proposed(*steps, *steps)


def test_long_without_points_the_notices_grow_pressing() -> None:
    situation = folded(initial_situation(a_session()), [a_step(n, "look" if n else None) for n in range(10)])
    assert not [n for n in notices(situation) if n.text.startswith("No score")]

    levels = {}
    for n in range(10, 31):
        situation = situation.after(a_step(n, "look"))
        levels[n] = [notice.level for notice in notices(situation) if notice.text.startswith("No score")]

    assert (levels[10], levels[20], levels[30]) == ([Level.NOTE], [Level.URGENT], [Level.CRITICAL])


def thought_with(*steps: StepTaken, fragments: dict[str, Fragment]) -> Choice:
    session = a_session(policy="heuristic", steps=1_000)
    situation = folded(initial_situation(session), steps)
    random = chance(session, situation.step.step)
    return by_policy(situation, policy_of("heuristic"), fragments, random).choice


def test_the_reason_names_the_sub_agent_whose_suggestion_is_taken() -> None:
    fragments = {"hint": Fragment(suggestions=("wait",)), "oracle": Fragment(suggestions=("push b7",))}
    step = a_step(0, valid=[f"push b{n}" for n in range(12)])

    assert thought_with(step, fragments=fragments).reason.endswith(", as oracle suggests")


def test_a_suggestion_of_whomever_is_tried_when_nothing_better_is_known() -> None:
    opening = a_step(0, valid=[])
    fragments = {"oracle": Fragment(suggestions=("drop ghost",))}
    first = thought_with(opening, fragments=fragments)
    again = thought_with(opening, a_step(1, "drop ghost", valid=[]), fragments=fragments)

    assert first == Choice("drop ghost", "oracle suggests it, and nothing better is known")
    assert again.action != "drop ghost"


def test_after_barren_episodes_chance_tips_choices_that_it_did_not_before() -> None:
    valid = ["enter car", "push button"]
    session = (
        a_step(0, valid=valid),
        *(a_step(n, "restart", valid=valid, episode=n + 1) for n in range(1, 9)),
    )

    def choices(*steps: StepTaken) -> set[str]:
        situation = folded(initial_situation(a_session()), steps)
        return {Heuristic().choose(situation, {}, Random(seed)).action for seed in range(50)}

    assert choices(*session[:2]) == {"enter car"}
    assert len(choices(*session)) > 1
