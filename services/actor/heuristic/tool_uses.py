"""What tools are made for, by their common names: a spade for sand, a rope for a hook."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import NamedTuple

from folds.vocabulary.words import head_of, heads_of, words_of
from services.actor.knowledge.kinds import ANIMALS, KEYS, TREASURES


class ToolPurpose(NamedTuple):
    """`form` has a target for {0} and a tool for {1}."""

    form: str
    tools: frozenset[str]
    targets: frozenset[str]


def _use(form: str, tools: str, targets: str) -> ToolPurpose:
    return ToolPurpose(form, frozenset(tools.split()), frozenset(targets.split()))


_EDGES = "knife sword axe hatchet scissors shears blade dagger saw razor machete sickle scythe"
_LEVERS = "crowbar bar lever pole stick rod branch screwdriver spade shovel staff"
_FIRES = "match matches lighter torch candle matchbook lantern flint"
_VESSELS = "bottle bucket cup glass jug jar pail kettle flask bowl canteen can vial goblet mug basin"
_WET = "water river lake stream sea ocean fountain well pool pond sink faucet tap spring brook puddle oil"
_ROPES = "rope cord string chain line cable ribbon thread twine leash hose"
ROPES = frozenset(_ROPES.split())
_FOOD = (
    "food meat bone steak fish sandwich lunch bread apple cheese biscuit cookie cake candy carrot banana nut"
    " nuts peanut peanuts honey milk berries sausage chicken bird seed seeds sugar lump catnip mouse"
)
FOODS = frozenset(_FOOD.split()) - frozenset("bird mouse catnip".split())
_ANIMALS = " ".join(sorted(ANIMALS))
USES: tuple[ToolPurpose, ...] = (
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


def made_for(verb: str) -> frozenset[str]:
    """The tools with which something is done by this verb; none: whichever."""
    keys = KEYS if verb in ("unlock", "lock") else frozenset[str]()
    known = _SYNONYMS.get(verb, verb)
    return keys.union(*(use.tools for use in USES if use.form.startswith(f"{known} {{0}} with")))


def tools_among(names: Iterable[str], made: Set[str]) -> tuple[str, ...]:
    """The nouns of the things that are tools of some kinds, each once."""
    fit = (name for name in names if not made.isdisjoint(heads_of(name)) and not _is_ingot(name))
    return tuple(dict.fromkeys(map(head_of, fit)))


def _is_ingot(name: str) -> bool:
    """Whether a thing is a bar of a precious metal, and no lever."""
    return head_of(name) == "bar" and not TREASURES.isdisjoint(words_of(name))
