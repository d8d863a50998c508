"""What the rule-based player no longer does in vain, and what it does at once."""

from __future__ import annotations

from itertools import pairwise

from folds.map import Map
from folds.playthrough import Playthrough
from folds.route import route_step, shortened, without_detours
from schemas.game import StepTaken
from tests.support.scenes.builders import a_step, folded
from tests.support.scenes.player_scenes import a_blind_step, a_situation, best_action, ideas_of, utility_of


def test_a_valid_action_that_was_never_done_comes_before_what_was_done() -> None:
    steps = (
        a_step(0, valid=["push bell", "put hat on hook"], world="a"),
        a_step(1, "push bell", valid=["push bell", "put hat on hook"], world="b", changed=True),
    )

    assert ideas_of("improvise", *steps)[0] == "put hat on hook"


def test_what_has_cost_points_twice_is_not_done_for_being_valid() -> None:
    steps = (
        a_step(0, valid=["rub lamp"], world="a"),
        a_step(1, "rub lamp", valid=["rub lamp"], reward=-5, score=-5, world="b", changed=True),
        a_step(2, "north", room="Attic", valid=["rub lamp"], score=-5, world="c", changed=True),
        a_step(3, "rub lamp", valid=[], room="Attic", reward=-5, score=-10, world="d", changed=True),
        a_step(4, "north", room="Loft", valid=["rub lamp"], score=-10, world="e", changed=True),
    )

    assert ideas_of("valid", *steps[:3]) == ["rub lamp"]
    assert ideas_of("valid", *steps) == []


def test_what_was_looked_at_in_an_earlier_episode_is_not_looked_at_again_where_it_changes_nothing() -> None:
    steps = (
        a_step(0, seen=["statue"], world="a"),
        a_step(1, "examine statue", text="It is of marble.", seen=["statue"], world="a"),
        a_step(2, "restart", seen=["statue"], world="b", episode=2),
    )

    assert "examine statue" not in ideas_of("things", *steps)


def test_a_way_that_leads_back_into_the_same_room_is_no_barred_one() -> None:
    steps = (a_step(0, room="Forest"), a_step(1, "south", text="Forest\nTrees everywhere.", room="Forest"))

    assert folded(Map(), steps).barred("Forest") == {}


def test_what_opened_a_way_is_done_at_once_in_a_later_episode() -> None:
    steps = (
        a_step(0, valid=["cut tree", "push bell"], world="a"),
        a_step(1, "cut tree", valid=["in", "push bell"], world="b", changed=True),
        a_step(2, "restart", valid=["cut tree", "push bell"], world="a", episode=2),
    )

    assert best_action(*steps) == "cut tree"


def test_what_can_be_done_in_a_car_comes_before_getting_out_again() -> None:
    steps = (
        a_step(0, valid=["enter car"], world="a"),
        a_step(1, "enter car", valid=["out", "push button"], world="b", changed=True),
    )

    assert best_action(*steps) == "push button"


def test_where_the_objects_of_a_story_tell_nothing_its_text_tells_what_is_held() -> None:
    steps = (
        a_step(0, text="There is a large iron key here.", valid=["take key"]),
        a_step(1, "take key", text="Taken.", world="v", changed=True),
    )
    read = folded(Playthrough(), steps).last

    assert read is not None and [thing.name for thing in read.inventory or ()] != []


def test_a_route_goes_without_what_ends_in_the_world_in_which_it_began() -> None:
    steps = (
        a_step(0, world="a"),
        a_step(1, "take hat", world="b", changed=True),
        a_step(2, "drop hat", world="a", changed=True),
        a_step(3, "push bell", world="c", changed=True, reward=5),
    )
    stages = [route_step(before, now) for before, now in pairwise(steps)]

    assert [stage.action for stage in without_detours(stages)] == ["push bell"]


def test_a_route_keeps_what_earned_points_in_a_world_that_did_not_change() -> None:
    steps = (
        a_step(0, world="a"),
        a_step(1, "open logbook", world="a", reward=3),
        a_step(2, "take hat", world="b", changed=True),
        a_step(3, "drop hat", world="a", changed=True),
        a_step(4, "push bell", world="c", changed=True, reward=5),
    )
    stages = [route_step(before, now) for before, now in pairwise(steps)]

    assert [stage.action for stage in without_detours(stages)] == ["open logbook", "push bell"]


def test_points_that_only_make_good_a_loss_are_not_sought_again() -> None:
    steps = (
        a_step(0, world="a"),
        a_step(1, "take gem", score=5, reward=5, world="b", changed=True),
        a_step(2, "put gem in cage", score=0, reward=-5, world="c", changed=True),
        a_step(3, "take gem", score=5, reward=5, world="d", changed=True),
        a_step(4, "wear gem", score=9, reward=4, world="e", changed=True),
    )
    known = a_situation(*steps).attempts

    assert known.earned_in("Hall") == {"take gem": 5, "wear gem": 4}
    assert known.by_room["Hall"][2].regained


def test_a_room_in_which_one_was_stuck_twice_is_not_entered_again() -> None:
    steps: list[StepTaken] = []
    for episode in (1, 2, 3):
        number, world = len(steps), str(episode)
        steps.append(a_step(number, "restart" if number else None, world=f"a{world}", episode=episode))
        if episode < 3:
            steps.append(a_step(number + 1, "down", room="Bog", world=f"b{world}", episode=episode))
            steps += [
                a_step(n, "rub lamp" if n % 30 == 5 else "jump", room="Bog", world=f"c{n}", episode=episode)
                for n in range(number + 2, number + 30)
            ]

    assert "down" in a_situation(*steps).experience.deadly("Hall")


def test_a_word_that_was_refused_here_is_known_once_its_thing_is_in_hand_whatever_else_is_refused() -> None:
    room = {"seen": ["generator"], "changed": False}
    absent = [
        a_blind_step(n, f"examine {noun}", "You can't see any such thing.", **room)
        for n, noun in enumerate(("fuse", "genie", "tunnel"), start=2)
    ]
    steps = (
        a_blind_step(0, seen=["generator"]),
        a_blind_step(1, "examine generator", "It looks like it's missing a fuse.", **room),
        *absent,
        a_blind_step(5, "south", "Well", room="Well"),
        a_blind_step(6, "take fuse", "Taken.", room="Well", held=["fuse"]),
        a_blind_step(7, "examine moss", "You can't see any such thing.", room="Well", held=["fuse"]),
        a_blind_step(8, "north", "Hall", seen=["generator"], held=["fuse"]),
    )

    assert ideas_of("put", *steps[:5]) == []
    assert ideas_of("put", *steps) == ["put fuse in generator"]


def test_what_is_not_held_when_all_is_dropped_is_not_taken_for_it() -> None:
    steps = (
        a_blind_step(0, held=["coin"], seen=["ice"]),
        a_blind_step(1, "drop all", "coin: Dropped.\nice: You haven't got that.", seen=["ice", "coin"]),
        a_blind_step(2, "take all", "coin: Taken.", held=["coin"], seen=["ice"]),
    )

    assert ideas_of("obey", *steps[:2]) == []
    assert ideas_of("obey", *steps) == []


def test_what_a_game_acknowledges_has_had_an_effect_though_no_search_sees_it() -> None:
    world = {"world": "w", "valid": ["east"]}
    opened = a_step(1, "unlock door with key", text="OK", held=["key"], **world)
    begun = a_step(2, "restart", episode=2, **world)
    with_key = a_step(3, "take key", text="OK", held=["key"], episode=2, **world)

    assert ideas_of("redo", a_step(0, held=["key"], **world), opened, begun, with_key) == [
        "unlock door with key"
    ]
    refused = opened.model_copy(update={"observation": "It does not fit the lock."})
    assert ideas_of("redo", a_step(0, held=["key"], **world), refused, begun, with_key) == []


def test_what_had_an_effect_before_is_done_again_unless_the_search_has_found_it_valid() -> None:
    held = a_step(0, valid=["look"], held=["key"], world="w")
    opened = a_step(1, "unlock door with key", valid=["look"], held=["key"], world="v", changed=True)
    begun, offered = (
        a_step(2, "restart", valid=valid, held=["key"], world="w", episode=2)
        for valid in (["look"], ["unlock door with key"])
    )

    assert ideas_of("redo", held, opened, begun) == ["unlock door with key"]
    assert ideas_of("redo", held, opened, offered) == []


def test_what_is_thrown_at_nothing_is_thrown_away() -> None:
    lake = a_step(0, seen=["lake"], valid=["throw lamp", "throw lamp at troll"])

    assert utility_of("throw lamp", lake) < 3 < utility_of("throw lamp at troll", lake)


def test_what_is_known_to_be_elsewhere_is_not_handled_here() -> None:
    """The critic would replace it each time."""
    with_key = a_step(1, "north", room="Attic", world="v", changed=True, seen=["iron key"])
    back, held = (
        a_step(2, "south", text="A heavy door.", world="w", changed=True),
        a_step(2, "take key", room="Attic", world="u", changed=True, held=["iron key"]),
    )
    hints = {"unlock door with key": "hint"}

    assert "unlock door with key" not in ideas_of("suggested", a_step(0), with_key, back, hints=hints)
    assert "unlock door with key" in ideas_of("suggested", a_step(0), with_key, held, hints=hints)


def test_where_all_valid_actions_are_known_only_what_no_search_sees_is_done_again() -> None:
    begun = (
        a_step(0),
        a_step(1, "push button", text="Click.", world="v", changed=True),
        a_step(2, "open safe", text="Clack.", world="u", changed=True),
    )
    sure, unsure = (a_step(3, "restart", episode=2, complete=complete) for complete in (True, False))

    assert ideas_of("redo", *begun, sure) == ["open safe"]
    assert ideas_of("redo", *begun, unsure) == ["open safe", "push button"]


def test_a_route_goes_without_what_got_the_answer_of_others_and_without_what_was_put_and_taken_back() -> None:
    held = ["pouch", "rope"]
    steps = [
        a_blind_step(0, held=held, seen=["man", "chest"]),
        *(
            a_blind_step(n, f"give {thing} to man", "He shakes his head.", held=held, seen=["man", "chest"])
            for n, thing in enumerate(("rope", "map", "lamp", "hat"), 1)
        ),
        a_blind_step(5, "put rope in chest", "Done.", held=["pouch"], seen=["man", "chest"]),
        a_blind_step(6, "take rope", "Taken.", held=held, seen=["man", "chest"]),
        a_blind_step(7, "give pouch to man", "He smiles.", held=["rope"], seen=["man", "chest"]),
    ]
    stages = [route_step(before, now) for before, now in pairwise(steps)]

    assert [each.action for each in shortened(stages)] == ["give rope to man", "give pouch to man"]
