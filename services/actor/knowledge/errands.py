"""What a story's preface, or a text that was read, tells the player to do: `First, open the portal.`"""

from __future__ import annotations

import re
from collections.abc import Iterator

from folds.text.headings import described_in
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import words_of
from schemas.game import RESTART, StepTaken

_CLAUSE = re.compile(r"[.,;:!?\n()]+|\band then\b|\bthen\b|\band\b", re.I)
_LEAD = re.compile(
    r"^(?:(?:first|next|now|finally|lastly|please|also|after|following|that|this|of all|step|all|done|to|if|"
    r"once|be sure|make sure|make an attempt|attempt|try|remember|don't forget|do not forget|with|just|"
    r"accomplished|you (?:have|need|must|should|can|could|want|ought|may)|(?:i|we) (?:need|want) you|"
    r"it would be [a-z]+ if|(?:your|the) (?:task|objective|goal|mission|job) is|\d+|[a-z]\))\s+)*",
    re.I,
)
"""What may come before the verb of an imperative."""
_THING = r"(?:the|your|this|that|a|an|some) [a-z0-9' -]+"
_IMPERATIVE = re.compile(rf"(?P<verb>[a-z]{{3,}}(?: (?:up|on|off|down|out))?) (?P<rest>{_THING})", re.I)
_NUMBERED = re.compile(
    r"^\W*\d+ ?[.):] *(?P<action>[a-z]{3,}"
    r"(?: (?!(?:to (?!the|your)|so|until|and|then|when|if|before|after)\b)[a-z'-]+)+)",
    re.I | re.M,
)
"""A step of a recipe, without its purpose: `1. Grind beans in grinder to make powder`."""
_STATE = re.compile(
    r"\b(?:sure|assure|ensure|see|(?:double-?)?check)\b(?: that)? the (?P<noun>[a-z0-9' -]+?) is "
    r"(?:wide |left )?(?P<how>open|opened|ajar|unlocked|locked|shut|closed|on|off|lit)\b",
    re.I,
)
_DOING = {
    **dict.fromkeys(("open", "opened", "ajar"), "open {}"),
    **dict.fromkeys(("shut", "closed"), "close {}"),
    "unlocked": "unlock {}",
    "locked": "lock {}",
    "on": "turn on {}",
    "off": "turn off {}",
    "lit": "light {}",
}
_FORMS = (
    (re.compile(r"^(?:retrieve|recover|fetch|get|grab|obtain|collect|lift|pick up|pick-up)\b"), "take"),
    (re.compile(r"^(?:place|position|rest|lay|set) (?=.* (?:on|in|into|onto|inside) )"), "put "),
)
"""Verbs that people write, and players hardly type."""
_FROM_THERE = re.compile(r"(?<=^take )(?P<thing>.+?) (?:from|off|within|in) (?:the |your )?[a-z0-9' -]+$")
_WITHIN = re.compile(r" (?:within|throughout) (?:the |your )?[a-z0-9' -]+$")
_ELSEWHERE = re.compile(r" (?:within|inside|throughout|in) (?:the |your )?[a-z0-9' -]+$")
"""Where a thing is, for whoever reads the text elsewhere."""
_LONGEST, _MOST = 8, 40
"""Words of an action, and actions that are kept."""
_READING = (ActionKind.READ, ActionKind.EXAMINE)
_NO_COMMANDS = frozenset(
    """
    have had was were are the and but for with from into like see find know think feel hope looks say all any
    one two this that these those when where while because what which who not assure ensure before behind
    under above below beside near over through across along against around between inside outside upon without
    within off out down until unless than only even there here may maybe despite except
    """.split()
)
_NO_VERB = re.compile(r"[a-z]{3,}ing|(?!feed)[a-z]+ed|[a-z]+[^s]s")
"""Forms in which nobody is told anything: `covering`, `covered`, `covers`; not `bring`, `feed`, `press`."""
_FINITE = frozenset("is are was were has have had will can".split())


class Errands:
    """Learned over a session; of use wherever what they name is at hand."""

    def __init__(self) -> None:
        self.actions: dict[str, None] = {}
        """Each once, in the order in which they were first read."""
        self.answers: dict[str, str] = {}
        """The last answer to each of them."""

    def after(self, step: StepTaken) -> None:
        """Fold one step. A repeat adds nothing."""
        text = step.observation
        if (done := normal(step.action or "")) in self.actions:
            self.answers[done] = text
        if step.action in (None, RESTART):
            room = described_in(text)
            text = text.strip().removesuffix(room.line + room.below) if room else ""
        elif action_kind_of(step.action or "") not in _READING:
            return
        for action in errands_in(text):
            if len(self.actions) < _MOST:
                self.actions.setdefault(action)


def errands_in(text: str) -> Iterator[str]:
    """The actions that a text tells somebody to do with things, in their normal forms."""
    for found in _STATE.finditer(text):
        noun = _ELSEWHERE.sub("", found["noun"].lower())
        yield normal(_DOING[found["how"].lower()].format(noun))
    yield from filter(_is_command, (normal(found["action"]) for found in _NUMBERED.finditer(text)))
    for clause in _CLAUSE.split(text):
        told = _IMPERATIVE.fullmatch(_LEAD.sub("", clause.strip(), count=1))
        if told and told["verb"].lower() not in _NO_COMMANDS:
            action = " ".join((told["verb"], told["rest"])).lower()
            for pattern, verb in _FORMS:
                action = pattern.sub(verb, action)
            action = normal(_WITHIN.sub("", _FROM_THERE.sub(r"\g<thing>", action)))
            if len(words_of(action)) <= _LONGEST and _is_command(action):
                yield action


def _is_command(action: str) -> bool:
    """Whether an action names a thing, and says nothing of one: `take trip south` does not."""
    verb, _, rest = action.partition(" ")
    is_sentence = "'" in rest or not _FINITE.isdisjoint(rest.split())
    names_a_way = direction_of(rest.rpartition(" ")[2]) is not None
    return not _NO_VERB.fullmatch(verb) and not is_sentence and not names_a_way
