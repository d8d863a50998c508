"""Patterns of candidates, and how likely each candidate is to change the world.

A pattern is a phrase, a row of it its candidates with one thing in one gap. What a candidate did tells about
the others of its pattern: most about those with the same thing in the same gap, less about those with a thing
of the same kind, least about the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from zmachine.grammar.phrases import Phrase
from zmachine.grammar.sentence import Slot

EVERYTHING = "all"
TAKE = "take {}"
OF_MANY = (TAKE, "drop {}")
"""Phrases whose thing may be `all`."""
OUT_OF = "take {} from {}"
"""A phrase for what cannot be taken directly: several things, or the one of two of a name that is inside."""
TAKEN_FIRST = ("eat {}", "wear {}", "light {}")
"""Phrases for held things that a parser picks up by itself."""
HELD_FIRST = ("turn on {}", "turn off {}", "take off {}", "read {}", "open {}", "close {}")
"""Phrases that are tried with carried things first."""
WITH_TOOL = re.compile(r"{} (with|using) {}$")
"""The end of a phrase whose second thing is the carried one."""
NUMBER_WORDS = ("two", "three", "four")
"""Of so many things of one kind, or of any kinds, a parser takes or drops some."""
TOWARDS, DIRECTION = " to {}", "north"
"""The end of a phrase whose second thing may be a direction; one stands for all."""
PATTERN_WEIGHT, WEIGHT = 6.0, 2.0
"""How many tries what was expected counts for: of a pattern, and of a thing or a kind in one of its gaps."""


@dataclass(frozen=True, slots=True)
class SceneNouns:
    """The nouns for the things here."""

    seen: tuple[str, ...]
    held: tuple[str, ...]
    mentioned: tuple[str, ...] = ()
    kinds: Mapping[str, bytes] = field(default_factory=dict)
    """Equal for things of one kind."""
    shared: frozenset[str] = frozenset()
    """Nouns that name more than one thing here."""


@dataclass(slots=True)
class Things:
    """The things here, and which of them could be taken."""

    nouns: SceneNouns
    numbers: tuple[str, ...] = ()
    """The number words that the story knows."""
    portable: set[str] = field(default_factory=set)

    @property
    def single(self) -> tuple[str, ...]:
        """The nouns, the likeliest first."""
        return (*self.nouns.held, *self.nouns.seen, *self.nouns.mentioned)

    @property
    def several(self) -> tuple[str, ...]:
        """Words for several things; none, where there are no two."""
        return (EVERYTHING, *self.numbers) if len(self.single) > 1 else ()


@dataclass(slots=True)
class HitRate:
    """How many candidates were tried, and how many changed the world."""

    tries: int = 0
    hits: int = 0

    def add(self, worked: bool) -> None:
        """Count a candidate."""
        self.tries += 1
        self.hits += worked

    def rate(self, expected: float, weight: float = WEIGHT) -> float:
        """The share that changes the world, where so much was expected before any was tried."""
        return (expected * weight + self.hits) / (weight + self.tries)


@dataclass(slots=True)
class Pattern:
    """A phrase with all things that may fill it."""

    phrase: Phrase
    things: Things
    held_gap: int | None = field(init=False)
    """The gap for a carried thing; None: there is none."""
    _tally: HitRate = field(default_factory=HitRate)
    _nouns: dict[str, HitRate] = field(default_factory=dict)
    """By the thing in the last gap."""
    _kinds: dict[tuple[bool, bytes], HitRate] = field(default_factory=dict)
    """By the gap (the last one?), and the kind of the thing in it."""
    _ranked: tuple[int, tuple[tuple[float, str], ...]] = (-1, ())

    def __post_init__(self) -> None:
        self.held_gap = held_gap_of(self.phrase)

    @property
    def takes(self) -> bool:
        """Whether it tells which things can be taken."""
        return self.phrase.text == TAKE

    def rows(self) -> Iterator[PatternRow]:
        """One for each first thing; the carried thing is the first, wherever its gap is."""
        gaps = len(self.phrase.slots)
        if gaps < 2:
            yield PatternRow(self, None)
        elif self.phrase.text == OUT_OF:
            shared = (noun for noun in self.things.single if noun in self.things.nouns.shared)
            yield from (PatternRow(self, first) for first in (*self.things.several, *shared))
        else:
            carried = self.things.several if self.held_gap == 0 and self.things.nouns.held else ()
            yield from (PatternRow(self, first) for first in (*self.things.single, *carried))

    def rate(self) -> float:
        """How likely a candidate is to change the world, whatever its things."""
        return self._tally.rate(self.phrase.likelihood, PATTERN_WEIGHT)

    def rate_with(self, noun: str, rate: float, *, last: bool) -> float:
        """The pattern's rate, with a thing of this one's kind in the first or the last gap."""
        tally = self._kinds.get((last, self.things.nouns.kinds.get(noun, b"")))
        return tally.rate(rate) if tally else rate

    def ranked(self) -> tuple[tuple[float, str], ...]:
        """What may fill the last gap, the likeliest first, each after its factor."""
        version = self._tally.tries + len(self.things.portable)
        if self._ranked[0] != version:
            ranked = sorted(self._weighed(), key=lambda each: -each[0])
            self._ranked = version, tuple(ranked)
        return self._ranked[1]

    def learn(self, first: str | None, last: str, worked: bool) -> None:
        """What a candidate with these things did."""
        self._tally.add(worked)
        self._nouns.setdefault(last, HitRate()).add(worked)
        for noun, is_last in ((first or "", False), (last, True)):
            if kind := self.things.nouns.kinds.get(noun):
                self._kinds.setdefault((is_last, kind), HitRate()).add(worked)
        if self.takes and worked:
            self.things.portable.add(last)

    def _weighed(self) -> Iterator[tuple[float, str]]:
        rate = self.rate()
        held = len(self.phrase.slots) == 1 and self.held_gap is not None
        for noun in self._last():
            expected = self.rate_with(noun, rate, last=True)
            if len(self.phrase.slots) == 2 and noun in self._nouns:
                expected = self._nouns[noun].rate(expected)
            if fit := self.fit(noun, held=held):
                yield fit * expected / rate, noun

    def _last(self) -> tuple[str, ...]:
        if not self.phrase.slots:
            return ("",)
        if self.phrase.text in OF_MANY:
            return (*self.things.single, *self.things.several)
        towards = (DIRECTION,) if self.phrase.text.endswith(TOWARDS) else ()
        return (*self.things.single, *towards)

    def fit(self, noun: str, *, held: bool) -> float:
        """How well a word fits a gap, for a carried thing or for any; 0: it is not tried.

        The numbers were chosen on half of the stories (`python -m benchmarks.valid_actions`).
        """
        nouns, text = self.things.nouns, self.phrase.text
        if noun == EVERYTHING:
            return 1.0 if text in OF_MANY or text == OUT_OF else 0.3
        if noun in self.things.numbers:
            return 0.03
        if noun in nouns.held:
            return 1.0 if held or text in HELD_FIRST else 0.1 if self.takes else 0.7
        if held and len(self.phrase.slots) == 1:
            return 0.5 if text in TAKEN_FIRST and noun in self.things.portable else 0.0
        if held:
            return 0.3 if noun in self.things.portable else 0.05 if noun in nouns.seen else 0.01
        if noun in nouns.mentioned:
            return 0.2
        return 0.1 if noun == DIRECTION else 1.0


@dataclass(slots=True)
class PatternRow:
    """The candidates of a pattern with one first thing; all of them, where there is at most one thing."""

    pattern: Pattern
    first: str | None
    _tally: HitRate = field(default_factory=HitRate)
    _tried: set[str] = field(default_factory=set)

    def best(self) -> tuple[float, str]:
        """How likely the best candidate left is to change the world, and its last thing; 0: none is left."""
        for weight, noun in self.pattern.ranked():
            if noun not in self._tried and noun != self.first:
                return self._rate() * weight, noun
        return 0.0, ""

    def at_most(self) -> float:
        """A likelihood that no candidate surpasses before one of the pattern works; cheaper than `best`."""
        return self.pattern.phrase.likelihood * self._fit()

    def filled(self, noun: str) -> str:
        """The candidate with this last thing."""
        if self.first is None:
            return self.pattern.phrase.text.format(noun)
        return filled(self.pattern.phrase, self.first, noun)

    def learn(self, noun: str, worked: bool) -> None:
        """What the candidate with this last thing did."""
        self._tried.add(noun)
        self._tally.add(worked)
        self.pattern.learn(self.first, noun, worked)

    def _rate(self) -> float:
        rate = self.pattern.rate()
        if self.first is None:
            return rate
        return self._tally.rate(self.pattern.rate_with(self.first, rate, last=False)) * self._fit()

    def _fit(self) -> float:
        """How well the first thing fits its gap."""
        return self.pattern.fit(self.first, held=self.pattern.held_gap is not None) if self.first else 1.0


def held_gap_of(phrase: Phrase) -> int | None:
    """The gap of a phrase that is for a carried thing."""
    if WITH_TOOL.search(phrase.text):
        return 1
    if Slot.HELD in phrase.slots:
        return phrase.slots.index(Slot.HELD)
    return 0 if phrase.text in TAKEN_FIRST else None


def filled(phrase: Phrase, held: str, other: str) -> str:
    """A phrase filled with a carried thing and another one; a tool comes last."""
    return phrase.text.format(*((other, held) if held_gap_of(phrase) == 1 else (held, other)))
