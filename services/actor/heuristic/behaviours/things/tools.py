"""Tools are used on what they are made for: a spade on sand, a rope on a hook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from folds.text.conditions import Condition
from folds.text.phrases import is_refused
from folds.vocabulary.actions import normal
from folds.vocabulary.words import head_of, heads_of, words_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.kinds import ANIMALS, KEYS, TREASURES


class _Use(NamedTuple):
    """`form` has a target for {0} and a tool for {1}."""

    form: str
    tools: frozenset[str]
    targets: frozenset[str]


def _use(form: str, tools: str, targets: str) -> _Use:
    return _Use(form, frozenset(tools.split()), frozenset(targets.split()))


_EDGES = "knife sword axe hatchet scissors shears blade dagger saw razor machete sickle scythe"
_LEVERS = "crowbar bar lever pole stick rod branch screwdriver spade shovel staff"
_FIRES = "match matches lighter torch candle matchbook lantern flint"
_VESSELS = "bottle bucket cup glass jug jar pail kettle flask bowl canteen can vial goblet mug basin"
_WET = "water river lake stream sea ocean fountain well pool pond sink faucet tap spring brook puddle oil"
_ROPES = "rope cord string chain line cable ribbon thread twine leash hose"
_FOOD = (
    "food meat bone steak fish sandwich lunch bread apple cheese biscuit cookie cake candy carrot banana nut"
    " nuts peanut peanuts honey milk berries sausage chicken bird seed seeds sugar lump catnip mouse"
)
FOODS = frozenset(_FOOD.split()) - frozenset("bird mouse catnip".split())
_ANIMALS = " ".join(sorted(ANIMALS))
_USES = (
    _use(
        "dig {0} with {1}",
        "shovel spade trowel pick pickaxe hoe",
        "sand dirt earth ground soil mud grave mound beach floor snow garden hole clay rubble gravel plot",
    ),
    _use("dig {0} with {1}", "pick pickaxe", "rock rocks wall vein ore coal boulder"),
    _use(
        "cut {0} with {1}",
        _EDGES,
        "rope string vine vines net cord web cobweb branch bush bushes ivy hedge thorns brambles weeds "
        "cloth bag sack wire grass tree trees ribbon tape bread thread strap roots painting canvas",
    ),
    _use(
        "break {0} with {1}",
        "hammer axe mallet sledgehammer rock stone crowbar club pick pickaxe brick bat",
        "window glass mirror vase ice crate boards pane wall statue lock padlock door box case egg urn pot",
    ),
    _use(
        "open {0} with {1}",
        _LEVERS + " knife",
        "door crate lid slab boards box chest grate panel hatch coffin trapdoor manhole window case safe "
        "cabinet drawer can barrel grating cover tomb sarcophagus",
    ),
    _use(
        "light {0} with {1}",
        _FIRES,
        "candle candles lamp lantern torch fuse fire fireplace wood paper firewood kindling dynamite "
        "stove oven cigarette pipe brazier leaves straw hay bonfire coal log logs",
    ),
    _use(
        "burn {0} with {1}",
        _FIRES,
        "web cobweb vines vine rope paper bush brambles thorns curtain hay straw",
    ),
    _use(
        "tie {1} to {0}",
        _ROPES,
        "hook tree rail railing post beam pillar stalactite ring bar bed pole balcony grapple bannister "
        "banister peg stump column anchor branch lever handle statue rock boulder",
    ),
    _use(
        "tie {1} to {0}",
        "bucket pail basket hook grapnel anchor magnet",
        _ROPES,
    ),
    _use(
        "fill {1} with {0}",
        _VESSELS,
        _WET,
    ),
    _use(
        "fill {1} with {0}",
        "bag sack bucket pail hourglass jar cup",
        "sand soil dirt earth gravel",
    ),
    _use(
        "dip {1} in {0}",
        "torch rag rags cloth sponge brush pen quill",
        "oil kerosene petrol gasoline fuel tar pitch ink paint",
    ),
    _use(
        "put {1} under {0}",
        _VESSELS,
        "spout nozzle drip",
    ),
    _use(
        "put {1} in {0}",
        _VESSELS,
        "niche dispenser recess",
    ),
    _use(
        "put {1} across {0}",
        "ladder plank board beam log pole",
        "rift chasm gap crevasse fissure ravine gorge stream brook abyss ditch moat",
    ),
    _use(
        "put {1} in {0}",
        "coin coins quarter dime nickel penny token money dollar bill card keycard passcard badge ticket "
        "disk disc cartridge tape battery batteries crystal gem",
        "slot machine phone telephone turnstile fountain well meter jukebox reader drive player computer "
        "console panel terminal keypad scanner box radio flashlight socket hole",
    ),
    _use(
        "put {1} in {0}",
        "wood log logs branch coal paper kindling fuse bulb plug egg key film",
        "fire fireplace stove furnace boiler oven brazier socket nest fusebox keyhole camera",
    ),
    _use(
        "put {1} in {0}",
        "cloth rag rags fabric bandage gum clay putty cork wax",
        "hole leak crack",
    ),
    _use(
        "put {1} on {0}",
        "idol statue statuette figurine orb crystal skull crown chalice goblet scepter sceptre globe sphere",
        "pedestal altar plinth stand podium shrine",
    ),
    _use(
        "pour {1} on {0}",
        "water oil wine acid potion",
        "plant flower flowers fire hinge hinges lock soil seed bean beans tree garden pot coals door "
        "gate gears",
    ),
    _use(
        "water {0} with {1}",
        "can bottle bucket",
        "plant flower flowers seed bean beans",
    ),
    _use(
        "oil {0} with {1}",
        "oil can oilcan grease",
        "hinge hinges lock door gate gears wheel chain",
    ),
    _use(
        "give {1} to {0}",
        _FOOD,
        _ANIMALS + " guard man woman boy girl child beggar giant ogre soldier prisoner hermit",
    ),
    _use(
        "throw {1} at {0}",
        "axe knife dagger spear rock stone ball dart boomerang snowball egg",
        "dwarf troll snake bird squirrel nest bear window target ogre goblin acorn acorns web",
    ),
    _use(
        "catch {0} with {1}",
        "net cage jar bottle bag box trap sack",
        "bird fish butterfly mouse rat frog fly insect bee firefly beetle cat rabbit squirrel spider ghost",
    ),
    _use(
        "play {1}",
        "flute harp horn pipe fiddle violin guitar trumpet whistle recorder lyre lute harmonica panpipes "
        "ocarina",
        _ANIMALS,
    ),
    _use(
        "inflate {0} with {1}",
        "pump",
        "raft balloon dinghy boat mattress tire tyre plastic",
    ),
    _use(
        "sweep {0} with {1}",
        "broom mop brush",
        "floor dust cobweb cobwebs web leaves ashes soot",
    ),
    _use(
        "clean {0} with {1}",
        "rag cloth sponge towel handkerchief brush mop soap duster tissue",
        "window mirror glass plaque statue painting portrait sign lens screen lamp stain plate nameplate",
    ),
    _use(
        "turn {0} with {1}",
        "wrench spanner screwdriver pliers",
        "bolt nut screw screws bolts valve pipe knob tap faucet hydrant",
    ),
    _use(
        "look at {0} through {1}",
        "magnifier lens telescope binoculars glass",
        "inscription writing print",
    ),
)
_SYNONYMS = {
    **dict.fromkeys("slice chop dice carve slit".split(), "cut"),
    **dict.fromkeys("pry prise force".split(), "open"),
    **dict.fromkeys("smash shatter".split(), "break"),
}
_UTILITY, _BY_ROPE = 52.0, 72.0
_RETRIES = 2
"""Of what names no tool, when one has come to hand since."""


def use_tools(context: OptionContext) -> Iterator[Idea]:
    """Where valid actions are not known: each tool once on each thing of a kind that it is made for.

    A game that does not understand `cut tree with axe` may understand `cut tree` of one who holds an axe.
    """
    if not context.blind:
        return
    yield from _by_rope(context)
    here, held = context.here_or_mentioned, context.held_nouns
    is_unknown = context.known.refusals.is_unknown_verb_of
    for use in _USES:
        tools = tools_among(context.known.belongings.names, use.tools)
        at_hand = dict.fromkeys((*here, *held)) if use.form.startswith("put {1} in") else here
        targets = _targets_among(at_hand, use, context.known) if tools else ()
        pairs = [(target, tool) for target in targets for tool in tools if target != tool]
        for target, tool in pairs:
            action = normal(use.form.format(target, tool))
            known = action.partition(" with ")[0] if is_unknown(action) else action
            if use.form.startswith("open") and not _resists(target, context):
                continue
            is_held = target in context.known.belongings.words
            tried = context.tried_anywhere if is_held else context.tried
            has_come = target in held and _was_missing(target, tool, known, context)
            if known not in tried or has_come:
                yield Idea(known, "a tool for such a thing", _UTILITY, insists=has_come)
            elif known != action and _came_later(tool, known, context):
                yield Idea(known, "the tool for it has come to hand since", _UTILITY, insists=True)


def _was_missing(target: str, tool: str, action: str, context: OptionContext) -> bool:
    """Whether an action was last refused because a thing was not here, and both are in hand since."""
    taken_at, attempts = context.known.belongings.taken_at, context.known.attempts.by_room.values()
    tries = (each for room in attempts for each in room if each.action == action)
    last = max(tries, key=lambda each: each.step, default=None)
    since = max(taken_at.get(target, 0), taken_at.get(tool, 0))
    return last is not None and last.step < since and is_refused(last.result)


def _resists(target: str, context: OptionContext) -> bool:
    """Whether a thing did not open by hand: nothing is prised open that nobody has tried to open."""
    tried = context.last_done_at("open", target) >= 0
    return tried and context.conditions.get(target) is not Condition.OPEN


def _by_rope(context: OptionContext) -> Iterator[Idea]:
    """Down, or up, where a rope was tied to something just now."""
    effective, ropes = context.known.history.effective_in(context.room), _ROPES.split()
    tied = [each for each in effective if each.startswith("tie ") and each.rpartition(" ")[2] not in ropes]
    tied_at = max((context.done_at.get(action, -1) for action in tied), default=-1)
    for way in ("down", "up") if tied_at >= 0 else ():
        if context.done_at.get(way, -1) < tied_at and way not in context.deadly:
            yield Idea(way, "a rope is tied here", _BY_ROPE, insists=True)


def made_for(verb: str) -> frozenset[str]:
    """The tools with which something is done by this verb; none: whichever."""
    keys = KEYS if verb in ("unlock", "lock") else frozenset[str]()
    known = _SYNONYMS.get(verb, verb)
    return keys.union(*(use.tools for use in _USES if use.form.startswith(f"{known} {{0}} with")))


def tools_among(names: Iterable[str], made: Set[str]) -> tuple[str, ...]:
    """The nouns of the things that are tools of some kinds, each once."""
    fit = (name for name in names if not made.isdisjoint(heads_of(name)) and not _is_ingot(name))
    return tuple(dict.fromkeys(map(head_of, fit)))


def _targets_among(nouns: Iterable[str], use: _Use, known: Experience) -> tuple[str, ...]:
    """The nouns of the things on which a tool is used so; nothing is given to what is lifeless."""
    lifeless = known.mentions.lifeless if use.form.startswith("give") else frozenset[str]()
    return tuple(noun for noun in nouns if noun in use.targets and noun not in lifeless)


def _is_ingot(name: str) -> bool:
    """Whether a thing is a bar of a precious metal, and no lever."""
    return head_of(name) == "bar" and not TREASURES.isdisjoint(words_of(name))


def fits_in(room: str, known: Experience) -> bool:
    """Whether something held is a tool for what a text of another room mentions, and was not used there.

    It is not worth a walk to try a lever on whatever can be opened.
    """
    tried, mentions = known.attempts.in_room(room), known.mentions
    absent = known.refusals.words_in(room) | mentions.synonyms_in(room)
    nouns = frozenset(mentions.nouns_of(room)) - absent
    return any(
        normal(use.form.format(target, tool)) not in tried
        for use in _USES
        if not (use.form.startswith("open") or use.targets.isdisjoint(nouns))
        for target in _targets_among(nouns, use, known)
        for tool in tools_among(known.belongings.names, use.tools)
    )


def _came_later(tool: str, action: str, context: OptionContext) -> bool:
    """Whether a tool that the action does not name came to hand after it was done here in vain."""
    taken_at, times = context.known.belongings.taken_at.get(tool, -1), context.done.get(action, 0)
    return context.done_at.get(action, taken_at) < taken_at and times <= _RETRIES
