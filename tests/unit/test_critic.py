"""What the critic approves and what it substitutes."""

import pytest

from folds.vocabulary.actions import DIRECTIONS
from schemas.critic import Decision
from schemas.game import StepTaken
from services.critic.logic import judge
from services.critic.state import CriticState
from tests.support.scenes.builders import a_proposal, a_session, a_step, a_text_step, folded


def judged(*steps: StepTaken) -> CriticState:
    return folded(CriticState.opening(a_session()), steps)


def test_a_valid_action_is_approved() -> None:
    verdict = judge(a_proposal("open box"), judged(a_step(0, valid=["open box"])))

    assert (verdict.decision, verdict.score, verdict.by) == (Decision.APPROVE, 1.0, "critic")


def test_an_action_tried_once_here_in_vain_is_doubtful_but_allowed() -> None:
    verdict = judge(a_proposal("push button"), judged(a_step(0), a_step(1, "push button")))

    assert (verdict.decision, verdict.score) == (Decision.APPROVE, -0.5)


def test_an_action_that_twice_earned_nothing_here_is_substituted_by_an_untried_valid_one() -> None:
    steps = (a_step(0), a_step(1, "push button"), a_step(2, "push button", valid=["drop hat", "open box"]))

    verdict = judge(a_proposal("push button"), judged(*steps))

    assert (verdict.decision, verdict.score, verdict.action) == (Decision.SUBSTITUTE, -1.0, "open box")
    assert verdict.proposed == "push button"


def test_without_valid_actions_an_untried_way_is_the_substitute() -> None:
    steps = (a_step(0, valid=None), a_step(1, "sing", valid=None), a_step(2, "sing", valid=None))

    assert judge(a_proposal("sing"), judged(*steps)).action == "north"


def test_waiting_gives_way_only_to_what_was_never_done_in_the_room() -> None:
    bell = ["push bell"]
    waits = (a_step(0), *(a_step(n, "wait", valid=bell) for n in (1, 2, 3)))
    elsewise = (
        a_step(4, "open box", world="v", changed=True, valid=bell),
        a_step(5, "push bell", world="v", valid=bell),
        a_step(6, "close box", changed=True, valid=bell),
        *(a_step(7 + n, way, text="You can't go that way.", valid=bell) for n, way in enumerate(DIRECTIONS)),
    )

    assert judge(a_proposal("wait"), judged(*waits)).action == "push bell"
    assert judge(a_proposal("wait"), judged(*waits, *elsewise)).action == "wait"


def test_what_a_change_of_the_world_makes_new_is_never_refused() -> None:
    steps = (
        a_step(0),
        a_step(1, "open door"),
        a_step(2, "open door"),
        a_step(3, "take key", world="v", changed=True),
    )

    assert judge(a_proposal("open door"), judged(*steps)).decision is Decision.APPROVE


def test_a_blocked_direction_is_substituted() -> None:
    steps = (a_step(0), a_step(1, "north", text="You can't go that way."))

    verdict = judge(a_proposal("n"), judged(*steps))

    assert (verdict.decision, verdict.score) == (Decision.SUBSTITUTE, -1.0)
    assert verdict.action != "north"


def test_a_direction_blocked_in_another_state_of_the_world_may_be_tried_again() -> None:
    steps = (a_step(0), a_step(1, "north"), a_step(2, "take key", world="v", changed=True))

    assert judge(a_proposal("north"), judged(*steps)).decision is Decision.APPROVE


def test_walking_back_and_forth_is_a_means_and_no_failure() -> None:
    steps = (
        a_step(0),
        a_step(1, "north", room="Attic", world="v"),
        a_step(2, "south"),
        a_step(3, "north", room="Attic", world="v"),
        a_step(4, "south"),
    )

    assert judge(a_proposal("north"), judged(*steps)).decision is Decision.APPROVE


def test_pacing_between_two_rooms_is_stopped_once_the_world_has_been_seen_too_often() -> None:
    steps = [a_step(0, valid=["north", "open box"])]
    for n in range(1, 8, 2):
        steps.append(a_step(n, "north", room="Attic", world="v"))
        steps.append(a_step(n + 1, "south", world_seen=n, valid=["north", "open box"]))

    verdict = judge(a_proposal("north"), judged(*steps))

    assert (verdict.decision, verdict.action) == (Decision.SUBSTITUTE, "open box")


def test_in_a_state_seen_three_times_one_vain_try_is_enough() -> None:
    steps = (a_step(0, world_seen=3), a_step(1, "push button", world_seen=3))

    assert judge(a_proposal("push button"), judged(*steps)).decision is Decision.SUBSTITUTE


@pytest.mark.parametrize(("answer", "is_opened"), [("OK", True), ("It doesn't seem to fit.", False)])
def test_what_has_just_been_unlocked_is_opened_though_it_would_not_open_before(
    answer: str, is_opened: bool
) -> None:
    vain = [a_step(n, "open door", text="The door is locked.", valid=["east"]) for n in (1, 2)]
    unlocked = a_step(3, "unlock door with key", text=answer, valid=["east"])

    verdict = judge(a_proposal("open door", step=3), judged(a_step(0), *vain, unlocked))

    assert (verdict.action == "open door") is is_opened


def test_what_earned_points_here_before_is_liked() -> None:
    steps = (a_step(0), a_step(1, "dig", reward=5, score=5, world="v", changed=True))

    assert judge(a_proposal("dig"), judged(*steps)).score == 0.5


def test_a_thing_known_to_be_elsewhere_cannot_be_handled_here() -> None:
    steps = (a_step(0, seen=["brass lamp"]), a_step(1, "north", room="Attic", world="v", valid=["open box"]))

    verdict = judge(a_proposal("rub lamp"), judged(*steps))

    assert (verdict.decision, verdict.action) == (Decision.SUBSTITUTE, "open box")


def test_scenery_that_the_text_mentions_can_be_handled() -> None:
    steps = (
        a_step(0, seen=["window"]),
        a_step(1, "north", room="Attic", world="v", text="Attic\nA window looks out on the sea."),
    )

    assert judge(a_proposal("open window"), judged(*steps)).decision is Decision.APPROVE


def test_one_may_ask_about_a_thing_that_is_elsewhere() -> None:
    steps = (a_step(0, seen=["brass lamp"]), a_step(1, "north", room="Attic", world="v", seen=["gnome"]))

    assert judge(a_proposal("ask gnome about lamp"), judged(*steps)).decision is Decision.APPROVE


def test_where_nothing_else_is_known_a_bad_action_is_approved_with_the_reason() -> None:
    ways = "north south east west northeast northwest southeast southwest up down in out".split()
    steps = [a_step(0), *(a_step(n, way) for n, way in enumerate(ways, start=1))]
    steps += [a_step(20, "look"), a_step(21, "look")]

    verdict = judge(a_proposal("look"), judged(*steps))

    assert (verdict.decision, verdict.score) == (Decision.APPROVE, -1.0)
    assert "nothing untried" in verdict.reason


def test_a_game_that_is_over_can_only_be_restarted() -> None:
    over = judged(a_step(0), a_step(1, "jump", done=True))

    assert judge(a_proposal("restart"), over).decision is Decision.APPROVE
    assert judge(a_proposal("north"), over).action == "restart"


def test_an_action_that_killed_in_this_very_state_is_substituted() -> None:
    steps = (a_step(0), a_step(1, "jump", world="x", done=True), a_step(2, "restart", valid=["open box"]))

    assert judge(a_proposal("jump"), judged(*steps)).action == "open box"


def fights(*answers: str, world_seen: int = 0) -> CriticState:
    """The same blow again and again in one state of the world."""
    blows = (
        a_step(n, "hit ogre with club", text=answer, world_seen=world_seen)
        for n, answer in enumerate(answers, start=1)
    )
    return judged(a_step(0, world_seen=world_seen), *blows)


def test_a_fight_goes_on_while_the_answers_change() -> None:
    fight = fights("The ogre ducks.", "You graze its arm.", "The ogre staggers.")

    verdict = judge(a_proposal("hit ogre with club"), fight)

    assert (verdict.decision, verdict.score) == (Decision.APPROVE, 0.0)


def test_a_first_blow_may_be_followed_by_a_second_in_a_state_that_came_often() -> None:
    fight = fights("The ogre ducks.", world_seen=3)

    assert judge(a_proposal("hit ogre with club"), fight).decision is Decision.APPROVE


def test_a_fight_in_which_nothing_changes_is_given_up() -> None:
    assert judge(a_proposal("hit ogre with club"), fights("It yawns.", "It yawns.")).score == -1.0


def test_a_fight_ends_with_the_eighth_blow_and_refusals_are_no_fight() -> None:
    long = fights(*(f"Blow {n} glances off." for n in range(8)))
    refused = fights("You can't see any such thing.", "You aren't holding that.")

    assert judge(a_proposal("hit ogre with club"), long).decision is Decision.SUBSTITUTE
    assert judge(a_proposal("hit ogre with club"), refused).decision is Decision.SUBSTITUTE


def test_digging_goes_on_though_its_answers_are_alike_but_not_where_it_is_refused() -> None:
    steps = [a_step(0), *(a_step(n, "dig sand", text="You dig for a while.") for n in (1, 2, 3))]
    in_vain = [a_step(0), *(a_step(n, "dig sand", text="You can't dig there.") for n in (1, 2))]

    assert judge(a_proposal("dig sand"), judged(*steps)).decision is Decision.APPROVE
    assert judge(a_proposal("dig sand"), judged(*in_vain)).decision is Decision.SUBSTITUTE


def test_what_the_text_says_to_repeat_is_repeated_but_not_what_the_parser_did_not_understand() -> None:
    stuck = "The lid gives a little. Perhaps if you keep trying?"
    unknown = "I don't understand that. Please try again."
    told, misread = (
        judged(a_step(0), *(a_step(n, "turn crank", text=text) for n in (1, 2))) for text in (stuck, unknown)
    )

    assert judge(a_proposal("turn crank"), told).reason == "the text says to go on"
    assert judge(a_proposal("turn crank"), misread).decision is Decision.SUBSTITUTE


def test_an_answer_that_is_another_each_time_shows_progress() -> None:
    steps = (a_step(0), a_step(1, "climb rope", text="Up a bit."), a_step(2, "climb rope", text="Higher."))

    assert judge(a_proposal("climb rope"), judged(*steps)).decision is Decision.APPROVE


def test_without_the_world_s_hash_only_what_the_text_proves_is_refused() -> None:
    hall = "Hall\nA long hall."
    once_more = [a_text_step(0, None, hall), *(a_text_step(n, "ring bell", "Ding.") for n in (1, 2))]
    proved = [*once_more, a_text_step(3, "ring bell", "Ding.")]
    refused = [a_text_step(0, None, hall), a_text_step(1, "north", "You can't go that way.")]
    unclear = [a_text_step(0, None, hall), a_text_step(1, "north", "The wind howls around you.")]
    barred = [a_text_step(0, None, hall), *(a_text_step(n, "east", "The door is closed.") for n in (1, 2, 3))]

    assert judge(a_proposal("ring bell"), judged(*once_more)).score == -0.5
    assert judge(a_proposal("ring bell"), judged(*proved)).decision is Decision.SUBSTITUTE
    assert judge(a_proposal("north"), judged(*refused)).decision is Decision.SUBSTITUTE
    assert judge(a_proposal("north"), judged(*unclear)).score == -0.5
    assert judge(a_proposal("east"), judged(*barred[:3])).score == -0.5
    assert judge(a_proposal("east"), judged(*barred)).decision is Decision.SUBSTITUTE


def test_the_known_way_to_the_best_score_is_gone_again_in_a_new_episode_without_experiments() -> None:
    steps = (
        a_step(0),
        a_step(1, "wait", text="Nothing happens."),
        a_step(2, "wait", text="Nothing happens."),
        a_step(3, "take pearl", world="v", changed=True, reward=5, score=5),
        a_step(4, "jump", world="x", done=True),
        a_step(5, "restart", episode=2, valid=["open box"]),
    )

    assert judge(a_proposal("wait"), judged(*steps)).reason == "it is on the way to the best score so far"
    again = (*steps, *(a_step(n, "wait", text="Nothing happens.", episode=2) for n in (6, 7)))
    assert judge(a_proposal("wait"), judged(*again)).score == -1.0


def test_in_the_last_tenth_of_a_session_what_earned_points_is_not_replaced() -> None:
    steps = [a_step(0), a_step(1, "pull lever", reward=5, score=5, world="v", changed=True)]
    steps += [a_step(2, "push lever"), *(a_step(n, "pull lever") for n in (3, 4))]

    def at(number: int) -> CriticState:
        return judged(*steps, a_step(number, "look"))

    assert judge(a_proposal("pull lever"), at(89)).decision is Decision.SUBSTITUTE
    assert judge(a_proposal("pull lever"), at(90)).decision is Decision.APPROVE


def test_a_new_beginning_is_let_through_in_the_middle_of_a_game() -> None:
    assert judge(a_proposal("restart"), judged(a_step(0), a_step(1, "look"))).decision is Decision.APPROVE


def test_yes_and_no_may_be_said_again_only_where_the_game_asks() -> None:
    for text, decision in (
        ("Please answer yes or no.", Decision.APPROVE),
        ("That was a rhetorical question.", Decision.SUBSTITUTE),
    ):
        steps = (a_step(0), *(a_step(n, "no", text=text, valid=["open box"]) for n in range(1, 4)))

        assert judge(a_proposal("no"), judged(*steps)).decision is decision
