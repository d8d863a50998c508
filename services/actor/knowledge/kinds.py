"""Kinds of things by their common names, for where a game does not say what can be done with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from folds.vocabulary.verbs import ActionKind

LIGHTS = frozenset(
    """
    lamp lantern torch candle candles flashlight match matches lighter light matchbook
    """.split()
)
KEYS = frozenset(
    """
    key keys keyring lockpick card keycard passcard pass passkey latchkey
    """.split()
)
BUILDINGS = frozenset(
    """
    house cottage hut shed cabin barn tent building church chapel tower shop store castle temple kiosk garage
    stable warehouse mansion tavern inn pub shack pavilion mausoleum crypt lighthouse windmill mill
    """.split()
)
FIXED = frozenset(
    """
    door doors window windows wall walls floor ceiling stairs staircase house building tree trees sky ground
    sun road path river water room stairway steps gate roof mountain mountains forest sea cliff cliffs
    bushes table desk bed counter bench cabinet shelves bookcase sink stove fireplace bookshelf
    lake pond stream ocean beach field garden lawn hill valley canyon ledge slope cave tunnel hole pit well
    doorway archway passage corridor hallway hall street bridge fence railing elevator lift chimney fountain
    pillar pillars column columns altar throne stage platform town village city
    armchair sofa couch wardrobe armoire bathtub toilet oven fridge refrigerator freezer gateway workbench
    """.split()
).union(BUILDINGS)
OPENABLE = frozenset(
    """
    door doors window gate grating grate box chest drawer drawers cupboard trapdoor hatch case lid cabinet
    safe locker desk bottle sack bag mailbox letterbox crate barrel coffin envelope wardrobe closet fridge
    refrigerator oven dresser trunk suitcase briefcase purse wallet jar can panel basket parcel package
    backpack casket toolbox egg curtain curtains shutters canteen flask thermos vial tin pouch satchel
    knapsack rucksack handbag sarcophagus tomb
    """.split()
)
LEVEL_PASSAGES = frozenset("grate grating trapdoor trap hatch hatchway manhole skylight".split())
"""Passages in a floor or a ceiling."""
PASSAGES = LEVEL_PASSAGES.union("door doors gate gates window doorway portal entrance opening".split())
RECEPTACLES: Mapping[str, str] = {
    **dict.fromkeys("case showcase vault safe shrine chest cabinet".split(), "in"),
    **dict.fromkeys("altar pedestal plinth podium shelf".split(), "on"),
}
"""Where precious things are kept or shown, with the word for putting something there."""
CARRIERS = frozenset("satchel sack bag backpack rucksack knapsack handbag purse basket suitcase".split())
"""What other things are carried in."""
SWALLOWING = frozenset(
    """
    river water pool lake sea ocean stream well chasm pit hole abyss canyon fire ravine
    """.split()
)
ANIMALS = frozenset(
    """
    dog cat bear lion tiger wolf horse bird parrot monkey rat mouse snake dragon pig goat cow bull fish
    squirrel rabbit elephant crocodile alligator spider troll creature animal beast monster hound dwarf
    cobra viper scorpion
    """.split()
)
MONSTERS = frozenset(
    """
    troll ogre orc goblin dragon monster beast snake serpent giant zombie skeleton ghoul demon cyclops spider
    scorpion minotaur hydra gargoyle vampire werewolf mummy thug bandit pirate thief kobold wraith golem
    cobra viper adder footpad robber brigand assassin
    """.split()
)
WEAPONS = frozenset(
    """
    sword knife dagger axe gun pistol rifle spear bow club staff mace hammer blade stick crowbar rock sabre
    cutlass poker bat whip
    """.split()
)
READABLE = frozenset(
    """
    book paper letter note leaflet scroll sign map card newspaper diary journal page document label
    inscription plaque message poster magazine manual parchment notebook logbook booklet pamphlet brochure
    tablet writing engraving ticket envelope telegram postcard prayer text list notice placard memo menu
    billboard graffiti banner receipt runes carving instructions recipe
    """.split()
)
TREASURES = frozenset(
    """
    gold golden silver silvery platinum jewel jewels jeweled jewelled gem gems gemstone diamond diamonds ruby
    rubies emerald emeralds sapphire sapphires pearl pearls opal topaz amethyst ivory jade coin coins
    doubloons treasure crown tiara necklace chalice goblet figurine statuette idol sceptre scepter ingot
    nugget bullion
    """.split()
)
_ENTERABLE = frozenset(
    """
    door window car boat gate hole cave tunnel stairs ladder tree booth staircase doorway archway passage
    elevator lift opening chimney raft rope steps crack portal
    """.split()
).union(BUILDINGS)
_WEARABLE = frozenset(
    """
    cloak hat coat gloves ring boots robe helmet mask suit shirt shoes amulet necklace jacket cape belt
    dress glasses goggles crown bracelet uniform trousers pants scarf vest backpack badge snorkel sunglasses
    apron gown tunic jumpsuit spacesuit wetsuit raincoat overalls gauntlets slippers sandals cap hood veil
    wig tiara pendant medallion earrings socks jeans sweater costume disguise armor armour blindfold
    spectacles lenses monocle bracers greaves mittens earplugs headphones headset watch wristwatch clothing
    clothes
    """.split()
)
MOVABLE = frozenset(
    """
    button lever switch knob handle wheel dial rope chain rug carpet boulder stone statue crank valve tap
    faucet bell painting picture portrait tapestry mat cord key pedal plank board bookcase block crystal slab
    """.split()
)
_EDIBLE = frozenset(
    """
    food sandwich lunch bread apple cake biscuit cookie pie candy fruit cheese meat berries mushroom mushrooms
    toadstool pill pills tablet chocolate egg eggs nut nuts soup stew banana carrot pear plum grapes cherry
    cherries tomato potato pizza burger hamburger steak ham sausage honey pudding muffin donut doughnut tart
    wafer ration rations herb herbs onion garlic peanut peanuts popcorn noodles rice salad berry
    """.split()
)

FITTING: Mapping[ActionKind, frozenset[str]] = {
    ActionKind.OPEN: OPENABLE,
    ActionKind.READ: READABLE,
    ActionKind.MOVE: _ENTERABLE,
    ActionKind.WEAR: _WEARABLE,
    ActionKind.HANDLE: MOVABLE,
    ActionKind.CONSUME: _EDIBLE,
    ActionKind.LIGHT: LIGHTS,
}
"""By kind of action, the things that it is done with."""

_SURROUNDINGS = frozenset(
    """
    wall walls floor ceiling sky ground sun road path water room forest trees roof sea people darkness
    lake pond stream ocean beach field garden lawn hill valley canyon slope corridor hallway hall street town
    village city mountain mountains
    """.split()
)
_NOTABLE: frozenset[str] = (FIXED - _SURROUNDINGS).union(LIGHTS, KEYS, *FITTING.values())
_ALSO_HANDLED = frozenset(
    """
    shower bath bathtub tub basin toilet mirror telephone phone radio television tv computer terminal
    machine engine console piano organ clock gong ladder pedestal vase urn pot kettle bucket cup mug
    glass basket skeleton corpse body bones nest web cobweb dust ashes rubble debris rubbish trash
    garbage heap pile leaves crack keyhole niche alcove slot vent grille pipe pipes tapestry portrait
    poster curtain curtains sofa couch chair armchair stool cushion pillow mattress blanket plant flower
    flowers bush vine vines pocket pockets monitor screen keyboard printer camera hook bolt hinge pulley
    anchor mailbox furnace boiler brazier anvil
    """.split()
)
_SHORTEST = 3
"""Letters of the first part of a noun that is made of two."""
COMMON: frozenset[str] = _NOTABLE | _ALSO_HANDLED
"""Nouns of things with which something can be done in many stories."""


@lru_cache(maxsize=8192)
def is_common(noun: str) -> bool:
    """Whether a noun is one of them, or is made of one: a `doormat` is a mat, a `flowerpot` a pot."""
    return noun in COMMON or any(noun[cut:] in COMMON for cut in range(_SHORTEST, len(noun) - 2))


_OTHER_WORDS_TOO = frozenset(
    """
    can light lighter watch pass lift match matches list text case suit mask ring board block stone sign note
    page cap key opening house notice memo dress picture document manual water road path
    """.split()
)
UNMISTAKABLE: frozenset[str] = _NOTABLE.union(
    """
    fountain machine pedestal altar throne pillar ladder bridge ledge tunnel corpse skeleton coin sword knife
    axe shovel bucket bowl cup pot vase pipe vent slot toilet telephone television piano urn kettle keyhole
    niche alcove tapestry portrait sofa armchair bathtub furnace boiler brazier anvil pulley mailbox keyboard
    """.split()
).difference(_OTHER_WORDS_TOO)
"""Nouns that name a thing without an article, too, and are seldom any other word."""
