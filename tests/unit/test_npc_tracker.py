"""What the NPC tracker makes of talk that leads nowhere."""

from schemas.fragment import Fragment
from schemas.game import StepTaken
from services.npc_tracker.logic import Talk, fragment
from tests.support.scenes.builders import a_session, a_step, folded, things

TOPICS = ("hat", "door", "sea", "weather", "gnome", "wall", "sky", "bread", "dog", "roof")


def asking(
    count: int, *, reply: str = "The gnome mumbles about a brass key.", start: int = 0
) -> list[StepTaken]:
    opening = a_step(start, None if start == 0 else "look", seen=["gnome"], held=["old coin"])
    questions = [
        a_step(start + n, f"ask gnome about {TOPICS[n - 1]}", text=reply, seen=["gnome"], held=["old coin"])
        for n in range(1, count + 1)
    ]
    return [opening, *questions]


def analysis(*steps: StepTaken) -> Fragment | None:
    return fragment(folded(Talk.opening(a_session()), steps))


def test_it_is_silent_until_talk_has_stalled() -> None:
    assert analysis(*asking(9)) is None


def test_after_ten_steps_without_a_point_it_says_what_is_wanted_and_what_is_next() -> None:
    given = analysis(*asking(10))

    assert given is not None
    text = given.sections[0].text
    assert text.startswith("NEEDS: gnome may want")
    assert "| NEXT: ask gnome about key" in text
    assert given.suggestions[0] == "ask gnome about key"


def test_it_lists_exhausted_and_untried_topics() -> None:
    given = analysis(*asking(10))

    assert given is not None
    assert "Exhausted topics: hat, door" in given.sections[0].text
    assert "Untried topics: key, coin" in given.sections[0].text


def test_words_that_name_nothing_are_no_topics() -> None:
    reply = "This one's older than you are. I saw it myself beside the brass lantern."
    steps = [
        step.model_copy(update={"objects": things(["gnome", "brass lantern"])})
        for step in asking(10, reply=reply)
    ]
    given = analysis(*steps)

    assert given is not None
    assert "Untried topics: lantern, coin." in given.sections[0].text


def test_few_questions_are_no_stall_however_long_nothing_is_earned() -> None:
    steps = asking(4) + [a_step(n, "wait", seen=["gnome"]) for n in range(5, 30)]

    assert analysis(*steps) is None


def test_points_start_the_count_again() -> None:
    steps = asking(9)
    steps.append(a_step(10, "ask gnome about roof", reward=2, score=2, seen=["gnome"]))

    assert analysis(*steps) is None


def test_it_speaks_again_after_five_steps_at_the_earliest() -> None:
    talk = folded(Talk.opening(a_session()), asking(10))
    first = fragment(talk)

    talk = folded(talk, [a_step(n, "ask gnome about key", text="No!", seen=["gnome"]) for n in range(11, 15)])
    assert fragment(talk) == first

    talk = talk.after(a_step(15, "ask gnome about coin", text="A cake!", seen=["gnome"]))
    assert fragment(talk) != first


def test_leaving_the_room_ends_it() -> None:
    assert analysis(*asking(10), a_step(11, "north", room="Attic")) is None


def test_when_every_topic_is_exhausted_a_gift_is_next() -> None:
    steps = asking(10, reply="Mumble.")
    steps += [
        a_step(n, "ask gnome about coin", text="Mumble.", seen=["gnome"], held=["old coin"])
        for n in range(11, 16)
    ]

    given = analysis(*steps)

    assert given is not None
    assert given.suggestions == ("give coin to gnome",)


def elsewhere(first: int, last: int) -> list[StepTaken]:
    return [a_step(n, "north" if n == first else "wait", room="Attic") for n in range(first, last)]


def test_a_conversation_goes_on_at_the_next_visit_with_every_topic_known() -> None:
    back = a_step(20, "south", seen=["gnome"], held=["old coin"])
    again = a_step(21, "ask gnome about soup", text="Mumble.", seen=["gnome"], held=["old coin"])

    given = analysis(*asking(10), *elsewhere(11, 20), back, again)

    assert given is not None
    assert f"Exhausted topics: {', '.join(TOPICS)}" in given.sections[0].text


def test_a_conversation_belongs_to_the_person_wherever_they_meet() -> None:
    met = [
        a_step(n, f"ask gnome about {topic}", text="Hm.", room="Attic", seen=["gnome"])
        for n, topic in ((12, "rope"), (13, "soup"), (14, "rat"), (15, "cat"))
    ]

    given = analysis(*asking(10), *elsewhere(11, 12), *met)

    assert given is not None
    assert "roof, rope, soup, rat, cat" in given.sections[0].text


def test_a_gift_that_is_taken_ends_the_stall_and_one_that_is_not_does_not() -> None:
    def giving(text: str) -> Fragment | None:
        return analysis(*asking(10), a_step(11, "give coin to gnome", text=text, seen=["gnome"]))

    assert giving("The gnome takes the coin and smiles.") is None
    assert giving("You can't give that away.") is not None


def test_a_point_ends_the_stall_however_it_was_earned() -> None:
    assert analysis(*asking(10), a_step(11, "ask gnome about key", reward=5, score=5, seen=["gnome"])) is None


def test_a_thing_rather_than_words_is_never_told_where_a_topic_is_next() -> None:
    for reply in ("Mumble.", "The gnome mumbles about a brass key.", "No.", "Ask me about a hat, or a door."):
        for count in range(11, 17):
            more = [a_step(n, f"ask gnome about x{n}", text=reply, seen=["gnome"]) for n in range(11, count)]
            given = analysis(*asking(10, reply=reply), *more)

            assert given is not None
            text = given.sections[0].text
            assert not ("a thing rather than words" in text and "NEXT: ask" in text)
