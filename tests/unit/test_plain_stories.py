"""Stories by amateurs: what their texts say, as they write it, and what is done about it."""

from __future__ import annotations

import pytest

from folds.text.places import place_told_in
from folds.text.things.emptiness import empty_in
from folds.text.things.listings import people_named_in, things_in
from folds.text.ways import doors_on_ways_in
from folds.vocabulary.nouns import nouns_in
from folds.vocabulary.words import called
from schemas.game import StepTaken
from services.actor.heuristic.behaviours.session.demands import demands_of
from services.actor.knowledge.kinds import is_common
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("You make out a closed antique trunk close by.", {"trunk"}),
        ("You can see Dining-table and Mirror here.", {"dining-table", "mirror"}),
        ("You can see Balloon Cart (in which is Balloon Animal) here.", {"cart", "animal"}),
        ("You can also see a bed, Bob and a lamp (closed) here.", {"bed", "bob", "lamp"}),
        ("A key and matches sit next to the lit candle.", {"key", "matches"}),
        ("You can see a cold and damp cave here.", {"cave"}),
        ("You open the crate, revealing oil, dried figs and rope.", {"oil", "figs", "rope"}),
        ("In the crate are oil, dried figs and rope.", {"oil", "figs", "rope"}),
        ("In the distance are hills.", set()),
        ("On the wall is written in red what nobody can read.", set()),
        ("A formidable looking guard dog stands here.", {"dog"}),
        ("A man looking at the door stands here.", {"man"}),
        ("You can see nothing unusual here.", set()),
        ("You can see whoever built this here.", set()),
    ],
)
def test_things_are_listed_without_articles_too(text: str, names: set[str]) -> None:
    assert set(things_in(text)) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The drawer looks strong, and impossible to crack.", {"drawer"}),
        ("The main room is to the south.", set()),
        ("The dining room table is old.", {"table"}),
        ("You see a bunch of flickering lights.", {"lights"}),
        ("There's a control panel alongside the wall.", {"panel", "wall"}),
        ("The label reads: beware.", {"label"}),
        ("You are in a clean, open room with a counter.", {"counter"}),
        ("Across the street a neon sign flickers faintly.", {"street", "sign"}),
        ("A damp sheet of newspaper and some sort of control panel.", {"sheet", "newspaper", "panel"}),
        (
            "There's a collection of arcade machines, and a coil of rope.",
            {"collection", "machines", "coil", "rope"},
        ),
        ("The heavy, iron gate. The walls glow. A ladder led up.", {"gate", "walls", "ladder"}),
        ("The roasted beans sit on the tray.", {"beans", "tray"}),
    ],
)
def test_no_quality_and_no_room_is_a_thing(text: str, names: set[str]) -> None:
    assert set(nouns_in(text)) == names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dimi is suspiciously lurking in front of your cell.", "dimi"),
        ("Vik is a new guy that knows nobody. He sits alone.", "vik"),
        ("Old Pete sweeps the floor slowly.", "pete"),
        ("Marica, the youngest sister, is fast asleep in a chair.", "marica"),
    ],
)
def test_somebody_is_known_by_name(text: str, name: str) -> None:
    assert people_named_in(text) == (name,)


@pytest.mark.parametrize(
    "text", ["Suddenly, a guard appears. He looks at you.", "Whoever comes is late. He pays."]
)
def test_the_first_word_of_a_sentence_is_no_name(text: str) -> None:
    assert people_named_in(text) == ()


def test_what_bars_a_way_is_no_place() -> None:
    assert place_told_in("The exit door blocks your way east.", surely=False) == ""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            "The north-south path ends at a wall that blocks your way.\nThere are two ogres here, at rest.",
            "North-south path ends at a wall that blocks",
        ),
        (
            "The passage widens into a vast chamber which is full of soldiers, some armed with long bows, "
            "others with halberds, maces or swords.",
            "Passage widens into a vast chamber which is",
        ),
        ("The passage is too low for you.", ""),
    ],
)
def test_what_is_described_at_length_is_a_place(text: str, place: str) -> None:
    assert place_told_in(text, surely=False) == place


def test_what_is_empty_may_hold_something() -> None:
    assert empty_in("The main reactor is empty. On the shelf is a vase.") == ("reactor",)

    looked = a_blind_step(1, "examine reactor", "The main reactor is empty.", seen=["reactor"], held=["cell"])
    assert "put cell in reactor" in ideas_of("put", a_blind_step(0, seen=["reactor"], held=["cell"]), looked)


def test_a_door_is_called_by_its_name_whatever_state_it_is_in() -> None:
    names = called(("open plain door", "closed patio door", "lamp"))

    assert list(names.values()) == ["plain door", "patio door", "lamp"]


def test_a_doormat_is_a_mat() -> None:
    assert [noun for noun in ("doormat", "flowerpot", "question", "voice") if is_common(noun)] == [
        "doormat",
        "flowerpot",
    ]


@pytest.mark.parametrize(
    ("action", "answer", "demanded"),
    [
        ("dice onion", "Cutting something requires a knife.", ("dice onion with knife",)),
        ("put chop in shelf", "That can't contain things.", ("put chop on shelf",)),
        ("examine hay", "You wonder whether you should dig through it.", ("dig through hay",)),
        ("east", "The exit door blocks your way. Perhaps you should try opening it.", ("open door",)),
        (
            "examine car",
            "You need to open the door if you want to put anything inside.",
            ("open door", "open car"),
        ),
        ("take potion", "I can't take this until I give the priest the cross", ("give priest cross",)),
        ("talk to engineer", 'You ask: "What do I need to fix the leak?"', ()),
        (
            "ask ann about hats",
            "Ann knows nothing of that. Try asking her about other things such as the sea or cats instead.",
            ("ask her about sea", "ask her about cats"),
        ),
        ("open vault", "Somebody will have to turn the wheel before it opens.", ("turn wheel",)),
        ("examine jug", "You should pour some water.", ("pour water",)),
    ],
)
def test_an_answer_demands(action: str, answer: str, demanded: tuple[str, ...]) -> None:
    assert demands_of(action, answer) == demanded


def test_nothing_is_done_with_a_tool_that_nobody_has_seen() -> None:
    locked = a_blind_step(
        1, "open door", "You have to unlock the door with the old key first.", changed=False
    )
    key_in_sight = (
        a_blind_step(0, seen=["old key"]),
        locked.model_copy(update={"objects": a_blind_step(0, seen=["old key"]).objects}),
    )

    assert ideas_of("obey", a_blind_step(0), locked) == []
    assert ideas_of("obey", *key_in_sight) == ["unlock door with old key"]


def test_nobody_goes_through_a_door_twice_that_lies_in_a_direction() -> None:
    assert doors_on_ways_in("A wooden door leads east. A gate stands here.") == {"door"}

    described = a_blind_step(0, None, "Hall\nA wooden door leads east.", seen=["door", "gate"])
    assert not {"enter door", "climb door"} & set(ideas_of("things", described))
    assert "enter gate" in ideas_of("things", described)


def test_a_preposition_that_finds_nothing_of_what_is_here_is_not_understood() -> None:
    def looked(number: int, noun: str) -> StepTaken:
        seen = ["bed", "desk"]
        return a_blind_step(
            number, f"look behind {noun}", "You can't see any such thing.", seen=seen, changed=False
        )

    opening = a_blind_step(0, seen=["bed", "desk"])
    examined = [a_blind_step(n, f"examine {noun}", "It is old.") for n, noun in enumerate(("bed", "desk"), 1)]
    once = a_situation(opening, *examined, looked(3, "bed")).experience
    twice = a_situation(opening, *examined, looked(3, "bed"), looked(4, "desk")).experience
    unknown = a_situation(opening, looked(1, "bed"), looked(2, "desk")).experience

    assert not once.refusals.is_unknown_verb_of("look behind chair")
    assert not unknown.refusals.is_unknown_verb_of("look behind chair")
    assert twice.refusals.is_unknown_verb_of("look behind chair")
    assert not twice.refusals.is_unknown_verb_of("look under chair")


def test_a_way_with_a_refusal_of_its_own_is_tried_again_where_the_game_has_a_usual_one() -> None:
    cold = "You cannot go further in this condition, it's freezing out there."
    ways = ("north", "south", "west")
    usual = [a_blind_step(n, way, "You can't go that way.", changed=False) for n, way in enumerate(ways, 1)]
    steps = (a_blind_step(0), *usual, a_blind_step(4, "east", cold, changed=False))

    assert set(a_situation(*steps).map.barred("Hall")) == {"east"}


def test_a_lock_without_power_has_opened_nothing() -> None:
    tried = a_blind_step(1, "open door", "The electronic lock is dead. It needs power.", seen=["door"])

    assert "door" not in a_situation(a_blind_step(0), tried).experience.playthrough.conditions.of("Hall")


def test_what_was_deadly_to_eat_is_eaten_nowhere() -> None:
    steps = (
        a_blind_step(0, held=["cookie"]),
        a_blind_step(1, "eat cookie", "You die of the poison.", held=["cookie"], done=True),
    )

    assert "eat cookie" in a_situation(*steps).experience.deadly("Attic")


def test_what_somebody_speaks_of_is_given_once_more() -> None:
    held, seen = ["powder", "milk"], ["old man"]
    refused = a_blind_step(1, "give powder to man", "The man doesn't seem interested.", held=held, seen=seen)
    said = a_blind_step(2, "talk to man", '"I really need some powder," he says.', held=held, seen=seen)
    priced = a_blind_step(3, "talk to man", '"I would pay for that milk," he says.', held=held, seen=seen)
    steps = (a_blind_step(0, held=held, seen=seen), refused)

    assert "give powder to man" not in ideas_of("give", *steps)
    assert ideas_of("give", *steps, said)[0] == "give powder to man"
    assert "sell milk to man" in ideas_of("give", *steps, said, priced)


def test_the_other_thing_is_meant_where_the_first_was_wrong() -> None:
    asked = a_blind_step(1, "give food to dog", "Which do you mean, cat food or dog food?", changed=False)
    wrong = a_blind_step(2, "give cat food to dog", "The dog doesn't seem interested.", changed=False)

    assert ideas_of("tell_apart", a_blind_step(0), asked, wrong)[0] == "give dog food to dog"


def test_an_errand_is_done_again_where_its_answer_sends_the_player() -> None:
    sheet = a_blind_step(1, "read sheet", "Press the blank.", held=["blank", "sheet"])
    elsewhere = a_blind_step(2, "press blank", "The press is in the Shop.", held=["blank", "sheet"])
    there = a_blind_step(3, "east", "Shop", room="Shop", held=["blank", "sheet"])

    assert ideas_of("heed", a_blind_step(0, held=["blank", "sheet"]), sheet, elsewhere, there) == [
        "press blank"
    ]


def test_a_command_in_quotes_and_what_could_be_done_with_a_thing_is_done() -> None:
    bed = a_blind_step(1, "examine bed", "Try shaking it with a command: shake bed", seen=["bed"])
    wire = a_blind_step(2, "examine wire", "You could bend or mold it to your will.", seen=["wire"])
    told = a_situation(a_blind_step(0), bed, wire).experience.instructions

    assert told.actions_in("Hall") == ("shake bed",)
    assert list(told.doable) == ["bend wire", "mold wire"]


def test_who_has_lost_the_light_begins_anew() -> None:
    lit = a_blind_step(1, "north", "Attic", room="Attic", held=["lamp"])
    dark = [
        a_blind_step(n, "wait", "It is pitch dark, and you can't see a thing.", room="Darkness", held=[])
        for n in range(2, 50)
    ]

    assert ideas_of("give_up", a_blind_step(0, held=["lamp"]), lit, *dark[:20]) == []
    assert ideas_of("give_up", a_blind_step(0, held=["lamp"]), lit, *dark) == ["restart"]


def test_what_was_done_in_another_way_is_not_done_again() -> None:
    refused = a_blind_step(
        1, "put card in phone", "That can't contain things.", held=["card"], seen=["phone"]
    )
    done = a_blind_step(2, "put card on phone", "You put the card on the phone.", seen=["phone", "card"])

    assert ideas_of("obey", a_blind_step(0, held=["card"], seen=["phone"]), refused, done) == []
