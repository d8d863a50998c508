"""Words of texts: what a text may be naming, without a dictionary of any game."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z](?:[A-Za-z']|-(?!-))*|--+|[.,;:!?()\[\]\"\n—]|(?<![A-Za-z])'(?=[A-Za-z])")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z'-]+")
_DETERMINERS = frozenset(
    """
    a an the some your his her its their this these those another every each one two three
    four five six several many few
    """.split()
)
_FUNCTION = frozenset(
    """
    a about above across after again against all along already also although am among an and another any
    are around as at away back be because been before behind being below beneath beside between beyond both
    but appeared appears becomes by can cannot can't close could did do does doing don't down during each
    either else ever every few for from feels further had has have he her here hers him his how i if in
    inside into is isn't it its itself just leads leading leave lie lies like looked looks lying made many
    may me might more most much must my near nearby never no none not nothing now of off on once one only
    onto open or other our out outside over own past perhaps quite rather remains runs same says seem seems
    several she should sit sits hang await smells so some
    something somewhere sounds stands standing still such than that
    that's the their them then there there's these they this those though through to too toward towards
    under until up upon us very was we well were what when where which while who whose why will with within
    without would yet you you're your yours yourself north south east west northeast northwest southeast
    southwest northern southern eastern western way place thing things lot number kind sort bit moment time
    side end part rest top bottom middle center left right front direction directions first second third
    last next point points score turn turns exit exits room area hello sorry please good better best new
    old alongside amid amidst atop sideways throughout underneath opposite ahead apart aside elsewhere
    everywhere anywhere indoors outdoors overhead underfoot reads
    """.split()
)
_ATTRIBUTES = frozenset(
    """
    first second third last next other same only own few many more most several front left right top bottom
    middle center side part half north south east west northern southern eastern western northeast northwest
    southeast southwest up down open nearby inside outside upper lower standing leading lying
    """.split()
)
"""Function words that stand before a noun, too: `an old metal trunk`, `the front door`."""
_ADJECTIVES = frozenset("old new good better best very quite rather".split())
_GENERAL = frozenset("room rooms area side end part way place thing things exit exits".split())
"""Function words that are nouns: what stands before one is no noun: `the main room`."""
_MEASURES = frozenset("bunch couple pair set series variety row group array dozen number lot plenty".split())
"""What stands before `of` and names nothing that one could look at."""
_NOUNS_TOO = frozenset(("well",))
"""Words that name something after a determiner: `a stone well`."""
_PEOPLE = frozenset(
    """
    man woman boy girl guard guide gnome troll wizard witch captain king queen prince princess thief dwarf
    elf giant ghost monk priest priestess knight soldier sailor merchant clerk librarian
    professor doctor nurse officer detective butler maid servant farmer miner cook chef keeper
    hermit oracle mage sorcerer person people child old-man lady stranger
    bartender waiter waitress attendant technician robot android demon dragon goblin orc ogre vampire
    spirit angel mother father brother sister uncle aunt grandmother grandfather friend guy fellow chief
    mayor baker smith blacksmith teacher student scientist warden prisoner beggar pirate hunter worker
    coworker co-worker colleague employee barista cashier assistant roommate classmate
    neighbor neighbour cousin nephew niece wife husband girlfriend boyfriend daughter grandma grandpa
    mom mum dad driver pilot receptionist secretary manager curator caretaker janitor gardener cleaner vendor
    parrot bouncer goon thug dancer singer musician bard minstrel drunk kid boss leader agent spy sergeant
    general colonel lieutenant commander passenger pilgrim peasant woodcutter lumberjack
    tramp hobo dealer croupier gambler cowboy sheriff deputy judge lawyer nun bishop vicar
    parson duke duchess baron baroness emperor empress slave genie fairy imp leprechaun hag crone seer gypsy
    centaur nymph sphinx zombie mummy alien owner customer guest visitor tourist host hostess bride
    groom widow baby teenager youth lad lass cop astronaut engineer inspector
    """.split()
)
_CALLING = re.compile(
    r"(?!talisman|ottoman|snowman|caiman|cayman|roman|german|doberman|human)"
    r"[a-z]{3,}(?:man|woman|men|women|maid|keeper|master)"
)
"""A word for somebody by what they do: `boatman`."""
_INDEFINITE = frozenset({"a", "an", "another"})
STATES = frozenset("open opened closed shut locked unlocked empty".split())
"""In what state a thing is: no part of its name, though it stands before it."""
_AND = frozenset({"and", "or"})
_LISTING = _AND | {","}
_JOINING = frozenset(
    """
    is are was were and or with of that which sit hang lie await
    """.split()
)
NOUNS_LIKE_VERBS = frozenset(
    """
    ring earring king string thing wing spring swing sling building painting ceiling clothing opening landing
    carving writing drawing railing awning pudding wedding bedding stocking engraving etching covering lining
    crossing clearing dwelling hanging casing mooring duckling sapling seedling being dressing lettering
    bed seed weed reed shed sled steed flowerbed seaweed toolshed creed
    fly butterfly dragonfly firefly lily jelly belly family trolly doily
    """.split()
)
"""Nouns with the endings of verbs and adverbs."""
_PLAIN_NOUNS = frozenset(
    """
    earth dirt soil sand mud clay gravel rubble debris leaves hay straw grass moss ivy vines weeds snow ice
    ashes dust stairs steps rocks stones boulders bushes flowers plants books papers shelves curtains bars
    boards planks ropes cables wires pipes crates boxes barrels coins bones cobwebs graffiti writing water
    oil mushrooms berries nuts seeds tools clothes bottles candles pictures paintings statues drawers doors
    windows footprints tracks buttons levers machinery equipment
    """.split()
)
"""What a text names without an article: stuff, and things by the number."""
_QUALIFIED = re.compile(
    r"(?<=\w) with | (?:on|in|from|for|at|under|around) (?:an?|the|its|it|your)\b| (?:that|which) |\("
)
MANY = frozenset({"all", "everything", "it", "them"})
"""Words that name no one thing."""
SEVERAL = MANY | {"two", "three", "four"}
"""The same, and numbers of things."""
TOPIC_LENGTH = 3
_LONGEST = 4
"""Words of a name, its adjectives included; more are a clause."""


@lru_cache(maxsize=8192)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name or an action in lower case, without marks."""
    return _words(name)


def content_words(text: str) -> tuple[str, ...]:
    """The words of a text that may name something, each once, in their order."""
    return tuple(dict.fromkeys(w for w in _words(text) if len(w) >= TOPIC_LENGTH and w not in _FUNCTION))


@lru_cache(maxsize=128)
def nouns_in(text: str) -> tuple[str, ...]:
    """What a text probably names: the last word after each determiner, each once, in their order.

    A list goes on after its commas: `a sink, toilet and shower` names three things, `a tall, thin tree` one.
    """
    found: dict[str, None] = {}
    chain: list[list[str]] = []
    joined = indefinite = False
    for token in _WORD.findall(text):
        word = token.lower()
        if word in _DETERMINERS:
            ended = chain[:-1] if joined and len(chain) > 1 else chain
            _close(ended, found, joined=False, indefinite=indefinite, before_verb=True)
            chain, joined, indefinite = [[]], False, word in _INDEFINITE
        elif chain and word in _LISTING:
            chain, joined = (chain if chain[-1] == [] else [*chain, []]), joined or word in _AND
        elif chain and (word in _ADJECTIVES or (chain[-1] == [] and word in _ATTRIBUTES)):
            continue
        elif chain and word in _GENERAL:
            chain = chain if joined else [[]]
            chain[-1] = []
        elif chain and word == "of" and chain[-1][-1:] and chain[-1][-1] in _MEASURES:
            chain[-1] = []
        elif not word[0].isalpha() or (word in _FUNCTION and not (chain and word in _NOUNS_TOO)):
            is_verb = word[0].isalpha() and word not in _JOINING
            _close(chain, found, joined=joined, indefinite=indefinite, before_verb=is_verb)
            chain, joined = [], False
        elif chain:
            chain[-1].append(word)
    _close(chain, found, joined=joined, indefinite=indefinite)
    return tuple(found)


def plain_nouns_in(text: str) -> tuple[str, ...]:
    """Nouns that need no article, by common words: `soft earth`; each once, in their order."""
    return tuple(dict.fromkeys(word for word in _words(text) if word in _PLAIN_NOUNS))


def names_in(text: str) -> tuple[str, ...]:
    """Words written large within a sentence: probably names; each once, in their order, in lower case."""
    found = (word.removesuffix("'s").lower() for word in _NAME.findall(text))
    names = (w for w in found if len(w) >= TOPIC_LENGTH and w not in _FUNCTION and not w.startswith("i'"))
    return tuple(dict.fromkeys(names))


def is_adverb(word: str) -> bool:
    """Whether a word has the ending of an adverb, and is no noun that has it too."""
    return word.endswith("ly") and word not in NOUNS_LIKE_VERBS


@lru_cache(maxsize=8192)
def is_person(name: str) -> bool:
    """Whether a thing's name is a common word for somebody one can talk to."""
    return any(word in _PEOPLE or _CALLING.fullmatch(word) is not None for word in words_of(name))


@lru_cache(maxsize=8192)
def head_of(name: str) -> str:
    """The word by which a parser most likely knows a thing: `brass lantern` is `lantern`."""
    words = words_of(_unqualified(name).partition(" of ")[0])
    return words[-1] if words else name.lower().strip()


@lru_cache(maxsize=8192)
def heads_of(name: str) -> tuple[str, ...]:
    """What a thing is by its name: `coil of rope` is a coil, and rope."""
    stuff = _unqualified(name).partition(" of ")[2]
    return (head_of(name), head_of(stuff)) if stuff else (head_of(name),)


def _unqualified(name: str) -> str:
    """A name without what follows its noun: `rod with a star on the end` is `rod`."""
    return _QUALIFIED.split(name.lower())[0]


def called(names: Sequence[str]) -> dict[str, str]:
    """What to call each of the things that are here: its noun, or its whole name where two share one."""
    heads = Counter(head_of(name) for name in set(names))
    return {name: head_of(name) if heads[head_of(name)] == 1 else _in_full(name) for name in names}


def _in_full(name: str) -> str:
    """A name by which a parser knows a thing: `open wooden door` is a wooden door only while it is open."""
    first, _, rest = _unqualified(name).partition(" ")
    return rest if rest and first in STATES else _unqualified(name)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text) if word[0].isalpha())


def _close(
    chain: list[list[str]],
    found: dict[str, None],
    *,
    joined: bool,
    indefinite: bool,
    before_verb: bool = False,
) -> None:
    """Note the nouns of phrases between commas: all of a list (`joined` by `and`), else of one thing."""
    phrases = [phrase for phrase in chain if phrase]
    is_list = joined and len(phrases) > 1 and chain[-1] != []
    if not is_list:
        phrases = phrases[-1:] if indefinite and phrases and len(phrases[0]) == 1 else phrases[:1]
    for phrase in phrases:
        _note(phrase, found, before_verb=before_verb and phrase is chain[-1])


def _note(phrase: list[str], found: dict[str, None], *, before_verb: bool) -> None:
    """Note the noun of a phrase that has ended: `the path heads (north)` names the path."""
    words = phrase
    if before_verb and len(words) > 1 and words[-1].endswith("s"):
        words = words[:-1]
    while len(words) > 1 and words[-1].endswith(("ed", "ing", "ly")) and words[-1] not in NOUNS_LIKE_VERBS:
        words = words[:-1]
    if 0 < len(words) <= _LONGEST:
        word = words[-1].removesuffix("'s")
        if len(word) >= TOPIC_LENGTH and not is_adverb(word):
            found.setdefault(word)
