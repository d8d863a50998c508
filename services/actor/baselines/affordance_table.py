"""What things of each kind are good for: general English and the conventions of the genre, by hand.

It stands in for the word vectors and language models of the published agents (decision 0034). Each kind has a
broader one, its hypernym; a verb may have a particle, `turn on`. The best verbs of a kind come first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from folds.vocabulary.verbs import ActionKind
from services.actor.knowledge.kinds import FITTING, KEYS, LIGHTS, READABLE

THING, PERSON, CREATURE = "thing", "person", "creature"


class ThingKind(NamedTuple):
    """Things for which the same verbs are good."""

    broader: str
    verbs: tuple[str, ...]
    nouns: frozenset[str]


def _kind(broader: str, verbs: str, nouns: str, *more: frozenset[str]) -> ThingKind:
    return ThingKind(
        broader, tuple(verb.strip() for verb in verbs.split(",")), frozenset(nouns.split()).union(*more)
    )


KINDS: Mapping[str, ThingKind] = {
    THING: _kind(
        "",
        "examine, take, open, push, pull, move, search, turn, look in, look under, touch, shake, rub, read, "
        "close, hit, throw, drop, listen to, smell, climb, enter, look behind, break, wave, kick",
        "",
    ),
    "portable": _kind(THING, "take, use, drop, throw, show", ""),
    "fixture": _kind(
        THING,
        "search, look under, push, look behind, move, climb on",
        "table desk counter shelf shelves bookcase cupboard altar pedestal statue stove sink fireplace bench "
        "fountain machine console panel pillar column monument mirror shrine stage rack cabinet",
    ),
    "container": _kind(
        "portable",
        "open, look in, search, empty, unlock, close",
        "box chest drawer drawers crate barrel basket bag sack case trunk suitcase bottle jar can pot bowl "
        "bucket vase urn coffin safe locker mailbox envelope purse wallet backpack parcel package bin basin "
        "cup mug casket toolbox fridge refrigerator oven",
    ),
    "opening": _kind(
        "fixture",
        "open, enter, unlock, knock on, look through, push, close",
        "door doors gate window hatch trapdoor grating grate shutter curtain curtains portal doorway lid",
    ),
    "way": _kind(
        "fixture",
        "enter, climb, follow, cross",
        "stairs staircase steps ladder path bridge tunnel hole cave passage archway arch crack chimney "
        "elevator lift booth hut shed house tent building ruins tower",
    ),
    "document": _kind("portable", "read, open, turn, tear", "", READABLE),
    "light": _kind("portable", "turn on, light, rub, turn off", "", LIGHTS),
    "key": _kind("portable", "take", "", KEYS),
    "tool": _kind(
        "portable",
        "take, use, swing",
        "hammer saw spade shovel pick pickaxe crowbar screwdriver wrench pliers drill rod pole stick broom "
        "brush needle net hook chisel scissors lever pump cloth umbrella magnet compass telescope",
    ),
    "weapon": _kind(
        "tool",
        "take, swing, wield",
        "sword knife dagger axe spear bow arrow gun pistol rifle club mace staff whip blade sabre bat",
    ),
    "rope": _kind("tool", "tie, take, climb, pull", "rope cord string chain wire cable thread vine"),
    "clothing": _kind("portable", "wear, take, take off", "", FITTING[ActionKind.WEAR]),
    "treasure": _kind(
        "portable",
        "take, rub, wear",
        "gold silver jewel jewels gem diamond ruby emerald sapphire pearl coin coins crown necklace bracelet "
        "trophy painting medal idol chalice goblet sceptre scepter figurine treasure money bar pendant "
        "nugget",
    ),
    "food": _kind(
        "portable",
        "eat, take, taste, smell",
        "egg mushroom carrot fish soup honey nut nuts banana orange pear",
        FITTING[ActionKind.CONSUME],
    ),
    "drink": _kind(
        "portable", "drink, taste, pour", "water wine beer milk coffee tea potion juice liquid oil blood"
    ),
    "waters": _kind(
        "fixture",
        "swim in, enter, drink from, look in, cross",
        "river lake sea ocean pool stream pond well waterfall canal swamp",
    ),
    "plant": _kind(
        "fixture",
        "smell, pick, cut, search",
        "flower flowers plant bush bushes grass leaf leaves rose weeds",
    ),
    "tree": _kind("plant", "climb, shake, search", "tree trees oak pine willow branch trunk palm"),
    "ground": _kind("fixture", "dig, search", "ground earth sand mud dirt soil snow grave mound floor dust"),
    "control": _kind(
        "fixture",
        "push, pull, turn, press, move, touch",
        "button lever switch knob handle wheel crank valve tap faucet pedal plank brick bell doorbell",
    ),
    "dial": _kind("control", "turn, set", "dial timer thermostat clock"),
    "cover": _kind(
        "fixture",
        "move, look under, lift, pull, take",
        "rug carpet mat boulder rock stone slab board leaves pile picture tapestry",
    ),
    "machine": _kind(
        "fixture",
        "turn on, start, push, turn off, fix",
        "machine engine computer terminal radio television generator robot printer projector telephone phone",
    ),
    "vehicle": _kind(
        "fixture",
        "enter, board, start, drive",
        "car boat raft ship train cart wagon truck bicycle balloon sled plane",
    ),
    "seat": _kind(
        "fixture",
        "sit on, stand on, look under",
        "chair seat sofa couch throne stool armchair swing",
    ),
    "bed": _kind("seat", "lie on, sleep in, look under", "bed bunk cot hammock mattress"),
    "instrument": _kind(
        "portable",
        "play, blow, ring",
        "flute horn trumpet whistle drum harp violin guitar piano gong bell",
    ),
    "ball": _kind("portable", "throw, kick, roll", "ball balloon marble dice doll toy"),
    "fire": _kind("fixture", "extinguish, put out", "fire flame flames bonfire furnace brazier"),
    "remains": _kind("fixture", "search, take, bury", "skeleton corpse body bones skull mummy"),
    PERSON: _kind(THING, "talk to, greet, wake, follow, thank, kiss, push", ""),
    "animal": _kind(
        PERSON,
        "feed, pet, follow, call, catch, take",
        "dog cat bird horse cow sheep pig goat rabbit mouse rat frog turtle monkey elephant donkey hen duck "
        "parrot squirrel fox owl raven",
    ),
    CREATURE: _kind(
        "animal",
        "attack, kill, fight, hit, wake, feed",
        "troll dragon goblin orc ogre monster snake serpent spider bat wolf bear lion tiger zombie vampire "
        "demon cyclops thief beast scorpion crocodile shark ghoul ghost bandit mutant alien",
    ),
}  # fmt: skip

FIXED = frozenset({"fixture", PERSON})
"""The kinds that nobody takes, and all narrower ones."""

HOLDING = "holding"
"""In `PAIRS`: any thing that is not fixed."""

PAIRS: tuple[tuple[str, str, str, str], ...] = (
    ("unlock", "opening", "with", "key"),
    ("unlock", "container", "with", "key"),
    ("attack", CREATURE, "with", "weapon"),
    ("give", HOLDING, "to", PERSON),
    ("put", HOLDING, "in", "container"),
    ("put", HOLDING, "on", "fixture"),
    ("show", HOLDING, "to", PERSON),
    ("tie", "rope", "to", "fixture"),
    ("open", "container", "with", "tool"),
    ("dig", "ground", "with", "tool"),
    ("cut", "rope", "with", "weapon"),
    ("cut", "plant", "with", "weapon"),
    ("light", "light", "with", "fire"),
    ("fill", "container", "with", "drink"),
    ("feed", "animal", "with", "food"),
    ("throw", HOLDING, "at", CREATURE),
    ("ask", PERSON, "about", HOLDING),
    ("break", "fixture", "with", "tool"),
    ("pull", "cover", "with", "tool"),
)
"""Verb, kind of the thing, preposition, kind of the other thing; the best come first."""

BARE = tuple(
    """
    look,inventory,wait,listen,smell,jump,climb,dig,swim,pray,sleep,stand up,shout,sing,turn on,turn off,push,
    pull,open,drink,drop all,take all,hide,dance
    """.replace("\n", "")
    .replace("    ", "")
    .split(",")
)
"""Commands without a thing."""
