"""Every number by which the heuristic compares actions.

They were set by `python -m benchmarks.scores`: the best score after 100 steps of the bundled game and of
every story beside the repository, with and without valid actions, as the mean of several seeds. Run it
before and after changing a number. Utilities lie between 0 and 100, points of earlier episodes come on top;
factors multiply a utility.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from folds.vocabulary.verbs import UTILITY, ActionKind


@dataclass(frozen=True, slots=True)
class ActionWeights:
    """The utility of an action in special circumstances; in others its kind decides."""

    kinds: Mapping[ActionKind, float] = field(default_factory=lambda: UTILITY)
    """Of each kind of action (`folds/vocabulary/verbs.py`: the critic and the hints use the same)."""
    rewarded: float = 130.0
    """What earned points here in an earlier episode; those points are added."""
    sure: float = 85.0
    """From here on a behaviour is sure of an action, whatever its verb has brought so far."""
    least: float = 2.0
    """Options below this are left out."""
    idle: float = 8.0
    """Looking or waiting where the search for valid actions is not complete: what is examined lets it go on
    as well."""
    enter_scenery: float = 46.0
    """Moving into what only the room's text mentions."""
    take_again: float = 6.0
    """Taking what was in hand before."""
    take_vanished: float = 70.0
    """Taking what left the player's hands of itself: a thief's spoils, a fish that has jumped."""
    take_back: float = 30.0
    """Taking what the player laid down without earning points by it."""
    take_fixed: float = 12.0
    """Taking what can hardly be carried: a door, a tree."""
    take_scenery: float = 20.0
    """Taking what only a text mentions, where nothing else tells what is here."""
    take_out: float = 90.0
    """Taking something out of what is held."""
    unburden: float = 102.0
    """Dropping something right after the player could carry no more."""
    put_where_paid: float = 96.0
    """Putting something where another thing has earned points."""
    pointless: float = 2.5
    """Putting things where others earned nothing, attacking what is held, and the like."""
    light_early: float = 12.0
    """Lighting a lamp before it is dark."""
    fight_back: float = 75.0
    """Attacking while somebody attacks."""
    attack_thing: float = 44.0
    """Attacking what is nobody, as the game offers it."""
    handle_held: float = 26.0
    """Handling or using nothing but things held."""
    ask_of_name: float = 62.0
    """Talking about what has a name of its own."""
    ask: float = 50.0
    """Talking about anything else."""
    read_unreadable: float = 8.0
    """Reading what has no writing by its common name."""
    examine_scenery: float = 24.0
    """Examining what only a text mentions."""
    examine_described: float = 40.0
    """The same of what a room's description mentions, where the text alone tells what is here."""
    examine_common: float = 42.0
    """The same, where it is one of the common things of such stories."""
    examine_searched: float = 30.0
    """Examining what the search for valid actions has examined already, for its text."""
    open_closed: float = 44.0
    """Opening what the search for valid actions could not open: the answer tells what bars it."""


@dataclass(frozen=True, slots=True)
class WayWeights:
    """The utility of an unexplored way, by what is known of it."""

    freed: float = 86.0
    """Opened by an action just now."""
    likely: float = 68.0
    """Offered as a valid action, or mentioned by the room's text."""
    unhurried: float = 43.0
    """The same by text alone, while many steps are left: things that are at hand come before ways that are
    rooms away."""
    hurry: int = 200
    """Steps left of a session from which on one looks for rooms first."""
    unmentioned_hurried: float = 2.0
    """Factor from then on: ways that neither the game nor its text mentions are thought to be more likely."""
    other: float = 56.0
    """Neither offered nor mentioned, where valid actions are not known."""
    unlisted: float = 0.5
    """Factor on `other`: the room's text lists its ways out, and not this one."""
    per_blocked: float = 2.0
    """What each blocked way of the room takes from `other`."""
    back: float = 40.0
    """Likely, and presumed to lead back."""
    back_unlikely: float = 0.5
    """Factor: presumed to lead back, and not likely."""
    out_again: float = 60.0
    """Out of what was just got into: what can be done in there comes first."""
    shut: float = 44.0
    """A way that the room's text names, and that the search for valid actions could not walk: the answer
    tells what bars it."""
    unoffered: float = 3.0
    """Not among the valid actions of a room."""
    dark: float = 0.3
    """Factor: the room is dark."""


@dataclass(frozen=True, slots=True)
class Factors:
    """Factors by how an action has fared so far."""

    hinted: float = 1.05
    """A sub-agent suggests it."""
    wanted: float = 1.5
    """It is about what the user's goal names."""
    offered: float = 1.06
    """The game offers it as valid."""
    again: float = 0.3
    """For each time that it was done in this room."""
    again_changed: float = 0.7
    """The same, where the room has changed since, or where it earned points in an earlier episode."""
    again_examined: float = 0.15
    """The same of looking, where only the text tells that something has changed."""
    again_ineffective: float = 0.4
    """For each time that it had no effect here in an earlier episode."""
    elsewhere: float = 0.5
    """For each time that it was done in another room."""
    elsewhere_at_most: int = 6
    """Times in other rooms that count."""
    known_text: float = 0.2
    """For each time that it was looked at or read here in earlier episodes."""
    carried: float = 0.04
    """It was done in another room, and concerns only things held."""
    idle_again: float = 0.6
    """For each time that the player has idled here, and that this state of the world was seen before."""
    unfit: float = 0.15
    """By its common name the thing is not made for it."""
    blamed: float = 0.5
    """Taken off the factor 1 for what is wholly to blame for a death."""
    fatal: float = 0.2
    """It seems to lead to a death some steps later."""
    unanswered: float = 0.3
    """At least, where its verb has got stock phrases alone."""
    mute: float = 0.5
    """Nearly everything that was done with the thing got stock phrases."""
    deadly_verb: float = 0.1
    """Its verb has killed, and not just once in many tries."""
    patience: float = 10.0
    """Tries without a point after which a seldom paying verb is worth half."""
    wasted: int = 2
    """Things put somewhere without a point before the rest is kept."""


@dataclass(frozen=True, slots=True)
class TravelWeights:
    """What walking to another room costs, and what attracts the player to it."""

    setting_out: float = 4.0
    """Cost of leaving what is at hand."""
    per_room: float = 2.5
    """Cost of each room on the way."""
    turning_back: float = 6.0
    """Cost of going straight back, so that the player does not go to and fro between two like attractions."""
    death: float = 12.0
    """Cost of each death in that room."""
    claim: float = 72.0
    """Points of an earlier episode, a dark room and a light, a locked room and a key."""
    claim_at_most: float = 98.0
    """Points come on top of `claim`, up to this."""
    tool: float = 52.0
    """A room with something for which a tool has come to hand since it was seen."""
    visits: int = 6
    """Visits in an episode after which points of an earlier episode are given up."""
    revisit: float = 20.0
    """A room that was not seen since something was gained."""
    revisit_more: float = 10.0
    """What absence adds to `revisit` at most."""
    absence: float = 20.0
    """Steps of absence that add 1 to `revisit`."""
    arrivals: int = 3
    """Arrivals in a room, since a room or a thing was new, after which it attracts less and less: two rooms
    that attract the player in turn would be walked between for ever."""
    tiring: float = 0.75
    """The factor for each further one."""


@dataclass(frozen=True, slots=True)
class Weights:
    """All weights of the heuristic."""

    actions: ActionWeights = field(default_factory=ActionWeights)
    ways: WayWeights = field(default_factory=WayWeights)
    factors: Factors = field(default_factory=Factors)
    travel: TravelWeights = field(default_factory=TravelWeights)
    jitter: float = 2.0
    """Utility by which chance may tip a choice between near equals."""
    jitter_most: int = 8
    """Where valid actions are known, each episode in a row that brought nothing new adds the jitter once
    more, up to so many times."""
    least_without_resort: float = 7.5
    """Options below this leave room for experiments, a tour of the rooms, and a new beginning."""
    topics: int = 12
    """Topics of each source that a person is asked about."""
    burden: int = 6
    """Things held from which on the player may carry too much."""
    detours: float = 2.0
    """Regaining what an episode has earned takes at most so many times the steps that earning it took."""


DEFAULT_WEIGHTS = Weights()
