"""Phrases that games have in common: darkness, refusals, taking, points."""

from __future__ import annotations

import re
from functools import lru_cache

DARK = re.compile(
    r"pitch[ -](black|dark)|too dark|it('s| is) (now )?dark\b|can't see a thing|total darkness|^darkness$",
    re.I | re.M,
)
PITCH_DARK = re.compile(r"pitch[ -](black|dark)|into a dark place|total darkness|^darkness$", re.I | re.M)
"""Phrases that are only used about the player's own room."""
REFUSED = re.compile(
    r"can't see any|don't see (any|that|the)|not (a verb|something)|don't (know|recogni[sz]e|understand)|"
    r"didn't understand|do not (know|recogni[sz]e|understand|see)|don't need to (refer|use)|no such thing|"
    r"beg (your )?pardon|that's not a verb|not here|see no |isn't here|not available|only understood",
    re.I,
)
"""The parser knows no such word or thing here."""
_FRUITLESS = re.compile(
    r"^\W*("
    r"you (can't|cannot|can not|aren't|don't|haven't|already|would|will have|need to|must|have no)|"
    r"you (see nothing|are unable)|"
    r"you're (not|already)|i (can't|don't|see no)|"
    r"it (won't|isn't|is (not|already|locked))|it's (not|already)|"
    r"that('s| is) (not|already|hardly|fixed|plainly|impossible|too|out|silly|ridiculous)|"
    r"that (would|won't|wouldn't|doesn't|can't|seems)|there('s| is) (no|nothing)|"
    r"nothing|what do you want|whom? do you|which|why would|how (do|would|can)|violence|"
    r"the \S+ (is|are) (already|locked|not)|sorry|impossible|no\b|lantern (took|gave|does))",
    re.I,
)
"""First words of a text that reports an action without effect (Infocom's and Inform's libraries)."""
_IN_VAIN = re.compile(
    r"not (something|anything) (that )?you can|hardly portable|fixed in place|firmly (attached|fixed)|"
    r"no effect|"
    r"achieves? (little|nothing)|(find|see) nothing|nothing (special|unusual|of interest|happens|obvious)|"
    r"in vain|to no avail|(won't|doesn't|refuses to) (open|budge|move)|(is|are|'s) (locked|already)|"
    r"(seems?|appears?) to be (locked|stuck|jammed|bolted|sealed|already)|too heavy|can't be\b",
    re.I,
)
DIED = re.compile(r"\*\* +you (have died|are dead)|^\W*you (have died|are dead)\b", re.I | re.M)
"""The player has died, though the game may go on elsewhere."""
TAKEN = re.compile(
    r"\btaken\b|^\W*(ok|okay|o\.k)\W*$|\b(got|have) (it|them)\b|"
    r"(?:^|[.!?)\"]\s+|\b(and|then|so) )\W*(you|i)( (now|carefully|quickly))? (take|pick|get|grab)\b"
    r"(?! (hold|back|off|on)\b)|\byou (now have|have (now|got|taken|picked)|'ve (now )?got)\b",
    re.I | re.M,
)

_NUMBER = r"(?P<number>[a-z0-9 -]+?) points?\b"
_POINTS = (
    re.compile(
        r"\bscore (has )?(just )?(gone )?(?P<way>up|down|increased|decreased|risen|dropped|fallen) by "
        + _NUMBER,
        re.I,
    ),
    re.compile(r"\byou('ve| have)? (just )?(?P<way>earned|gained|scored|lost) " + _NUMBER, re.I),
)
_DOWN = frozenset({"down", "decreased", "dropped", "fallen", "lost"})
_ONES = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred".split()
_NUMBERS = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * tens for tens, word in enumerate(_TENS, start=2)},
    "a": 1,
    "another": 1,
}


@lru_cache(maxsize=128)
def is_fruitless(text: str) -> bool:
    """Whether a text reports that an action had no effect."""
    return any(pattern.search(text) for pattern in (_FRUITLESS, _IN_VAIN, REFUSED))


@lru_cache(maxsize=128)
def points_announced(text: str) -> int:
    """The points that a text announces: `[Your score has just gone up by five points.]`; 0: none."""
    found = next(filter(None, (pattern.search(text) for pattern in _POINTS)), None)
    if found is None:
        return 0
    value = _number(found["number"])
    return -value if found["way"].lower() in _DOWN else value


def _number(words: str) -> int:
    """A number in digits or in English; 0: it is not a number."""
    if words.strip().isdigit():
        return int(words)
    total = 0
    for word in words.lower().replace("-", " ").split():
        if word == "hundred":
            total = 100 * max(1, total)
        elif word != "and":
            total += _NUMBERS.get(word, 0)
    return total
