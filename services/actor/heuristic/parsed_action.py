"""What can be known of an action from its words alone; computed once for each action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from folds.vocabulary.actions import direction_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import words_of
from services.actor.knowledge.experience.success import target_of, verb_of
from services.actor.knowledge.kinds import FITTING

_LINKS = frozenset("in into on onto with to at from under off about".split())


@dataclass(frozen=True, slots=True)
class ParsedAction:
    """An action in its normal form, taken apart."""

    text: str
    kind: ActionKind
    verb: str
    noun: str
    """The last word."""
    rest: tuple[str, ...]
    """All words but the first."""
    things: frozenset[str]
    """The same without prepositions."""
    named: frozenset[str]
    """The same without marks, prepositions included: words that a game may not know."""
    family: str
    """Kind and verb: actions that share them share their success."""
    target: str
    """Verb and last word: where something is put."""
    is_way: bool
    """Whether it walks in a direction."""
    untried: str
    """The reason to try it: `untried open`."""
    is_fit: bool
    """Whether its kind of action is done with such a thing, by the thing's common name."""

    @property
    def is_control(self) -> bool:
        """Whether it handles what is made to be handled: a button, a crank."""
        return self.kind is ActionKind.HANDLE and self.is_fit


def _heads(rest: tuple[str, ...]) -> Iterator[str]:
    """The words that end the name of a thing: `yellow bell pepper` is no bell."""
    for word, after in zip_longest(rest, rest[1:], fillvalue="in"):
        if after in _LINKS or after == "of":
            yield word


@lru_cache(maxsize=4096)
def parsed(action: str) -> ParsedAction:
    """An action in its normal form, taken apart."""
    kind, rest = action_kind_of(action), tuple(action.split()[1:])
    fitting = FITTING.get(kind)
    return ParsedAction(
        text=action,
        kind=kind,
        verb=verb_of(action),
        noun=action.rpartition(" ")[2],
        rest=rest,
        things=frozenset(word for word in rest if word not in _LINKS),
        named=frozenset(words_of(action)[1:]),
        family=f"{kind} {verb_of(action)}",
        target=target_of(action),
        is_way=direction_of(action) is not None,
        untried=f"untried {kind}",
        is_fit=fitting is None or not fitting.isdisjoint(_heads(rest)),
    )
