"""What a player has learned: what was done in this episode, what words are refused, where it is dark."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from folds.actions import is_conversation
from folds.map import Map
from folds.rooms import room_of
from folds.tried import Attempt, Tried
from folds.verbs import Deed, deed_of
from folds.words import head_of, nouns_in, words_of
from schemas.game import RESTART, SessionStarted, StepTaken

_DARK = re.compile(r"pitch[ -](black|dark)|too dark|it is (now )?dark|in the dark|can't see a thing|total darkness", re.I)
_REFUSED = re.compile(
    r"can't see any|don't see (any|that|the)|not (a verb|something)|don't (know|recogni[sz]e|understand)|"
    r"didn't understand|do not (know|recogni[sz]e|understand|see)|don't need to (refer|use)|no such thing|"
    r"beg (your )?pardon|that's not a verb|not here|see no |isn't here|not available|only understood|wasn't one",
    re.I,
)
_TAKEN = re.compile(r"\btaken\b|you (now )?(take|have|pick|get|grab)\b", re.I)
_HOSTILE = re.compile(r"(attacks?|swings?|lunges?|strikes?|charges?|stabs?|hits?|slashes|bites?) (at )?you\b", re.I)
_UNKNOWN_WORD = re.compile(r"(know|recogni[sz]e|understand) the word|not a word|word .* (know|recogni[sz]e)", re.I)
STOCK_AT, STOCK_WORDS = 3, 3
"""A text that so many different actions began with, by its first words, and that never did anything."""

NOUNS, TEXT_LENGTH = 24, 1_500
"""Nouns kept for a room, and how much of a text is read for them."""


ANYWHERE = "*"


@dataclass(slots=True)
class Record:
    """How something has fared: tries, tries that had an effect, points."""

    tries: int = 0
    effects: int = 0
    points: int = 0

    def note(self, effective: bool, points: int) -> None:
        """Count one try."""
        self.tries += 1
        self.effects += effective
        self.points += points

    @property
    def trust(self) -> float:
        """Near 1 for what always has an effect, or was never tried; near 0 for what never has one."""
        return (self.effects + 2.0) / (self.tries + 2.0)


class Experience:
    """Everything the rule-based player remembers of a session."""

    def __init__(self, started: SessionStarted) -> None:
        self.started = started
        self.tried = Tried()
        self.map = Map()
        self.held: dict[str, None] = {}
        self.once_held: set[str] = set()
        self.done: dict[str, Counter[str]] = defaultdict(Counter)
        self.done_anywhere: Counter[str] = Counter()
        self.fruitless: dict[str, Counter[str]] = defaultdict(Counter)
        self.fruitful: dict[str, set[str]] = defaultdict(set)
        self.verbs: dict[str, Record] = defaultdict(Record)
        self.visited: dict[str, int] = {}
        self.deaths: Counter[str] = Counter()
        self.dark: set[str] = set()
        self.lit = False
        self.hostile = False
        self.refused: dict[str, set[str]] = defaultdict(set)
        self.scenery = Record()
        self.people: set[str] = set()
        self.heard: list[str] = []
        self.gained_at = 0
        self._told: dict[str, dict[str, None]] = defaultdict(dict)
        self._texts: Counter[str] = Counter()
        self._episode = 1

    def after(self, step: StepTaken) -> None:
        """Fold one step; a step that was folded before changes nothing."""
        before = self.tried.last
        if before is not None and step.step <= before.step:
            return
        self.map.after(step)
        now = self.tried.after(step).last or step
        if step.action == RESTART or now.episode != self._episode:
            self._begin(now)
        elif before is not None and now.action:
            self._learn(self.tried.attempts[room_of(before)][-1], room_of(before), now)
        self._see(now)

    def is_stock(self, text: str) -> bool:
        """Whether a text begins as what the game says to many fruitless actions."""
        return self._texts[_beginning(text)] >= STOCK_AT

    @property
    def held_words(self) -> frozenset[str]:
        """The words by which things held may be called."""
        return frozenset(word for name in self.held for word in words_of(name))

    def told(self, room: str) -> tuple[str, ...]:
        """Nouns of a room's texts, but for those that the game does not know there."""
        return tuple(n for n in self._told.get(room, ()) if not self.is_refused(n, room))

    def is_refused(self, word: str, room: str) -> bool:
        """Whether the game has said that it knows no such thing here."""
        rooms = self.refused.get(word, ())
        return room in rooms or ANYWHERE in rooms

    def unclaimed(self, room: str) -> Mapping[str, int]:
        """What earned points here in an episode before and has not been done in this one."""
        done = self.done.get(room, Counter())
        return {a: points for a, points in self.tried.earned_in(room).items() if not done[a]}

    def _begin(self, now: StepTaken) -> None:
        self._episode = now.episode
        self.held.clear()
        self.once_held.clear()
        self.done.clear()
        self.done_anywhere.clear()
        self.lit = self.hostile = False
        self.gained_at = now.step

    def _learn(self, attempt: Attempt, room: str, now: StepTaken) -> None:
        effective = self._is_effective(attempt, bool(now.world))
        self.done[room][attempt.action] += 1
        self.done_anywhere[attempt.action] += 1
        if effective:
            self.fruitful[room].add(attempt.action)
        else:
            self.fruitless[room][attempt.action] += 1
            self._texts[_beginning(attempt.result)] += self.done_anywhere[attempt.action] == 1
        self.verbs[verb_of(attempt.action)].note(effective, attempt.reward)
        if deed_of(attempt.action) is Deed.EXAMINE and not self.held_words.issuperset(words_of(attempt.action)[1:]):
            self.scenery.note(not self.is_refusal(attempt.result), attempt.reward)
        if attempt.ended and not now.victory:
            self.deaths[room] += 1
        self._learn_words(attempt, now)

    def is_refusal(self, text: str) -> bool:
        """Whether a text says that nothing came of an action."""
        return bool(_REFUSED.search(text)) or self.is_stock(text)

    def _is_effective(self, attempt: Attempt, hashed: bool) -> bool:
        if attempt.earned or attempt.moved_to or attempt.lost:
            return True
        return attempt.changed and (hashed or not self.is_refusal(attempt.result))

    def _learn_words(self, attempt: Attempt, now: StepTaken) -> None:
        words = words_of(attempt.action)
        if len(words) == 2 and not attempt.moved_to and _REFUSED.search(attempt.result):
            self._refuse(words[1], room_of(now), attempt.result)
        deed = deed_of(attempt.action)
        if deed is Deed.TAKE and len(words) == 2 and "care for that" in attempt.result:
            self.people.add(words[1])
        if deed is Deed.LIGHT and attempt.changed and not _REFUSED.search(attempt.result):
            self.lit = True
            self.dark.clear()
        if now.inventory is None and deed is Deed.TAKE and _TAKEN.search(attempt.result):
            self.held[words[-1]] = None
            self.once_held.add(words[-1])
            self.gained_at = now.step

    def _refuse(self, word: str, room: str, text: str) -> None:
        """A word refused in two rooms is taken to be unknown everywhere."""
        self.refused[word].add(room)
        if _UNKNOWN_WORD.search(text) or len(self.refused[word]) > 1:
            self.refused[word].add(ANYWHERE)

    def _see(self, now: StepTaken) -> None:
        room = room_of(now)
        self.visited[room] = now.step
        self._hear(now, room)
        if _DARK.search(now.observation):
            self.dark.add(room)
        elif now.action != "inventory" and room in self.dark and len(now.observation) > 200:
            self.dark.discard(room)
        self.hostile = bool(_HOSTILE.search(now.observation))
        if now.inventory is None:
            return
        self.held = {thing.name: None for thing in now.inventory}
        inside = {thing.id for thing in now.inventory}
        in_hand = [head_of(thing.name) for thing in now.inventory if thing.container not in inside]
        if not self.once_held.issuperset(in_hand):
            self.gained_at = now.step
        self.once_held.update(in_hand)

    def _hear(self, now: StepTaken, room: str) -> None:
        """Keep the nouns of a room's first texts; what people say are topics."""
        nouns = nouns_in(now.observation[:TEXT_LENGTH])
        if now.action and is_conversation(now.action):
            self.heard = list(dict.fromkeys((*self.heard, *nouns)))[-NOUNS:]
        elif not _REFUSED.search(now.observation):
            told = self._told[room]
            told.update(dict.fromkeys(nouns[: max(0, NOUNS - len(told))]))


def verb_of(action: str) -> str:
    """An action's verb."""
    return action.partition(" ")[0]


def _beginning(text: str) -> str:
    return " ".join(text.lower().split()[:STOCK_WORDS])
