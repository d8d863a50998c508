"""How well the general way of reading a story agrees with Jericho, on stories that Jericho knows.

Usage: python -m benchmarks.agreement [STORY ...] [--steps N]

Each story is played along Jericho's walkthrough, read as if Jericho did not know it, and compared step by
step with what Jericho's own Python package says of the same state. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from msgspec import structs

from services.game.emulator.interpreter.game import Game
from services.game.emulator.protocol import Played
from zmachine.emulator.frotz import MachineState

STORIES = Path(__file__).parents[2] / "shared" / "games"
STEPS = 150
LOOKS = ("look", "wait", "frobozzle")
"""Tried and taken back at each step: worlds that are mostly the same again."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of one story. The counts are of steps, or of pairs of worlds."""

    story: str
    steps: int
    blind: int
    """Steps at which Jericho does not know the room or what is held (in some stories no object above 255)."""
    room: int
    inventory: int
    score: int
    unknown: tuple[str, ...]
    """What the general way could not tell, at one step or more."""
    max_score: str
    neighbours: int
    """Pairs of a world and the one that came of it …"""
    neighbours_agree: int
    """… which both ways call equal, or both different."""
    equal: int
    """Pairs of any two worlds that Jericho calls equal …"""
    equal_too: int
    """… and so does the general hash."""
    called_equal: int
    """Pairs that the general hash calls equal."""
    end: str
    """Of the whole walkthrough: done and victory, as the general way and as Jericho tell them."""


class Referee:
    """Jericho's own view of a state that our emulator is in."""

    def __init__(self, path: Path) -> None:
        from jericho import FrotzEnv

        self.env = FrotzEnv(str(path))
        self.walkthrough: list[str] = self.env.get_walkthrough()
        self.seed = int(self.env.bindings["seed"])
        self.env.reset()

    def see(self, state: MachineState) -> None:
        import numpy

        ram, stack = (numpy.frombuffer(b, dtype=numpy.uint8).copy() for b in (state.ram, state.stack))
        pc, sp, fp, opcode, frames = state.registers
        self.env.set_state((ram, stack, pc, sp, fp, frames, opcode, state.random, state.narrative))

    def rooms(self) -> list[str]:
        """The player's parent, its parent and so on: Jericho calls a boat a room."""
        found, place = [], self.env.get_player_location()
        while place is not None and str(place.num) not in found:
            found.append(str(place.num))
            place = self.env.get_object(place.parent)
        return found

    def held(self) -> set[int]:
        return {thing.num for thing in self.env.get_inventory()}

    def sees(self, played: Played) -> bool:
        """Whether Jericho has the room and all that is held among its objects."""
        numbers = {int(played.room_id or 0)} | directly_held(played)
        return all(number and self.env.get_object(number) for number in numbers)

    def world(self) -> str:
        return str(self.env.get_world_state_hash())


def measured(path: Path, steps: int) -> Agreement:
    """In this process, which can do so once: the emulator keeps everything in globals."""
    referee = Referee(path)
    game = Game(path, referee.seed, generic=True)
    agree, unknown = Counter[str](), dict[str, None]()
    worlds: list[tuple[str, str, int]] = []
    taken, played = 0, game.stay("")
    for action in referee.walkthrough:
        played = game.play(action)
        taken += taken < steps
        if taken < steps and not played.done:
            referee.see(game._frotz.state())
            agree["score"] += played.score == referee.env.get_score()
            if referee.sees(played):
                agree["seen"] += 1
                agree["room"] += played.room_id in referee.rooms()
                agree["inventory"] += directly_held(played) == referee.held()
            unknown |= dict.fromkeys(unknown_in(played))
            worlds += around(game, referee, played)
        if played.done:
            break
    referee.see(game._frotz.state())
    return Agreement(
        story=path.name,
        steps=steps_seen(worlds),
        blind=steps_seen(worlds) - agree["seen"],
        room=agree["room"],
        inventory=agree["inventory"],
        score=agree["score"],
        unknown=tuple(unknown),
        max_score=f"{played.max_score} of {referee.env.get_max_score()}",
        neighbours=len(worlds) - 1,
        neighbours_agree=sum(agreements(worlds)),
        equal=pairs(Counter(theirs for _, theirs, _ in worlds)),
        equal_too=pairs(Counter((ours, theirs) for ours, theirs, _ in worlds)),
        called_equal=pairs(Counter(ours for ours, _, _ in worlds)),
        end=f"{played.done}, {played.victory}; {referee.env.game_over()}, {referee.env.victory()}",
    )


def directly_held(played: Played) -> set[int]:
    return {thing.id for thing in played.inventory or () if thing.container is None}


def unknown_in(played: Played) -> list[str]:
    sources = structs.asdict(played.sources)
    return [name for name, source in sources.items() if source == "unknown"]


def around(game: Game, referee: Referee, played: Played) -> list[tuple[str, str, int]]:
    """The world after a step (1), and after each look from there (0), as both ways call it."""
    found = [(played.world, referee.world(), 1)]
    frotz, reader = game._frotz, game._reader
    before = frotz.state()
    for look in LOOKS:
        frotz.step(look)
        referee.see(frotz.state())
        found.append((reader.world(), referee.world(), 0))
        frotz.restore(before)
    return found


def agreements(worlds: Sequence[tuple[str, str, int]]) -> Iterator[bool]:
    """For each world but the first, compared with the step that it came of."""
    base = worlds[0]
    for world in worlds[1:]:
        yield (world[0] == base[0]) == (world[1] == base[1])
        base = world if world[2] else base


def steps_seen(worlds: Sequence[tuple[str, str, int]]) -> int:
    return sum(is_step for *_, is_step in worlds)


def pairs(counted: Counter[Any]) -> int:
    return sum(many * (many - 1) // 2 for many in counted.values())


def measured_apart(path: Path, steps: int = STEPS) -> Agreement:
    """In a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.agreement", "--apart", str(path)]
    done = subprocess.run([*command, "--steps", str(steps)], capture_output=True, check=True, text=True)
    fields = json.loads(done.stdout.splitlines()[-1])
    return Agreement(**(fields | {"unknown": tuple(fields["unknown"])}))


def row(found: Agreement) -> str:
    def share(part: int, whole: int) -> str:
        return f"{100 * part / whole:.1f} %" if whole else "-"

    cells = [
        found.story,
        str(found.steps),
        *(share(part, found.steps - found.blind) for part in (found.room, found.inventory)),
        share(found.score, found.steps),
        found.max_score,
        share(found.neighbours_agree, found.neighbours),
        share(found.equal_too, found.equal),
        share(found.equal_too, found.called_equal),
        found.end,
        ", ".join(found.unknown) or "-",
    ]
    return f"| {' | '.join(cells)} |"


HEAD = """\
| story | steps | room | inventory | score | maximum | worlds: neighbours agree | equal found \
| called equal rightly | end (ours; Jericho's) | unknown |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--apart", type=Path, help="measure one story, and print JSON")
    given = parser.parse_args()
    if given.apart:
        print(json.dumps(asdict(measured(given.apart, given.steps))))
        return
    print(HEAD)
    for path in given.stories or sorted(STORIES.glob("*.z?")):
        print(row(measured_apart(path, given.steps)), flush=True)


if __name__ == "__main__":
    main()
