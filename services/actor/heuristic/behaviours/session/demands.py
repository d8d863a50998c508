"""What an answer says must come first, or would be wiser: actions, by the answer's words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, dropwhile

from folds.vocabulary.actions import direction_of, is_conversation
from folds.vocabulary.nouns import nouns_in
from folds.vocabulary.verbs import ActionKind, action_kind_of, verb_of_participle
from folds.vocabulary.words import MANY, head_of, words_of
from services.actor.knowledge.experience.success import thing_of
from services.actor.knowledge.texts import NOT_HELD

_END = r"(?:first|before|if|to|and|in order|that|which|you|you're|you've)\b"
_ACTION = rf"(?P<action>[a-z]+(?: (?!{_END})[a-z0-9'-]+){{0,10}})"
_DEMANDS = (
    re.compile(
        r"\b(?:have to|need to|must|should|ought to|had better|try to|want to|could try|try|"
        r"(?:good idea|wise|better|best|easier) to) "
        rf"{_ACTION},? (?:first|before)\b",
        re.I,
    ),
    re.compile(
        rf"\b(?:you|i|someone|somebody)(?:'ll| will|'d)? (?:(?:has|have|needs?) to|must) {_ACTION}", re.I
    ),
)
_IN_THE_WAY = (
    re.compile(r"(?:the |your )?(?P<noun>[a-z' -]+?) (?:is|are|seems?(?: to be)?) (?:closed|shut)\b", re.I),
    re.compile(r"(?:off|against|from|over|on|onto) (?:the |your )(?:closed|shut) (?P<noun>[a-z-]+)\b", re.I),
    re.compile(r"(?:since|because) (?:the |your )?(?P<noun>[a-z' -]+?) (?:is|are) in the way", re.I),
)
_SEATED = re.compile(
    r"\b(?:get|stand|climb) (?:up|off|out)\b.*\bfirst\b|"
    r"\bwhile (?:you're |you are )?(?:still )?(?:sitting|lying|standing|seated|in|on)\b",
    re.I,
)
_WORN = re.compile(
    r"\b(?:the|your|that|those) (?P<noun>[a-z'-]+(?: [a-z'-]+){0,2}?)(?<! while)(?<! when)(?<! if) "
    r"(?:that |which )?(?:you're|you are) (?:still )?wearing\b|"
    r"\b(?:while|when|if|as long as|since|because)(?: you're| you are)?(?: still)? wearing "
    r"(?:the |your |that |those |an? )?(?P<other>[a-z'-]+(?: [a-z'-]+){0,2}?)(?= on\b| like\b|[.,!;])|"
    r"\b(?<!even )with (?:the |your |those |all (?:of )?your )(?P<on>[a-z'-]+(?: [a-z'-]+){0,2}?) on\b",
    re.I,
)
_BARRED = re.compile(
    r"\b(?P<noun>[a-z'-]+) (?:is|are|'s|seems?|appears?)(?: to be)?(?: [a-z]+ly| still)? "
    r"(?P<how>bolted|latched|barred|chained|buttoned|zipped|buckled|strapped|tied|wrapped)"
    r"(?: shut| up| closed| together)?[.!,]",
    re.I,
)
_LADEN = re.compile(
    r"\b(?:carrying|holding|with) (?:all )?(?:of )?(?:your|that|those|these) "
    r"(?:possessions|belongings|baggage|luggage|load|stuff|gear)\b|"
    r"\bwith (?:all|everything|what)(?: that)? you(?:'re| are) (?:carrying|holding)\b",
    re.I,
)
_FULL = re.compile(
    r"\b(?:carrying|holding) (?:too|so) (?:much|many)\b|\bhands (?:are |being )?(?:too |already )?full\b|"
    r"\bboth (?:your )?hands\b|\b(?:hands? free|free hands?)\b",
    re.I,
)
"""The player's hands; of who cannot take one thing more, see `unburden`."""
_IN_HAND = re.compile(
    r"\b(?:while|when|as long as|if) (?:you're |you are )?(?:still )?(?:holding|carrying) (?:it|that|them)\b",
    re.I,
)
_NOT_DONE = re.compile(r"\b(?:isn't|is not|aren't|are not) (?:yet )?(?P<done>[a-z]{2,10}ed)\b[.!]", re.I)
"""What has not been done with a thing: `It is not inflated.`"""
_BEFOREHAND = re.compile(
    r"\b(?:must|should|ought to|has to|have to|needs? to) (?:first )?be (?:[a-z]+ly )?"
    r"(?P<done>placed|put|set|laid|[a-z]{2,10}ed)\b[^.!]{0,30}\b(?:first|before)\b",
    re.I,
)
"""The same of what has to come first: `The lamp must be placed securely before being lit.`"""
_AS_LONG_AS = re.compile(
    r"\bwhile (?:it|they)(?:'s|'re| is| are) (?:still )?(?:switched |turned )?"
    r"(?P<how>on|lit|burning|open|closed)\b",
    re.I,
)
"""In what state a thing stands in the way: `You cannot lift it while it's switched on.`"""
_ENDING = {"on": "turn off", "lit": "turn off", "burning": "turn off", "open": "close", "closed": "open"}
"""What ends such a state."""
_LAID = ("placed", "put", "set", "laid")
_DEED = re.compile(
    r"\b(?:good|hard|firm|strong|sharp|little|quick|mighty|gentle) "
    r"(?P<verb>pull|push|kick|shove|shake|tug|twist|turn|yank|rub)\b",
    re.I,
)
"""What may help: `Perhaps a good pull would help.`"""
_REQUIRED = re.compile(
    r"\b(?:requires?|(?:you|i)(?:'ll|'d| will| would)? (?:need|want)|needs?) (?:an?|some|the|your) "
    r"(?:[a-z'-]+ ){0,2}?(?P<tool>[a-z'-]+)(?: (?:to|for) [^.!,]*)?[.!,]",
    re.I,
)
"""What it cannot be done without: `Cutting something requires a knife.`"""
_PRICED = re.compile(
    r"\bcosts? (?:money|[\d$£]|(?:an?|one|two|three|four|five|six|ten|twelve|twenty|fifty) [a-z])|"
    r"\bfor sale\b|\bwithout paying\b|\bhave(?:n't| not) paid\b|\b(?:isn't|aren't|not) free\b",
    re.I,
)
"""What is to be had for money."""
_OF_WARES = (ActionKind.TAKE, ActionKind.EXAMINE)
_QUESTION = re.compile(
    r"(?:(?<=[.!?\n\"“])|^) ?\b(?:do|does|did|what(?! about)|where|who|when|which|are|is|can|could|would)\b"
    r"[^.!?\n]*\?",
    re.I,
)
_ITS_DOOR = re.compile(r"\bopen (?:the|its) (?:door|lid|hatch)\b", re.I)
_NO_CONTAINER = re.compile(r"\b(?:can't|cannot|can not) (?:contain|hold) (?:things|anything)\b", re.I)
_NO_DEEDS = frozenset(
    "allowed needed required interested supposed worried amused tired impressed locked closed".split()
)
_NOT_IN_MIND = re.compile(
    r"(?:not|n't) .*\b(?:memori[sz]ed|learned|learnt|committed to memory|in (?:mind|memory))\b", re.I
)
"""A spell has to be learned anew."""
_HOLDING = re.compile(r"^(?:be (?:holding|carrying)|hold|have) ")
_RESTING = re.compile(r"^(?:take|get) (?:[a-z]+ )?(?:nap|snooze|rest|sleep)$")
_ARTICLES = frozenset("the your one's a an some first it's".split())
_ADVERBS = frozenset("probably really definitely certainly simply surely just also".split())
_PRONOUNS = frozenset(("that", "those", "it", "them"))
_VAGUE = frozenset("something anything somehow alone where".split())
_OF_THE_PARSER = re.compile(r"(?:tell me|be|specify|supply|refer|rephrase|repeat|try)\b")
"""What the player, and no command, has to do: `you must supply a noun`."""
_SUGGESTIONS = (
    re.compile(
        r"\byou(?:'d better| (?:should|ought to|had better|(?:might|may) want to|(?:might|could) try to)) "
        rf"(?:at least )?{_ACTION}",
        re.I,
    ),
    re.compile(rf"\bwhy (?:not|don't you) {_ACTION}", re.I),
    re.compile(rf"\b(?:until|unless) (?:you|i)(?:'ve| have)? {_ACTION}", re.I),
    re.compile(
        rf"\b(?:wiser?|better|best|good idea|easier|safer|smarter|prudent)(?: if you| to)? {_ACTION}", re.I
    ),
    re.compile(rf"(?:^|[.!?]\s+){_ACTION} first\b", re.I),
)
_REST = rf"(?P<rest>(?: (?!{_END})[a-z'-]+){{0,6}})"
_OF_A_VERB = (
    re.compile(
        rf"\b(?:try|tried|without|what about|how about|consider) (?P<verb>[a-z]{{2,}})ing\b{_REST}", re.I
    ),
    re.compile(rf"\bif you(?:'d| had)? (?P<verb>[a-z]{{2,}})ed\b{_REST}", re.I),
)
"""The same in other forms of the verb: `try lifting the lid`, `perhaps if you turned on the light`."""
_SUCH_AS = re.compile(r"\b(?:[a-z]+ )?(?:things|topics|subjects|matters|people) (?:such as|like) ", re.I)
_TOPICS = re.compile(r"\b(?:or|and|instead)\b")
"""What stands between topics, or behind the last: `try asking her about things such as tea or cats`."""
_NOTHING_TO_DO = (ActionKind.OTHER, ActionKind.WAIT)


@lru_cache(maxsize=64)
def demands_of(action: str, text: str) -> tuple[str, ...]:
    """What the answer to an action says must come first, each once; who asks what to do demands nothing."""
    if direction_of(action):
        action = f"enter {next(iter(nouns_in(text)), '')}".rstrip()  # what bars the way
    return tuple(dict.fromkeys(filter(None, _all_demands(action, _QUESTION.sub(" ", text)))))


def _all_demands(action: str, text: str) -> Iterator[str]:
    spell = action.removeprefix("cast ").partition(" ")[0]
    if _NOT_IN_MIND.search(text) and not {spell, "spell"}.isdisjoint(words_of(text)):
        yield f"learn {spell}"
        return
    demanded = [_imperative(each["action"]) for pattern in _DEMANDS for each in pattern.finditer(text)]
    for whole in demanded:
        if _VAGUE.isdisjoint(whole.split()) and not _OF_THE_PARSER.match(whole):
            yield from (_meant(action, each) for each in (whole, whole.partition(" of ")[0]))
    yield from (_meant(action, each) for each in _suggested(text))
    yield from _demands_on_things(action, text)
    for pattern in _IN_THE_WAY:
        for found in pattern.finditer(text):
            yield f"open {head_of(found['noun'])}"
    for found in () if demanded else _WORN.finditer(text):
        yield f"take off {head_of(found['noun'] or found['other'] or found['on'])}"
    for found in _BARRED.finditer(text):
        verb = verb_of_participle(found["how"].lower())
        yield from (f"un{verb} {found['noun']}", f"pull {verb}")
    if _LADEN.search(text) or (_FULL.search(text) and action_kind_of(action) is not ActionKind.TAKE):
        yield "drop all"
    if _SEATED.search(text):
        yield from ("stand up", "out")


def _suggested(text: str) -> Iterator[str]:
    """What a text suggests to do, where its verb is one that players use."""
    told = _SUCH_AS.sub("", text)
    found = [each["action"] for pattern in _SUGGESTIONS for each in pattern.finditer(told)]
    others = (each for pattern in _OF_A_VERB for each in pattern.finditer(told))
    found += [verb_of_participle(f"{each['verb'].lower()}ed") + each["rest"] for each in others]
    for action in chain.from_iterable(map(_one_by_one, map(_imperative, found))):
        if action_kind_of(action) not in _NOTHING_TO_DO and _VAGUE.isdisjoint(action.split()):
            yield action


def _one_by_one(action: str) -> list[str]:
    """An action; of a conversation, one for each topic."""
    asking, about, topics = action.partition(" about ")
    if not about:
        return [action]
    return [f"{asking} about {topic.strip()}" for topic in _TOPICS.split(topics) if topic.strip()]


def _demands_on_things(action: str, text: str) -> Iterator[str]:
    """The same of what has to be taken, laid down, or done with the thing of the action."""
    thing, lays_down = thing_of(action), action_kind_of(action) is ActionKind.DROP
    for found in () if lays_down else NOT_HELD.finditer(text):
        noun = head_of(found["noun"])
        yield f"take {noun if noun not in _PRONOUNS else thing}"
    wants_tool = thing and " with " not in action and not is_conversation(action)
    for found in _REQUIRED.finditer(text) if wants_tool else ():
        yield f"{action} with {found['tool'].lower()}"
    if " in " in action and _NO_CONTAINER.search(text):
        yield action.replace(" in ", " on ")
    if thing:
        yield from _deeds_with(thing, action, text)
    if thing and not lays_down and _IN_HAND.search(text):
        yield f"drop {thing}"


def _deeds_with(thing: str, action: str, text: str) -> Iterator[str]:
    """What an answer says is to be done with the thing of an action."""
    if action_kind_of(action) in _OF_WARES and _PRICED.search(text):
        yield f"buy {thing}"
    if _ITS_DOOR.search(text):
        yield f"open {thing}"
    for found in _NOT_DONE.finditer(text):
        if found["done"].lower() not in _NO_DEEDS:
            yield f"{verb_of_participle(found['done'].lower())} {thing}"
    for found in _BEFOREHAND.finditer(text):
        done = found["done"].lower()
        yield f"{'drop' if done in _LAID else verb_of_participle(done)} {head_of(thing)}"
    for found in _AS_LONG_AS.finditer(text) if thing not in MANY else ():
        yield f"{_ENDING[found['how'].lower()]} {head_of(thing)}"
    for found in _DEED.finditer(text):
        yield f"{found['verb'].lower()} {thing}"


def _meant(action: str, demand: str) -> str:
    """After `play record`, `put it on player` means the record; `dig through them` whatever was looked at.

    Empty: nobody can tell what is meant.
    """
    verb, *rest = demand.split()
    thing = "" if is_conversation(action) else thing_of(action)
    if not thing and not _PRONOUNS.isdisjoint(rest):
        return ""
    return " ".join((verb, *(thing if word in _PRONOUNS else word for word in rest)))


def _imperative(demand: str) -> str:
    """`be holding the rope` is `take rope`, `have a nap` is `sleep`."""
    words = (word for word in demand.lower().split() if word not in _ARTICLES)
    said = _HOLDING.sub("take ", " ".join(dropwhile(_ADVERBS.__contains__, words)))
    return _RESTING.sub("sleep", said)
