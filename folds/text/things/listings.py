"""Finds things and people in a text, in sentences that list them or place them in a room."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from folds.vocabulary.words import NOUNS_LIKE_VERBS, STATES, is_adverb, is_person, words_of

_UNITS = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_COUNTING = frozenset("some several many another both various".split()).union(
    _UNITS, _TEENS, _TENS, (f"{ten}-{unit}" for ten in _TENS for unit in _UNITS)
)
_COUNTED = (
    rf"(?:an?|some|(?:(?:{'|'.join(_TENS)})-)?(?:{'|'.join(_UNITS)})|several|many|another|both|various|"
    rf"{'|'.join((*_TEENS, *_TENS))})"
)
_DETERMINERS = _COUNTING.union("a an the some your his her its their".split())
_IS = r"(?:is|are|lies?|sits?|stands?|hangs?|rests?|leans?)"
_SET_DOWN = r"(?:lying|sitting|standing|hanging|resting|leaning|propped|lurking|perched|scattered|mounted)"
_WHERE = "in|on|upon|above|below|beside|behind|under|near|next|against|at|over|inside|beneath|between|around"
_REST = r"(?P<things>[^.!?\n]+)"
_LISTING = tuple(
    re.compile(pattern, re.I | re.M)
    for pattern in (
        rf"\bthere(?:'s| is| are) {_REST}",
        rf"\byou (?:can |also |can also )?(?:see|notice|find|spot|spy|discern|observe|make out|"
        rf"found|noticed|spotted|(?:discover|uncover|unearth)(?:ed)?|c[ao]me (?:across|upon)|"
        rf"(?:dig|fish|haul|pull|turn|bring) up) {_REST}",
        rf"\b(?:holds? out|offers?(?: you)?|proffers?) (?={_COUNTED} ){_REST}",
        rf"\b(?:reveal(?:s|ing)|contain(?:s|ing)|exposing|holds|discovery of) (?!:){_REST}",
        rf"(?:^|[.!?] +)(?P<things>[^.!?\n]+?) {_IS} here\b",
        # `On the table is a sack`, `Lying in the mud beside the door is a sapphire`
        rf"(?:^|[.!?] +)(?:\w+ ){{0,2}}?(?:{_WHERE})\b"
        rf"[^.!?\n:]*? {_IS}(?: {_SET_DOWN})? (?={_COUNTED} ){_REST}",
        # `A bottle is sitting on the table`, `A sword hangs on the wall`, `A lamp is on the desk`
        rf"(?:^|[.!?] +)(?P<things>{_COUNTED} [^.!?,\n]+?) "
        rf"(?:(?:is|are) (?:{_SET_DOWN}|on|upon|beside|under)|(?!is|are){_IS}) ",
        # `A bell tolls, and an iron key falls from the belfry`
        rf"\b(?P<things>{_COUNTED} (?:[a-z'-]+ ){{1,4}}?)"
        r"(?:drops?|falls?|tumbles?|rolls?|slides?|pops?|clatters?|flutters?|spills?) "
        r"(?:out|down|to|on|onto|from|over|into view|at your)\b",
    )
)
_CONTENTS = (
    re.compile(r":[ \t]*\n(?P<things>(?:[ \t]+\S.*\n?)+)"),
    re.compile(r"\((?:[^()]*\b)?(?:in|on|inside) which (?:is|are) (?P<things>[^()]*)\)", re.I),
)
"""Indented lines below one that ends with a colon (`The bottle contains:`), and contents in brackets."""
_BARE = re.compile(
    r"\b(?:see|visible (?:items?|things?|objects?)|(?:items?|things?|objects?) here|contents?) ?:\s*"
    r"(?P<things>[^\n]+(?:\n[^\n]+)*)",
    re.I,
)
"""A list without articles: `You can also see: water - *GOLDEN FISH* - sign reads- NO SWIMMING`."""
_SEEN_HERE = re.compile(r"\byou can (?:also )?see (?P<things>[^.!?\n]+?)(?<! from) here\b", re.I)
"""The same, as Inform's library tells of things whose names have no article: `You can see Mirror here.`"""
_NAMED_THINGS = re.compile(
    r"(?:(?:^|[.!?] +)(?:in|on|inside) [^.!?\n]{2,40}? (?:is|are)|\brevealing) (?P<things>[^.!?\n]+)",
    re.I | re.M,
)
"""What may be things that an author has written large: `In Fridge is Milk`, `You open it, revealing Milk`."""
_LIBRARY_LISTS = re.compile(
    r"\byou open [^.!?,\n]{2,40}, revealing (?P<opened>[^.!?\n]+)\.|"
    r"(?:^|[.!?] +)(?:in|on) the (?P<holder>[^.!?,\n]{2,30}) (?:is|are) (?P<held>[^.!?\n]+)\.",
    re.I | re.M,
)
"""How Inform's library tells what is in or on something: a name without an article is a name all the same."""
_BARE_BETWEEN = re.compile(r" - |[,;\n]|\.(?: |$)")
_WRITTEN = re.compile(r"\b(?:reads?|says?)\b.*|\(.*", re.I)
_SUBJECT = re.compile(
    rf"(?:^|[.!?\n] *)(?P<who>(?:the|{_COUNTED}) (?:[a-z'-]+ ){{0,3}}?[a-z-]+)"
    r"(?=[,;]| (?:is|are|has|who|in|with|[a-z]+s|[a-z]+ed|[a-z]+ing)\b)",
    re.I,
)
_NO_NAME = (
    "The|A|An|There|Here|It|This|That|What|Who|He|She|They|You|Your|His|Her|Its|My|I|We|One|Nothing|"
    "Everything|Someone|Somebody|Something|Nobody|Whoever|Whatever|Everyone|Everybody|Each|All|Both|Some|These|Those"
)
_NO_NAMES = frozenset(_NO_NAME.split("|"))
_SUBJECT_NAME = (
    rf"(?:^|[.!?\n] *)(?!(?:{_NO_NAME})\b)(?P<name>[A-Z][a-z]{{2,}}(?: [A-Z][a-z]+)?)(?:,[^.!?\n]{{1,60}},)?"
)
_MANY = re.compile(
    r"(?:^|[.!?\n] *)([A-Z][a-z]{2,}s) (?:are (?!lead)(?:here|all|everywhere|[a-z]+ing|[a-z]+ed)\b|"
    r"(?:stand|sit|lie|hang|crowd|guard|block|surround|lurk|wait|mill|swarm) )",
    re.M,
)
"""Several things or people as the subject of a sentence: `Trolls are standing all around you.`"""
_BEING = (
    r"(?:wait|stand|sit|work|talk|smok|sleep|lurk|do|read|watch|sweep|clean|mopp|star|look|lean|play|eat|drink|"
    r"writ|cook|walk|pac|rest|guard|block|paint|knit|hum|sing|danc|kneel|pray|study|cry|weep|laugh|grinn|smil)ing"
)
_NAMED = re.compile(
    rf"{_SUBJECT_NAME} (?:(?:is|stands|sits) (?:(?:still|also|now|just|fast|[a-z]+ly) )?"
    rf"(?:here|asleep|awake|busy|drunk|nervous|bored|{_SET_DOWN}|{_BEING})|"
    r"(?:sweeps|mops|paces|waits|works|watches|stares|smiles|greets|nods|reads|sleeps|snores|leans|kneels|"
    r"guards|lurks|looks (?:up|at)))\b",
    re.M,
)
"""A name as the subject of a sentence: `Ralph, one of his men, is sitting here`."""
_NAMED_ALIVE = re.compile(
    rf"{_SUBJECT_NAME}(?=,| (?:is|was|has|looks|[a-z]+s)\b)[^.!?\n]{{3,120}}[.!?] +(?:He|She)\b", re.M
)
"""The same, where the next sentence is about a man or a woman: `Vic is new here. He knows nobody.`"""
_NAMED_HERE = re.compile(
    rf"\b(?:[Yy]ou can (?:also )?see|[Tt]here is) (?!(?:{_NO_NAME})\b)"
    r"(?P<name>[A-Z][a-z]{2,}(?: [A-Z][a-z]+)?) here\b"
)
"""A name without an article, and nothing else: `There is Ralph here.`"""
_DOING = re.compile(
    r"\b(?:the|an?) (?:[a-z-]+ ){0,2}?(?!voice|sign|wind|sky|other|one)(?P<name>[a-z-]{3,}) "
    r"(?:slowly |only |just |merely )?"
    r"(?:growls|snarls|grunts|grins|grumbles|sneers|smiles|frowns|shrugs|nods|glares|yawns|winks|chuckles|"
    r"shakes (?:his|her|its) head|stretches out an? (?:arm|hand|paw)|stops you|pushes you|"
    r"(?:will not|won't|refuses to|does not|doesn't) let you|"
    r"(?:looks|stares|peers|gazes|glances) (?:up |down )?at you|"
    r"eyes you|steps (?:forward|aside|in front)|holds out (?:his|her|its|a) (?:hand|paw))\b",
    re.I,
)
"""A living thing as the subject of a sentence, by what it does: `The hulk growls.`"""
_PLAIN_SECOND = re.compile(r"(?P<first>\b(?:an?|the) [a-z'-]+) and (?P<second>[a-z]+[^s\W]s)$", re.I)
"""`A key and matches` are two things, `a cold and damp cave` is one."""
_WORN_DOWN = re.compile(
    r"\b(?:worn|broken|run|torn|burnt?|burned|beaten|boarded|washed)[ -](?:down|out|up) |"
    r"(?:(?<=able |ible )|(?<=ous |ful |ish |ive |ing |est )|(?<=[ycd] ))looking (?=[a-z])"
    r"(?!(?:at|for|out|up|down|around|into|through|over|like|as|after|back|in|on|to|from|toward|away)\b)",
    re.I,
)
"""Two words of a name that are one: `a worn down couch`, `a formidable looking dog`."""
_ASIDE = re.compile(r"\(([^()]*)\)|\[[^\[\]]*\]")
_BETWEEN = re.compile(r"\n|,|;|\band\b", re.I)
NAME_END = frozenset(
    """
    here there in on at from to of which that who whose with leading under behind beside near nearby by
    for through into onto above below against across along over around between among about inside
    outside before after upon is are was were has have as where when but while you your the looking
    staring lying sitting standing hanging resting made open closed shut still just twice half out up
    down off away back further mostly close toward towards next beyond alongside could would should can may
    might must want wants full all everywhere
    """.split()
)
"""Words that end the name of a thing."""
_NO_PART_OF_NAMES = NAME_END | frozenset("no nothing whoever whatever how what why if".split())
_STATES = NAME_END & STATES
"""Those of them that may stand before a name as well: `a closed chest`."""
_NO_THINGS = frozenset(
    """
    path paths passage passages corridor corridors tunnel tunnels hallway hall way ways exit exits road
    street trail track stairs staircase stairway stairwell stairways archway arch doorway doorways
    opening openings entrance room rooms chamber place area corner corners wall walls floor ceiling
    ground sky roof side end edge middle center centre top bottom direction directions distance north
    south east west light darkness air wind noise noises sound sounds rumble smell odor odour feeling
    sense sign signs need moment doubt chance reason thing things nothing something anything lot number
    kind sort bit part rest view sight glimpse time turn point wave flash puff people person others body
    eye eyes hand hands mind voice word words message text idea problem look glare smile nod wink grin
    glance push shove start shock hint answer commotion
    """.split()
)
"""Nouns of what cannot be taken: ways, surroundings, sounds, feelings, gestures."""
_MEASURES = frozenset("pair pairs set sets piece pieces sheet sheets bunch handful heap scrap couple".split())
"""Words whose complement names the thing: a `pair of gloves` is `gloves`."""
_LONGEST, _SHORTEST = 6, 3
"""The most words of a thing's name (more are a sentence), and the least letters of its noun."""
_PARTICIPLE = re.compile(r"[a-z]*[aeiouy][a-z]*(?:ed|ing)")
"""Not `ring`, `string` or `bed`."""


@lru_cache(maxsize=128)
def things_in(text: str) -> tuple[str, ...]:
    """The nouns of things and people that a text says are here, each once."""
    return tuple(dict.fromkeys((*_listed(text), *_people(text))))


def _listed(text: str) -> Iterator[str]:
    opened = _open_asides(text)
    for pattern in _LISTING:
        for found in pattern.finditer(opened):
            yield from nouns_of(found["things"])
    for found in _BARE.finditer(text):
        yield from _bare_nouns_of(found["things"])
    for found in _SEEN_HERE.finditer(_CONTENTS[1].sub(r", \g<things>,", text)):
        yield from _names_in(found["things"])
    for found in _NAMED_THINGS.finditer(text):
        yield from _names_in(found["things"], large=True)
    for found in _LIBRARY_LISTS.finditer(text):
        if found["opened"] or found["holder"].lower().split()[-1] not in _NO_THINGS:
            yield from _names_in(found["opened"] or found["held"])
    for pattern in _CONTENTS:
        for found in pattern.finditer(text):
            yield from nouns_of(_open_asides(found["things"]))


def _names_in(listing: str, *, large: bool = False) -> Iterator[str]:
    """The nouns of a list without articles; `large`: of names that are written with a capital."""
    for part in _BETWEEN.split(_ASIDE.sub("", listing)):
        words = words_of(part)
        is_name = words and words[0] not in _DETERMINERS and _NO_PART_OF_NAMES.isdisjoint(words)
        if is_name and (not large or _is_name(part)):
            yield from _name([*words])


def _people(text: str) -> Iterator[str]:
    """People that are the subject of a sentence: `A nasty-looking troll blocks all passages`."""
    for found in _SUBJECT.finditer(text):
        words = words_of(found["who"])
        if is_person(words[-1]) and words[-1] not in _NO_THINGS:
            yield words[-1]
    yield from people_named_in(text)
    yield from (name.lower() for name in _MANY.findall(text) if name not in _NO_NAMES)


@lru_cache(maxsize=128)
def people_named_in(text: str) -> tuple[str, ...]:
    """The names of people that a text says are here, in lower case."""
    patterns = (_NAMED, _NAMED_ALIVE, _NAMED_HERE)
    named = (found["name"] for pattern in patterns for found in pattern.finditer(text))
    return tuple(dict.fromkeys(words_of(name)[-1] for name in named if not is_adverb(name.lower())))


def living_in(text: str) -> tuple[str, ...]:
    """The nouns of what does in a text what only the living do: `The hulk stretches out an arm.`"""
    return tuple(dict.fromkeys(found["name"].lower() for found in _DOING.finditer(text)))


def nouns_of(listing: str) -> Iterator[str]:
    """The nouns of a listing: for `a brass lamp, two keys and a slight, fishy odour here`, lamp and keys."""
    phrase: list[str] = []
    plain = _WORN_DOWN.sub("", listing)
    for part in _BETWEEN.split(_PLAIN_SECOND.sub(r"\g<first>, some \g<second>", plain)):
        words = list(words_of(part))
        if words and words[0] in _DETERMINERS:
            yield from _name(phrase)
            phrase = words[1:]
        elif len(phrase) == 1 and words and not _PARTICIPLE.fullmatch(words[0]) and not _is_name(part):
            phrase += words  # `a slight, fishy odour`
    yield from _name(phrase)


def _is_name(part: str) -> bool:
    return part.lstrip()[:1].isupper()


def _bare_nouns_of(listing: str) -> Iterator[str]:
    for part in _BARE_BETWEEN.split(listing):
        words = list(words_of(_WRITTEN.sub("", part)))
        yield from _name(words[1:] if words and words[0] in _DETERMINERS else words)


def _open_asides(text: str) -> str:
    """The text without brackets, unless they contain a list: `coins (a penny and a crown)`."""
    return _ASIDE.sub(lambda found: f", {found[1]}," if _is_list(found[1] or "") else "", text)


def _is_list(aside: str) -> bool:
    return aside.split(" ")[0].lower() in _COUNTING or aside.startswith(("an ", "a "))


def _name(phrase: list[str]) -> Iterator[str]:
    """The noun of a name, with its complement: `coil of rope`."""
    words, more = _split_name(phrase)
    if words[-1:] and words[-1] in _MEASURES and more[:1] == ["of"]:
        words, more = _split_name(more[1:])
    while len(words) > 1 and words[-1] not in _NO_THINGS and _ends_no_name(words[-1]):
        words = words[:-1]
    if not 0 < len(words) <= _LONGEST:
        return
    noun = words[-1].removesuffix("'s")
    if len(noun) >= _SHORTEST and noun not in _NO_THINGS and not is_adverb(noun):
        of = more[1:2] if more[:1] == ["of"] else []
        yield " of ".join((noun, *(word for word in of if word not in NAME_END | _DETERMINERS)))


def _ends_no_name(word: str) -> bool:
    if word in NOUNS_LIKE_VERBS:
        return False
    return word.endswith("ly") or _PARTICIPLE.fullmatch(word) is not None


def _split_name(phrase: list[str]) -> tuple[list[str], list[str]]:
    """The words before the first that ends a name, and the rest; `a closed chest` is a chest."""
    begin = next((at for at, word in enumerate(phrase) if word not in _STATES), 0)
    end = next((at for at in range(begin, len(phrase)) if phrase[at] in NAME_END), len(phrase))
    return phrase[:end], phrase[end:]
