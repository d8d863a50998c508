"""Phrases that games have in common: darkness, refusals, taking."""

from __future__ import annotations

import re
from functools import lru_cache

_PITCH = r"pitch[ -](black|dark)(?! (?:outside|out there|beyond|below|above|night|sky|hole|void|opening))"
DARK = re.compile(
    rf"{_PITCH}|too dark|it('s| is) (now )?dark\b"
    r"(?! (?:outside|out there|in there|and stormy|blue|green|red|brown|gr[ae]y))|"
    r"can't see a thing|total darkness|^darkness$",
    re.I | re.M,
)
PITCH_DARK = re.compile(rf"{_PITCH}|into a dark place|total darkness|^darkness$", re.I | re.M)
"""Phrases that are only used about the player's own room."""
QUOTED = re.compile(r"[\"“][^\"”]*?(?:[\"”]|\n\s*\n|\Z)")
"""What somebody says or wrote, which may be of another place; each paragraph may open the quote anew."""
_NO_SENTENCE = (
    r"(sentence|phrase) (isn't|is not) one|(isn't|is not) a sentence|\bverb in that sentence|"
    r"too many nouns|n't enough nouns|noun missing|used the word\b.* in a way\b|"
    r"rephrase that\b|express that (in )?another|put that another way|"
    r"^\W*(huh|eh|what|pardon( me)?)\?\W*$"
)
"""How Infocom's parsers, and those after them, say that words which they know make no sense together."""
_REFUSED = re.compile(
    r"can't see (any|that|one)\b|don't see (any|that|the)|\bnot see (any|that)\b|"
    r"not (a verb|something you need)|"
    r"don't (know|recogni[sz]e|understand)|"
    r"didn't understand|do not (know|recogni[sz]e|understand|see)|don't need to (refer|use|worry)|"
    r"no such thing|"
    r"beg (your )?pardon|that's not a verb|not here|see no (such|[a-z' -]+ here)\b|isn't (here|available)|"
    r"not available|only understood|\bnoun error\b|understood past|"
    r"(know|recogni[sz]e|understand) the (word|verb)|(isn't|is not) in (the|my|your|its) vocabulary|"
    + _NO_SENTENCE,
    re.I,
)
_PARSERS = 140
"""Characters at the beginning of an answer in which the parser speaks."""
MISSING = re.compile(
    r"\b(?:can't|don't|not) see (?:any|the|that)\b|"
    r"(?:n't|\bnot) (?:holding|carrying|got|have) (?:it|that|the)\b",
    re.I,
)
"""What was named is neither here nor in hand."""
NOT_UNDERSTOOD = re.compile(
    r"(don't|didn't|do not|did not|can't) (understand|follow)|beg (your )?pardon|" + _NO_SENTENCE, re.I
)
"""The parser cannot make sense of a sentence, whichever word is to blame."""
_FRUITLESS = re.compile(
    r"^\W*("
    r"(but )?(you|i) (can't|cannot|can not|aren't|don't|haven't|already|would|will have)|"
    r"(but )?(you|i) (need to|have to|must|have no)|"
    r"you (see nothing|are unable|can only|lack)|i see no|"
    r"(you're|i'm|you've|i've) (not|already|unable|no longer)\b|"
    r"(you|i)('ll| will| would|'d) (have|need) to|don't be\b|it's too dark to see\b|"
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
    r"no ([a-z]+ )?effect|(doesn't|does not|didn't) do anything|"
    r"achieves? (little|nothing)|(find|see) nothing|"
    r"nothing (special|unusual|of interest|(\w+ )?happens|obvious)|"
    r"in vain|to no avail|however hard you try|tell me how to|(?:n't|not) fit\b|"
    r"too (big|large|bulky|small|wide|narrow|deep|thick|tight|solid|strong|far away|high up) (to|for)\b|"
    r"(is|are) (blocked|jammed)\b|"
    r"(won't|will not|doesn't|does not|refuses to) (open|budge|move)|"
    r"(doesn't|does not|don't|do not) (seem|look|appear) (very |at all |to be )?(interested|impressed)|"
    r"(is|are|seems?) (unimpressed|uninterested)|"
    r"(is|are|'s) (unlocked at|locked|already)|"
    r"(is|are|'s) (welded|nailed|bolted|sealed|rusted|stuck|barred|painted) (shut|closed|fast)|"
    r"(seems?|appears?) to be (locked|stuck|jammed|bolted|sealed|already)|too heavy|can't be\b",
    re.I,
)
_STOCK_PHRASES = (
    r"(achieve|accomplish|gain)(s|d|ed)? (nothing|little|much)",
    r"much is to be achieved|(would|will) (achieve|accomplish) ",
    r"nothing (obvious|practical|unexpected|out of the ordinary|in particular|much|suitable|there)",
    r"(smell|hear|taste|feel|touch|sense) (nothing|no)",
    r"less than courteous|unnecessary|futile|fruitless|isn't the answer|look ridiculous",
    r"plainly inedible|not (a )?(edible|drinkable)|time passes|keep your (hands|mind)",
    r"you (are|'re) unable|but you (aren't|are not)|aren't feeling|not feeling",
    r"no (reply|response|answer)|doesn't (seem to|appear to) |does not (seem|appear)",
    r"no (obvious )?(reason|point|need)|isn't (important|necessary)|not important",
    r"(seem|appear)s? (to be )?(locked|uninterested|unimpressed|unmoved)",
    r"what a (concept|good idea|strange)|get (you )?(nowhere|anywhere)",
    r"don't (need|want|see how|think|have)",
    r"can('t| ?not) (do|be|go|see|reach|get|take|quite|think|imagine|contain|usefully|hold)",
    r"\b(far away|out of reach)\b|there('s| is)? (not|no) .{1,20} (here|to)\b|solve (nothing|anything)",
    r"not used in this|answer yes or no?\b|doesn't seem to be (something|anything)|is (closed|shut)\W*$",
    r"(is|are|'s|'re) already|as (good|well) as|that (is|was) a rhetorical|stop (messing|mucking)",
    r"you (sing|jump|dance|wave|pray|shout|yell|sleep|think|wait)\b|not (sure|certain) (how|what)",
    r"understood you as far|more specific|supply a noun|(must|have to) (supply|specify)",
    r"n't notably helpful|(doesn't|does not) (seem to )?work\b|an interesting idea|a valiant attempt",
    r"^\W*(what an? )?(strange|weird|silly|crazy|odd) (idea|concept|notion)|not a prayer|waste of time|"
    r"singularly useless|not (\S+ )?likely\b|(are you|be) out of your mind|lost your mind|bizarre!|"
    r"look around( you)?\W*$|sign of impending|known strange people",
    r"(nobody|no one) (seems to be|is) (awaiting|listening)|"
    r"nice try\b|can't be serious|too late for that|expect me to applaud|to the second grade",
)
_INFOCOMS = (
    r"^\W*(?:whe{2,}|whoosh|a{2,}r+g|ha,? ha|preposterous|naturally|beats me|dream on|get real|shaken|"
    r"weird|useless|interesting idea|with what\?|getting tired|come on, now|save your strength|"
    r"at your service|nobody's home|why (?:bother|knock)|(?:not a|fat) chance|out of the question|"
    r"how (?:romantic|peculiar|exactly)|what an? (?:idea|\w+ (?:concept|idea))|"
    r"a totally |are you enjoying|wasn't that|it could very well|"
    r"it(?:'s| would be) (?:hard|easier|really|too high|right here)|it smells (?:just )?like)",
    r"you(?:'re| are| must be|'ve got to be| appear to have gone| clearly are) (?:clearly )?"
    r"(?:nuts|insane|crazy|kidding|joking)|"
    r"you (?:have a theory|may know how|probably put|could(?:n't| certainly never)|look pretty silly|"
    r"will be lost)",
    r"\bpays? no attention|\bignores? you\W*$|(?:doesn't|does not) (?:respond|understand|accomplish)|"
    r"(?:looks? at you blankly|shrugs?|indifferent|(?:isn't|not) interested(?: in (?:that|it))?)\W*$|"
    r"can't hear you|politely refuse|refuses? (?:it|your offer|the offer) politely|thank you, but no\W*$",
    r"(?:isn't|is not|aren't) (?:asleep|sleeping|open|locked|lit|in or on)\b|wide awake\b|"
    r"hit your head against|is suicidal|bare hands don't|hardly (?:adequate|likely)|is silly\b|"
    r"heaven only knows|won't help\b|reveals nothing\W*$|makes? no sound|accomplishes nothing|"
    r"too (?:hard|obvious) for\b|is too obvious|easy for you to say|go jump in|reread the manual|"
    r"versed in hand-to-hand|well known fact that|kiss a pig|six feet of your head|wish will come true|"
    r"a (?:wall )?in the way\W*$|bump into the wall|firmly locked|is stuck\W*$|big enough for two",
)
"""What Infocom's stories have in common, and those after them: how they joke about what comes to nothing."""
_STOCK = re.compile("|".join((*_STOCK_PHRASES, *_INFOCOMS)), re.I)
"""Answers of the common libraries, Inform's and Infocom's above all, to actions that come to nothing."""
_CLARIFIED = re.compile(r"\A(?:\((?:first |the |with |to |in |on )[^()]*\)\s+)+")
"""What the parser says it has understood, or does first: `(first taking the lamp)`."""
_ASIDE = re.compile(r"\A(?:\[[^\[\]]*\]|\((?!(?:to|the|with|in|on) )[^()]*\))\W*\Z")
"""What is said in brackets, and nothing else, is the parser's word to the player: nothing has happened."""
_TOLD_ASIDE = re.compile(r"\b(?:score|points?)\b", re.I)
"""Of such a word, what tells that something has happened all the same."""
_DONE_ALL_THE_SAME = re.compile(
    r", so (?:you|i) (?!(?:ca|wo|do)n't|cannot|need|must|have|should|might|could)", re.I
)
"""What tells that something was done, though there was nothing else to do."""
_SHORT = 160
"""A longer text tells more than that an action came to nothing."""
DIED = re.compile(r"\*\* +you (have died|are dead)|^\W*you (have died|are dead)\b", re.I | re.M)
"""The player has died, though the game may go on elsewhere."""
TAKEN = re.compile(
    r"\btaken\b|^\W*(ok|okay|o\.k)\W*$|\b(got|have) (it|them)\b|"
    r"(?:^|[.!?)\"]\s+|\b(and|then|so) )\W*(you|i)( (now|carefully|quickly))? (take|pick|get|grab)\b"
    r"(?! (hold|back|off|on)\b)|\byou (now have|have (now|got|taken|picked)|'ve (now )?got)\b",
    re.I | re.M,
)


def unclarified(text: str) -> str:
    """An answer without what the parser says that it has understood, or does first."""
    return _CLARIFIED.sub("", text.strip())


@lru_cache(maxsize=128)
def is_refused(text: str) -> bool:
    """Whether the parser says that it knows no such word or thing here; it says so before anything else."""
    return _REFUSED.search(text.lstrip(), 0, _PARSERS) is not None


@lru_cache(maxsize=128)
def is_fruitless(text: str) -> bool:
    """Whether a text reports that an action had no effect; below its first paragraph others act and speak."""
    whole = unclarified(text)
    answer = whole.partition("\n\n")[0]
    if _DONE_ALL_THE_SAME.search(answer):
        return False
    if _FRUITLESS.search(answer) or _IN_VAIN.search(answer) or is_refused(answer):
        return True
    if _ASIDE.match(whole) and not _TOLD_ASIDE.search(whole):
        return True
    return len(answer) < _SHORT and _STOCK.search(answer) is not None and DARK.search(answer) is None
