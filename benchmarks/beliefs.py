"""How well the memory's beliefs agree with the story's object tree, along walkthroughs that Jericho knows.

Usage: python -m benchmarks.beliefs [STORY ...] [--steps N] [--text] [--wrong]

Each step is built as the game service builds it, and folded as the memory service folds it. At every step
this compares with the tree: the room; the inventory, of the things seen so far; and the place (the player, or
a room) of everything seen so far in the episode. `--text`: from the text alone, by names. `--wrong` lists the
disagreements. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.agreement import STORIES, Referee
from folds.vocabulary.words import head_of, words_of
from schemas.game import SessionStarted, StepTaken
from services.game.emulator.interpreter.game import Game
from services.game.session.game_session import GameSession
from services.game.session.text_only import redacted
from services.memory.beliefs.facts import HAS, LOCATED_IN
from services.memory.timeline.world_model import WorldModel
from zmachine.object_table import Tree, tree_of

STEPS = 1_000
PLAYER, GONE = "player", ""
"""Where a thing is: with the player, in a room (its number), or nowhere that the agent has been."""


@dataclass(frozen=True, slots=True)
class BeliefAgreement:
    """Of one story."""

    story: str
    steps: int
    room: int
    """Steps at which the believed room is the real one."""
    inventory: int
    """Steps at which the believed inventory is the real one (of the things seen so far)."""
    things: int
    """Things seen so far, summed over the steps."""
    now: int
    """Of these, believed where they are at that step."""
    somewhere: int
    """Those of the things that the tree has anywhere then; the rest are destroyed, or scenery put away …"""
    now_somewhere: int
    """… and of these, believed where they are."""
    aged: int
    """Of these, believed where they were at the step when the belief says they were seen last."""
    wrong: dict[str, int]
    """What was not believed where it was: name, believed and real place, by the number of steps."""


class RealWorld:
    """The object tree as it is now, read from the game's memory and not from the steps."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def places(self, step: StepTaken) -> dict[int, str]:
        """Every object's place: `player`, or the number of the room around it."""
        tree = self._tree()
        player = self._game._reader.player or 0
        rooms = self._rooms(tree, step, player)
        return {number: place_in(tree, number, player, rooms) for number in range(1, len(tree.parents))}

    def called(self, noun: str) -> list[int]:
        """The objects that a noun may mean: by their names, and by the words their parser takes for them."""
        tables = self._game._tables
        length = tables.dictionary.length
        return [
            number
            for number, name in enumerate(tables.shown)
            if noun in words_of(name) or noun[:length] in tables.words.get(number, ())
        ]

    def _tree(self) -> Tree:
        layout = self._game._tables.layout
        return tree_of(layout, self._game._frotz.memory(layout.start, layout.length))

    def _rooms(self, tree: Tree, step: StepTaken, player: int) -> int:
        """The object that all rooms are in, 0 where they are in none."""
        chain = tree.ancestors(player)
        return chain[-1] if step.room and str(chain[-1]) != step.room.id else 0


def place_in(tree: Tree, number: int, player: int, rooms: int) -> str:
    chain = tree.ancestors(number)
    if player in chain:
        return PLAYER
    if rooms and chain and chain[-1] == rooms:
        chain.pop()
    return str(chain[-1]) if chain else GONE


def measure(path: Path, steps: int, text_only: bool) -> BeliefAgreement:
    """In this process, which can do so once: the emulator keeps everything in globals."""
    referee = Referee(path)
    game = Game(path, referee.seed)
    comparison = TextBeliefComparison(RealWorld(game)) if text_only else BeliefComparison(RealWorld(game))
    for step in played(game, referee.walkthrough[:steps]):
        comparison.after(step)
    counts = comparison.counts
    return BeliefAgreement(
        story=path.name,
        steps=counts["steps"],
        room=counts["room"],
        inventory=counts["inventory"],
        things=counts["things"],
        now=counts["now"],
        somewhere=counts["somewhere"],
        now_somewhere=counts["now somewhere"],
        aged=counts["aged"],
        wrong=dict(comparison.wrong.most_common(25)),
    )


class BeliefComparison:
    """A session's beliefs beside its real world, step by step."""

    def __init__(self, world: RealWorld) -> None:
        self.counts, self.wrong = Counter[str](), Counter[str]()
        self._world, self._memory = world, WorldModel()
        self._real: dict[int, dict[int, str]] = {}
        self._names: dict[int, str] = {}
        self._visited: set[str] = set()
        self._episode = 1

    def after(self, step: StepTaken) -> None:
        """Fold a step, and compare."""
        self._memory.after(step)
        if step.episode != self._episode:
            self._names, self._episode = {}, step.episode
        self._real[step.step] = self._world.places(step)
        self._visited.add(step.room.id if step.room else GONE)
        self._names |= {thing.id: thing.name for thing in (*(step.inventory or ()), *(step.objects or ()))}
        if not step.done:
            self._compare(step)

    def _compare(self, step: StepTaken) -> None:
        real, here = self._real[step.step], self._memory.index.room()
        believed = {number: self._believed(number) for number in self._names}
        self.counts["steps"] += 1
        self.counts["room"] += (
            step.room is not None and here is not None and here.object == f"room:{step.room.id}"
        )
        self.counts["inventory"] += carried_things(believed) == carried_things(
            {number: real[number] for number in believed}
        )
        for number, place in believed.items():
            right = place == self._known(real[number])
            self.counts["things"] += 1
            self.counts["now"] += right
            self.counts["somewhere"] += bool(real[number])
            self.counts["now somewhere"] += right and bool(real[number])
            self.counts["aged"] += right or self._was_right(number, place)
            if not right:
                name = f"{self._names[number]} [{number}]"
                self.wrong[f"{name}: believed {place or 'gone'}, is {real[number] or 'nowhere'}"] += 1

    def _believed(self, number: int) -> str:
        for fact in self._memory.index.facts(f"item:{number}"):
            if fact.relation == HAS:
                return PLAYER
            if fact.relation == LOCATED_IN:
                return fact.object.removeprefix("room:")
        return GONE

    def _known(self, place: str) -> str:
        """A place, if the agent has been there."""
        return place if place == PLAYER or place in self._visited else GONE

    def _was_right(self, number: int, place: str) -> bool:
        """Whether it was so at the step that the belief names: last seen there, or found there no longer."""
        if place != GONE:
            return place == self._real[self._memory.beliefs.things.confirmed[f"item:{number}"]][number]
        past = [f for f in self._memory.index.history(f"item:{number}") if f.relation in (HAS, LOCATED_IN)]
        last = max(past, key=lambda fact: fact.valid_to)
        was = PLAYER if last.relation == HAS else last.object.removeprefix("room:")
        return self._real[last.valid_to][number] != was


class TextBeliefComparison(BeliefComparison):
    """The same where the memory gets the text alone, by names: a thing is where one of its name is.

    `inventory`: steps at which the player has all that is believed to be carried, and nothing else. Only
    things with a believed place count, and the age of a belief does not.
    """

    def __init__(self, world: RealWorld) -> None:
        super().__init__(world)
        self._rooms = {PLAYER: PLAYER}

    def after(self, step: StepTaken) -> None:
        self._memory.after(redacted(step))
        if step.room is not None:
            self._rooms[step.room.id] = step.room.name
        if not step.done:
            self._compare(step)

    def _compare(self, step: StepTaken) -> None:
        memory, real = self._memory, self._world.places(step)
        here = memory.index.room()
        name = memory.index.entities[here.object].name if here else None
        self.counts["steps"] += 1
        self.counts["room"] += step.room is not None and name == step.room.name
        carried = [head_of(memory.beliefs.name(thing)) for thing in memory.beliefs.things.at(PLAYER)]
        candidates = [{n for n in self._world.called(noun) if real[n] == PLAYER} for noun in carried]
        self.counts["inventory"] += all(candidates) and set().union(*candidates) >= {
            t.id for t in step.inventory or ()
        }
        for thing, place in memory.beliefs.things.places.items():
            noun, where = head_of(memory.beliefs.name(thing)), self._where(place.holder)
            places = {self._rooms.get(real[n], GONE) for n in self._world.called(noun)}
            right = where in places
            self.counts["things"] += 1
            for counted in ("now", "aged", "somewhere", "now somewhere"):
                self.counts[counted] += right or counted == "somewhere"
            if not right:
                self.wrong[f"{noun}: believed {where}, is {', '.join(sorted(places)) or 'nothing'}"] += 1

    def _where(self, holder: str) -> str:
        return PLAYER if holder == PLAYER else self._memory.index.entities[holder].name


def carried_things(places: dict[int, str]) -> set[int]:
    return {number for number, place in places.items() if place == PLAYER}


def played(game: Game, actions: list[str]) -> Iterator[StepTaken]:
    """The steps as the game service builds them."""
    started = SessionStarted(
        step=0, game="story", story_md5="0" * 32, story_suffix=".z5", policy="scripted", seed=1, steps=1
    )
    playing = GameSession(started)
    with asyncio.Runner() as runner:
        yield runner.run(playing._step(0, None, game.begin()))
        for number, action in enumerate(actions, start=1):
            yield runner.run(playing._step(number, action, game.play(action)))


def measure_in_child(path: Path, steps: int = STEPS, *, text_only: bool = False) -> BeliefAgreement:
    """In a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.beliefs", "--child", str(path)]
    options = ["--steps", str(steps), *(["--text"] if text_only else [])]
    done = subprocess.run([*command, *options], capture_output=True, check=True, text=True)
    return BeliefAgreement(**json.loads(done.stdout.splitlines()[-1]))


def row(found: BeliefAgreement) -> str:
    def share(part: int, whole: int) -> str:
        return f"{100 * part / whole:.2f} %" if whole else "-"

    cells = [
        found.story,
        str(found.steps),
        share(found.room, found.steps),
        share(found.inventory, found.steps),
        str(found.things),
        share(found.now, found.things),
        share(found.now_somewhere, found.somewhere),
        share(found.aged, found.things),
    ]
    return f"| {' | '.join(cells)} |"


HEAD = """\
| story | steps | room | inventory | things x steps | place, now | now, of what is somewhere \
| place, as old as the belief says |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--text", action="store_true", help="from the text alone")
    parser.add_argument("--wrong", action="store_true", help="list what disagrees")
    parser.add_argument("--child", type=Path, help="measure one story, and print JSON")
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(asdict(measure(arguments.child, arguments.steps, arguments.text))))
        return
    print(HEAD)
    for path in arguments.stories or sorted(STORIES.glob("*.z?")):
        found = measure_in_child(path, arguments.steps, text_only=arguments.text)
        print(row(found), flush=True)
        for what, times in found.wrong.items() if arguments.wrong else ():
            print(f"    {times} x {what}")


if __name__ == "__main__":
    main()
