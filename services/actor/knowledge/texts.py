"""What every story says alike: blows, burdens, people (see also `folds/text/phrases.py`)."""

from __future__ import annotations

import re

UNKNOWN_WORD = re.compile(
    r"(know|recogni[sz]e|understand) the word|not a word|word .* (know|recogni[sz]e)|"
    r"in (the|my|your|its) vocabulary",
    re.I,
)
UNKNOWN_QUOTED = re.compile(
    r"(?:know|recogni[sz]e|understand|need to use) the (?:word|verb) [\"'“‘]?([\w-]+)|"
    r"word [\"'“‘]([\w-]+)[\"'”’] (?:is not|isn't)",
    re.I,
)
UNKNOWN_VERB = re.compile(
    r"(?:not|isn't) a verb|\bverb error\b|\bno verb in that\b|isn't any verb in|"
    r"(?:know|recogni[sz]e|understand) (?:how to|that verb|the verb)",
    re.I,
)
"""The parser does not know the verb."""
UNDERSTOOD_AS_FAR = re.compile(
    r"(?:only understood you as far as wanting to |not understood past [\"'“‘])(?P<action>[^.]+)\.", re.I
)
"""The parser would have done this, but for the words that came after it."""
NAMED_MISSING = re.compile(
    r"\b(?:can't|can ?not|don't|do not) see (?:any|an?|the) (?P<name>(?!such\b)[a-z' -]+?) here\b", re.I
)
"""What was named is not here, and the text names it."""
HOSTILE = re.compile(
    r"(attacks?|swings?|lunges?|strikes?|charges?|stabs?|hits?|slashes|bites?|swipes?) (at )?you\b|"
    r"\b(throws|hurls|aims|fires|shoots) [^.!?]{1,40} at you\b|"
    r"\b(?:rears up|spreads its hood|strikes (?:at )?(?:the air|your))\b",
    re.I,
)
BURDENED = re.compile(
    r"load is too|carrying too (many|much)|holding too (many|much)|hands are full|can't carry any|"
    r"(load|carrying|bearing) (bearing )?(capacity|limit)|(cannot|can not) carry (any|that|more)",
    re.I,
)
NOT_HELD = re.compile(
    r"(?:not|n't) (?:even )?(?:holding|carrying|have|got|wearing) (?:the |any |that |an? )?"
    r"(?P<noun>[a-z'-]+(?: [a-z'-]+){0,2})[.!,]",
    re.I,
)
"""What was named, or is needed, is not in hand."""
UNWILLING = re.compile(r"would(n't)? care for that|seems? to belong to|doesn't belong to you", re.I)
"""What Inform's library says to the taking of a person."""
LIFELESS = re.compile(
    r"\banimate\b|inanimate|only (?:do that|talk|speak) (?:to|with) (?:people|some)|"
    r"can't (talk|speak) to|can't give (?:an?|the) [^.!]{1,30} to (?:an?|the)\b|"
    r"talk to (yourself|inanimate)|(isn't|is not|aren't) alive",
    re.I,
)
"""What Inform's library and others say to talking with a thing."""
AT_WORK = re.compile(
    r"\b(?:(?:springs?|comes?|roars?|bursts?|flickers?) (?:back )?(?:in)?to life|hum(?:s|ming)?|whirs?|"
    r"starts? up|begins? to (?:turn|move|hum|spin|flow|rise)|lights? (?:up|come on)|powers? up|"
    r"whirring|rumbl(?:es?|ing)|grinding|in the distance|somewhere|far (?:away|off))\b",
    re.I,
)
"""A machine has begun to work, or something has happened out of sight."""
ACKNOWLEDGED = re.compile(
    r"(?!.*\b(?:nothing|no|not|but)\b)\W*(?:o\.?k\.?(?:ay)?|done|click|(?:un)?locked|opened|"
    r"you (?:unlock|open|press|push|pull|turn|switch|light)\b[^.!?]*|[^.!?]*\b(?:is|are) now [a-z]+)\W*",
    re.I,
)
"""An answer that says no more than that it was done."""
PUT_AWAY = re.compile(r"\W*(?:you (?:put|place|drop|insert) [^.!]*|done|o\.?k\.?(?:ay)?)[.!]?", re.I)
"""An answer that says no more than where a thing is now."""
LOCKED = re.compile(r"(?<!\bfit the )(?<!\bfit in the )(?<!\bfit into the )\block(ed)?\b", re.I)
"""Something is locked; not: a key does not fit the lock."""
ONE_AT_A_TIME = re.compile(
    r"\b(?:be more specific|one (?:thing|item|object) at a time|multiple (?:objects|direct objects|nouns)|"
    r"(?:can't|cannot|don't|do not) (?:use|understand|know)[^.!?]*\ball\b)",
    re.I,
)
"""What a game says that takes no `all`."""
