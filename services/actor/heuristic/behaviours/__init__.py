"""The behaviours of the rule-based player, by the names by which a session can leave them out."""

from __future__ import annotations

from collections.abc import Mapping

from services.actor.heuristic.behaviours.idea import RoomBehaviour, SessionBehaviour
from services.actor.heuristic.behaviours.offered import (
    do_what_earned,
    do_what_is_suggested,
    do_what_is_valid,
    take_advice,
)
from services.actor.heuristic.behaviours.people.fighting import fight
from services.actor.heuristic.behaviours.people.talking import give, talk
from services.actor.heuristic.behaviours.places.darkness import grope, light
from services.actor.heuristic.behaviours.places.touring import breadth, tour
from services.actor.heuristic.behaviours.places.travel import travel
from services.actor.heuristic.behaviours.places.wandering import wander
from services.actor.heuristic.behaviours.places.ways import explore, find_way_out, go_through, retry_ways
from services.actor.heuristic.behaviours.session.needs import meet_needs
from services.actor.heuristic.behaviours.session.opening import open_well
from services.actor.heuristic.behaviours.session.questions import answer, complete, tell_apart
from services.actor.heuristic.behaviours.session.refusals import obey
from services.actor.heuristic.behaviours.session.replaying import replay_the_best
from services.actor.heuristic.behaviours.session.restarting import end_well, give_up, restart, win_again
from services.actor.heuristic.behaviours.session.scoring import probe_score
from services.actor.heuristic.behaviours.session.traps import escape
from services.actor.heuristic.behaviours.session.waiting import wait
from services.actor.heuristic.behaviours.things.aptness import do_what_is_apt
from services.actor.heuristic.behaviours.things.burden import unburden
from services.actor.heuristic.behaviours.things.delivering import deliver
from services.actor.heuristic.behaviours.things.fetching import fetch
from services.actor.heuristic.behaviours.things.handling import handle_mentions, handle_things
from services.actor.heuristic.behaviours.things.locks import unlock
from services.actor.heuristic.behaviours.things.looking import look_closely
from services.actor.heuristic.behaviours.things.placing import lay_down, put, take_back
from services.actor.heuristic.behaviours.things.reaching import reach
from services.actor.heuristic.behaviours.things.taking import take_all
from services.actor.heuristic.behaviours.things.tools import use_tools
from services.actor.heuristic.behaviours.things.treasures import deposit
from services.actor.heuristic.behaviours.trying.daring import dare
from services.actor.heuristic.behaviours.trying.experiments import beat_the_clock, break_out, experiment
from services.actor.heuristic.behaviours.trying.improvising import improvise
from services.actor.heuristic.behaviours.trying.instructions import heed
from services.actor.heuristic.behaviours.trying.redoing import redo
from services.actor.heuristic.behaviours.trying.refused import retry_refused
from services.actor.heuristic.behaviours.trying.words import say

ROOM_BEHAVIOURS: Mapping[str, RoomBehaviour] = {
    "valid": do_what_is_valid,
    "suggested": do_what_is_suggested,
    "earned": do_what_earned,
    "things": handle_things,
    "mentions": handle_mentions,
    "take_all": take_all,
    "tell_apart": tell_apart,
    "complete": complete,
    "unlock": unlock,
    "talk": talk,
    "give": give,
    "unburden": unburden,
    "explore": explore,
    "retry_ways": retry_ways,
    "go_through": go_through,
    "find_way_out": find_way_out,
    "light": light,
    "look_closely": look_closely,
    "apt": do_what_is_apt,
    "use_tools": use_tools,
    "reach": reach,
    "heed": heed,
    "put": put,
    "take_back": take_back,
    "fetch": fetch,
    "deliver": deliver,
    "deposit": deposit,
    "fight": fight,
    "redo": redo,
    "retry_refused": retry_refused,
}
"""Asked at every step."""
SESSION_BEHAVIOURS: Mapping[str, SessionBehaviour] = {
    "open_well": open_well,
    "answer": answer,
    "escape": escape,
    "replay_the_best": replay_the_best,
    "obey": obey,
    "travel": travel,
    "breadth": breadth,
    "wander": wander,
    "grope": grope,
    "wait": wait,
    "probe_score": probe_score,
    "meet_needs": meet_needs,
    "end_well": end_well,
    "give_up": give_up,
    "break_out": break_out,
    "beat_the_clock": beat_the_clock,
}
"""Asked at every step."""
LAST_RESORTS: Mapping[str, SessionBehaviour] = {
    "take_advice": take_advice,
    "dare": dare,
    "experiment": experiment,
    "say": say,
    "lay_down": lay_down,
    "tour": tour,
    "improvise": improvise,
    "restart": restart,
    "win_again": win_again,
}
"""Asked where nothing better is known."""
BEHAVIOUR_NAMES: tuple[str, ...] = (*ROOM_BEHAVIOURS, *SESSION_BEHAVIOURS, *LAST_RESORTS)
