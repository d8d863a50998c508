"""What texts tell the player to type, or to look at: verbs, whole actions, magic words, hiding places."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from folds.text.phrases import is_refused
from folds.text.rooms import room_of
from folds.text.settable import settings_in
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.verbs import IRREGULAR, ActionKind, action_kind_of, verb_of_participle
from folds.vocabulary.words import FUNCTION_WORDS, head_of, words_of
from schemas.game import StepTaken
from services.actor.knowledge.kinds import LIGHTS, TREASURES
from services.actor.knowledge.mentions import renewed

_WITH_A_GAP = re.compile(
    r"[\"'](?P<verb>[a-z]+(?: [a-z]+)?) [\[<(](?:some|any)?[a-z ]+[\]>)][\"']", re.I
)  # "note [something]"
_BEFORE_A_THING = re.compile(
    r"\b(?P<verb>[A-Z]{3,10}(?: (?:AT|TO|ON|IN|WITH|FOR|UP|OFF))?) "
    r"(?:(?P<whom>them|him|her|people|(?:some|any)(?:body|one))|(?:some|any)things?|it|things|"
    r"[A-Z]*THINGS?)\b(?! to\b)"
)  # TALK TO them
_PEOPLE = re.compile(r"\b(?:people|persons?|characters?|(?:some|any)(?:body|one))\b", re.I)
_SIGN = re.compile(r"^\W*(?P<verb>[A-Z]{3,10}) (?:IT|THEM|HIM|HER)\b", re.M)  # "PULL IT DOWN"
_WHOLE = re.compile(
    r"\b(?:can|could|may|should|try|to|type|typing|by|just|or) (?:[a-z]+ ){0,3}?"
    r"(?P<action>[A-Z]{2,}(?: [A-Z]{2,}){1,4})(?<! TO)(?<! AT)(?<! WITH)(?<! ABOUT)\b"
)  # you can CLIMB ON STAGE
_QUOTED = re.compile(
    r"\b(?:commands?|typ(?:e|ing)|try|enter(?:ing)?|us(?:e|ing))(?: the command)?:? "
    r"[\"'“‘](?P<action>[a-z]{2,}(?: [a-z'-]+){1,4})[.!,]?[\"'”’]|"
    r"\bcommand(?: is)?: ?(?P<bare>[a-z]{2,}(?: [a-z'-]+){1,3}?)(?= or\b|[.!,;)\n]|$)",
    re.I | re.M,
)  # try "shake bed"
_SAYING = re.compile(
    r"\b(?:[Ss]ay|[Ss]peak|[Ss]hout|[Uu]tter|[Cc]hant|[Ww]hisper|[Pp]ronounce|SAY)(?:ing)? "
    r"(?:the (?:magic |secret )?words? )?[\"'“‘]?"
    r"(?P<word>[A-Z]{3,12}\b|(?<=[\"'“‘])[A-Za-z]{3,12}(?=[.!,]?[\"'”’]))"
)
"""A word that is to be said: `Say ABRACADABRA`."""
_PASSIVE = re.compile(
    r"\b(?:(?:can|could|may) (?:(?:also|easily|perhaps|possibly) )?|"
    r"(?:should|must|enough to|needs? to|ought to|ready to|wants? to|meant to|waiting to|begging to) )be "
    rf"(?P<done>[a-z]{{2,10}}ed|{'|'.join(IRREGULAR)})\b(?! (?:from|as|by|here)\b)",
    re.I,
)
"""What can be done with a thing: `It could be extended.`, `The door feels weak enough to be kicked.`"""
_ACTIVE = re.compile(
    r"\b(?:can|could|might|may|able to|possible to|easy to|tempted to|want to|like to)"
    r"(?: (?:also|probably|perhaps|easily|just|always|try to|be able to))* (?P<verb>[a-z]{3,10})"
    r"(?: (?:or|and) (?P<other>[a-z]{3,10}))? (?:it|this|that|them)\b",
    re.I,
)
"""The same: `You could bend or break it.`"""
_NO_DEEDS = frozenset(
    """
    see use find get make take have say tell read think feel bear afford know help leave keep reach need want
    like hear imagine guess blame call believe remember understand examine notice recognize recognise
    """.split()
)
_ROOMY = re.compile(
    r"\b(?:get|climb|step|crawl|squeeze) (?:in|into|inside|through)\b|"
    r"\b(?:big|large|wide|roomy) enough (?:for (?:you|somebody|a person)|to (?:enter|hide|sit|lie|stand))\b",
    re.I,
)
"""One can get into what is looked at."""
_WEAK = re.compile(
    r"\b(?:weak|flimsy|rickety|rotten|rotting|crumbling|cracked|brittle|fragile)\b|"
    r"(?:not|n'?t) (?:look|seem|feel|appear)(?: to be)? (?:very |that |too |so |all that |particularly )?"
    r"(?:strong|sturdy|solid|secure|thick)\b",
    re.I,
)
"""What is looked at gives way to force."""
_OUT_OF_REACH = re.compile(
    r"\bout of (?:your )?reach\b|\b(?:can't|cannot|can not) (?:quite )?reach\b|\btoo (?:high|far) up\b|"
    r"\b(?:stand|stood|climb) on something\b",
    re.I,
)
_WITHOUT = re.compile(
    r"\bwithout (?:(?:an?|the|your|any|some|proper|protective) )*"
    r"(?P<noun>[a-z-]{3,}(?: (?:suit|mask|helmet))?)\b",
    re.I,
)
"""What one should have, or wear: `No entry without helmet`."""
_SENSED = frozenset(
    "used reached observed viewed noticed entered described considered called followed".split()
)
_OF_LIGHT = re.compile(r"\b(?:dark|darkness|light|glow|shine)\b", re.I)
_NUMBER = re.compile(r"(?<![\d.,$:#])\b(?!0\b)\d{1,6}\b(?![.,:]?\d|%|-digit)")
_NUMBERING = re.compile(r"^\W*\d+ ?[.):] ", re.M)
"""What numbers the lines of a list, and opens no safe."""
_READING = (ActionKind.READ, ActionKind.EXAMINE, ActionKind.SEARCH, ActionKind.TALK)
"""Kinds of actions in whose answers a number may be of use elsewhere."""
_LOOKING = (ActionKind.READ, ActionKind.EXAMINE)
_TOUCHING = (ActionKind.EXAMINE, ActionKind.OPEN, ActionKind.HANDLE, ActionKind.ATTACK)
"""Kinds of actions whose answers tell what else can be done with the thing."""
_NUMBERS = 6
"""Numbers that are kept."""
_MAGIC = re.compile(
    r"\b(?:magic|secret|pass|code) ?words?\b\W+(?:is\W+|are\W+|was\W+)?(?P<word>[A-Za-z]{3,12})\b", re.I
)
_DEEDS = frozenset(
    "pray jump sing dance kneel bow knock sleep clap whistle yell shout scream chant swim dig".split()
)
"""What is done without a thing, where a text that was read speaks of it: `PRAY, AND BE BORNE UP.`"""
_INVOKED = re.compile(
    r"\b(?:speak|say|utter|whisper|shout|cry|call|invoke) "
    r"(?:(?:out|aloud|my|the|his|her|its|thy|our|holy|secret|true) )*"
    r"(?:name|word)s?(?: of)?\W+(?P<word>[A-Za-z]{4,12})\b",
    re.I,
)
_SPELL = re.compile(
    r"\b(?!(?:an?|the|this|that|these|magic|magical|such|each|every|any|your|my|new|other|another|which|what|no|"
    r"powerful|evil|brief|cold|long|short|second|last|same|whole|single)\b)"
    r"(?P<word>[a-z]{3,10}) (?:spell|cantrip)\b",
    re.I,
)
"""The name of a spell is the verb that casts it, as in the stories about enchanters: `the MENDU spell`."""
_HIDING = re.compile(
    r"\b(?P<where>under|underneath|beneath|behind) (?:the|your|an?|its|his|her|one of the) "
    r"(?P<thing>[a-z][a-z' -]*?)"
    r"(?= (?:is|are|of|in|on|to|with|and|that|which|you|there|near|at|from|lies)\b|[.,;:!?)]|$)",
    re.I | re.M,
)
_HIDDEN = re.compile(
    r"\b(?:something|glimpse|glint|gleam|glitter|sparkle|hidden|concealed|buried|wedged|tucked)\b"
    r"[^.!?;]{0,40}? (?:in|inside|among|amongst|amid|between|within) (?:the|your|some|an?|one of the) "
    r"(?P<thing>[a-z]{3,})(?= (?:is|are|that|which|you|there|and|nearby)\b|[.,;:!?)]|$)",
    re.I | re.M,
)
"""What may be found by a search: `You notice something between the stones.`"""
_ASKING = re.compile(r"\bask(?:ing)? (?:him|her|them|it) (?P<link>about|for) (?P<topic>[a-z]{3,})", re.I)
"""What somebody who is looked at can be asked: `You can buy from him by asking him about wares.`"""
_LEAVING = re.compile(
    r"(?<!not )(?<!n't )(?<!never )\b(?:leave|drop|deposit|place|put|store|bring|return) "
    r"(?:(?:all|any|your|the|found|other|of) )*(?P<what>[a-z]{3,}(?: [a-z]{3,})?) here\b",
    re.I,
)
_MARKED = re.compile(r"(?<![*\w])\*(?P<name>[A-Z][A-Z' -]{2,40})\*(?![*\w])")
"""A treasure, as some games mark it: `*POT OF RUBIES*`."""
_TREASURES = frozenset("treasure treasures valuables riches loot".split())
_POSSESSIONS = frozenset("possessions belongings things everything equipment luggage baggage".split())
"""All that is held; a light may still be needed."""

Ordered = dict[str, None]
"""Each once, in the order in which they were first read."""


class Instructions:
    """Learned over a session; of use in every later episode."""

    def __init__(self) -> None:
        self.verbs: Ordered = {}
        """Verbs for things or people: `note [something]`, `TALK TO them`."""
        self.social: set[str] = set()
        """Verbs of which the game has said that they are for people."""
        self.magic: Ordered = {}
        """Words that a text calls magic or secret."""
        self.lighting: Ordered = {}
        """Those of them that are told together with the dark, or with light."""
        self.numbers: list[str] = []
        """The last numbers that were read."""
        self.spells: Ordered = {}
        """The names of spells, which are verbs; they may have to be learned before each use."""
        self._marked: set[str] = set()
        """The nouns of what a text marks as treasures."""
        self.doable: Ordered = {}
        """What can be done with things, as the answers to looking at them tell: `extend ladder`."""
        self.settings: dict[str, Ordered] = {}
        """By noun, what a thing can be set to, as the answers to looking at it and turning it tell."""
        self.required: set[str] = set()
        """The nouns of what the player should not be without, as a text has warned."""
        self.out_of_reach: dict[str, Ordered] = {}
        """By room, the actions that were refused because something is out of reach."""
        self._leaving: dict[str, Ordered] = defaultdict(dict)
        self._actions: dict[str, Ordered] = defaultdict(dict)
        self._hiding: dict[str, Ordered] = defaultdict(dict)

    def after(self, step: StepTaken) -> None:
        """Fold one step, its room known. A repeat adds nothing."""
        text, room, action = step.observation, room_of(step), step.action or ""
        kind = action_kind_of(action) if " " in action else None
        for pattern in (_WITH_A_GAP, _BEFORE_A_THING, _SIGN):
            _add(self.verbs, (found["verb"] for found in pattern.finditer(text)))
        if _PEOPLE.search(text):
            with_whom = (found for found in _BEFORE_A_THING.finditer(text) if found["whom"])
            self.social.update(found["verb"].lower().partition(" ")[0] for found in with_whom)
        magic = (found["word"].lower() for found in _MAGIC.finditer(text))
        _add(self.magic, (word for word in magic if word not in FUNCTION_WORDS))
        said = [found["word"] for pattern in (_SAYING, _INVOKED) for found in pattern.finditer(text)]
        _add(self.magic, said)
        _add(self.lighting, said if said and _OF_LIGHT.search(text) else ())
        _add(self._actions[room], (action for word in said for action in (f"say {word}", word)))
        if kind in _READING:
            numbers = dict.fromkeys(_NUMBER.findall(_NUMBERING.sub("", text)))
            self.numbers = renewed(self.numbers, tuple(numbers), _NUMBERS)
        noun = head_of(action)
        if kind in _TOUCHING:
            done = (each.lower() for each in _PASSIVE.findall(text))
            _add(self.doable, (f"{verb_of_participle(each)} {noun}" for each in done if each not in _SENSED))
            if settings := settings_in(text):
                _add(self.settings.setdefault(noun, {}), settings)
        if kind is ActionKind.EXAMINE:
            deeds = (verb.lower() for each in _ACTIVE.findall(text) for verb in each if verb)
            _add(self.doable, (f"{verb} {noun}" for verb in deeds if verb not in _NO_DEEDS))
            topics = (f"{each['link']} {each['topic']}" for each in _ASKING.finditer(text))
            _add(self._actions[room], (f"ask {noun} {topic}" for topic in topics))
            _add(self.doable, (f"enter {noun}",) if _ROOMY.search(text) else ())
            _add(self.doable, (f"break {noun}", f"kick {noun}") if _WEAK.search(text) else ())
        if kind in _LOOKING:
            _add(self._actions[room], (word for word in words_of(text) if word in _DEEDS))
        self.required.update(head_of(found["noun"]) for found in _WITHOUT.finditer(text))
        if _OUT_OF_REACH.search(text) and step.action and direction_of(step.action) is None:
            wants = action_kind_of(step.action) not in (ActionKind.EXAMINE, ActionKind.GIVE)
            _add(self.out_of_reach.setdefault(room, {}), (normal(step.action),) if wants else ())
        _add(self.spells, (found["word"] for found in _SPELL.finditer(text)))
        _add(self._leaving[room], (head_of(found["what"]) for found in _LEAVING.finditer(text)))
        self._marked.update(head_of(found["name"]) for found in _MARKED.finditer(text))
        _add(self._actions[room], (found["action"] for found in _WHOLE.finditer(text)))
        _add(self._actions[room], (found["action"] or found["bare"] for found in _QUOTED.finditer(text)))
        if not is_refused(text):
            _add(self._hiding[room], _hiding_places(text))

    def actions_in(self, room: str) -> tuple[str, ...]:
        """Whole actions that a text has written in capitals in a room."""
        return tuple(self._actions.get(room, ()))

    def asks_for_any(self, room: str) -> bool:
        """Whether a text of a room asks the player to leave something there."""
        return bool(self._leaving.get(room))

    def asks_for(self, name: str, room: str) -> bool:
        """Whether a text of a room asks the player to leave such a thing there."""
        wanted = self._leaving.get(room, {}).keys()
        noun = head_of(name)
        if not wanted.isdisjoint((noun, f"{noun}s")):
            return True
        if not wanted.isdisjoint(_POSSESSIONS) and noun not in LIGHTS:
            return True
        return not wanted.isdisjoint(_TREASURES) and self.is_treasure(name)

    def is_treasure(self, name: str) -> bool:
        """Whether a text marks a thing as a treasure, or its name tells of something precious."""
        return head_of(name) in self._marked or not TREASURES.isdisjoint(words_of(name))

    def hiding_in(self, room: str) -> tuple[str, ...]:
        """Looks under and behind the things under or behind which a text of a room has seen something."""
        return tuple(self._hiding.get(room, ()))


def _hiding_places(text: str) -> Iterator[str]:
    for found in _HIDING.finditer(text):
        where = "behind" if found["where"].lower() == "behind" else "under"
        yield f"look {where} {head_of(found['thing'])}"
    for found in _HIDDEN.finditer(text):
        yield f"search {found['thing'].lower()}"


def _add(known: Ordered, words: Iterable[str]) -> None:
    known.update(dict.fromkeys(word.lower() for word in words))
