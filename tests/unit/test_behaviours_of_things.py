"""How the rule-based player looks at things, handles them, and uses tools."""

from __future__ import annotations

from tests.support.scenes.builders import a_step
from tests.support.scenes.player_scenes import a_blind_step, ideas_of, utility_of, worth_of


def test_what_has_killed_twice_is_not_touched_in_another_manner() -> None:
    deaths = [
        a_step(0, valid=["push blue button", "touch blue button", "pull blue button", "touch bell"]),
        a_step(1, "push blue button", text="You die.", done=True),
        a_step(2, "restart", episode=2),
        a_step(3, "pull blue button", text="You die.", done=True, episode=2),
        a_step(4, "restart", valid=["touch blue button", "touch bell"], episode=3),
    ]

    assert worth_of("touch blue button", *deaths) < 0.3 * worth_of("touch bell", *deaths)


def test_one_looks_under_behind_and_into_what_may_hide_something() -> None:
    step = a_blind_step(0, seen=["old rug", "gnome"])
    looked = a_blind_step(1, "look under rug", seen=["old rug", "gnome"])
    rest = {"search rug", "look behind rug", "look in rug"}

    assert set(ideas_of("look_closely", step)) == {"look under rug", *rest}
    assert set(ideas_of("look_closely", step, looked)) == rest


def test_what_an_answer_names_is_looked_at() -> None:
    steps = (
        a_blind_step(0, seen=["statue"]),
        a_blind_step(1, "examine statue", "The statue holds a small medallion.", seen=["statue"]),
        a_blind_step(2, "examine medallion", "It is made of tin.", seen=["statue"]),
    )

    assert "examine medallion" in ideas_of("look_closely", *steps[:2])
    assert "examine medallion" not in ideas_of("look_closely", *steps)


def test_where_no_other_actions_are_valid_one_does_not_look_closely() -> None:
    assert ideas_of("look_closely", a_step(0, seen=["rug"], valid=["north"], complete=True)) == []


def test_one_does_with_a_thing_what_one_does_with_its_kind() -> None:
    step = a_blind_step(0, seen=["red button", "bell"], held=["tin whistle"])

    assert set(ideas_of("apt", step)) == {"push button", "ring bell", "blow whistle"}


def test_what_is_apt_is_tried_once_in_a_room_and_once_in_all_with_what_is_held() -> None:
    held = ["brass clock"]
    steps = (
        a_blind_step(0, held=held, seen=["bell"]),
        a_blind_step(1, "wind clock", "It ticks.", held=held, seen=["bell"]),
        a_blind_step(2, "ring bell", "Dong.", held=held, seen=["bell"]),
        a_blind_step(3, "east", "Attic", room="Attic", held=held, seen=["bell"]),
    )

    assert ideas_of("apt", *steps[:3]) == []
    assert ideas_of("apt", *steps) == ["ring bell"]


def test_a_wand_is_waved_once_in_each_room() -> None:
    steps = (
        a_blind_step(0, held=["wand"]),
        a_blind_step(1, "wave wand", "Nothing happens.", held=["wand"], changed=False),
        a_blind_step(2, "east", "Attic", room="Attic", held=["wand"]),
    )

    assert ideas_of("apt", *steps[:2]) == []
    assert ideas_of("apt", *steps) == ["wave wand"]


def test_a_tool_that_must_not_be_named_is_used_by_holding_it() -> None:
    answer = "I only understood you as far as wanting to cut the tree."
    scene = {"held": ["axe"], "seen": ["tree"]}
    first = a_blind_step(1, "cut tree with axe", answer, **scene)
    elsewhere = a_blind_step(2, "north", "Wood", room="Wood", **scene)

    assert "cut tree with axe" in ideas_of("use_tools", a_blind_step(0, **scene))
    assert ideas_of("use_tools", a_blind_step(0, **scene), first, elsewhere) == ["cut tree"]


def test_what_names_no_tool_is_done_again_when_the_tool_has_come_to_hand_since() -> None:
    refused = "I only understood you as far as wanting to cut the tree."
    steps = [
        a_blind_step(0, held=["axe"], seen=["tree"]),
        a_blind_step(1, "cut tree with axe", refused, held=["axe"], seen=["tree"]),
        a_blind_step(2, "wave axe", "It flies away.", seen=["tree", "axe"]),
        a_blind_step(3, "cut tree", "That would achieve little.", seen=["tree", "axe"], changed=False),
        a_blind_step(4, "take axe", "Taken.", held=["axe"], seen=["tree"]),
    ]
    more = [a_blind_step(n, "cut tree", "No.", held=["axe"], seen=["tree"], changed=False) for n in (5, 6)]

    assert ideas_of("use_tools", *steps[:4]) == []
    assert ideas_of("use_tools", *steps) == ["cut tree"]
    assert ideas_of("use_tools", *steps, *more) == []


def test_looking_at_what_texts_mention_is_worth_less_where_it_only_gets_stock_phrases() -> None:
    opening = a_blind_step(0, None, "A path leads past a hut, a pond, a fence and a gazebo.")
    things = enumerate(("hut", "pond", "fence"), 1)
    dull = [a_blind_step(n, f"examine {thing}", f"You see a {thing}.", changed=False) for n, thing in things]
    things = enumerate(("hut", "pond", "fence"), 1)
    told = [
        a_blind_step(n, f"examine {thing}", text, changed=False)
        for (n, thing), text in zip(
            things, ("It has no roof.", "Carp swim there.", "Somebody has painted it."), strict=True
        )
    ]

    assert utility_of("examine gazebo", opening, *dull) < utility_of("examine gazebo", opening, *told)


def test_what_is_seen_is_taken_and_handled_and_what_is_held_is_used() -> None:
    found = ideas_of("things", a_blind_step(0, held=["old hat"], seen=["tin box", "stone wall"]))

    assert {"take box", "open box", "examine box", "wear hat"} <= set(found)
    assert "take wall" not in found
    assert found[0] == "take box"


def test_scenery_is_looked_at_and_handled_only_where_it_proved_to_be_there() -> None:
    opening = a_blind_step(0, None, "A rusty lever sticks out of the wall.")
    seen = a_blind_step(1, "examine lever", "It is rusty.")
    missing = a_blind_step(1, "examine lever", "You can't see any such thing.", changed=False)

    assert "examine lever" in ideas_of("mentions", opening)
    assert "pull lever" not in ideas_of("mentions", opening)
    assert "pull lever" in ideas_of("mentions", opening, seen)
    assert "pull lever" not in ideas_of("mentions", opening, missing)


def test_the_text_of_a_death_names_nothing_that_is_here() -> None:
    died = a_blind_step(
        1, "jump", "You fall onto a rock. You have died. You earned the rank of a fool.", done=True
    )
    again = a_blind_step(2, "restart", "A bare hall.", episode=2)

    assert "examine rank" not in ideas_of("mentions", a_blind_step(0, None, "A bare hall."), died, again)


def test_a_tool_is_used_on_what_a_text_mentions() -> None:
    step = a_blind_step(0, None, "An area with particularly soft earth.", held=["shovel"])

    assert ideas_of("use_tools", step) == ["dig earth with shovel"]


def test_a_pickaxe_is_used_on_rock() -> None:
    step = a_blind_step(0, held=["pickaxe"], seen=["rock"])

    assert ideas_of("use_tools", step) == ["dig rock with pickaxe"]


def test_a_door_that_two_rooms_do_not_have_may_be_in_a_third() -> None:
    refused = [
        a_blind_step(n, "examine door", "You can't see any such thing.", room=room, changed=False)
        for n, room in enumerate(("Hall", "Attic"), 1)
    ]
    steps = (a_blind_step(0), *refused, a_blind_step(3, "north", "A heavy door is here.", room="Cave"))

    assert utility_of("open door", *steps) > 0


def test_what_a_text_calls_off_is_turned_on_but_for_lamps() -> None:
    robot = a_blind_step(0, None, "A small robot, turned off, leans in the corner.")
    lamp = a_blind_step(0, None, "A lamp, switched off, leans in the corner.")
    on = a_blind_step(1, "turn on robot", "It opens its eyes.")

    assert ideas_of("apt", robot) == ["turn on robot"]
    assert ideas_of("apt", robot, on) == []
    assert utility_of("turn on lamp", lamp) < utility_of("turn on robot", robot)


def test_clothes_are_put_on_and_then_neither_put_away_nor_given_away() -> None:
    coat = a_blind_step(0, held=["coat"], seen=["box", "man"])
    worn = a_blind_step(1, "wear coat", "You put on the coat.", held=["coat"], seen=["box", "man"])

    assert ideas_of("apt", coat)[0] == "wear coat"
    assert ideas_of("put", coat) == ["put coat in box"]
    assert ideas_of("put", coat, worn) == []
    assert utility_of("give coat to man", coat, worn) < utility_of("give coat to man", coat)


def test_another_thing_of_the_same_noun_as_one_that_was_held_is_taken() -> None:
    taken = a_blind_step(1, "take fuse", "Taken.", held=["good fuse"], seen=["fried fuse"])

    assert utility_of("take fried fuse", a_blind_step(0, seen=["good fuse"]), taken) > 50


def test_one_knocks_once_more_where_something_has_changed() -> None:
    steps = (
        a_blind_step(0, seen=["door", "dog"]),
        a_blind_step(1, "knock on door", "The dog growls.", seen=["door", "dog"]),
        a_blind_step(2, "give bone to dog", "It trots away.", seen=["door"]),
    )

    assert "knock on door" not in ideas_of("apt", *steps[:2])
    assert "knock on door" in ideas_of("apt", *steps)


def test_what_an_answer_lacks_is_put_there_once_more_when_something_was_taken_out() -> None:
    held, seen = ["good fuse"], ["box", "fried fuse"]
    steps = [
        a_blind_step(0, held=held, seen=seen),
        a_blind_step(1, "examine box", "A box for a fuse.", held=held, seen=seen),
        a_blind_step(2, "put fuse in box", "There is a fuse already.", held=held, seen=seen, changed=False),
    ]
    taken = a_blind_step(3, "take fried fuse", "Taken.", held=["good fuse", "fried fuse"], seen=["box"])

    assert ideas_of("put", *steps[:2]) == ["put fuse in box"]
    assert ideas_of("put", *steps) == []
    assert ideas_of("put", *steps, taken) == ["put fuse in box"]


def test_the_pockets_of_what_is_worn_are_searched() -> None:
    assert "search trousers" in ideas_of("apt", a_blind_step(0, held=["pair of corduroy trousers"]))
    assert "search coat" in ideas_of("apt", a_blind_step(0, seen=["coat"]))


def test_what_a_description_names_is_looked_at_whatever_comes_of_what_answers_name() -> None:
    opening = a_blind_step(0, text="Hall\nThere is a fountain here, and a mosaic.")
    vain = [
        step
        for n, noun in enumerate(("mood", "past", "tale", "deed"))
        for step in (
            a_blind_step(
                2 * n + 1,
                f"think {n}",
                f"That recalls the {noun}, and the fate of many, number {n} of your thoughts, as it seems.",
            ),
            a_blind_step(2 * n + 2, f"examine {noun}", "You can't see any such thing.", changed=False),
        )
    ]

    assert worth_of("examine fountain", opening, *vain) > 1.5 * worth_of("examine fate", opening, *vain)
    assert worth_of("examine fountain", opening, *vain) > 0.7 * worth_of("examine fountain", opening)


def test_where_a_story_does_not_know_the_word_for_looking_what_is_mentioned_is_taken_unseen() -> None:
    opening = a_blind_step(0, None, "A kite hangs in the tree, above a pond.")
    looks = ["examine pond", "examine tree", "examine wall"]
    unknown = [
        a_blind_step(n, look, "I don't know that verb.", changed=False) for n, look in enumerate(looks, 1)
    ]

    assert "take kite" not in ideas_of("mentions", opening)
    assert "take kite" in ideas_of("mentions", opening, *unknown)
