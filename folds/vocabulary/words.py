"""Words of texts: what a text may be naming, without a dictionary of any game."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

WORD = re.compile(r"[A-Za-z](?:[A-Za-z']|-(?!-))*|--+|[.,;:!?()\[\]\"\n—]|(?<![A-Za-z])'(?=[A-Za-z])")
"""A word, or a mark that ends a phrase."""
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z'-]+")
FUNCTION_WORDS = frozenset(
    """
    a about above across after again against all along already also although am among an and another any
    are around as at away back be because been before behind being below beneath beside between beyond
    both but appeared appears becomes by can cannot can't close could did do does doing don't down during
    each either else ever every few for from feels further had has have he her here hers him his how i if
    in inside into is isn't it its itself just leads leading leave lie lies like looked looks lying made
    many may me might more most much must my near nearby never no none not nothing now of off on once one
    only onto open or other our out outside over own past perhaps quite rather remains runs same says seem
    seems several she should sit sits hang await smells so some something somewhere sounds stands standing
    still such than that that's the their them then there there's these they this those though through to
    too toward towards under until up upon us very was we well were what when where which while who whose
    why will with within without would yet you you're your yours yourself north south east west northeast
    northwest southeast southwest northern southern eastern western way place thing things lot number kind
    sort bit moment time side end part rest top bottom middle center left right front direction directions
    first second third last next point points score turn turns exit exits room area hello sorry please
    good better best new old alongside amid amidst atop sideways throughout underneath opposite ahead
    apart aside elsewhere everywhere anywhere indoors outdoors overhead underfoot reads
    """.split()
)
"""Words that name nothing, or nothing that one could handle."""
_PEOPLE = frozenset(
    """
    man woman boy girl guard guide gnome troll wizard witch captain king queen prince princess thief dwarf
    elf giant ghost monk priest priestess knight soldier sailor merchant clerk librarian professor doctor
    nurse officer detective butler maid servant farmer miner cook chef keeper hermit oracle mage sorcerer
    person people child old-man lady stranger bartender waiter waitress attendant technician robot android
    demon dragon goblin orc ogre vampire spirit angel mother father brother sister uncle aunt grandmother
    grandfather friend guy fellow chief mayor baker smith blacksmith teacher student scientist warden
    prisoner beggar pirate hunter worker coworker co-worker colleague employee barista cashier assistant
    roommate classmate neighbor neighbour cousin nephew niece wife husband girlfriend boyfriend daughter
    grandma grandpa mom mum dad driver pilot receptionist secretary manager curator caretaker janitor
    gardener cleaner vendor parrot bouncer goon thug dancer singer musician bard minstrel drunk kid boss
    leader agent spy sergeant general colonel lieutenant commander passenger pilgrim peasant woodcutter
    lumberjack tramp hobo dealer croupier gambler cowboy sheriff deputy judge lawyer nun bishop vicar
    parson duke duchess baron baroness emperor empress slave genie fairy imp leprechaun hag crone seer
    gypsy centaur nymph sphinx zombie mummy alien owner customer guest visitor tourist host hostess bride
    groom widow baby teenager youth lad lass cop astronaut engineer inspector
    """.split()
)
_CALLING = re.compile(
    r"(?!talisman|ottoman|snowman|caiman|cayman|roman|german|doberman|human)"
    r"[a-z]{3,}(?:man|woman|men|women|maid|keeper|master)"
)
"""A word for somebody by what they do: `boatman`."""
STATES = frozenset("open opened closed shut locked unlocked empty".split())
"""In what state a thing is: no part of its name, though it stands before it."""
NOUNS_LIKE_VERBS = frozenset(
    """
    ring earring king string thing wing spring swing sling building painting ceiling clothing opening
    landing carving writing drawing railing awning pudding wedding bedding stocking engraving etching
    covering lining crossing clearing dwelling hanging casing mooring duckling sapling seedling being
    dressing lettering bed seed weed reed shed sled steed flowerbed seaweed toolshed creed fly butterfly
    dragonfly firefly lily jelly belly family trolly doily
    """.split()
)
"""Nouns with the endings of verbs and adverbs."""
_QUALIFIED = re.compile(
    r"(?<=\w) with | (?:on|in|from|for|at|under|around) (?:an?|the|its|it|your)\b| (?:that|which) |\("
)
MANY = frozenset({"all", "everything", "it", "them"})
"""Words that name no one thing."""
SEVERAL = MANY | {"two", "three", "four"}
"""The same, and numbers of things."""
TOPIC_LENGTH = 3


@lru_cache(maxsize=8192)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name or an action in lower case, without marks."""
    return _words(name)


def content_words(text: str) -> tuple[str, ...]:
    """The words of a text that may name something, each once, in their order."""
    return tuple(dict.fromkeys(w for w in _words(text) if len(w) >= TOPIC_LENGTH and w not in FUNCTION_WORDS))


def names_in(text: str) -> tuple[str, ...]:
    """Words written large within a sentence: probably names; each once, in their order, in lower case."""
    found = (word.removesuffix("'s").lower() for word in _NAME.findall(text))
    names = (
        w for w in found if len(w) >= TOPIC_LENGTH and w not in FUNCTION_WORDS and not w.startswith("i'")
    )
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
    """The word by which a parser most likely knows a thing: `brass lantern` is `lantern`, and a pair of
    gloves are gloves."""
    name, _, stuff = _unqualified(name).partition(" of ")
    words = words_of(stuff if stuff and name.endswith("pair") else name)
    return words[-1] if words else name.lower().strip()


@lru_cache(maxsize=8192)
def heads_of(name: str) -> tuple[str, ...]:
    """What a thing is by its name: `coil of rope` is a coil, and rope."""
    stuff = _unqualified(name).partition(" of ")[2]
    return (head_of(name), head_of(stuff)) if stuff else (head_of(name),)


def one_of(plural: str) -> str:
    """What one of several things is called: `ball` of `balls`; the same, where the word is no plural."""
    if not plural.endswith("s") or plural.endswith(("ss", "us", "is")):
        return plural
    if plural.endswith("ies"):
        return f"{plural.removesuffix('ies')}y"
    return plural.removesuffix("es" if plural.endswith(("sses", "shes", "ches", "xes")) else "s")


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
    return tuple(word.lower() for word in WORD.findall(text) if word[0].isalpha())
