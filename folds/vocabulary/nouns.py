"""Finds the nouns of a text: what it probably names, without a dictionary of any game."""

from __future__ import annotations

from functools import lru_cache

from folds.vocabulary.words import FUNCTION_WORDS, NOUNS_LIKE_VERBS, TOPIC_LENGTH, WORD, is_adverb, words_of

_DETERMINERS = frozenset(
    """
    a an the some your his her its their this these those another every each one two three four five six
    several many few
    """.split()
)
_ATTRIBUTES = frozenset(
    """
    first second third last next other same only own few many more most several front left right top
    bottom middle center side part half north south east west northern southern eastern western northeast
    northwest southeast southwest up down open nearby inside outside upper lower standing leading lying
    """.split()
)
"""Function words that stand before a noun, too: `an old metal trunk`, `the front door`."""
_ADJECTIVES = frozenset("old new good better best very quite rather".split())
_PARTITIVES = frozenset("of sort kind type lot number rest most half".split())
"""What says how much or of what kind before a noun: `some sort of control panel`."""
_AMOUNTS = frozenset(
    """
    sheet piece pile scrap heap lump slice stack chunk clump patch pool puddle strip jet cloud layer pot
    jar cup bag box bottle row flight wilderness expanse stretch tangle mass collection assortment cluster
    bundle wad roll coil ball length stick bar block tube can tin loaf vial flask bowl basket
    """.split()
)
"""Things that consist of what follows `of`: a sheet of newspaper is a sheet, and newspaper."""
_QUALITIES = frozenset(
    """
    small large big little huge tiny tall short long high low wide narrow thick thin heavy light deep
    shallow flat round square steep smooth rough sharp soft hard wet dry damp cold warm hot dark bright
    dim pale clean dirty dusty rusty muddy sandy rocky grassy wooden iron metal stone brass golden silver
    leather glass plastic red blue green yellow white black brown grey gray pink purple orange ancient
    modern young strange odd plain simple ornate elegant beautiful ugly pretty lovely battered broken
    cracked ragged tattered weathered faded worn empty busy quiet noisy silent comfortable cosy cozy
    friendly angry sad happy fat slim burly bald bearded
    """.split()
)
"""Adjectives that are no nouns in such texts, or hardly ever."""
_PAST_VERBS = frozenset(
    """
    stood hung lay ran sat grew shone came went fell rose held gave cast swung stuck caught led kept met
    spoke wore
    """.split()
)
_CLOSING = FUNCTION_WORDS | _PAST_VERBS
_PLURAL_VERBS = frozenset(
    """
    glow hold grow shine run go rise surround fill cover line block stretch continue stand lead wait rest
    hide flicker dangle protrude adorn decorate litter jut loom
    """.split()
)
"""After a noun in the plural: `the walls glow`."""
_GENERAL = frozenset("room rooms area side end part way place thing things exit exits".split())
"""Function words that are nouns: what stands before one is no noun: `the main room`."""
_MEASURES = frozenset("bunch couple pair set series variety row group array dozen number lot plenty".split())
"""What stands before `of` and names nothing that one could look at."""
_NOUNS_TOO = frozenset(("well",))
"""Words that name something after a determiner: `a stone well`."""
_INDEFINITE = frozenset({"a", "an", "another"})
_AND = frozenset({"and", "or"})
_LISTING = _AND | {","}
_JOINING = frozenset(
    """
    is are was were and or with of that which sit hang lie await
    """.split()
)
_PLAIN_NOUNS = frozenset(
    """
    earth dirt soil sand mud clay gravel rubble debris leaves hay straw grass moss ivy vines weeds snow
    ice ashes dust stairs steps rocks stones boulders bushes flowers plants books papers shelves curtains
    bars boards planks ropes cables wires pipes crates boxes barrels coins bones cobwebs graffiti writing
    water oil mushrooms berries nuts seeds tools clothes bottles candles pictures paintings statues
    drawers doors windows footprints tracks buttons levers machinery equipment trees branches roots
    torches murals tapestries mosaics shops ovens bags sacks sofas couches cushions pillows chairs tables
    benches beds lamps lights signs posters letters cards weapons swords carpets rugs columns pillars
    vases mirrors cobbles mist fog smoke dung paperwork furniture glassware pottery crockery cutlery rags
    blankets markers tombstones gravestones icons switches dials knobs lockers cabinets cupboards chests
    urns skeletons corpses carvings inscriptions symbols
    """.split()
)
"""What a text names without an article: stuff, and things by the number."""
_LONGEST = 5
"""Words of a name, its adjectives included; more are a clause."""


@lru_cache(maxsize=128)
def nouns_in(text: str) -> tuple[str, ...]:
    """What a text probably names: the last word after each determiner, each once, in their order.

    A list goes on after its commas: `a sink, toilet and shower` names three things, `a tall, thin tree` one.
    """
    found: dict[str, None] = {}
    chain: list[list[str]] = []
    joined = indefinite = False
    for token in WORD.findall(text):
        word = token.lower()
        if word in _DETERMINERS:
            ended = chain[:-1] if joined and len(chain) > 1 else chain
            _close(ended, found, joined=False, indefinite=indefinite, before_verb=chain[-1:] != [[]])
            chain, joined, indefinite = [[]], False, word in _INDEFINITE
        elif chain and word in _LISTING:
            chain, joined = (chain if chain[-1] == [] else [*chain, []]), joined or word in _AND
        elif chain and (word in _ADJECTIVES or (chain[-1] == [] and word in _ATTRIBUTES | _PARTITIVES)):
            continue
        elif chain and word in _GENERAL:
            chain = chain if joined else [[]]
            chain[-1] = []
        elif chain and word == "of" and chain[-1][-1:] and chain[-1][-1] in _MEASURES:
            chain[-1] = []
        elif chain and word == "of" and chain[-1][-1:] and chain[-1][-1] in _AMOUNTS:
            _close(chain, found, joined=joined, indefinite=indefinite)
            chain, joined = [[]], False
        elif not word[0].isalpha() or (_closes(word) and not (chain and word in _NOUNS_TOO)):
            is_verb = word[0].isalpha() and word not in _JOINING
            _close(chain, found, joined=joined, indefinite=indefinite, before_verb=is_verb)
            chain, joined = [], False
        elif chain:
            chain[-1].append(word)
    _close(chain, found, joined=joined, indefinite=indefinite)
    return tuple(found)


def _closes(word: str) -> bool:
    """Whether a word ends a name: also `won't` and the like."""
    return word in _CLOSING or word.endswith("n't")


def plain_nouns_in(text: str) -> tuple[str, ...]:
    """Nouns that need no article, by common words: `soft earth`; each once, in their order."""
    return tuple(dict.fromkeys(word for word in words_of(text) if word in _PLAIN_NOUNS))


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
        is_quality = bool(phrases) and len(phrases[0]) == 1 and (indefinite or phrases[0][0] in _QUALITIES)
        phrases = phrases[-1:] if is_quality else phrases[:1]
    for phrase in phrases:
        _note(phrase, found, before_verb=before_verb and phrase is chain[-1])


def _note(phrase: list[str], found: dict[str, None], *, before_verb: bool) -> None:
    """Note the noun of a phrase that has ended: `the path heads (north)` names the path."""
    words = phrase
    if not before_verb and len(words) > 1 and is_adverb(words[-1]):  # `the sign flickers faintly.`
        words, before_verb = words[:-1], True
    is_verb = before_verb and words[-1].endswith("s")
    if len(words) > 1 and (is_verb or (words[-1] in _PLURAL_VERBS and words[-2].endswith("s"))):
        words = words[:-1]
    while len(words) > 1 and words[-1].endswith(("ed", "ing", "ly")) and words[-1] not in NOUNS_LIKE_VERBS:
        words = words[:-1]
    if 0 < len(words) <= _LONGEST:
        word = words[-1].removesuffix("'s")
        if len(word) >= TOPIC_LENGTH and not is_adverb(word):
            found.setdefault(word)
