"""What the rule-based player does again, and what it does ever more seldom."""

from __future__ import annotations

from schemas.game import StepTaken
from tests.support.scenes.builders import a_step
from tests.support.scenes.player_scenes import a_blind_step, ideas_of, utility_of, worth_of


def test_what_earned_points_in_an_episode_before_is_done_again() -> None:
    steps = (
        a_step(0, valid=["dig"]),
        a_step(1, "dig", reward=5, score=5, world="v", changed=True, valid=["jump"]),
        a_step(2, "jump", world="x", score=5, done=True, valid=None),
        a_step(3, "restart", episode=2, valid=["dig"]),
    )

    assert ideas_of("earned", *steps) == ["dig"]
    assert ideas_of("earned", *steps[:2]) == []


def test_what_earned_points_before_and_earns_none_now_is_done_ever_more_seldom() -> None:
    steps = [
        a_blind_step(0),
        a_blind_step(1, "push button", "Click.", reward=5),
        a_blind_step(2, "restart", "Hall", episode=2),
    ]
    worth = [worth_of("push button", *steps)]
    for number in range(3, 9, 2):
        steps += [
            a_blind_step(number, "push button", "Click.", changed=False, episode=2),
            a_blind_step(number + 1, f"open box{number}", f"It has {number} nails.", episode=2),
        ]
        worth.append(worth_of("push button", *steps))

    assert worth == sorted(worth, reverse=True) and worth[-1] < worth[0] / 2


def test_what_had_an_effect_is_done_again_until_that_has_long_brought_nothing_new() -> None:
    steps = [
        a_blind_step(0, seen=["statue"]),
        a_blind_step(1, "turn statue", "The wall slides aside.", seen=["statue"]),
        a_blind_step(2, "wait", "Time passes.", seen=["statue"], changed=False),
        a_blind_step(3, "restart", "Hall", seen=["statue"], episode=2),
        *(
            a_blind_step(n, "wait", "Time passes.", seen=["statue"], changed=False, episode=2)
            for n in range(4, 44)
        ),
    ]

    for behaviour in ("redo", "experiment"):
        assert "turn statue" in ideas_of(behaviour, *steps[:40])
        assert "turn statue" not in ideas_of(behaviour, *steps)


def an_episode_with_a_death(number: int, at: int, *, later: int) -> list[StepTaken]:
    """What was turned had an effect, and some steps later the player is dead."""
    turned = a_blind_step(at, "turn statue", "The wall slides aside.", seen=["statue"], episode=number)
    died = a_blind_step(at + later, "wait", "The wall crushes you.", done=True, episode=number)
    restarted = a_blind_step(at + later + 1, "restart", "Hall", seen=["statue"], episode=number + 1)
    return [turned, died, restarted]


def test_what_was_soon_followed_by_death_twice_is_not_done_again_for_its_effect() -> None:
    once = [a_blind_step(0, seen=["statue"]), *an_episode_with_a_death(1, 1, later=9)]
    twice = [*once, *an_episode_with_a_death(2, 20, later=9)]
    survived = [*once, *an_episode_with_a_death(2, 12, later=25)]

    assert "turn statue" in ideas_of("experiment", *once)
    assert "turn statue" not in ideas_of("experiment", *twice)
    assert "turn statue" in ideas_of("experiment", *survived)


def test_a_button_is_pushed_again_after_something_was_put_beside_it() -> None:
    pushed = [
        a_blind_step(0, held=["cup"], seen=["button", "niche"]),
        a_blind_step(
            1, "push button", "A brown liquid runs down a drain.", held=["cup"], seen=["button", "niche"]
        ),
    ]
    put = a_blind_step(2, "put cup in niche", "Done.", seen=["button", "niche"])
    again = a_blind_step(3, "push button", "The cup fills.", seen=["button", "niche"])

    assert ideas_of("redo", *pushed) == []
    assert ideas_of("redo", *pushed, put) == ["push button"]
    assert ideas_of("redo", *pushed, put, again) == []


def test_no_button_is_pushed_again_for_what_could_not_be_put_beside_it() -> None:
    held, seen = ["cup"], ["button", "niche"]
    steps = [
        a_blind_step(0, held=held, seen=seen),
        a_blind_step(1, "push button", "A brown liquid runs down a drain.", held=held, seen=seen),
        a_blind_step(2, "put cup in niche", "It doesn't fit.", held=held, seen=seen, changed=False),
    ]

    assert ideas_of("redo", *steps) == []


def test_a_crank_is_turned_again_after_something_was_tied_beside_it() -> None:
    seen = ["crank", "rope"]
    turned = [
        a_blind_step(0, held=["bucket"], seen=seen),
        a_blind_step(1, "turn crank", "The end of the rope comes up.", held=["bucket"], seen=seen),
    ]
    tied = a_blind_step(2, "tie bucket to rope", "You tie the bucket to the rope.", seen=seen)

    assert ideas_of("redo", *turned, tied) == ["turn crank"]


def test_what_is_answered_by_the_same_words_again_and_again_is_worth_less_although_the_room_changes() -> None:
    seen = ["trunk", "bell"]
    same, other = [a_blind_step(0, seen=seen)], [a_blind_step(0, seen=seen)]
    for n in range(1, 7, 2):
        ring = a_blind_step(n + 1, "ring bell", f"A tone: {n}.", seen=seen)
        same += [a_blind_step(n, "open trunk", "It is too heavy.", seen=seen, changed=False), ring]
        other += [a_blind_step(n, "open trunk", f"It is too heavy: {n}.", seen=seen, changed=False), ring]

    assert utility_of("open trunk", *same) < 0.5 * utility_of("open trunk", *other)


def test_what_had_an_effect_is_done_again_though_its_word_was_refused_since() -> None:
    steps = (
        a_blind_step(0, seen=[]),
        a_blind_step(1, "unlock door", "Click.", seen=[]),
        a_blind_step(2, "examine door", "You can't see any such thing.", seen=[], changed=False),
        a_blind_step(3, "restart", "Hall", seen=[], episode=2),
    )

    assert ideas_of("redo", *steps) == ["unlock door"]


def test_what_was_opened_in_an_earlier_episode_is_opened_in_the_same_way() -> None:
    steps = (
        a_blind_step(0, seen=["grate"]),
        a_blind_step(1, "open grate", "It seems to be locked.", seen=["grate"], changed=False),
        a_blind_step(2, "unlock grate with hairpin", "You unlock the grate.", seen=["grate"]),
        a_blind_step(3, "restart", "Hall", seen=["grate"], episode=2),
    )

    assert ideas_of("redo", *steps[:3]) == []
    assert ideas_of("redo", *steps) == ["unlock grate with hairpin"]


def test_what_has_brought_something_to_light_is_done_again_in_a_new_episode() -> None:
    seen = ["old rug"]
    steps = (
        a_blind_step(0, seen=seen),
        a_blind_step(1, "look under rug", "You find a key.", seen=[*seen, "key"]),
        a_blind_step(2, "search rug", "You find nothing of interest.", seen=seen, changed=False),
        a_blind_step(3, "restart", "Hall", seen=seen, episode=2),
        a_blind_step(4, "look under rug", "You find a key.", seen=[*seen, "key"], episode=2),
    )

    assert "look under rug" not in ideas_of("look_closely", *steps[:3])
    assert "look under rug" in ideas_of("look_closely", *steps[:4])
    assert "search rug" not in ideas_of("look_closely", *steps[:4])
    assert "look under rug" not in ideas_of("look_closely", *steps)


def test_a_button_is_pushed_again_once_something_has_begun_to_work() -> None:
    hall, cellar = ["button"], ["machine"]
    pushed = a_blind_step(1, "push button", "Nothing happens.", seen=hall, changed=False)
    below = a_blind_step(2, "down", "Cellar", room="Cellar", held=["fuse"], seen=cellar)
    working = a_blind_step(3, "put fuse in machine", "It springs to life.", room="Cellar", seen=cellar)
    idle = a_blind_step(3, "put fuse in machine", "You put it in.", room="Cellar", seen=cellar)
    back = a_blind_step(4, "up", "Hall", seen=hall)

    assert utility_of("push button", a_blind_step(0, seen=hall), pushed, below, working, back) > 30
    assert utility_of("push button", a_blind_step(0, seen=hall), pushed, below, idle, back) < 30
