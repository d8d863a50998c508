"""The game's answers: which are new, which are stock phrases, and which comes again whatever is typed."""

from __future__ import annotations

from collections import defaultdict

from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import action_kind_of
from folds.vocabulary.words import words_of
from schemas.game import StepTaken
from services.actor.knowledge.experience.success import TryStatistics, verb_of

STOCK_AT = 3
"""So many different actions answered alike, but for the words typed, make an answer a stock phrase."""

_ABOUT_ONESELF = ("score", "inventory")
"""Actions whose answers are new each time, and tell nothing new of the world."""

_TEMPLATE = 90
"""Characters of an answer that count."""


class Answers:
    """Learned over a session; of use in every later episode."""

    def __init__(self) -> None:
        self.verbs: dict[str, TryStatistics] = defaultdict(TryStatistics)
        """By verb, how often it was answered by what is no stock phrase."""
        self.streak: list[str] = []
        """The last actions, as long as their answers were the same word for word."""
        self.last = ""
        self.is_new = True
        """Whether the last answer had never been given before."""
        self.new_at = 0
        """The step of the last answer that had never been given before."""
        self.tried: set[str] = set()
        """Every action of the session."""
        self._known: set[str] = set()
        self._refusals: set[str] = set()
        """Answers after which a look was answered otherwise: the game still listens."""
        self._askers: dict[str, set[str]] = defaultdict(set)

    def after(self, step: StepTaken) -> None:
        """Fold one step; each step once."""
        text = " ".join(step.observation.split())
        is_news = normal(step.action or "") not in _ABOUT_ONESELF
        self.is_new = text not in self._known
        if self.is_new:
            self._known.add(text)
            self.new_at = step.step if is_news else self.new_at
        action = step.action or ""
        is_same = (
            text == self.last and not (step.world and step.changed) and not step.reward and not step.done
        )
        self.streak = [*self.streak, action] if is_same else [action]
        if action == "look" and not is_same:
            self._refusals.add(self.last)
        self.last = text
        if action:
            self.tried.add(normal(action))
            self._askers[_template(action, text)].add(action)
            self.verbs[verb_of(action)].note(not self.is_stock(action, step.observation), step.reward)

    def is_stock(self, action: str, text: str) -> bool:
        """Whether other actions were answered in the same words."""
        return len(self._askers.get(_template(action, " ".join(text.split())), ())) >= STOCK_AT

    def is_deaf(self, times: int) -> bool:
        """Whether different kinds of actions were answered alike so many times, and by no mere refusal."""
        if len(self.streak) < times or self.last in self._refusals:
            return False
        return len({action_kind_of(action) for action in self.streak if action}) > 1

    def news_of(self, verb: str) -> float:
        """Near 1 for a verb that always gets an answer of its own, or was never tried."""
        return self.verbs[verb].trust if verb in self.verbs else 1.0


def _template(action: str, text: str) -> str:
    """An answer without the words of its action: `The door is fixed.` is `the _ is fixed`."""
    typed = set(words_of(action))
    words = ("_" if word in typed and len(word) > 3 else word for word in words_of(text[:_TEMPLATE]))
    return " ".join(words)
