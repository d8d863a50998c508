"""What a player does with the experience of earlier sessions."""

from __future__ import annotations

from schemas.experience import RouteStage, StoryDeath, StoryExperience, StoryRoom
from schemas.game import StepTaken
from services.actor.knowledge.situation import Situation
from services.actor.logic import by_policy, chance
from services.actor.policies import initial_situation, policy_of
from services.actor.reflact.prompt import prompt_of
from services.actor.reflact.scene import scene_of
from tests.support.scenes.builders import a_session, a_step, folded

HALL = StoryRoom(
    id="Hall",
    name="Hall",
    exits=(("north", "Yard"),),
    deadly=(StoryDeath(action="jump", times=3), StoryDeath(action="down", dark=True)),
)
YARD = StoryRoom(id="Yard", name="Yard", earned=(("dig", 5),), deadly=(StoryDeath(action="dig"),))
ROUTE = (
    RouteStage(action="north", room="Hall", arrives="Yard"),
    RouteStage(action="dig", room="Yard", arrives="Yard"),
)
KNOWN = StoryExperience(sessions=2, best_points=5, rooms=(HALL, YARD), best_route=ROUTE)


def primed(*steps: StepTaken, known: StoryExperience = KNOWN, policy: str = "heuristic") -> Situation:
    started = a_session(policy=policy).model_copy(update={"experience": known})
    return folded(initial_situation(started), steps)


def proposed(*steps: StepTaken, known: StoryExperience = KNOWN) -> str:
    situation = primed(*steps, known=known)
    random = chance(situation.started, situation.step.step)
    return by_policy(situation, policy_of("heuristic"), {}, random).choice.action


def test_the_best_route_is_gone_from_the_opening_on() -> None:
    steps = (
        a_step(0, seen=["lamp"], valid=["take lamp", "north"]),
        a_step(1, "north", room="Yard", world="v", seen=["box"], valid=["open box", "dig"]),
    )

    assert proposed(*steps[:1]) == "north"
    assert proposed(*steps) == "dig"


def test_a_room_that_earned_points_draws_the_player_even_without_a_route() -> None:
    known = KNOWN.model_copy(update={"best_route": ()})

    assert proposed(a_step(0, valid=["north", "south"]), known=known) == "north"


def test_the_known_death_is_not_died() -> None:
    known = KNOWN.model_copy(update={"best_route": (), "rooms": (HALL,)})

    assert primed(a_step(0)).experience.deadly("Hall") == {"jump"}
    assert proposed(a_step(0, valid=["jump", "wait"]), known=known) != "jump"


def test_what_killed_in_the_dark_is_deadly_in_the_dark_alone() -> None:
    assert not primed(a_step(0)).experience.is_deadly("Hall", "down")
    assert primed(a_step(0, text="It is pitch dark.")).experience.is_deadly("Hall", "down")


def test_what_earned_points_is_tried_again_though_it_has_killed_too() -> None:
    assert not primed(a_step(0)).experience.is_deadly("Yard", "dig")


def test_only_more_points_make_another_route_the_best() -> None:
    taken = a_step(1, "take lamp", score=3, reward=3, world="v", changed=True)
    more = a_step(2, "take hat", score=6, reward=3, world="x", changed=True)

    assert [step.action for step in primed(a_step(0), taken).best_route.stages] == ["north", "dig"]
    assert [step.action for step in primed(a_step(0), taken, more).best_route.stages] == [
        "take lamp", "take hat",
    ]  # fmt: skip


def test_the_map_is_known_and_its_unseen_rooms_are_worth_a_walk() -> None:
    situation = primed(a_step(0))

    assert situation.map.names == {"Hall": "Hall", "Yard": "Yard"}
    assert [route.room for route in situation.map.reachable("Hall")] == ["Hall", "Yard"]
    assert situation.remaining["Yard"] > 0


def test_an_empty_experience_changes_nothing() -> None:
    assert proposed(a_step(0, valid=["north", "take lamp"]), known=StoryExperience()) == "take lamp"


def test_a_model_is_told_what_earlier_sessions_know_of_the_room() -> None:
    def prompt(known: StoryExperience | None) -> str:
        started = a_session(policy="reflact").model_copy(update={"experience": known})
        scene, _ = scene_of(folded(initial_situation(started), [a_step(0)]), {})
        return "\n".join(part.text for part in prompt_of(scene).parts)

    assert "== EARLIER SESSIONS ==\nThe best route goes on with: north\nDeadly here: jump" in prompt(KNOWN)
    assert "EARLIER SESSIONS" not in prompt(None)
