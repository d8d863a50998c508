"""How much a kind of deed with these things is worth, as if it had not been tried yet."""

from __future__ import annotations

from folds.rooms import room_of
from folds.verbs import WORTH, Deed, deed_of
from folds.words import head_of, is_person
from schemas.game import StepTaken
from services.actor.experience import Experience
from services.actor.records import target_of, verb_of

_LINKS = frozenset("in into on onto with to at from under off about".split())
_LIGHT_WORDS = ("lamp", "lantern", "torch", "candle", "flashlight", "light", "match")
_READABLE = frozenset(
    "book paper letter note leaflet scroll sign map card newspaper diary journal page document label inscription "
    "plaque message poster magazine manual parchment notebook logbook booklet pamphlet brochure tablet writing "
    "engraving ticket envelope telegram postcard prayer text list".split()
)
_SWALLOWING = frozenset(
    "river water pool lake sea ocean stream well chasm pit hole abyss canyon fire ravine".split()
)
_SELDOM_PAYING = (
    Deed.PLACE,
    Deed.GIVE,
    Deed.TALK,
    Deed.CONSUME,
    Deed.ATTACK,
    Deed.HANDLE,
    Deed.OTHER,
    Deed.USE,
)
PATIENCE = 10.0
"""Tries without a point after which a seldom paying verb is worth half."""


ENOUGH = 2
"""Things put somewhere without a point before the rest is kept."""


def worth_of_deed(action: str, step: StepTaken, known: Experience, offered: bool) -> float:
    """From 0 to 100; what the game does not offer as valid is worth what its verb has been worth so far."""
    deed = deed_of(action)
    worth = _special(deed, action, step, known)
    if worth is None:
        worth = float(WORTH[deed])
    if deed in _SELDOM_PAYING:
        record = known.verbs[verb_of(action)]
        worth *= 1.0 if record.points else PATIENCE / (PATIENCE + record.tries)
    if deed is not Deed.MOVE and verb_of(action) in known.deadly_verbs:
        worth *= 0.1
    if offered or deed is Deed.EXAMINE:
        return worth
    return worth * known.verbs[verb_of(action)].trust * (0.6 if deed is Deed.MOVE else 1.0)


def is_portable(action: str, known: Experience) -> bool:
    """Whether an action concerns only things held: it can be done anywhere, so once is enough."""
    words = [word for word in action.split()[1:] if word not in _LINKS]
    return bool(words) and known.held_words.issuperset(words)


def _special(deed: Deed, action: str, step: StepTaken, known: Experience) -> float | None:
    noun = action.rpartition(" ")[2]
    match deed:
        case Deed.DROP:
            return 85.0 if known.burdened_at == step.step else 0.0
        case Deed.MOVE if noun in known.heard.told(room_of(step)) and not _is_thing(noun, step, known):
            return 46.0
        case Deed.TAKE if _was_held(action, known):
            return 30.0 if noun in known.laid_down and known.burdened_at < 0 else 6.0
        case Deed.TAKE if is_portable(action, known):
            return 90.0
        case Deed.PLACE if known.targets[target_of(action)].points:
            return 96.0
        case Deed.PLACE if known.targets[target_of(action)].tries >= ENOUGH:
            return 2.5
        case Deed.LIGHT if noun.startswith(_LIGHT_WORDS):
            return 12.0
        case Deed.ATTACK if known.hostile:
            return 75.0
        case Deed.HANDLE | Deed.USE if is_portable(action, known):
            return 26.0
        case Deed.PLACE | Deed.DROP | Deed.ATTACK if is_portable(action, known) or noun in _SWALLOWING:
            return 2.5
        case Deed.ATTACK if step.valid_actions is not None and not is_person(action):
            return 44.0
        case Deed.READ if noun not in _READABLE:
            return 8.0
        case Deed.EXAMINE if step.objects is not None and not _is_thing(noun, step, known):
            return 24.0 * known.scenery.rate
        case Deed.EXAMINE if step.valid_actions is not None:
            return 30.0
        case _:
            return None


def _was_held(action: str, known: Experience) -> bool:
    words = action.split()[1:]
    return " ".join(words) in known.once_held or bool(words and words[-1] in known.once_held)


def _is_thing(noun: str, step: StepTaken, known: Experience) -> bool:
    return noun in known.held_words or any(noun == head_of(t.name) for t in step.objects or ())
