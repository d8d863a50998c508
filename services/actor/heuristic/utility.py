"""How much a kind of deed with these things is worth, as if it had not been tried yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from folds.text.rooms import room_of
from folds.vocabulary.verbs import UTILITY, ActionKind, action_kind_of
from folds.vocabulary.words import head_of
from schemas.game import StepTaken
from services.actor.knowledge.experience import Experience
from services.actor.knowledge.kinds import FITTING, FIXED, KEYS, LIGHTS, READABLE, SWALLOWING, UNFIT
from services.actor.knowledge.statistics import target_of, verb_of

PATIENCE = 10.0
"""Tries without a point after which a seldom paying verb is worth half."""

ENOUGH = 2
"""Things put somewhere without a point before the rest is kept."""

TOLD_CLOSED = 44.0
"""Worth of opening what the search for valid actions could not open: the answer tells what bars it."""

_LINKS = frozenset("in into on onto with to at from under off about".split())
_SELDOM_PAYING = (
    ActionKind.PLACE,
    ActionKind.GIVE,
    ActionKind.CONSUME,
    ActionKind.ATTACK,
    ActionKind.HANDLE,
    ActionKind.OTHER,
    ActionKind.USE,
)
_DEADLY_VERB = 0.1


@dataclass(frozen=True, slots=True)
class ActionContext:
    """A deed under consideration."""

    action: str
    noun: str
    step: StepTaken
    known: Experience

    @property
    def portable(self) -> bool:
        """Whether it concerns only things held."""
        return is_portable(self.action, self.known)

    @property
    def of_a_thing(self) -> bool:
        """Whether it concerns something that is known to be here."""
        if self.noun in self.known.held_words:
            return True
        return any(self.noun == head_of(thing.name) for thing in self.step.objects or ())


def utility_of(action: str, step: StepTaken, known: Experience, offered: bool) -> float:
    """From 0 to 100; what the game does not offer as valid is worth what its verb has been worth so far."""
    deed = action_kind_of(action)
    special = _SPECIAL.get(deed)
    utility = special(ActionContext(action, action.rpartition(" ")[2], step, known)) if special else None
    if utility is None:
        utility = float(UTILITY[deed])
    record = known.verbs[verb_of(action)]
    if deed in _SELDOM_PAYING and not record.points:
        utility *= PATIENCE / (PATIENCE + record.tries)
    if deed is not ActionKind.MOVE and verb_of(action) in known.deadly_verbs:
        utility *= _DEADLY_VERB
    if offered or deed in (ActionKind.EXAMINE, ActionKind.TALK):
        return utility
    if step.valid_actions is not None and deed is ActionKind.OPEN and not action.startswith("unlock"):
        utility = min(utility, TOLD_CLOSED)
    if step.valid_actions is not None and deed is ActionKind.TAKE:
        utility *= known.grabs.rate**2
    return utility * record.trust * _fitness(deed, action)


def is_portable(action: str, known: Experience) -> bool:
    """Whether an action concerns only things held: it can be done anywhere, so once is enough."""
    words = [word for word in action.split()[1:] if word not in _LINKS]
    return bool(words) and known.held_words.issuperset(words)


def _fitness(deed: ActionKind, action: str) -> float:
    """Whether this is done with such things at all, by their common names."""
    fitting = FITTING.get(deed)
    return 1.0 if fitting is None or not fitting.isdisjoint(action.split()[1:]) else UNFIT


def _move(matter: ActionContext) -> float | None:
    told = matter.noun in matter.known.mentions.told(room_of(matter.step))
    return 46.0 if told and not matter.of_a_thing else None


def _take(matter: ActionContext) -> float | None:
    """What was laid down by oneself is taken back later; what lies in something held is taken out.

    Where the text alone tells what is here, most of what it mentions is scenery.
    """
    words = matter.action.split()[1:]
    if " ".join(words) in matter.known.once_held or matter.noun in matter.known.once_held:
        laid_down = matter.noun in matter.known.laid_down and matter.known.burdened_at < 0
        return 30.0 if laid_down else 6.0
    if matter.noun in FIXED:
        return 12.0
    if not (matter.step.world or matter.of_a_thing) and matter.noun != "all":
        return 20.0
    return 90.0 if matter.portable else None


def _drop(matter: ActionContext) -> float:
    """Only to make room, and then nothing that is better kept."""
    burdened = matter.known.burdened_at == matter.step.step
    return 85.0 if burdened and not _is_kept(matter.noun, matter.known) else 0.0


def _is_kept(noun: str, known: Experience) -> bool:
    """Whether something shines, opens, or earned points when it was taken."""
    return noun in known.treasures or _is_tool([noun])


def _is_tool(nouns: list[str]) -> bool:
    return not (LIGHTS.isdisjoint(nouns) and KEYS.isdisjoint(nouns))


def _place(matter: ActionContext) -> float | None:
    """Where something put earned points the rest follows; where two things earned none, nothing more."""
    target = matter.known.targets.get(target_of(matter.action))
    if target is not None and target.points:
        return 96.0
    wasted = (target is not None and target.tries >= ENOUGH) or _is_tool(matter.action.split()[1:])
    return 2.5 if wasted or matter.portable or matter.noun in SWALLOWING else None


def _light(matter: ActionContext) -> float | None:
    """A lamp is lit when it is dark, not before."""
    return 12.0 if matter.noun in LIGHTS else None


def _attack(matter: ActionContext) -> float | None:
    if matter.known.hostile:
        return 75.0
    if matter.portable or matter.noun in SWALLOWING:
        return 2.5
    peaceful = any(matter.known.mentions.is_person(word) for word in matter.action.split()[1:])
    return None if peaceful or matter.step.valid_actions is None else 44.0


def _handle(matter: ActionContext) -> float | None:
    return 26.0 if matter.portable else None


def _talk(matter: ActionContext) -> float:
    """People have more to say of what has a name of its own."""
    named = matter.noun in matter.known.mentions.names
    return (62.0 if named else 50.0) * matter.known.talk.rate


def _read(matter: ActionContext) -> float | None:
    return None if matter.noun in READABLE else 8.0


def _examine(matter: ActionContext) -> float | None:
    """What the search for valid actions has looked at already is looked at for its text alone."""
    if matter.step.objects is not None and not matter.of_a_thing:
        return 24.0 * matter.known.scenery.rate
    return 30.0 if matter.step.valid_actions is not None else None


_SPECIAL: Mapping[ActionKind, Callable[[ActionContext], float | None]] = {
    ActionKind.MOVE: _move,
    ActionKind.TAKE: _take,
    ActionKind.DROP: _drop,
    ActionKind.PLACE: _place,
    ActionKind.LIGHT: _light,
    ActionKind.ATTACK: _attack,
    ActionKind.HANDLE: _handle,
    ActionKind.USE: _handle,
    ActionKind.TALK: _talk,
    ActionKind.READ: _read,
    ActionKind.EXAMINE: _examine,
}
