"""What answers prove: things of two names, nouns that name nothing, news beside a noise that goes on."""

from __future__ import annotations

import pytest

from folds.text.things.listings import living_in, things_in
from folds.vocabulary.nouns import nouns_in, plain_nouns_in
from services.actor.knowledge.experience.answers import Answers
from services.actor.knowledge.refusals import Refusals
from tests.support.scenes.builders import a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of

RUSTY = "The old bucket is bent, dented and full of rust."


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("A bathroom with a sink, toilet and shower.", ("bathroom", "sink", "toilet", "shower")),
        ("On it are a telephone, a wallet and some keys.", ("telephone", "wallet", "keys")),
        ("The trees, bushes, and rocks.", ("trees", "bushes", "rocks")),
        ("A tall, straight tree and a small hut.", ("tree", "hut")),
        ("A large mirror, framed in gold.", ("mirror",)),
        ("From the house, smoke rises.", ("house",)),
        ("The heavily barred wooden door.", ("door",)),
        ("A gold ring, and the small bed.", ("ring", "bed")),
        ("A switch that operates the lights.", ("switch", "lights")),
        ("The window frames a pane of glass.", ("window", "pane")),
        ("It bears the glyphs--if such they be--on a dial.", ("glyphs", "dial")),
        ("A half-open door.", ("door",)),
        ("The front door, an open window and the north wall.", ("door", "window", "wall")),
        ("In it is an old metal trunk marked 'FISHING TACKLE'.", ("trunk",)),
        ("A ratty old brush and several new books.", ("brush", "books")),
    ],
)
def test_lists_name_all_their_things_and_adjectives_none(text: str, nouns: tuple[str, ...]) -> None:
    assert nouns_in(text) == nouns


def test_two_nouns_that_look_alike_are_one_thing() -> None:
    steps = (
        a_blind_step(0, seen=["bucket"]),
        a_blind_step(1, "examine pail", RUSTY, seen=["bucket"]),
        a_blind_step(2, "examine bucket", RUSTY, seen=["bucket"]),
    )

    assert "push pail" in ideas_of("mentions", a_blind_step(0, None, "A pail."), steps[1])
    assert "push pail" not in ideas_of("mentions", *steps)
    assert a_situation(*steps).experience.mentions.synonyms_in("Hall") == {"pail"}


def test_stock_phrases_make_no_two_things_one() -> None:
    plain = "You see nothing special about that thing, whatever it is."
    steps = (a_blind_step(1, "examine pail", plain), a_blind_step(2, "examine nest", plain))

    assert a_situation(a_blind_step(0), *steps).experience.mentions.synonyms_in("Hall") == set()


def test_a_noun_that_an_answer_replaces_by_another_names_the_same_thing() -> None:
    steps = (
        a_blind_step(0, None, "A bed of boards stands below a window.", seen=["bed", "window"]),
        a_blind_step(1, "take boards", "You can't pick up the bed.", seen=["bed", "window"]),
        a_blind_step(2, "examine ceiling", "(the tall window)\nIt is far away.", seen=["bed", "window"]),
        a_blind_step(3, "take all", "bed: You can't take the bed.", seen=["bed", "window"]),
        a_blind_step(4, "push button", "You can't pick up the shutter.", seen=["bed", "window"]),
    )

    assert a_situation(*steps).experience.mentions.synonyms_in("Hall") == {"boards", "ceiling"}


def refusals_after(answer: str, *nouns: str) -> frozenset[str]:
    """The nouns that the game does not know in the hall, after each was looked at."""
    refusals = Refusals()
    for noun in nouns:
        refusals.note_look(noun, "Hall", answer.format(noun))
    return refusals.words_in("Hall")


def test_three_nouns_answered_alike_name_nothing_in_whatever_words() -> None:
    assert refusals_after("[Noun error.]", "sense", "moment") == frozenset()
    assert refusals_after("[Noun error.]", "sense", "moment", "air") == {"sense", "moment", "air"}
    assert refusals_after("I don't understand that.", "sense", "moment", "door") == frozenset()


@pytest.mark.parametrize("answer", ["The {} looks fine.", "You see nothing special."])
def test_things_that_nobody_has_described_are_there(answer: str) -> None:
    assert refusals_after(answer, "lamp", "door", "rug") == frozenset()


@pytest.mark.parametrize(
    ("action", "understood"),
    [
        ("examine small pink gnome", "examine pink gnome"),
        ("open half-empty bottle with small knife", "open bottle with knife"),
        ("look behind door", ""),
        ("talk to gnome", ""),
        ("examine small", ""),
        ("look under door", "look under door"),
    ],
)
def test_what_the_parser_does_not_know_is_not_typed_again(action: str, understood: str) -> None:
    refusals = Refusals()
    for tried, word in (
        ("talk to gnome", "talk"), ("look behind door", "behind"), ("take small gnome", "small"),
        ("take half-empty bottle", "half"), ("say hello", "door"),
    ):  # fmt: skip
        refusals.note_unknown(tried, f'I don\'t know the word "{word}".')

    assert refusals.in_its_words(action) == understood


def test_what_a_longer_sentence_named_and_is_gone_is_not_named_again_here() -> None:
    seen, held = ["guard", "bench"], ["bone", "ball"]
    gone = a_blind_step(1, "give ball to guard", "You can't see any guard here!", seen=seen, held=held)
    other = a_blind_step(1, "give ball to guard", "You can't see any such thing.", seen=seen, held=held)

    assert "give bone to guard" not in ideas_of("give", a_blind_step(0, seen=seen, held=held), gone)
    assert "give bone to guard" in ideas_of("give", a_blind_step(0, seen=seen, held=held), other)


def ringing(*answers: str) -> Answers:
    """What the player learns of answers while a phone rings."""
    texts = [f"{answer}\n\nThe phone rings." for answer in answers]
    learned = Answers()
    for number, text in enumerate(texts):
        learned.after(a_text_step(number, f"push b{number}", text))
    return learned


def test_a_noise_that_goes_on_is_no_news() -> None:
    assert not ringing("Click.", "Clack.", "Click.").is_new
    assert ringing("Click.", "Clack.", "Cluck.").is_new


def test_an_answer_beside_a_noise_that_comes_and_goes_is_the_same_answer() -> None:
    answers = ringing("Ding.", "Dong.", "Dang.", "No.")
    answers.after(a_text_step(4, "jump", "No."))

    assert answers.streak == ["push b3", "jump"]


def test_what_had_to_come_first_is_followed_by_what_was_wanted() -> None:
    wanted = a_blind_step(1, "wear gown", "You have to remove the coat you're wearing first.", changed=False)
    done = a_blind_step(2, "remove coat", "You take off the coat.")

    assert ideas_of("obey", a_blind_step(0), wanted) == ["remove coat"]
    assert ideas_of("obey", a_blind_step(0), wanted, done) == ["wear gown"]


def test_what_had_to_come_first_and_failed_is_followed_by_nothing() -> None:
    wanted = a_blind_step(1, "wear gown", "You have to remove the coat first.", changed=False)
    failed = a_blind_step(2, "remove coat", "You can't.", changed=False)

    assert ideas_of("obey", a_blind_step(0), wanted, failed) == []


def test_what_was_opened_is_not_locked_any_more() -> None:
    held = ["iron key"]
    locked = a_blind_step(1, "open safe", "It is locked.", held=held, changed=False)
    opened = a_blind_step(2, "unlock safe with key", "You unlock the safe.", held=held)

    opening = a_blind_step(0, held=held)

    assert a_situation(opening, locked).experience.rooms.locked["Hall"] == {"safe": None}
    assert a_situation(opening, locked, opened).experience.rooms.locked["Hall"] == {}


def test_a_description_that_calls_a_door_locked_makes_no_lock_of_the_verb() -> None:
    looked = a_blind_step(1, "look", "A hall. The door is locked.", changed=False)
    walked = a_blind_step(1, "north", "The door is locked.", changed=False)

    assert not a_situation(a_blind_step(0), looked).experience.rooms.locked["Hall"]
    assert a_situation(a_blind_step(0), walked).experience.rooms.locked["Hall"] == {"door": None}


def test_points_that_a_probe_has_told_are_not_earned_by_probing() -> None:
    steps = (a_blind_step(1, "score", "Your score is 5.", reward=5), a_blind_step(2, "restart", episode=2))

    assert ideas_of("earned", a_blind_step(0), *steps) == []


def test_what_was_read_in_an_earlier_episode_is_hardly_worth_reading_again() -> None:
    read = a_blind_step(1, "examine map", "A map of the caves.", held=["map"])
    again = a_blind_step(2, "restart", held=["map"], episode=2)

    assert ideas_of("things", a_blind_step(0, held=["map"]))[0] == "read map"
    assert ideas_of("things", a_blind_step(0, held=["map"]), read, again).index("examine map") > 0


def test_a_verb_for_people_is_not_tried_on_things() -> None:
    taught = a_blind_step(0, None, "You can INSULT them.", seen=["poster", "guard"])
    refused = a_blind_step(
        1, "insult lamp", "You can only do that to something animate.", seen=["poster", "guard"]
    )

    assert "insult poster" in ideas_of("heed", taught)
    assert ideas_of("heed", taught, refused) == ["insult guard"]


def test_things_taken_unnamed_are_asked_for() -> None:
    taken = a_text_step(2, "take all", "You took two objects.")

    assert ideas_of("open_well", a_text_step(0, None, "Hall"), a_text_step(1, "look", "Hall"), taken) == [
        "inventory"
    ]


def test_a_list_without_articles_names_things() -> None:
    text = (
        "You can also see: water - *GOLDEN FISH* - rusty axe (magic word- X -on it) - sign reads- NO SWIMMING"
    )

    assert things_in(text) == ("water", "fish", "axe")


def test_the_answer_to_take_all_names_things() -> None:
    names = ("wooden door", "tall grass")
    answer = "\n".join(f"{name}: It is too big for you." for name in names)
    situation = a_situation(a_blind_step(0), a_blind_step(1, "take all", answer))

    assert set(situation.experience.mentions.nouns_of("Hall")) >= {"door", "grass"}


def test_common_things_are_remembered_in_a_room_that_is_full_of_nouns() -> None:
    first = " ".join(f"A {chr(97 + n)}{chr(97 + m)}zz." for n in range(11) for m in range(10))
    situation = a_situation(
        a_blind_step(0, None, first), a_blind_step(1, "push crank", "The crank lowers a rope and a frazzle.")
    )
    nouns = situation.experience.mentions.nouns_of("Hall")

    assert "rope" in nouns and "frazzle" not in nouns


def test_who_bars_a_way_as_only_the_living_do_is_somebody() -> None:
    barred = "The grey hulk stretches out an arm, and bars your way."
    north, look = (
        a_situation(a_blind_step(0), a_blind_step(1, action, barred)).experience.mentions.people
        for action in ("north", "look")
    )

    assert north == {"hulk"} and not look
    assert living_in("The sign smiles. The wall blocks your way.") == ()


def test_what_others_say_below_a_refusal_makes_no_effect_of_it() -> None:
    steps = [a_text_step(0, None, "Hall\nA bare hall with a lamp.")]
    steps += [
        a_text_step(n, "push lamp", f"Nothing obvious happens.\n\nBob says word {n}.") for n in range(1, 4)
    ]
    known = a_situation(*steps).experience

    assert not known.history.changed_at
    assert known.answers.is_stock("push lamp", steps[-1].observation) is False
    assert known.rates.of_verb("push").effects == 0


def test_stuff_is_named_without_an_article() -> None:
    assert plain_nouns_in("This is an area with particularly soft earth.") == ("earth",)


@pytest.mark.parametrize(
    ("refusal", "demand"),
    [
        ("You don't think the watch you're wearing is waterproof.", "take off watch"),
        ("You can't swim while wearing the heavy armor.", "take off armor"),
        ("Carrying your possessions into the shower is a bad idea.", "drop all"),
        ("You will never fit through with all you are carrying.", "drop all"),
    ],
)
def test_what_is_worn_or_carried_is_put_off_where_it_is_in_the_way(refusal: str, demand: str) -> None:
    assert ideas_of("obey", a_blind_step(0), a_blind_step(1, "take shower", refusal, changed=False)) == [
        demand
    ]


def test_what_was_wanted_follows_also_where_the_parser_has_asked_which() -> None:
    wanted = a_blind_step(1, "wear gown", "You have to remove the coat first.", changed=False)
    asked = a_blind_step(2, "remove coat", "Which do you mean, the red coat or the blue coat?", changed=False)
    done = a_blind_step(3, "remove red coat", "You take off the red coat.")

    assert "wear gown" in ideas_of("obey", a_blind_step(0), wanted, asked, done)


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("That's not a verb I recognise.", True),
        ("I only understood you as far as wanting to jump.", True),
        ("I don't know the word 'shake'.", True),
        ("I don't know the word 'gong'.", False),
        ("You can't see any such thing.", False),
    ],
)
def test_a_thing_is_not_unknown_because_its_verb_is(text: str, is_known: bool) -> None:
    shaken = a_blind_step(1, "shake gong", text, changed=False)

    assert (
        "gong" not in a_situation(a_blind_step(0), shaken).experience.refusals.words_in("Hall")
    ) is is_known


@pytest.mark.parametrize(
    ("action", "understood"),
    [
        ("put balls in box", "put ball in box"),
        ("examine berries", "examine berry"),
        ("take balls", "take balls"),
        ("examine glass", "examine glass"),
        ("open scissors", "open scissors"),
    ],
)
def test_what_the_parser_does_not_take_together_is_named_one_by_one(action: str, understood: str) -> None:
    refusals = Refusals()
    for tried in ("examine tennis balls", "examine berries", "throw balls at glass", "inventory"):
        refusals.note_all(tried.split(), "You can't use multiple objects with that verb.")
    refusals.note_all(["open", "scissors"], "You'll have to be more specific.")

    assert refusals.in_its_words(action) == understood
    assert not refusals.takes_no_all
