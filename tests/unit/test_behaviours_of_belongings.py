"""What the rule-based player takes, keeps, puts somewhere and leaves."""

from __future__ import annotations

from schemas.game import StepTaken
from services.actor.heuristic.options import options
from services.actor.heuristic.parsed_action import parsed
from tests.support.scenes.builders import a_step, a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of, worth_of


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


def test_what_a_box_reveals_is_taken_though_the_game_knew_no_such_thing_before() -> None:
    steps = (
        a_blind_step(0, None, "A hall with a box."),
        a_blind_step(1, "examine latchkey", "You can't see any such thing.", changed=False),
        a_blind_step(2, "open box", "You open the box, revealing a latchkey.", seen=["latchkey"]),
    )

    assert "take latchkey" not in ideas_of("things", *steps[:2])
    assert "take latchkey" in ideas_of("things", *steps)


def test_where_all_is_too_much_at_once_things_are_taken_one_by_one() -> None:
    steps = (
        a_blind_step(0, seen=["key"]),
        a_blind_step(1, "take all", "You have to be more specific!", seen=["key"], changed=False),
        a_blind_step(2, "east", "Attic", room="Attic", seen=["ring"]),
    )

    assert ideas_of("take_all", *steps) == []
    assert a_situation(*steps).experience.rates.of_verb("take").trust == 1


def test_a_yellow_bell_pepper_is_no_bell() -> None:
    assert not parsed("push yellow bell pepper").is_fit
    assert parsed("push bell").is_fit
    assert parsed("pull cord of curtain").is_fit


def test_where_nothing_is_listed_one_walks_on_before_all_is_taken() -> None:
    text = "Cave\nA bare cave. A passage leads north."
    bare, full = a_text_step(0, None, text), a_text_step(0, None, f"{text}\n\nThere is a lamp here.")

    assert worth_of("take all", bare) < worth_of("north", bare)
    assert worth_of("take all", full) > worth_of("north", full)


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

    assert worth_of("take hat", *steps, gone) > worth_of("take hat", *steps, dropped)


def test_where_the_world_is_known_all_is_not_taken_at_once() -> None:
    assert ideas_of("take_all", a_step(0, valid=None)) == []


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
    held = ["cup", "brass lamp", "rusty sword"]
    steps = (
        a_blind_step(0, held=held, seen=["crown"]),
        a_blind_step(1, "take crown", "Your hands are full.", held=held, seen=["crown"], changed=False),
        a_blind_step(2, "look", "Hall", held=held, seen=["crown"]),
    )

    dropped = a_blind_step(2, "drop cup", "Dropped.", held=held[1:], seen=["crown", "cup"])

    assert ideas_of("unburden", *steps[:2]) == ["drop cup"]
    assert ideas_of("unburden", *steps) == []
    assert ideas_of("unburden", *steps[:2], dropped) == ["take crown"]


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


def test_a_story_that_has_one_answer_to_all_is_asked_for_it_no_more() -> None:
    def steps(answer: str) -> list[StepTaken]:
        told = [a_text_step(0, None, "Hall\nA bare hall with a stone floor. A path leads north.")]
        for n, room in enumerate(("Attic", "Cave", "Quay")):
            told.append(a_text_step(2 * n + 1, "take all", answer))
            told.append(
                a_text_step(2 * n + 2, "north", f"{room}\nA bare {room.lower()} of stone and silence.")
            )
        return told

    assert ideas_of("take_all", *steps("A lady would not do that.")) == []
    assert ideas_of("take_all", *steps("A lady would not do that.")[:5]) == ["take all"]
    assert ideas_of("take_all", *steps("There is nothing to take.")) == ["take all"]


def test_a_scene_that_is_not_to_be_worried_about_does_not_make_all_an_unknown_word() -> None:
    refused = "path: You don't need to worry about the path."
    steps = [a_text_step(0, None, "Hall\nA bare hall with a stone floor. A path leads north.")]
    for n, room in enumerate(("Attic", "Cave", "Quay")):
        steps.append(a_text_step(2 * n + 1, "take all", refused))
        steps.append(a_text_step(2 * n + 2, "north", f"{room}\nA bare {room.lower()} of stone and silence."))

    assert ideas_of("take_all", *steps) == ["take all"]


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


def test_where_a_text_asks_for_all_that_is_held_a_light_is_kept() -> None:
    asked = a_blind_step(0, None, "Leave your possessions here with me.", held=["plank", "lamp", "key"])

    assert ideas_of("deliver", asked) == ["drop plank", "drop key"]


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
