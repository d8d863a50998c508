"""Lantern's search for valid actions beside Jericho's, on states along each story's walkthrough.

Usage: python -m benchmarks.valid_actions [STORY ...] [--states 8] [--reference DIRECTORY]

Recall is the share of the distinct effects of Jericho's list that an action of ours reaches too. Effects
are told apart in three ways: by Jericho's own world hash; without the order of siblings, which that hash
counts; and without the marks of printing too, the attributes that `look` and `inventory` change here and
`wait` does not. Times are processor time of one thread, both in process. Jericho's part takes up to a minute
a state; it is kept in the directory, and a second run goes on from there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from jericho import FrotzEnv

from benchmarks.jericho_reference import reached
from benchmarks.mesh import machine
from services.game.checked_story import check_story
from services.game.emulator.interpreter.game import Game
from services.game.emulator.protocol import ActionsFound, SearchActions
from services.game.settings import GameSettings
from services.game.valid_actions.searcher import candidates_in

UNLIMITED = 1_000_000
SHARE = 0.1
"""Of Jericho's time: the goal."""

RECALLS = "all | in a tenth of its time | a session's"
HEADER = (
    "| story | states | Jericho's effects | its time, s | all candidates | ms | a session's candidates | ms "
    f"| recall: {RECALLS} | effects in any order | {RECALLS} | effects without marks | {RECALLS} "
    "| walkthrough actions: Jericho, ours, of |\n"
    f"| --- |{' --: |' * 18} --- |"
)


@dataclass(slots=True)
class Counts:
    """Sums over states."""

    states: int = 0
    effects: int = 0
    jericho_seconds: float = 0.0
    seconds: float = 0.0
    tried: int = 0
    session_seconds: float = 0.0
    session_tried: int = 0
    reached: int = 0
    reached_in_a_tenth: int = 0
    reached_in_session: int = 0
    """With the candidates that a step of a session tries."""
    unordered: int = 0
    """Jericho's effects, where things in another order are no other world."""
    unordered_reached: int = 0
    unordered_in_a_tenth: int = 0
    unordered_in_session: int = 0
    unmarked: int = 0
    """Jericho's effects, where the marks of printing make no other world either."""
    unmarked_reached: int = 0
    unmarked_in_a_tenth: int = 0
    unmarked_in_session: int = 0
    walkthrough: int = 0
    """Walkthrough actions that change the world."""
    walkthrough_jericho: int = 0
    """Of these, those whose effect Jericho's list reaches."""
    walkthrough_ours: int = 0

    def add(self, other: Counts) -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def row(self, name: str) -> str:
        """A row of the table."""
        states = max(1, self.states)
        recalls = shares(self.effects, self.reached, self.reached_in_a_tenth, self.reached_in_session)
        unordered = shares(
            self.unordered, self.unordered_reached, self.unordered_in_a_tenth, self.unordered_in_session
        )
        unmarked = shares(
            self.unmarked, self.unmarked_reached, self.unmarked_in_a_tenth, self.unmarked_in_session
        )
        return (
            f"| {name} | {self.states} | {self.effects} | {self.jericho_seconds / states:.2f} "
            f"| {self.tried / states:.0f} | {1000 * self.seconds / states:.0f} "
            f"| {self.session_tried / states:.0f} | {1000 * self.session_seconds / states:.0f} | {recalls} "
            f"| {self.unordered} | {unordered} | {self.unmarked} | {unmarked} "
            f"| {self.walkthrough_jericho}, {self.walkthrough_ours}, {self.walkthrough} |"
        )


def shares(whole: int, *parts: int) -> str:
    """The shares of a whole, as cells of a row."""
    return " | ".join(f"{part / max(1, whole):.3f}" for part in parts)


def measured(path: Path, reference: list[dict[str, Any]]) -> Counts:
    """Our search in the states of a reference. In this process, which can do so once."""
    env = FrotzEnv(str(path))
    actions = env.get_walkthrough()
    env.reset()
    story = check_story(path.read_bytes(), path.name)
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / path.name
        copy.write_bytes(path.read_bytes())
        game = Game(copy, env.bindings["seed"], clock=time.process_time)
    counts = Counts()
    limit = candidates_in(story, GameSettings().search_candidates)
    states = {state["step"]: state for state in reference}
    for step, action in enumerate(actions[: max(states, default=-1) + 1]):
        if step in states:
            counts.add(compared(env, game, states[step], limit))
        env.step(action)
        game.play(action)
    return counts


def compared(env: FrotzEnv, game: Game, state: dict[str, Any], limit: int) -> Counts:
    """One state: all that can be found, in a tenth of Jericho's time, and with a session's candidates."""
    here = env.get_state()
    marks = marks_of_printing(env, here)

    def searched(candidates: int, seconds: float) -> tuple[ActionsFound, Worlds, float]:
        began = time.process_time()
        found = game.search(SearchActions((), 0, candidates, seconds))
        took = time.process_time() - began
        return found, worlds_of(env, here, marks, found.actions), took

    everything, ours, seconds = searched(UNLIMITED, 3600)
    _, soon, _ = searched(UNLIMITED, SHARE * state["seconds"])
    few, of_session, session_seconds = searched(limit, 3600)
    env.set_state(here)
    jerichos = worlds_of(env, here, marks, state["effects"])
    env.set_state(here)
    jerichos.ordered -= {state["world"]}
    jerichos.unordered -= {world_without(env)}
    jerichos.unmarked -= {world_without(env, marks)}
    changes = state["leads_to"] not in (state["world"], "")
    counts = Counts(
        states=1,
        effects=len(jerichos.ordered),
        jericho_seconds=state["seconds"],
        seconds=seconds,
        tried=everything.tried,
        session_seconds=session_seconds,
        session_tried=few.tried,
        reached=len(jerichos.ordered & ours.ordered),
        reached_in_a_tenth=len(jerichos.ordered & soon.ordered),
        reached_in_session=len(jerichos.ordered & of_session.ordered),
        unordered=len(jerichos.unordered),
        unordered_reached=len(jerichos.unordered & ours.unordered),
        unordered_in_a_tenth=len(jerichos.unordered & soon.unordered),
        unordered_in_session=len(jerichos.unordered & of_session.unordered),
        unmarked=len(jerichos.unmarked),
        unmarked_reached=len(jerichos.unmarked & ours.unmarked),
        unmarked_in_a_tenth=len(jerichos.unmarked & soon.unmarked),
        unmarked_in_session=len(jerichos.unmarked & of_session.unmarked),
        walkthrough=int(changes),
        walkthrough_jericho=int(changes and state["leads_to"] in jerichos.ordered),
        walkthrough_ours=int(changes and state["leads_to"] in ours.ordered),
    )
    env.set_state(here)
    return counts


@dataclass(slots=True)
class Worlds:
    """Worlds that actions lead to, told apart in three ways."""

    ordered: set[str] = field(default_factory=set)
    """By Jericho's hash."""
    unordered: set[str] = field(default_factory=set)
    unmarked: set[str] = field(default_factory=set)


def worlds_of(env: FrotzEnv, here: Any, marks: set[int], actions: Iterable[str]) -> Worlds:
    """Where these actions lead to; nowhere, where the story stops."""
    found = Worlds()
    for action in actions:
        if world := reached(env, here, action):
            found.ordered.add(world)
            found.unordered.add(world_without(env))
            found.unmarked.add(world_without(env, marks))
    return found


def world_without(env: FrotzEnv, marks: Collection[int] = ()) -> str:
    """The present world without the order of siblings, which no player sees, and without these attributes."""
    things = (
        (each.num, each.parent, [bit for number, bit in enumerate(each.attr) if number not in marks])
        for each in env.get_world_objects(clean=True)
    )
    return f"{list(things)} {env._get_special_ram()}"


def marks_of_printing(env: FrotzEnv, here: Any) -> set[int]:
    """The attributes that looking and listing change here, on any object, and that waiting leaves alone."""

    def attributes() -> list[list[int]]:
        return [list(each.attr) for each in env.get_world_objects(clean=True)]

    def changed_by(action: str) -> set[int]:
        env.set_state(here)
        before = attributes()
        reached(env, here, action)
        pairs = zip(before, attributes(), strict=True)
        return {bit for old, new in pairs for bit in range(len(old)) if old[bit] != new[bit]}

    changed = changed_by("look") | changed_by("inventory")
    changed -= changed_by("wait")
    env.set_state(here)
    return changed


def in_a_process(module: str, *arguments: str) -> str:
    """What a module of these benchmarks prints, run alone."""
    command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{module}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--states", type=int, default=8)
    parser.add_argument("--reference", type=Path, default=Path(tempfile.gettempdir()) / "lantern-jericho")
    parser.add_argument("--counts", action="store_true", help="Print one story's counts as JSON.")
    given = parser.parse_args()
    beside = sorted((Path(__file__).parents[2] / "shared" / "games").glob("*.z*"))
    given.reference.mkdir(parents=True, exist_ok=True)
    if given.counts:
        [story] = given.stories
        lines = (given.reference / f"{story.stem}.jsonl").read_text().splitlines()
        print(json.dumps(asdict(measured(story, [json.loads(line) for line in lines[: given.states]]))))
        return
    print(f"{given.states} states of each walkthrough; {machine()}\n\n{HEADER}")
    total = Counts()
    for story in given.stories or beside:
        file = given.reference / f"{story.stem}.jsonl"
        in_a_process("jericho_reference", str(story), str(file), "--states", str(given.states))
        options = ("--states", str(given.states), "--reference", str(given.reference), "--counts")
        counts = Counts(**json.loads(in_a_process("valid_actions", str(story), *options)))
        total.add(counts)
        print(counts.row(story.stem), flush=True)
    print(total.row("all"))


if __name__ == "__main__":
    main()
