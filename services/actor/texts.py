"""What a game's texts say that every game says alike: darkness, refusals, blows, burdens."""

from __future__ import annotations

import re

DARK = re.compile(
    r"pitch[ -](black|dark)|too dark|it('s| is) (now )?dark\b|can't see a thing|total darkness|^darkness$",
    re.I | re.M,
)
REFUSED = re.compile(
    r"can't see any|don't see (any|that|the)|not (a verb|something)|don't (know|recogni[sz]e|understand)|"
    r"didn't understand|do not (know|recogni[sz]e|understand|see)|don't need to (refer|use)|no such thing|"
    r"beg (your )?pardon|that's not a verb|not here|see no |isn't here|not available|only understood",
    re.I,
)
UNKNOWN_WORD = re.compile(
    r"(know|recogni[sz]e|understand) the word|not a word|word .* (know|recogni[sz]e)", re.I
)
TAKEN = re.compile(r"\btaken\b|you (now )?(take|have|pick|get|grab)\b", re.I)
HOSTILE = re.compile(
    r"(attacks?|swings?|lunges?|strikes?|charges?|stabs?|hits?|slashes|bites?|swipes?) (at )?you\b", re.I
)
BURDENED = re.compile(
    r"load is too|carrying too (many|much)|holding too (many|much)|hands are full|can't carry any", re.I
)
UNWILLING = re.compile(r"would(n't)? care for that|seems? to belong to|doesn't belong to you", re.I)
"""What Inform's library says to the taking of a person."""
LIFELESS = re.compile(r"\banimate\b|inanimate|can't (talk|speak) to|talk to (yourself|inanimate)", re.I)
"""What Inform's library and others say to talking with a thing."""
LOCKED = re.compile(r"\block(ed)?\b", re.I)
LYING_HERE = re.compile(
    r"[^.!?\n]*\b(?:(?:is|are|lies|lie) here|there (?:is|are)|(?:can |also )see)\b[^.!?\n]*", re.I
)
