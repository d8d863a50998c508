"""What one does with a thing of its kind: rings a bell, breaks a window, looks through a telescope."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from folds.text.conditions import Condition
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind
from folds.vocabulary.words import heads_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.kinds import FITTING, LIGHTS

_APT: Mapping[str, str] = {
    "break": "window glass mirror vase ice crate barrel boards pane",
    "knock on": "door gate",
    "push": "button buttons panel key keypad switch doorbell",
    "pull": "lever rope chain cord handle switch trigger string",
    "turn": "wheel dial knob crank valve tap faucet handle key page",
    "turn on": "switch radio television tv computer machine light lamp lantern torch flashlight engine tap",
    "climb": "tree ladder stairs rope wall fence cliff vine trellis pole tower hill rocks",
    "sit on": "chair bench throne sofa couch stool seat",
    "get on": "bed horse bicycle bike platform raft boat",
    "ring": "bell doorbell gong buzzer",
    "dig": "sand dirt earth ground soil mud grave mound hole",
    "look through": "window telescope hole keyhole peephole binoculars microscope",
    "look in": "mirror well hole pool bucket fountain drawer pocket pockets vase urn fireplace chimney",
    "search": "coat overcoat raincoat jacket trousers jeans pants apron robe vest waistcoat uniform jumpsuit "
    "purse wallet handbag corpse skeleton cushion cushions ashes ash rubbish trash hay straw heap",
    "look under": "bed rug carpet mat doormat table desk sofa couch pillow",
    "look behind": "painting picture portrait tapestry curtain curtains door poster mirror",
    "play": "piano flute guitar horn harp violin organ drum record tape",
    "blow": "whistle horn trumpet candle bugle dust",
    "wind": "clock watch",
    "fill": "bottle bucket cup glass jug jar pail kettle",
    "drink": "water potion beer wine coffee tea milk medicine elixir tonic juice liquid rum whisky whiskey "
    "brandy vial flask bottle",
    "answer": "phone telephone",
    "wake": "man woman guard giant dragon cat dog girl boy",
    "pet": "cat dog horse animal bird puppy kitten",
    "move": "rug carpet boulder stone leaves painting picture portrait tapestry bed crate curtain curtains "
    "rubble debris",
    "shake": "tree branch branches bush",
    "inflate": "raft balloon dinghy boat mattress tire tyre lifejacket",
    "untie": "rope knot string boat horse",
    "cut": "rope string vines vine net cord web",
    "empty": "bottle bucket bag sack pail jar bin",
    "take": "shower bath",
    "light": "cigarette cigarettes cigar fuse firework fireworks dynamite wick fireplace",
    "smoke": "cigarette cigarettes cigar pipe",
    "wear": "clothes clothing",
}
DRINKS = frozenset((*_APT["drink"].split(), "soup", "broth", "water"))
_VERBS_FOR: Mapping[str, tuple[str, ...]] = {
    noun: tuple(verb for verb, nouns in _APT.items() if noun in nouns.split())
    for noun in {noun for nouns in _APT.values() for noun in nouns.split()}
}

_ANYWHERE = {
    noun: f"{verb} {noun}"
    for verb, nouns in {
        "wave": "wand rod staff sceptre scepter",
        "blow": "horn whistle trumpet bugle conch",
        "play": "flute harp lyre violin fiddle pipes",
        "ring": "bell",
    }.items()
    for noun in nouns.split()
}
"""What is made to have an effect on what is around: on other things in each room."""
_ALONE = {
    "dig": frozenset("sand sands sandpit sandbox beach dune earth soil dirt mud grave mound".split()),
    "swim": frozenset("lake river pool pond sea ocean stream moat lagoon".split()),
}
"""Verbs that need no thing, by what a room has where one does that: not every game knows a word for it."""
_UNDRESSED = re.compile(
    r"\b(?:naked|nude|undressed|unclothed|barefoot|(?:get|not|n't) dressed|without (?:any )?clothes)\b",
    re.I,
)
"""What is said to who wears too little."""
_LESS = 30.0
_UTILITY, _PER_ROOM, _OFF, _WORN, _BY_NOW = 40.0, 14.0, 62.0, 70.0, 15.0


def do_what_is_apt(context: OptionContext) -> Iterator[Idea]:
    """Where valid actions are not known: each apt verb once with each thing that is here or held; a wand is
    waved in each room."""
    if not context.blind:
        return
    yield from _off_or_wearable(context)
    stuff = tuple(noun for name in context.known.belongings.names for noun in heads_of(name)[1:])
    for nouns, tried in (*context.things_to_try, (stuff, context.tried_anywhere)):
        for noun in nouns:
            for action in (normal(f"{verb} {noun}") for verb in _VERBS_FOR.get(noun, ())):
                if context.known.refusals.is_unknown_verb_of(action):
                    continue
                if action not in tried:
                    yield Idea(action, "one does that with such a thing", _UTILITY)
                elif noun in context.scope and context.may_differ_now(action):
                    yield Idea(action, "it may have another effect by now", _BY_NOW, insists=True)
    yield from _apt_in_such_a_place(context)
    for action in (_ANYWHERE[noun] for noun in context.held_nouns if noun in _ANYWHERE):
        if action not in context.tried:
            yield Idea(action, "it may have an effect here", _PER_ROOM)


def _apt_in_such_a_place(context: OptionContext) -> Iterator[Idea]:
    """Digs where there is sand, swims where there is a lake, once in a room."""
    for verb, grounds in _ALONE.items():
        is_vain = context.known.refusals.is_unknown_verb_of(verb) or verb in context.tried
        if not is_vain and not grounds.isdisjoint(context.here_or_mentioned):
            yield Idea(verb, "one does that in such a place", _LESS)


def _off_or_wearable(context: OptionContext) -> Iterator[Idea]:
    """What a text calls off is turned on, but for lamps, and clothes are put on; all that is held, where a
    text says that the player wears too little."""
    for noun, how in context.conditions.items():
        action = f"turn on {noun}"
        if how is Condition.OFF and action not in context.tried and noun not in LIGHTS:
            yield Idea(action, "a text calls it off", _OFF)
    refusals = (context.step.observation, *context.known.map.barred(context.room).values())
    is_bare = any(map(_UNDRESSED.search, refusals))
    for noun in context.held_nouns:
        if f"wear {noun}" not in context.tried_anywhere and (is_bare or noun in FITTING[ActionKind.WEAR]):
            yield Idea(f"wear {noun}", "one wears such a thing", _WORN)
