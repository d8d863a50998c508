"""What is remembered of rooms beside the map."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Set

from folds.text.headings import described_in
from folds.text.phrases import DARK, QUOTED, is_fruitless
from folds.text.rooms import room_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of
from schemas.game import StepTaken
from services.actor.knowledge.kinds import RECEPTACLES

_SHINING = re.compile(
    r"\b(?:the|your|this|an?) (?:[a-z-]+ ){0,2}?(?P<noun>[a-z-]{3,})(?:,? (?:which|that))? "
    r"(?:(?:begins?|starts?) to (?:glow|shine)|(?:glows|shines)\b|is (?:now )?(?:glowing|shining)|"
    r"(?:gives?|giving|sheds?|casts?) (?:off )?(?:an? )?(?:[a-z]+ )?(?:light|glow)\b|\(providing light\))",
    re.I,
)
"""Something gives light, whatever it is."""
_NONE: Set[str] = frozenset()


class RoomNotes:
    """When the player was in a room, which rooms are dark, and where something is locked."""

    def __init__(self) -> None:
        self.dark: set[str] = set()
        self.locked: dict[str, dict[str, None]] = defaultdict(dict)
        """By room, the nouns of what the game said to be locked."""
        self.given_up: Counter[str] = Counter()
        """By room, how often the player began anew after a long stay there."""
        self._held: dict[str, set[str]] = defaultdict(set)
        """By room, the nouns of what was ever held in it, in any episode."""
        self.receptacles: dict[str, dict[str, str]] = defaultdict(dict)
        """By room, what is made to keep or show things, with the word for putting something there."""
        self.begin()

    def begin(self) -> None:
        """In a new episode no room has been visited yet; what is dark or locked stays known."""
        self.stayed = 0
        """Steps since the player came into the room."""
        self.entered_dark = False
        """Whether the room was dark when the player came into it."""
        self.new_at = 0
        """The step at which a room was last entered for the first time."""
        self.lit_at = 0
        """The last step that did not end in the dark, or the opening."""
        self.shining: set[str] = set()
        """The nouns of what has been seen to give light in this episode."""
        self.visits: Counter[str] = Counter()
        """The number of steps of this episode that ended in a room."""
        self.arrivals: Counter[str] = Counter()
        """How often the player has come into a room since a room or a thing was new."""
        self.visited_at: dict[str, int] = {}
        """The last step of this episode that ended in a room."""
        self.seen_before = 0
        """The same of the room where the player is, before the player came into it; 0: none did."""
        self.failed_lights: Counter[str] = Counter()
        """The nouns of what was lit in this episode, and then it was dark: how often."""
        self._lit: Counter[str] = Counter()
        """The nouns of what was lit since it was dark last: how often."""

    def note_held(self, room: str, names: Iterable[str]) -> None:
        """Remember what was held in a room."""
        self._held[room].update(map(head_of, names))

    def has_seen_all(self, room: str, names: Iterable[str]) -> bool:
        """Whether all these things were held in a room before, each in any episode."""
        known = self._held.get(room, _NONE)
        return all(head_of(name) in known for name in names)

    def see(self, step: StepTaken, *, arrived: bool) -> None:
        """Note where a step ended; `arrived`: the step before it ended in another room."""
        room = room_of(step)
        begins = not self.visited_at
        self.stayed = 0 if arrived else self.stayed + 1
        if arrived:
            self.seen_before = self.visited_at.get(room, 0)
            self.arrivals[room] += 1
        if room not in self.visited_at:
            self.new_at = step.step
            self.arrivals.clear()
        self.visits[room] += 1
        self.visited_at[room] = step.step
        heads = (head_of(thing.name) for thing in step.objects or ())
        self.receptacles[room].update({noun: RECEPTACLES[noun] for noun in heads if noun in RECEPTACLES})
        action = step.action or ""
        if action_kind_of(action) is ActionKind.LIGHT:
            self._lit[head_of(action)] += 1
        elif action_kind_of(action) is ActionKind.PLACE and not is_fruitless(step.observation):
            for tried in (self.failed_lights, self._lit):  # `put batteries in flashlight`
                tried.pop(head_of(action), None)
        self.shining.update(found["noun"].lower() for found in _SHINING.finditer(step.observation))
        is_dark = DARK.search(QUOTED.sub("", step.observation)) is not None
        self.entered_dark = is_dark if arrived or begins else self.entered_dark
        if is_dark:
            self.dark.add(room)
            self.failed_lights += self._lit
            self._lit.clear()
        elif room in self.dark and (arrived or _is_light(step)):
            self.dark.discard(room)
        if begins or room not in self.dark:
            self.lit_at = step.step


def _is_light(step: StepTaken) -> bool:
    """Whether something was lit, or the room is described again."""
    is_lit = action_kind_of(step.action or "") is ActionKind.LIGHT and step.changed
    return is_lit or described_in(step.observation) is not None
