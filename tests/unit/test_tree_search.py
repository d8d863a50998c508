"""The tree search: PUCT, what it backs up, how deep it looks, and what it asks a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from language_model.action_prior.question import ActionQuestion
from language_model.model import Prompt
from search.environment import Outcome
from search.mcts.advice import Moment, Reflections, question_about, reflection_prompt
from search.mcts.options import TreeOptions
from search.mcts.tree import Edge, Node
from search.mcts.tree_search import TreeSearch


@dataclass(frozen=True)
class Spot:
    """A position in a corridor: gold lies at its end, and a pit beside its beginning."""

    room: int = 0
    score: int = 0
    done: bool = False


class Corridor:
    """An environment of rooms in a row; `gold`: the room with ten points, taken once."""

    def __init__(self, gold: int, pit: int = -1) -> None:
        self.gold, self.pit, self.spot, self.probes = gold, pit, Spot(), 0

    def save(self) -> Spot:
        return self.spot

    def restore(self, spot: Spot) -> None:
        self.spot = spot

    def step(self, action: str) -> Outcome:
        self.probes += 1
        if action in ("look", "inventory"):
            return Outcome(f"{action} in room {self.spot.room}", self.spot.score)
        room = max(0, self.spot.room + (1 if action == "east" else -1))
        died = action == "jump"
        score = 10 if room == self.gold and not died else self.spot.score
        self.spot = Spot(room, score, died)
        return Outcome("You die." if died else f"Room {room}.", score, done=died)

    def here(self) -> tuple[str, ...]:
        jump = ("jump",) if self.spot.room == self.pit else ()
        return () if self.spot.done else ("west", "east", *jump)


@dataclass
class Adviser:
    """A model that likes one action, and has a lesson for each death."""

    likes: str = ""
    questions: list[ActionQuestion] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)

    def log_probabilities(self, question: ActionQuestion) -> Sequence[float] | None:
        self.questions.append(question)
        return [0.0 if action == self.likes else -10.0 for action in question.actions]

    def text(self, prompt: Prompt) -> str | None:
        self.prompts.append(prompt)
        return f"Lesson {len(self.prompts)}."


def a_search(corridor: Corridor, adviser: Adviser | None = None, **options: object) -> TreeSearch:
    return TreeSearch(corridor, corridor, TreeOptions(**options), Random(1), adviser)  # type: ignore[arg-type]


def the_move(search: TreeSearch) -> tuple[Edge, Node]:
    found = search.move(search.environment.save(), "Room 0.")
    assert found is not None
    return found


def test_selection_weighs_worth_against_the_share_of_visits_and_the_prior() -> None:
    node = Node(Spot(), "", edges=[Edge("a", 3, 2.0), Edge("b", 0, 0.0)], prior=(0.75, 0.25))  # type: ignore[arg-type]

    assert node.selected(exploration=1.0).action == "a"  # 2 + .75 √3/4 against .25 √3/1
    assert node.selected(exploration=50.0).action == "b"  # 2 + 16.2 against 21.7


def test_a_return_is_discounted_by_the_moves_before_it() -> None:
    corridor = Corridor(gold=2)
    search = a_search(corridor)
    root = search._node(corridor.save(), "Room 0.", "", failed=False)

    for _ in range(40):
        search._simulate(root, depth=2)

    east = root.edges[1]
    assert east.child is not None and east.child.edges[1].value == 10.0
    assert 0 < east.value <= 0.95 * 10.0


def test_the_best_move_leads_towards_the_points() -> None:
    edge, _ = the_move(a_search(Corridor(gold=3)))

    assert edge.action == "east" and edge.value > 0


def test_a_search_that_finds_no_points_is_repeated_more_deeply_unless_told_otherwise() -> None:
    shallow, deep = Corridor(gold=12), Corridor(gold=12)

    assert the_move(a_search(shallow, Adviser("east"), dynamic_depth=False))[0].value == 0
    assert the_move(a_search(deep, Adviser("east")))[0].value > 0
    assert [*TreeOptions().depths()] == [10, 30]
    assert deep.probes > shallow.probes


def test_the_prior_leads_and_without_one_all_actions_are_equally_promising() -> None:
    _, led = the_move(a_search(Corridor(gold=99), Adviser("east"), dynamic_depth=False))
    _, unled = the_move(a_search(Corridor(gold=99), None, dynamic_depth=False))
    _, refused = the_move(
        a_search(Corridor(gold=99), Adviser("east"), dynamic_depth=False, model_prior=False)
    )

    assert led.edges[1].visits > 2 * led.edges[0].visits
    assert unled.edges[1].visits == unled.edges[0].visits
    assert refused.edges[1].visits == refused.edges[0].visits


def test_the_model_is_told_the_moment_before_unless_that_is_left_out() -> None:
    adviser, forgetful = Adviser("east"), Adviser("east")
    the_move(a_search(Corridor(gold=3), adviser))
    the_move(a_search(Corridor(gold=3), forgetful, in_trial_memory=False))

    assert any("Then you typed" in question.situation for question in adviser.questions)
    assert not any("Then you typed" in question.situation for question in forgetful.questions)
    assert "inventory in room 0" in adviser.questions[0].situation


def test_deaths_teach_at_most_three_lessons_which_later_questions_hold() -> None:
    adviser = Adviser("jump")
    search = a_search(Corridor(gold=99, pit=0), adviser, dynamic_depth=False)
    the_move(search)

    assert search.reflections.lessons == ["Lesson 1.", "Lesson 2.", "Lesson 3."]
    assert len(adviser.prompts) == 3 and "You die." in adviser.prompts[0].parts[0].text
    assert "- Lesson 3." in adviser.questions[-1].situation
    assert "Lesson" not in adviser.questions[0].situation


def test_without_the_cross_trial_memory_nothing_is_learnt() -> None:
    adviser = Adviser("jump")
    the_move(a_search(Corridor(gold=99, pit=0), adviser, cross_trial_memory=False, dynamic_depth=False))

    assert adviser.prompts == []


def test_where_nothing_can_be_done_there_is_no_move() -> None:
    corridor = Corridor(gold=1)
    corridor.spot = Spot(done=True)

    assert a_search(corridor).move(corridor.spot, "") is None  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_tree() -> None:
    one, other = (the_move(a_search(Corridor(gold=4), simulations=20))[1] for _ in range(2))

    assert [(edge.visits, edge.value) for edge in one.edges] == [(e.visits, e.value) for e in other.edges]


def test_a_question_quotes_the_game_and_a_lesson_is_learnt_once() -> None:
    question = question_about(Moment('A "hall".', "A door.", "open door"), ["Take the lamp."], ["north"])
    memory = Reflections(3)
    for lesson in ("Beware.", "Beware.", ""):
        memory.add(lesson)

    assert question.situation == (
        "Lessons of earlier attempts:\n- Take the lamp.\n\n"
        'Before: "A door."\nThen you typed: "open door"\nNow: "A \'hall\'."'
    )
    assert memory.lessons == ["Beware."]


def test_a_reflection_is_asked_with_the_last_steps_only() -> None:
    prompt = reflection_prompt([("", "Begin."), *((f"wait {n}", "Time passes.") for n in range(20))])

    text = prompt.parts[0].text
    assert "wait 19" in text and "wait 8" in text and "wait 7" not in text and "Begin." not in text
