"""What the behaviours of the rule-based player do with things."""

from __future__ import annotations

from schemas.game import StepTaken
from services.actor.heuristic.options import options
from tests.support.scenes.builders import a_step, a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of


def test_what_is_held_is_put_into_what_holds_things_and_onto_what_bears_them() -> None:
    step = a_blind_step(0, held=["silver coin"], seen=["oak chest", "altar", "gnome"])

    assert set(ideas_of("put", step)) == {"put coin in chest", "put coin on altar"}


def test_lights_and_keys_are_kept() -> None:
    assert ideas_of("put", a_blind_step(0, held=["brass lamp", "iron key"], seen=["altar"])) == []


def test_treasures_are_put_away_first() -> None:
    held = ["stick", "crown"]
    steps = (
        a_blind_step(0, held=["stick"], seen=["crown"]),
        a_blind_step(1, "take crown", "Taken.", held=held, reward=5),
        a_blind_step(2, "east", "Vault", room="Vault", held=held, seen=["altar"]),
    )

    assert ideas_of("put", *steps)[0] == "put crown on altar"


def utility_of(action: str, *steps: StepTaken) -> float:
    """The utility of an action; 0: it is not thought of."""
    found = options(a_situation(*steps))
    return next((option.utility for option in found if option.action == action), 0.0)


def best_of(*steps: StepTaken) -> str:
    """The action of most utility."""
    return max(options(a_situation(*steps)), key=lambda option: option.utility).action


def two_things_put_on_an_altar(text: str = "You can't.", *, reward: int) -> list[str]:
    return ideas_of(
        "put",
        a_blind_step(0, held=["coin", "stick", "crown"], seen=["altar"]),
        a_blind_step(
            1,
            "put coin on altar",
            text,
            held=["coin", "stick", "crown"],
            seen=["altar"],
            reward=reward,
            changed=False,
        ),
        a_blind_step(
            2, "put stick on altar", text, held=["coin", "stick", "crown"], seen=["altar"], changed=False
        ),
    )


def test_where_two_things_earned_nothing_the_rest_is_kept() -> None:
    assert two_things_put_on_an_altar(reward=0) == []


def test_where_a_thing_earned_points_the_rest_follows() -> None:
    assert two_things_put_on_an_altar(reward=5) == ["put crown on altar"]


def test_what_takes_things_in_is_tried_with_more_of_them() -> None:
    held = ["coin", "stick", "crown"]
    steps = (
        a_blind_step(0, held=held, seen=["machine"]),
        a_blind_step(
            1, "put coin in machine", "You put it into the machine.", held=held[1:], seen=["machine"]
        ),
        a_blind_step(2, "put stick in machine", "It fits in well.", held=held[2:], seen=["machine"]),
    )

    assert ideas_of("put", *steps) == ["put crown in machine"]


def test_nothing_is_put_anywhere_blindly_where_valid_actions_are_known() -> None:
    assert ideas_of("put", a_step(0, held=["coin"], seen=["altar"], valid=["north"])) == []


def test_all_is_laid_down_once_and_taken_again() -> None:
    opening = a_blind_step(0, held=["coin", "stick"])
    dropped = a_blind_step(1, "drop all", "Dropped.", seen=["coin", "stick"])
    taken = a_blind_step(2, "take all", "Taken.", held=["coin", "stick"])

    assert ideas_of("lay_down", opening) == ["drop all"]
    assert best_of(opening, dropped) == "take all"
    assert ideas_of("lay_down", opening, dropped, taken) == []


def test_where_all_was_laid_down_it_is_not_laid_down_in_a_later_episode() -> None:
    steps = (
        a_blind_step(0, held=["coin", "stick"]),
        a_blind_step(1, "drop all", "Dropped.", seen=["coin", "stick"]),
        a_blind_step(2, "restart", held=["coin", "stick"], episode=2),
    )

    assert ideas_of("lay_down", *steps) == []


def test_a_single_thing_is_not_laid_down() -> None:
    assert ideas_of("lay_down", a_blind_step(0, held=["coin"])) == []


def test_a_word_that_was_refused_is_known_once_the_thing_is_held() -> None:
    opening = a_blind_step(0, None, "A bare hall.")
    refused = a_blind_step(1, "examine key", "You can't see any such thing.", changed=False)
    locked = a_blind_step(2, "open door", "It seems to be locked.", changed=False)
    given = a_blind_step(3, "ask man", "The man gives you the iron key.", held=["iron key"])

    found = [option.action for option in options(a_situation(opening, refused, locked, given))]

    assert "unlock door with key" in found


def test_all_is_taken_in_each_new_room() -> None:
    steps = (
        a_blind_step(0),
        a_blind_step(1, "take all", "There is nothing to take.", changed=False),
        a_blind_step(2, "east", "Attic", room="Attic"),
    )

    assert ideas_of("take_all", *steps[:1]) == ["take all"]
    assert ideas_of("take_all", *steps[:2]) == []
    assert ideas_of("take_all", *steps) == ["take all"]


def test_where_nothing_is_listed_one_walks_on_before_all_is_taken() -> None:
    text = "Cave\nA bare cave. A passage leads north."
    bare, full = a_text_step(0, None, text), a_text_step(0, None, f"{text}\n\nThere is a lamp here.")

    assert _worth("take all", bare) < _worth("north", bare)
    assert _worth("take all", full) > _worth("north", full)


def test_all_is_taken_again_where_something_was_opened() -> None:
    steps = (
        a_blind_step(0, seen=["chest"]),
        a_blind_step(1, "take all", "There is nothing to take.", seen=["chest"], changed=False),
        a_blind_step(2, "open chest", "You open it, revealing a crown.", seen=["chest"]),
    )

    assert ideas_of("take_all", *steps) == ["take all"]


def test_what_has_left_the_hands_of_itself_is_taken_like_something_new() -> None:
    held, lies = {"held": ["hat"]}, {"seen": ["hat"], "valid": ["take hat"]}
    gone = a_step(2, "jump", text="The hat flies off!", world="b", changed=True, **lies)
    dropped = a_step(2, "drop hat", world="b", changed=True, **lies)
    steps = (a_step(0, seen=["hat"]), a_step(1, "take hat", text="Taken.", world="a", changed=True, **held))

    assert _worth("take hat", *steps, gone) > _worth("take hat", *steps, dropped)


def test_what_has_killed_twice_is_not_touched_in_another_manner() -> None:
    deaths = [
        a_step(0, valid=["push blue button", "touch blue button", "pull blue button", "touch bell"]),
        a_step(1, "push blue button", text="You die.", done=True),
        a_step(2, "restart", episode=2),
        a_step(3, "pull blue button", text="You die.", done=True, episode=2),
        a_step(4, "restart", valid=["touch blue button", "touch bell"], episode=3),
    ]

    assert _worth("touch blue button", *deaths) < 0.3 * _worth("touch bell", *deaths)


def _worth(action: str, *steps: StepTaken) -> float:
    return next(option.utility for option in options(a_situation(*steps)) if option.action == action)


def test_where_the_world_is_known_all_is_not_taken_at_once() -> None:
    assert ideas_of("take_all", a_step(0, valid=None)) == []


def test_every_key_held_is_tried_on_what_was_found_locked() -> None:
    held = ["iron key", "plastic card", "coin"]
    steps = (
        a_blind_step(0, held=held, seen=["chest", "safe"]),
        a_blind_step(1, "open chest", "It is locked.", held=held, seen=["chest", "safe"], changed=False),
    )

    assert set(ideas_of("unlock", *steps)) == {
        "unlock chest with key",
        "unlock chest with card",
        "unlock chest",
    }
    assert ideas_of("unlock", *steps[:1]) == []


def test_what_a_text_calls_closed_is_opened() -> None:
    steps = (a_blind_step(0), a_blind_step(1, "examine hatch", "The hatch is closed."))

    assert ideas_of("unlock", *steps) == ["open hatch"]
    assert ideas_of("unlock", *steps[:1]) == []


def test_what_was_unlocked_is_opened_though_it_would_not_open_before() -> None:
    seen, held = ["grate"], ["iron key"]
    steps = (
        a_blind_step(0, held=held, seen=seen),
        a_blind_step(1, "open grate", "It seems to be locked.", held=held, seen=seen, changed=False),
        a_blind_step(2, "unlock grate with key", "You unlock the grate.", held=held, seen=seen),
        a_blind_step(3, "wait", "Time passes.", held=held, seen=seen),
        a_blind_step(4, "open grate", "You open the grate.", held=held, seen=seen),
    )

    assert "open grate" not in ideas_of("unlock", *steps[:2])
    assert "open grate" in ideas_of("unlock", *steps[:3])
    assert "open grate" in ideas_of("unlock", *steps[:4])
    assert "open grate" not in ideas_of("unlock", *steps)


def test_what_had_an_effect_is_done_again_though_its_word_was_refused_since() -> None:
    steps = (
        a_blind_step(0, seen=[]),
        a_blind_step(1, "unlock door", "Click.", seen=[]),
        a_blind_step(2, "examine door", "You can't see any such thing.", seen=[], changed=False),
        a_blind_step(3, "restart", "Hall", seen=[], episode=2),
    )

    assert ideas_of("redo", *steps) == ["unlock door"]


def test_a_building_that_a_text_mentions_is_entered_and_not_taken() -> None:
    ideas = ideas_of("mentions", a_blind_step(0, None, "Hall\nA small shed leans against a wall.", seen=[]))

    assert "enter shed" in ideas
    assert "take shed" not in ideas


def test_what_is_fixed_in_its_place_is_not_taken() -> None:
    steps = (
        a_blind_step(0, seen=["brass statue"]),
        a_blind_step(1, "take all", "brass statue: That's fixed in place.", seen=["brass statue"]),
    )

    assert "take statue" in ideas_of("things", *steps[:1])
    assert "take statue" not in ideas_of("things", *steps)


def test_something_is_dropped_only_right_after_one_could_carry_no_more() -> None:
    held = ["stick", "brass lamp"]
    steps = (
        a_blind_step(0, held=held, seen=["crown"]),
        a_blind_step(1, "take crown", "Your hands are full.", held=held, seen=["crown"], changed=False),
        a_blind_step(2, "look", "Hall", held=held, seen=["crown"]),
    )

    assert ideas_of("unburden", *steps[:2]) == ["drop stick"]
    assert ideas_of("unburden", *steps) == []


def test_one_looks_under_behind_and_into_what_may_hide_something() -> None:
    step = a_blind_step(0, seen=["old rug", "gnome"])
    looked = a_blind_step(1, "look under rug", seen=["old rug", "gnome"])
    rest = {"search rug", "look behind rug", "look in rug"}

    assert set(ideas_of("look_closely", step)) == {"look under rug", *rest}
    assert set(ideas_of("look_closely", step, looked)) == rest


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


def test_nothing_is_looked_at_in_the_dark_even_where_valid_actions_are_known() -> None:
    lit, dark = (
        a_step(0, text=f"{how} A rusty lever sticks out of the wall.") for how in ("", "It is dark.")
    )

    assert "examine lever" in ideas_of("mentions", lit)
    assert ideas_of("mentions", dark) == []


def test_what_an_answer_says_a_thing_needs_is_put_into_it() -> None:
    opening = a_blind_step(0, None, "A generator stands here.", held=["large fuse"], seen=["generator"])
    looked = a_blind_step(
        1,
        "examine generator",
        "It is missing a fuse.",
        held=["large fuse"],
        seen=["generator"],
        changed=False,
    )

    assert ideas_of("put", opening, looked) == ["put fuse in generator"]


def test_all_is_taken_again_by_one_who_has_climbed_onto_something() -> None:
    opening = a_text_step(0, None, "Attic\nA dusty attic. There is a shelf here.")
    taken = a_text_step(1, "take all", "There is nothing to take.")
    climbed = a_text_step(2, "climb shelf", "You get up on the shelf.")

    assert "take all" not in ideas_of("take_all", opening, taken)
    assert "take all" in ideas_of("take_all", opening, taken, climbed)


def test_the_text_of_a_death_names_nothing_that_is_here() -> None:
    died = a_blind_step(
        1, "jump", "You fall onto a rock. You have died. You earned the rank of a fool.", done=True
    )
    again = a_blind_step(2, "restart", "A bare hall.", episode=2)

    assert "examine rank" not in ideas_of("mentions", a_blind_step(0, None, "A bare hall."), died, again)


def test_a_button_is_pushed_again_once_something_has_begun_to_work() -> None:
    hall, cellar = ["button"], ["machine"]
    pushed = a_blind_step(1, "push button", "Nothing happens.", seen=hall, changed=False)
    below = a_blind_step(2, "down", "Cellar", room="Cellar", held=["fuse"], seen=cellar)
    working = a_blind_step(3, "put fuse in machine", "It springs to life.", room="Cellar", seen=cellar)
    idle = a_blind_step(3, "put fuse in machine", "You put it in.", room="Cellar", seen=cellar)
    back = a_blind_step(4, "up", "Hall", seen=hall)

    assert utility_of("push button", a_blind_step(0, seen=hall), pushed, below, working, back) > 30
    assert utility_of("push button", a_blind_step(0, seen=hall), pushed, below, idle, back) < 30


def test_a_scene_that_is_not_to_be_worried_about_does_not_make_all_an_unknown_word() -> None:
    refused = "path: You don't need to worry about the path."
    steps = [a_text_step(0, None, "Hall\nA bare hall with a stone floor. A path leads north.")]
    for n, room in enumerate(("Attic", "Cave", "Quay")):
        steps.append(a_text_step(2 * n + 1, "take all", refused))
        steps.append(a_text_step(2 * n + 2, "north", f"{room}\nA bare {room.lower()} of stone and silence."))

    assert ideas_of("take_all", *steps) == ["take all"]


def test_a_tool_is_used_on_what_a_text_mentions() -> None:
    step = a_blind_step(0, None, "An area with particularly soft earth.", held=["shovel"])

    assert ideas_of("use_tools", step) == ["dig earth with shovel"]


def test_a_door_that_two_rooms_do_not_have_may_be_in_a_third() -> None:
    refused = [
        a_blind_step(n, "examine door", "You can't see any such thing.", room=room, changed=False)
        for n, room in enumerate(("Hall", "Attic"), 1)
    ]
    steps = (a_blind_step(0), *refused, a_blind_step(3, "north", "A heavy door is here.", room="Cave"))

    assert utility_of("open door", *steps) > 0


def a_hoard(*more: StepTaken) -> list[StepTaken]:
    """A room that asks for treasures, two of which are held: one by its words, one by the marks on it."""
    seen = "You can see: *POT OF HONEY* - bone"
    return [
        a_blind_step(0, None, seen, held=["gold crown", "pot", "bone"]),
        a_blind_step(
            1, "north", "A sign: Leave treasure here.", room="Vault", held=["gold crown", "pot", "bone"]
        ),
        *more,
    ]


def test_treasures_are_left_where_a_text_asks_for_them() -> None:
    assert set(ideas_of("deliver", *a_hoard())) == {"drop crown", "drop pot"}


def test_what_a_text_asks_for_by_its_name_is_left_there_and_nothing_where_it_forbids_that() -> None:
    held = ["ticket", "crown"]

    assert ideas_of("deliver", a_blind_step(0, None, "Please leave tickets here.", held=held)) == [
        "drop ticket"
    ]
    assert ideas_of("deliver", a_blind_step(0, None, "Do not leave tickets here.", held=held)) == []


def test_what_is_held_is_brought_to_where_a_text_asks_for_it() -> None:
    south = a_blind_step(2, "south", held=["gold crown", "pot", "bone"])

    assert "north" in ideas_of("travel", *a_hoard(south))


def test_what_was_left_where_a_text_asks_for_it_stays_there() -> None:
    left = a_blind_step(2, "drop crown", "Dropped.", room="Vault", held=["pot", "bone"], seen=["crown"])

    assert utility_of("take crown", *a_hoard(left)) < utility_of("examine crown", *a_hoard(left))


def test_what_was_laid_down_for_an_action_is_taken_back_after_it() -> None:
    steps = (
        a_blind_step(0, held=["coin"]),
        a_blind_step(1, "take all", "Nothing is here.", held=["coin"], changed=False),
        a_blind_step(2, "drop all", "coin: Dropped.", seen=["coin"]),
        a_blind_step(3, "wash", "You feel clean.", seen=["coin"]),
    )

    assert ideas_of("take_all", *steps) == ["take all"]


def test_what_a_text_calls_closed_is_opened_whatever_it_is() -> None:
    steps = (a_blind_step(0, None, "The obelisk is closed.", seen=["obelisk"]),)

    assert ideas_of("unlock", *steps) == ["open obelisk"]
    assert utility_of("open obelisk", *steps) > utility_of("push obelisk", *steps)
