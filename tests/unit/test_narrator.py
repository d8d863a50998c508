"""What the narrator tells."""

from schemas.game import StepTaken
from services.narrator.story import LENGTH, StorySoFar, fragment
from tests.support.scenes.builders import a_session, a_step, folded


def told(*steps: StepTaken) -> str:
    given = fragment(folded(StorySoFar.opening(a_session(max_score=50)), steps))
    return given.sections[0].text if given else ""


def test_a_summary_says_where_the_player_is_and_what_is_held() -> None:
    summary = told(a_step(0, room="Kitchen", held=["brass lamp"], seen=["table"], score=5))

    assert "Kitchen" in summary
    assert "score 5 of 50" in summary
    assert "You hold brass lamp; you see table." in summary


def test_it_has_four_to_six_sentences() -> None:
    assert 4 <= told(a_step(0)).count(". ") + 1 <= 6


def test_it_is_renewed_every_five_steps_and_not_between() -> None:
    story = folded(StorySoFar.opening(a_session()), [a_step(0)])
    first = fragment(story)

    story = folded(story, [a_step(n, "look") for n in range(1, 5)])
    assert fragment(story) == first

    story = story.after(a_step(5, "look"))
    assert fragment(story) != first


def test_a_change_of_score_renews_it() -> None:
    summary = told(a_step(0), a_step(1, "dig", reward=5, score=5, world="v", changed=True))

    assert "What worked: dig (+5)." in summary


def test_it_tells_what_failed_and_what_blocked() -> None:
    steps = [a_step(0), a_step(1, "north"), *(a_step(n, "push button") for n in range(2, 6))]

    summary = told(*steps)

    assert "could not go north" in summary
    assert "push button (4x)" in summary


def test_it_ends_with_the_next_step() -> None:
    steps = (a_step(0, valid=["north", "east"]), a_step(5, "north", room="Attic", world="v", valid=["south"]))

    assert told(*steps).endswith("The nearest unexplored way is south then east.")


def test_it_is_bounded_however_much_there_is_to_tell() -> None:
    names = [f"{'very ' * 20}long thing {n}" for n in range(100)]

    assert len(told(a_step(0, held=names, seen=names, text="x" * 9_000))) <= LENGTH


def test_a_repeat_changes_nothing() -> None:
    steps = [a_step(0), a_step(1, "dig", reward=5, score=5, world="v")]

    assert told(*steps) == told(*steps, *steps)
