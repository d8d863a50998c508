"""What a refusal asks for is done."""

from __future__ import annotations

import re
from collections.abc import Iterator

from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of, verb_of_participle
from folds.vocabulary.words import head_of, words_of
from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.behaviours.people.talking import people_here
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.ambiguities import things_meant_in
from services.actor.knowledge.experience.success import thing_of
from services.actor.knowledge.situation import Situation
from services.actor.knowledge.texts import UNDERSTOOD_AS_FAR

_END = r"(?:first|before|if|to|and|in order|that|which|you|you're|you've)\b"
_ACTION = rf"(?P<action>[a-z]+(?: (?!{_END})[a-z'-]+){{0,8}})"
_DEMANDS = (
    re.compile(
        r"\b(?:have to|need to|must|should|ought to|had better|try to|want to|could try|try|"
        r"(?:good idea|wise|better|best|easier) to) "
        rf"{_ACTION},? (?:first|before)\b",
        re.I,
    ),
    re.compile(rf"\b(?:you|i)(?:'ll| will|'d)? (?:have to|need to|must) {_ACTION}", re.I),
)
_NOT_HELD = re.compile(
    r"(?:not|n't) (?:even )?(?:holding|carrying|have|got|wearing) (?:the |any |that |an? )?"
    r"(?P<noun>[a-z'-]+(?: [a-z'-]+){0,2})[.!,]",
    re.I,
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
    r"\b(?:the|your|that|those) (?P<noun>[a-z'-]+(?: [a-z'-]+){0,2}?) (?:that |which )?"
    r"(?:you're|you are) (?:still )?wearing\b|"
    r"\b(?:while|when|if|as long as|since|because)(?: you're| you are)?(?: still)? wearing "
    r"(?:the |your |that |those |an? )?(?P<other>[a-z'-]+(?: [a-z'-]+){0,2}?)(?= on\b| like\b|[.,!;])",
    re.I,
)
_LADEN = re.compile(
    r"\b(?:carrying|holding|with) (?:all )?(?:of )?(?:your|that|those|these) "
    r"(?:possessions|belongings|baggage|luggage|load|stuff|gear)\b|"
    r"\bwith (?:all|everything|what)(?: that)? you(?:'re| are) (?:carrying|holding)\b",
    re.I,
)
_IN_HAND = re.compile(
    r"\b(?:while|when|as long as|if) (?:you're |you are )?(?:still )?(?:holding|carrying) (?:it|that|them)\b",
    re.I,
)
_NOT_DONE = re.compile(r"\b(?:isn't|is not|aren't|are not) (?:yet )?(?P<done>[a-z]{2,10}ed)\b[.!]", re.I)
"""What has not been done with a thing: `It is not inflated.`"""
_DEED = re.compile(
    r"\b(?:good|hard|firm|strong|sharp|little|quick|mighty|gentle) "
    r"(?P<verb>pull|push|kick|shove|shake|tug|twist|turn|yank|rub)\b",
    re.I,
)
"""What may help: `Perhaps a good pull would help.`"""
_NO_DEEDS = frozenset(
    "allowed needed required interested supposed worried amused tired impressed locked closed".split()
)
_NOT_IN_MIND = re.compile(
    r"(?:not|n't) .*\b(?:memori[sz]ed|learned|learnt|committed to memory|in (?:mind|memory))\b", re.I
)
"""A spell has to be learned anew."""
_HOLDING = re.compile(r"^(?:be (?:holding|carrying)|hold|have) ")
_FOR_ME = re.compile(r"(?P<verb>give|show|bring) me (?:your )?(?P<thing>.+)")
_ARTICLES = frozenset("the your one's a an first it's".split())
_LONGEST = 400
"""Characters of a refusal; a longer text tells a story."""
_PRONOUNS = frozenset(("that", "those", "it", "them"))
_VAGUE = frozenset(("something", "anything", "somehow"))
_UTILITY, _LESS, _MOST = 92.0, 70.0, 8


def obey(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Open, take, stand up, or whatever the last answer says must come first."""
    step = situation.step
    if step.action is None or situation.came_from is not None or len(step.observation) >= _LONGEST:
        return
    yield from _resumed(situation, context)
    for demand in dict.fromkeys(_demands(step.action, step.observation)):
        action = _of_somebody(normal(demand), context)
        if _is_out_of_reach(action, normal(step.action), context):
            continue
        if action and action != normal(step.action) and not _is_in_vain(action, context):
            yield Idea(action, "the last answer asks for it", _UTILITY)
    understood = _understood(normal(step.action), step.observation)
    if understood and not _is_in_vain(understood, context):
        yield Idea(understood, "the game understands as much of it", _LESS)


def _of_somebody(demand: str, context: OptionContext) -> str:
    """What somebody here demands: `give me card` is `give card to clerk`."""
    wanted, person = _FOR_ME.fullmatch(demand), next(iter(people_here(context)), "")
    if not wanted or not person:
        return demand
    verb = "show" if wanted["verb"] == "show" else "give"
    return f"{verb} {wanted['thing']} to {person}"


def _resumed(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """What was refused is done again, once what had to come first is done, and told apart if need be."""
    earlier = list(situation.recent)[:-1]
    done = situation.step.action
    if earlier and things_meant_in(earlier[-1].observation):
        done = earlier.pop().action
    if not earlier or is_fruitless(situation.step.observation):
        return
    refused, done = earlier[-1], normal(done or "")
    action = normal(refused.action or "")
    wanted = map(normal, _demands(action, refused.observation))
    if action and done in wanted and context.done.get(action, 0) < _MOST:
        utility = URGENT if done == "drop all" else _UTILITY + 1
        yield Idea(action, "what had to come first is done", utility, insists=True)


def _is_out_of_reach(action: str, refused: str, context: OptionContext) -> bool:
    """Whether an action takes what nothing names here: `You do not have any key` tells of none to take."""
    if not context.blind or action_kind_of(action) is not ActionKind.TAKE:
        return False
    noun, mentioned = head_of(thing_of(action)), context.known.mentions.nouns_of(context.room)
    return not context.sees(noun) and noun not in mentioned and noun not in words_of(refused)


def _is_in_vain(action: str, context: OptionContext) -> bool:
    if context.blind:
        return context.has_failed(action) or context.done.get(action, 0) >= _MOST
    return action in context.attempts


def _demands(action: str, text: str) -> Iterator[str]:
    """What the answer to an action says must come first."""
    spell = action.removeprefix("cast ").partition(" ")[0]
    if _NOT_IN_MIND.search(text) and not {spell, "spell"}.isdisjoint(words_of(text)):
        yield f"learn {spell}"
        return
    for pattern in _DEMANDS:
        for found in pattern.finditer(text):
            whole = _imperative(found["action"])
            if _VAGUE.isdisjoint(whole.split()) and not whole.startswith("tell me"):
                yield from (whole, whole.partition(" of ")[0])
    yield from _demands_on_things(action, text)
    for pattern in _IN_THE_WAY:
        for found in pattern.finditer(text):
            yield f"open {head_of(found['noun'])}"
    told = any(pattern.search(text) for pattern in _DEMANDS)
    for found in () if told else _WORN.finditer(text):
        yield f"take off {head_of(found['noun'] or found['other'])}"
    if _LADEN.search(text):
        yield "drop all"
    if _SEATED.search(text):
        yield from ("stand up", "out")


def _demands_on_things(action: str, text: str) -> Iterator[str]:
    """The same of what has to be taken, laid down, or done with the thing of the action."""
    thing, lays_down = thing_of(action), action_kind_of(action) is ActionKind.DROP
    for found in () if lays_down else _NOT_HELD.finditer(text):
        noun = head_of(found["noun"])
        yield f"take {noun if noun not in _PRONOUNS else thing}"
    for found in _NOT_DONE.finditer(text) if thing else ():
        if found["done"].lower() not in _NO_DEEDS:
            yield f"{verb_of_participle(found['done'].lower())} {thing}"
    for found in _DEED.finditer(text) if thing else ():
        yield f"{found['verb'].lower()} {thing}"
    if thing and not lays_down and _IN_HAND.search(text):
        yield f"drop {thing}"


def _understood(action: str, answer: str) -> str | None:
    """The beginning of an action, as far as the parser understood it: of `cut tree with axe`, `cut tree`."""
    found = UNDERSTOOD_AS_FAR.search(answer)
    beginning = f"{action.partition(' ')[0]} {thing_of(action)}"
    return beginning if found and " " in found["action"] and beginning != action else None


def _imperative(demand: str) -> str:
    """`be holding the rope` is `take rope`."""
    words = " ".join(word for word in demand.lower().split() if word not in _ARTICLES)
    return _HOLDING.sub("take ", words)
