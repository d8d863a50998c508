"""The game's answers: which are new, which are stock phrases, and which comes again whatever is typed."""

from __future__ import annotations

from collections import Counter, defaultdict

from folds.text.phrases import is_fruitless, unclarified
from folds.vocabulary.actions import ABOUT_ONESELF, normal
from folds.vocabulary.verbs import action_kind_of
from folds.vocabulary.words import words_of
from schemas.game import StepTaken
from services.actor.knowledge.experience.success import TryStatistics, verb_of

STOCK_AT = 3
"""So many different actions answered alike, but for the words typed, make an answer a stock phrase."""

_TEMPLATE = 90
"""Characters of an answer that count."""
_MUTE = 0.3
"""Five vain tries and no other, or eight with one that was not."""
_RECURRING = 3
"""Times after which a line is no part of an answer to an action: a phone goes on ringing."""
_ENDS = (".", "!", "?", ")", '"', "'")


class Answers:
    """Learned over a session; of use in every later episode."""

    def __init__(self) -> None:
        self.verbs: dict[str, TryStatistics] = defaultdict(TryStatistics)
        """By verb, how often it was answered by what is no stock phrase."""
        self.nouns: dict[str, TryStatistics] = defaultdict(TryStatistics)
        """By the last word of an action, the same."""
        self.streak: list[str] = []
        """The last actions, as long as their answers were the same word for word."""
        self.last = ""
        self.is_new = True
        """Whether the last answer had never been given before."""
        self.new_at = 0
        """The step of the last answer that had never been given before."""
        self.tried: set[str] = set()
        """Every action of the session."""
        self.silences: Counter[str] = Counter()
        """By what begins a question or an offer (`ask clerk`), how often running it got a stock phrase."""
        self.asked: Counter[str] = Counter()
        """By the same, how often it was done."""
        self._known: Counter[str] = Counter()
        """How often each line was printed."""
        self._refusals: set[str] = set()
        """Answers after which a look was answered otherwise: the game still listens."""
        self._askers: dict[str, set[str]] = defaultdict(set)

    def after(self, step: StepTaken) -> None:
        """Fold one step; each step once."""
        lines = _lines(step.observation)
        text = self._without_recurring(lines)
        is_news = normal(step.action or "") not in ABOUT_ONESELF
        self.is_new = any(line not in self._known for line in lines)
        self._known.update(lines)
        if self.is_new:
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
            answer = _answer_in(lines)
            self._askers[_template(action, answer)].add(action)
            is_vain = is_fruitless(answer) or self._is_stock(action, answer)
            asked = _addressed(normal(action))
            self.asked[asked] += 1
            self.silences[asked] = self.silences[asked] + 1 if is_vain else 0
            self.verbs[verb_of(action)].note(not is_vain, step.reward)
            self.nouns[action.rpartition(" ")[2]].note(not is_vain, step.reward)

    def is_stock(self, action: str, text: str) -> bool:
        """Whether other actions were answered in the same words, whatever else happened then."""
        return self._is_stock(action, _answer_in(_lines(text)))

    def _is_stock(self, action: str, answer: str) -> bool:
        return len(self._askers.get(_template(action, answer), ())) >= STOCK_AT

    def is_deaf(self, times: int) -> bool:
        """Whether different kinds of actions were answered alike so many times, and by no mere refusal."""
        if len(self.streak) < times or self.last in self._refusals:
            return False
        return len({action_kind_of(action) for action in self.streak if action}) > 1

    def news_of(self, verb: str) -> float:
        """Near 1 for a verb that always gets an answer of its own, or was never tried."""
        return self.verbs[verb].trust if verb in self.verbs else 1.0

    def is_mute(self, noun: str) -> bool:
        """Whether nearly everything that was done with a thing was answered by stock phrases."""
        return noun in self.nouns and self.nouns[noun].trust < _MUTE

    def _without_recurring(self, lines: list[str]) -> str:
        """An answer without the lines below the first that come again and again."""
        more = (each for each in lines[1:] if self._known[each] < _RECURRING)
        return " ".join((*lines[:1], *more))


def _addressed(action: str) -> str:
    """What is done to whom: of `ask clerk about keys`, `ask clerk`, of `give coin to clerk`, `give clerk`."""
    verb = action.partition(" ")[0]
    if verb in ("give", "show"):
        return f"{verb} {action.rpartition(' to ')[2]}"
    return action.partition(" about ")[0]


def _lines(text: str) -> list[str]:
    """The lines of an answer, without what the parser has understood or done first."""
    lines = (" ".join(line.split()) for line in unclarified(text).splitlines())
    return [line for line in lines if line] or [""]


def _answer_in(lines: list[str]) -> str:
    """What is said of the action itself: the first line, and what follows a heading."""
    is_sentence = lines[0].endswith(_ENDS)
    return lines[0] if is_sentence else " ".join(lines[:2])


def _template(action: str, text: str) -> str:
    """An answer without the words of its action: `The door is fixed.` is `the _ is fixed`."""
    typed = set(words_of(action))
    words = ("_" if word in typed and len(word) > 3 else word for word in words_of(text[:_TEMPLATE]))
    return " ".join(words)
