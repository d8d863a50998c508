"""A session made by a seed: a world of rooms and things, and somebody who walks about and carries them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from folds.vocabulary.actions import OPPOSITE
from schemas.game import Room, StepTaken, Thing

_WAYS = ("north", "east", "up", "northeast", "southeast", "in")
_WORDS = (
    "the old wall shows cracks where water runs down and somebody has written names in the dust of years "
    "before you came a lantern hangs from its hook a draught moves the curtain and the floor creaks"
).split()
_MOST_HELD = 12
ROOMS, ITEMS = 300, 500


class RandomWorld:
    """Rooms joined both ways, things that lie in them or in each other, and a player."""

    def __init__(self, seed: int, rooms: int, items: int) -> None:
        self.chance = Random(seed)
        self.rooms = [Room(id=str(1_000 + number), name=_room_name(number)) for number in range(rooms)]
        self.things = {number: f"{_word(number)} thing {number}" for number in range(1, items + 1)}
        self.ways: list[dict[str, int]] = [{} for _ in self.rooms]
        self.texts = [" ".join(self.chance.choices(_WORDS, k=50)) for _ in self.rooms]
        self.visits = [0] * rooms
        self._join()
        self.begin()

    def begin(self) -> None:
        """The world as it is at the opening; its things lie where the seed put them."""
        chance = Random(len(self.things))
        self.here, self.carried, self.boxes = 0, list[int](), dict[int, int]()
        self.lying: list[list[int]] = [[] for _ in self.rooms]
        for thing in self.things:
            room = self.lying[chance.randrange(len(self.rooms))]
            if room and thing % 10 == 0:
                self.boxes[thing] = room[0]
            room.append(thing)

    def act(self) -> tuple[str, str]:
        """Do something; the action, and the text that comes back."""
        match self.chance.choices(("walk", "blocked", "take", "drop", "look"), (50, 10, 15, 12, 13))[0]:
            case "walk":
                return self._walk()
            case "blocked":
                closed = [way for way in _WAYS if way not in self.ways[self.here]]
                return self.chance.choice(closed or ["out"]), "You can't go that way."
            case "take" if self.lying[self.here] and len(self.carried) < _MOST_HELD:
                return self._take()
            case "drop" if self.carried:
                return self._drop()
            case _:
                return self.chance.choice(("look", "wait", "listen", "examine wall")), self._described()

    def things_in(self, numbers: list[int]) -> tuple[Thing, ...]:
        """As a step tells them."""
        boxes = {thing: box for thing, box in self.boxes.items() if thing in numbers and box in numbers}
        return tuple(Thing(id=n, name=self.things[n], container=boxes.get(n)) for n in numbers)

    def _join(self) -> None:
        for room in range(1, len(self.rooms)):
            near = [other for other in range(max(0, room - 8), room) if len(self.ways[other]) < len(_WAYS)]
            for other in self.chance.sample(near, min(len(near), 2)):
                free = [w for w in _WAYS if w not in self.ways[other] and OPPOSITE[w] not in self.ways[room]]
                if free:
                    way = self.chance.choice(free)
                    self.ways[other][way], self.ways[room][OPPOSITE[way]] = room, other

    def _walk(self) -> tuple[str, str]:
        ways = self.ways[self.here]
        way = min(ways, key=lambda way: self.visits[ways[way]] + 2 * self.chance.random())
        self.here = ways[way]
        self.visits[self.here] += 1
        return way, self._described()

    def _take(self) -> tuple[str, str]:
        thing = self.chance.choice(self.lying[self.here])
        self.lying[self.here].remove(thing)
        self.boxes.pop(thing, None)
        self.carried.append(thing)
        return f"take {self.things[thing]}", "Taken."

    def _drop(self) -> tuple[str, str]:
        thing = self.carried.pop(self.chance.randrange(len(self.carried)))
        self.lying[self.here].append(thing)
        return f"drop {self.things[thing]}", "Dropped."

    def _described(self) -> str:
        named = "".join(f"\nThere is a {self.things[n]} here." for n in self.lying[self.here])
        return f"{self.rooms[self.here].name}\n{self.texts[self.here]}.{named}"


def long_session(
    steps: int = 10_000, *, seed: int = 1, rooms: int = ROOMS, items: int = ITEMS, episode: int = 2_500
) -> Iterator[StepTaken]:
    """The steps of such a session; the game begins anew after every `episode` steps."""
    world, score = RandomWorld(seed, rooms, items), 0
    for number in range(steps):
        if number and number % episode == 0:
            world.begin()
            action, text, score = "restart", world._described(), 0
        else:
            action, text = world.act()
        reward = int(number % 90 == 89)
        score += reward
        yield StepTaken(
            step=number,
            action=action if number else None,
            observation=text,
            room=world.rooms[world.here],
            inventory=world.things_in(world.carried),
            objects=world.things_in(world.lying[world.here]),
            score=score,
            reward=reward,
            world=f"world-{number}",
            episode=1 + number // episode,
        )


def _room_name(number: int) -> str:
    """Every tenth room is of a maze, and has the name of the others there."""
    return "Maze" if number % 10 == 9 else f"{_word(number).title()} Chamber {number}"


def _word(number: int) -> str:
    return _WORDS[number * 7 % len(_WORDS)]
