"""What a game refuses: words it does not know, and the texts with which it says that nothing came of it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from folds.text.phrases import NOT_UNDERSTOOD, is_refused
from folds.vocabulary.actions import DIAGONALS
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import MANY, one_of, words_of
from services.actor.knowledge.kinds import COMMON
from services.actor.knowledge.texts import (
    NAMED_MISSING,
    ONE_AT_A_TIME,
    UNDERSTOOD_AS_FAR,
    UNKNOWN_QUOTED,
    UNKNOWN_VERB,
    UNKNOWN_WORD,
)

STOCK_AT, STOCK_WORDS = 3, 3
"""So many different fruitless actions answered with a text of the same first words make it a stock text."""

_VAIN_AT = 2
"""Things that are here and were not found with a preposition, which the game then does not know."""
_PREPOSITIONS = frozenset("with to from behind under over through at about in on off".split())
_OF_MANY = (ActionKind.TAKE, ActionKind.DROP)
"""Kinds of actions that any number of things can be named for."""
_PART = re.compile(r"[a-z0-9']+")
_PLAIN = re.compile(r"\b(?:nothing|ordinary|usual|just|special|remarkable|interesting|important)\b", re.I)
"""What is said of things that are here, and that nobody has described."""

UNKNOWN_VERB_AT, _OF_KNOWN = 3, 2
"""So many sentences that were not understood make a verb unknown, if none with it was; and for how many
counts one about a thing that the game knows."""
_PUZZLING_AT = 2
"""So many verbs that the game knows, and does not understand with a thing, make the thing unknown."""
_NONE_THERE = re.compile(r"\b(?:nothing|none|no|any|there)\b|:", re.I)
"""No thing is there, or each is answered by itself."""
_OFTEN_ENOUGH = 3
"""Times that `take all` is answered alike before it is typed no more."""


class Refusals:
    """Learned over a session; of use in every later episode."""

    def __init__(self) -> None:
        self.takes_no_all = False
        """Whether the game has said that `all` is too much at once, or has nothing else to say to it."""
        self._to_all: Counter[str] = Counter()
        """Answers to `take all` that took nothing, and did not say that nothing is there."""
        self._one_of: dict[str, str] = {}
        """By the word for several things that cannot be named together, what one of them is called."""
        self.unknown_words: list[str] = []
        """Words of which the game has said that it does not know them, the newest last."""
        self._foreign: set[str] = set()
        """Those that the parser has named: they are not in its vocabulary, whatever the texts say."""
        self._words: dict[str, set[str]] = defaultdict(set)
        self._found: dict[str, set[str]] = defaultdict(set)
        """By room, words that the game has understood there."""
        self._anywhere: set[str] = set()
        self._beginnings: Counter[str] = Counter()
        self._understood: set[str] = set()
        self._known_nouns: set[str] = set()
        """Words of things that the game has understood anywhere."""
        self._puzzling: dict[tuple[str, str], set[str]] = defaultdict(set)
        """By room and word of a thing, the verbs that the game knows and has not understood with it."""
        self._senseless: dict[str, set[str]] = defaultdict(set)
        """By room, words of things with which it has understood no verb, whatever the texts call them."""
        self._misses: Counter[str] = Counter()
        self._unfit: dict[str, set[str]] = defaultdict(set)
        """By verb, the prepositions that the parser does not understand after it."""
        self._vain: dict[tuple[str, str], set[str]] = defaultdict(set)
        """By verb and preposition, the nouns of what is here and was not found."""
        self._looks: dict[str, set[tuple[str, str]]] = defaultdict(set)
        """By answer, the nouns that were looked at, with their rooms."""

    def words_in(self, room: str) -> frozenset[str]:
        """The words of which the game has said that it knows no such thing here."""
        return frozenset(self._anywhere.union(self._words.get(room, ()), self._senseless.get(room, ())))

    def in_text(self, text: str) -> bool:
        """Whether a text says that nothing came of an action."""
        return is_refused(text) or self._beginnings[_beginning(text)] >= STOCK_AT

    def note_fruitless(self, text: str) -> None:
        """Remember what the game said to an action that came to nothing for the first time."""
        self._beginnings[_beginning(text)] += 1

    def note_verb(self, verb: str, text: str, noun: str = "") -> None:
        """Remember whether the game understood a sentence with this verb; it knows all diagonals or none.

        With a `noun` that it knows, what was not understood is likelier the verb.
        """
        if UNKNOWN_VERB.search(text):
            self._misses.update(dict.fromkeys(DIAGONALS if verb in DIAGONALS else (verb,), UNKNOWN_VERB_AT))
        elif NOT_UNDERSTOOD.search(text):
            self._misses[verb] += _OF_KNOWN if noun in self._known_nouns else 1
        else:
            self._understood.add(verb)

    def note_noun(self, verb: str, noun: str, room: str, text: str) -> None:
        """Remember a thing that was never understood, though the verbs are known: there is no such thing."""
        if noun in self._known_nouns or verb not in self._understood or not NOT_UNDERSTOOD.search(text):
            return
        self._puzzling[room, noun].add(verb)
        if len(self._puzzling[room, noun]) >= _PUZZLING_AT:
            self._senseless[room].add(noun)

    def note_cut_short(self, words: Sequence[str], text: str) -> None:
        """Remember the preposition up to which the game understood a sentence."""
        if found := UNDERSTOOD_AS_FAR.search(text):
            understood = words_of(found["action"])
            beyond = (word for word in words[1:] if word in _PREPOSITIONS and word not in understood)
            self._unfit[words[0]].update(islice(beyond, 1))

    def note_preposition(self, words: Sequence[str], room: str, text: str) -> None:
        """Remember a preposition with which the game does not find what it knows here: `look behind door`."""
        if len(words) != 3 or words[1] not in _PREPOSITIONS or not is_refused(text):
            return
        if words[2] in self._found[room]:
            vain = self._vain[words[0], words[1]]
            vain.add(words[2])
            if len(vain) >= _VAIN_AT:
                self._unfit[words[0]].add(words[1])

    def is_unknown_verb_of(self, action: str) -> bool:
        """Whether the game has made sense of no sentence with an action's verb (though it got several), or
        with its verb and its preposition."""
        verb = action.partition(" ")[0]
        if self._misses.get(verb, 0) >= UNKNOWN_VERB_AT and verb not in self._understood:
            return True
        return verb in self._unfit and not self._unfit[verb].isdisjoint(words_of(action))

    def in_its_words(self, action: str) -> str:
        """An action without the words before its nouns that the parser has said it does not know, and with
        one thing for those that it does not take together; empty: it does not know its verb, its preposition
        or a noun."""
        if self._one_of and action_kind_of(action) not in _OF_MANY:
            action = " ".join(self._one_of.get(word, word) for word in action.split())
        if not self._foreign or self._foreign.isdisjoint(_parts_of(action)):
            return action
        words, kept = action.split(), list[str]()
        for word, after in zip(words, (*words[1:], ""), strict=True):
            if self._foreign.isdisjoint(_parts_of(word)):
                kept.append(word)
            elif not kept or word in _PREPOSITIONS or not after or after in _PREPOSITIONS:
                return ""
        return " ".join(kept)

    def note_word(self, word: str, room: str, text: str) -> None:
        """Remember whether the text refuses a word; one refused in two rooms is taken as unknown everywhere,
        unless it names a common thing: each room may have a door of its own.

        Where the game does not know the verb, or understands nothing, the word is not to blame.
        """
        if _blames_another(word, text):
            return
        if not is_refused(text):
            self._words[room].discard(word)
            self._found[room].add(word)
            self._known_nouns.add(word)
            self._senseless[room].discard(word)
            return
        self._words[room].add(word)
        is_often_refused = sum(word in words for words in self._words.values()) > 1
        if UNKNOWN_WORD.search(text) or (is_often_refused and word not in COMMON):
            self._anywhere.add(word)

    def note_missing(self, words: Sequence[str], room: str, text: str) -> None:
        """Remember what a longer sentence named, and is not here: `You can't see any dog here!`"""
        found = NAMED_MISSING.search(text)
        missing = words_of(found["name"])[-1:] if found else []
        if len(words) > 2 and missing and missing[0] in words[1:]:
            self.note_word(missing[0], room, text)

    def note_all(self, words: Sequence[str], text: str) -> None:
        """Remember that the game takes one thing at a time: not `all`, or not `examine balls`."""
        found = ONE_AT_A_TIME.search(text)
        if found is None:
            return
        if not MANY.isdisjoint(words):
            self.takes_no_all = True
        elif found[0].lower().startswith("multiple"):
            self._one_of.update((word, one_of(word)) for word in _nouns_of(words))

    def note_take_all(self, answer: str, *, gained: bool) -> None:
        """Remember an answer to `take all`: one that is always the same is the game's refusal of `all`."""
        if gained or _NONE_THERE.search(answer):
            self._to_all.clear()
            return
        self._to_all[answer] += 1
        self.takes_no_all |= self._to_all[answer] >= _OFTEN_ENOUGH

    def note_seen(self, words: Iterable[str], room: str) -> None:
        """What a text says is here now is known, though it was refused before: what an open box reveals."""
        self._words[room].difference_update(words)
        self._anywhere.difference_update(words)

    def forget(self, words: Iterable[str]) -> None:
        """What has come to hand is known wherever it was refused before."""
        known = frozenset(words)
        if not known:
            return
        self._anywhere -= known
        for refused in self._words.values():
            refused -= known
        for alike in self._looks.values():
            alike -= {look for look in alike if look[0] in known}

    def note_look(self, noun: str, room: str, text: str) -> None:
        """Learn in which words the game says that it knows no such thing: so it answers to several nouns.

        Where it does not understand the sentence, the verb is to blame, and nothing is learnt of the nouns.
        """
        if _blames_another(noun, text):
            return
        answer = " ".join(text.partition("\n\n")[0].split())
        if noun in words_of(answer) or _PLAIN.search(answer):
            return
        alike = self._looks[answer]
        alike.add((noun, room))
        if len({each for each, _ in alike}) >= STOCK_AT:
            for each, place in alike:
                self._words[place].add(each)

    def note_unknown(self, action: str, text: str) -> None:
        """Remember the word that the parser does not know: it quotes the word, or does not know the verb."""
        verb = next(iter(words_of(action)), "") if UNKNOWN_VERB.search(text) else ""
        quoted = _quoted_in(text)
        if quoted in _parts_of(action):
            self._foreign.add(quoted)
        word = quoted or verb
        if word and word not in self.unknown_words:
            self.unknown_words.append(word)


@lru_cache(maxsize=8192)
def _parts_of(action: str) -> frozenset[str]:
    """An action's words, and the parts of those with a hyphen: some parsers take `half-empty` for two."""
    return frozenset((*action.split(), *_PART.findall(action)))


def _nouns_of(words: Sequence[str]) -> Iterator[str]:
    """The last word of each thing that an action names: `coins` and `box` of `put coins in red box`."""
    return (word for word, then in pairwise((*words[1:], "in")) if then in _PREPOSITIONS)


def _blames_another(word: str, text: str) -> bool:
    """Whether the game does not know the verb, or another word, or understands nothing."""
    if quoted := _quoted_in(text):
        return quoted != word
    if UNKNOWN_WORD.search(text):
        return False
    return any(pattern.search(text) for pattern in (UNKNOWN_VERB, UNDERSTOOD_AS_FAR, NOT_UNDERSTOOD))


def _quoted_in(text: str) -> str:
    """The word that a text says is unknown; empty: it names none."""
    quoted = UNKNOWN_QUOTED.search(text)
    return (quoted[1] or quoted[2]).lower() if quoted else ""


def _beginning(text: str) -> str:
    return " ".join(text.lower().split()[:STOCK_WORDS])
