"""Ranks a story's sentences, in plain English, by how likely they change the world."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from zmachine.dictionary import Dictionary
from zmachine.grammar.program_words import FORBIDDEN_WORDS, MENUS, truncated
from zmachine.grammar.sentence import GrammarUnreadable, Sentence, Slot
from zmachine.grammar.tables import grammar_of

FIRST = """
take {} | drop {} | wear {} | open {} | close {} | put {} on {} | put {} in {} | eat {}
"""
"""The usual sentences that change the world most often, best first. Then what a story adds (`xyzzy`)."""

LIKELY = """
take off {} | turn on {} | turn off {} | push {} | light {} | take {} from {} | enter {} | drink {} | jump |
turn {} | read {} | get in {} | throw {} at {} | pull {} | sit on {} | climb {} | move {} | pray |
get out | get up | stand | stand on {} | get on {} | get off {} | get off | unlock {} with {} |
give {} to {} | break {}
"""
"""Other usual sentences. Then comes what a story adds for one thing (`oil {}`)."""

RARE = """
lift {} | raise {} | lower {} | press {} | untie {} | tie {} to {} | ring {} | blow {} | rub {} |
wave {} | search {} | empty {} | fill {} | dig {} | dig | open {} with {} | attack {} with {} |
cut {} with {} | light {} with {} | burn {} with {} | throw {}
"""
"""What changes the world now and then. Then comes what a story adds for two things (`oil {} with {}`)."""

UNLIKELY = """
look under {} | look behind {} | shake {} | squeeze {} | cut {} | burn {} | attack {} | tie {} |
touch {} | kick {} | wake {} | swing {} | swing on {} | set {} | pour {} | jump over {} | look in {} |
examine {} | kiss {} | swim | sleep | sing | wave | yes | no | wake up | look up | put out {} |
squash {} | lock {} with {} | turn {} with {} | fill {} with {} | dig {} with {} | insert {} in {} |
show {} to {} | push {} to {} | move {} with {} | swing {} at {} | squeeze {} with {}
"""
"""Usual sentences that rarely change anything, best first."""

IDLE = """
look | look {} | look at {} | smell {} | smell | taste {} | listen to {} | listen | think | sorry |
inventory | buy {} | talk to {} | feed {} | answer {} | say {} | ask {} about {} | tell {} about {} |
consult {} about {} | set {} to {} | remove {} from {} | transfer {} to {} | give {} {} | show {} {} |
look up {} in {} | ask {} for {} | what is {} | where is {} | who is {} | go {} | go | find {} |
count {} | follow {} | hello | thank {} | curse | curse {} | exits | places | objects | pronouns |
diagnose | again | oops {} | oops | wait
"""
"""Usual sentences that change nothing, or nothing that another one does not; never tried."""

PREPOSITIONS = "in on to with at from off up down out under behind about over through".split()
"""The most usual first."""

ABOUT_THE_PROGRAM = (
    FORBIDDEN_WORDS | MENUS | {"verify", "version", "verbose", "brief", "superbrief", "notify", "score"}
)
"""Verbs that Infocom's grammar does not mark as such."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence to fill: words, with a `{}` for each gap."""

    text: str
    slots: tuple[Slot, ...]
    likelihood: float = 0.01
    """The share of its candidates that change the world, before any was tried."""


def phrases_in(memory: bytes, dictionary: Dictionary) -> tuple[Phrase, ...]:
    """The phrases of the story's own grammar; the usual sentences if that cannot be read."""
    try:
        return phrases_of(grammar_of(memory, dictionary), dictionary.length)
    except GrammarUnreadable:
        return generic_phrases(dictionary)


def phrases_of(sentences: Iterable[Sentence], length: int) -> tuple[Phrase, ...]:
    """One phrase for each possible action, best first.

    Of the sentences that one routine executes for the same kinds of things, only the plainest is used.
    `length`: the number of letters of a word that the parser compares.
    """
    usual = ranked(length)
    preferences: dict[tuple[int, tuple[Slot, ...]], list[Preference]] = defaultdict(list)
    for sentence in sentences:
        for words in wordings(sentence, length):
            preferences[sentence.action, sentence.slots].append(
                preference_of(words, len(sentence.slots), usual)
            )
    best = ((min(each), slots) for (_, slots), each in preferences.items())
    return tuple(
        Phrase(preference[-1], slots, likelihood_of(preference[-1], preference[1]))
        for preference, slots in sorted(best, key=lambda each: each[0][1:])
        if preference[1] < NEVER
    )


Preference = tuple[bool, int, int, int, str]
"""Whether a wording is unusual, its rank, the number of abbreviated words, its length, and its text."""


def preference_of(words: str, gaps: int, usual: dict[str, tuple[int, str]]) -> Preference:
    """The sort key of a wording: the least is the best."""
    if words in usual:
        rank, text = usual[words]
        return False, rank, 0, len(text), text
    abbreviated = sum(len(word) == 1 for word in words.split())
    return True, NEW[gaps], abbreviated, len(words), words


def generic_phrases(dictionary: Dictionary) -> tuple[Phrase, ...]:
    """The usual sentences whose words a story knows, for a story whose grammar cannot be read."""
    return tuple(
        Phrase(text, GENERIC_SLOTS[text.count("{}")], likelihood_of(text, rank))
        for rank, text in sorted(ranked(dictionary.length).values())
        if rank < NEVER and all(word == "{}" or dictionary.known(word) for word in text.split())
    )


GENERIC_SLOTS = ((), (Slot.THING,), (Slot.HELD, Slot.THING))


def ranked(length: int) -> dict[str, tuple[int, str]]:
    """The usual sentences as a parser compares them, each with its rank and its plain English."""
    found: dict[str, tuple[int, str]] = {}
    for group, usual in GROUPS.items():
        for place, text in enumerate(usual.split("|")):
            found.setdefault(shortened(text, length), (group + place, " ".join(text.split())))
    return found


SPLIT = ","
"""At which a parser splits a line: nobody can type a verb that holds it."""
MOST_GAPS = 2
TURN, TURNED = "turn", (Slot.THING, ("to",), Slot.WORDS)
"""A verb, and the parts of its sentence, that a library leaves to stories in which something can be set."""
NEW = (100, 300, 500)
"""The ranks of a story's own sentences, by the number of gaps."""
NEVER = 700
GROUPS = {0: FIRST, 200: LIKELY, 400: RARE, 600: UNLIKELY, NEVER: IDLE}
"""The usual sentences by the rank of the first of each group."""
LIKELIHOODS = {
    "take {}": 0.3,
    "drop {}": 0.9,
    "wear {}": 0.1,
    "open {}": 0.1,
    "close {}": 0.05,
    "put {} on {}": 0.07,
    "put {} in {}": 0.09,
    "eat {}": 0.05,
    "take {} from {}": 0.1,
    "take off {}": 0.05,
    "light {}": 0.02,
    "turn on {}": 0.03,
    "turn off {}": 0.03,
    "push {}": 0.03,
    "push {} to {}": 0.06,
    "enter {}": 0.03,
}
OF_GROUP = {0: 0.1, 100: 0.15, 200: 0.015, 300: 0.008, 400: 0.012, 500: 0.03, 600: 0.005}
"""How often a candidate of a phrase changes the world, roughly; measured on half of the stories.

Of a group of ranks (a story's own sentences among them) the earlier is a little likelier.
"""
A_LITTLE = 0.00002


def likelihood_of(text: str, rank: int) -> float:
    """The share of a phrase's candidates that change the world."""
    group = rank - rank % 100
    return LIKELIHOODS.get(text, OF_GROUP[group] - A_LITTLE * (rank - group))


def wordings(sentence: Sentence, length: int) -> Iterator[str]:
    """A sentence in all its synonyms; none if it is about the program or takes free text."""
    if len(sentence.slots) > MOST_GAPS or not is_for_things(sentence):
        return
    parts = [("{}",) if isinstance(part, Slot) else plainest(part, length) for part in sentence.parts]
    left_out = truncated(ABOUT_THE_PROGRAM, length)
    for verb in sentence.verbs:
        if verb[:length] not in left_out and SPLIT not in verb:
            for words in product(*parts):
                yield shortened(" ".join((verb, *words)), length)


def is_for_things(sentence: Sentence) -> bool:
    """Whether things may fill all gaps: also the word that something is turned to, as a dial is."""
    if Slot.WORDS in sentence.slots and TURN in sentence.verbs:
        return sentence.parts == TURNED
    return not {Slot.NUMBER, Slot.WORDS} & set(sentence.slots)


def plainest(words: tuple[str, ...], length: int) -> tuple[str, ...]:
    """The most usual of a preposition's alternatives; all of them, if none is usual."""
    usual = (word for word in PREPOSITIONS if word[:length] in words)
    return next(((word,) for word in usual), words)


def shortened(text: str, length: int) -> str:
    """Each word as the parser compares it."""
    return " ".join(word[:length] for word in text.split())
