"""What a player has learned: what was done in this episode, what pays, what kills, where it is dark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from folds.attempts import Attempt, AttemptLog
from folds.map import Map
from folds.playthrough import Playthrough
from folds.presence import ThingPresence
from folds.text.phrases import is_fruitless
from folds.text.rooms import room_of
from folds.text.things.listings import things_in
from folds.vocabulary.actions import direction_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import MANY, SEVERAL, words_of
from schemas.game import RESTART, StepTaken
from services.actor.knowledge.ambiguities import Ambiguities
from services.actor.knowledge.errands import Errands
from services.actor.knowledge.experience.action_history import ActionHistory
from services.actor.knowledge.experience.answers import Answers
from services.actor.knowledge.experience.belongings import Belongings
from services.actor.knowledge.experience.dangers import Dangers
from services.actor.knowledge.experience.needs import Needs
from services.actor.knowledge.experience.probes import ScoreProbes
from services.actor.knowledge.experience.rewards import LEAVING, Rewards
from services.actor.knowledge.experience.rooms import RoomNotes
from services.actor.knowledge.experience.success import SuccessRates, target_of, thing_of, verb_of
from services.actor.knowledge.instructions import Instructions
from services.actor.knowledge.mentions import MentionedNouns
from services.actor.knowledge.refusals import Refusals
from services.actor.knowledge.texts import ACKNOWLEDGED, AT_WORK, BURDENED, LIFELESS, LOCKED, UNWILLING

_IS_OPEN = re.compile(r"\balready (?:open|unlocked)\b|\bunlocked (?:at the moment|already)\b", re.I)
_SETTING_TO_WORK = (ActionKind.PLACE, ActionKind.HANDLE, ActionKind.LIGHT, ActionKind.USE)

_STUCK, _OFTEN = 20, 2
"""Steps in a room before the player gives up, and times, from which on it counts as one without a way out."""
_REPLIES = ("yes", "no")
_TRIED = 2
"""Steps in a room from which on what was held there counts as tried."""
_QUIET = 40
"""Steps, of whatever episode, without a new answer and anything untried."""


@dataclass(frozen=True, slots=True)
class Episode:
    """Where an episode began."""

    number: int = 1
    begun_at: int = 0
    """The step of its opening."""
    score: int = 0
    """The score at its opening."""
    room: str = ""
    """Where it began."""
    barren: int = 0
    """How many episodes in a row before it found no new room and no new way to earn points."""


class Experience:
    """What was learned in a session, by subject; this class decides which subject learns from what."""

    def __init__(self) -> None:
        self.playthrough = Playthrough()
        self.episode = Episode()
        self.belongings = Belongings()
        self.history = ActionHistory()
        self.rooms = RoomNotes()
        self.dangers = Dangers()
        self.rewards = Rewards()
        self.rates = SuccessRates()
        self.mentions = MentionedNouns()
        self.instructions = Instructions()
        self.errands = Errands()
        self.ambiguities = Ambiguities()
        self.refusals = Refusals()
        self.answers = Answers()
        self.probes = ScoreProbes()
        self.needs = Needs()
        self.presence = ThingPresence()
        """Where the world is known."""
        self.tried_at = 0
        """The step of the last action that had never been done in its room."""
        self.effect_at = 0
        """The step of the last action that had an effect, and did not only lead to a room that is known."""
        self._known_at_opening = (0, 0)

    @property
    def map(self) -> Map:
        """The map as it was walked."""
        return self.playthrough.map

    @property
    def attempts(self) -> AttemptLog:
        """What has been tried."""
        return self.playthrough.attempts

    def after(self, step: StepTaken) -> None:
        """Fold one step; a step that was folded before changes nothing."""
        if self.playthrough.includes(step):
            return
        unlikely = self._is_unlikely_way(step.action or "")
        now = self.playthrough.after(step).last or step
        before = self.playthrough.before
        self.answers.after(now)
        self.probes.after(now)
        self.needs.after(now)
        if before is not None and step.action == RESTART and not before.done:
            self._note_trap(room_of(before))
        if before is None or step.action == RESTART or now.episode != self.episode.number:
            self._begin(now)
        elif now.action:
            self._learn(self.attempts.by_room[room_of(before)][-1], room_of(before), now)
            if unlikely:
                self.rates.unlikely_ways.note(self.playthrough.left is not None)
        self.rooms.see(now, arrived=before is None or self.playthrough.left is not None)
        self.dangers.see(now)
        self.belongings.see(now)
        if self.belongings.gained_at == now.step:
            self.rooms.arrivals.clear()
        if self.rooms.stayed >= _TRIED:
            self.rooms.note_held(room_of(now), self.belongings.names)
        self.mentions.after(now)
        if not is_fruitless(now.observation):
            self.refusals.note_seen(things_in(now.observation), room_of(now))
        if now.world:
            self.presence.after(now)
        self.instructions.after(now)
        self.errands.after(now)
        self.ambiguities.after(now)

    def deadly(self, room: str) -> frozenset[str]:
        """Actions that kill in a room or end the game for nothing; darkness kills only in the dark."""
        candidates = self.attempts.deadly_in(room) | self.rewards.victories_in(room).keys()
        candidates |= self.dangers.traps.get(room, set())
        return frozenset(action for action in candidates if self.is_deadly(room, action))

    def equipment_in(self, room: str) -> frozenset[str]:
        """The nouns of what has come to hand in this episode, `wear NOUN` for what was put on, and what else
        had an effect in a room."""
        put_on = (action for action in self.history.anywhere if action.startswith("wear "))
        return frozenset((*self.belongings.once_held, *put_on, *self.history.deeds_in(room)))

    def idle_at(self, step: int) -> int:
        """Steps of this episode up to a step since the last answer that was new."""
        return step - max(self.answers.new_at, self.episode.begun_at)

    def quiet_at(self, step: int) -> int:
        """Steps, of whatever episode, since the last new answer or action never done before in its room."""
        return step - max(self.answers.new_at, self.tried_at)

    def is_quiet_at(self, step: int) -> bool:
        """Whether that is so long that one looks about, and does no more again what had an effect before."""
        return self.quiet_at(step) >= _QUIET

    def stale_at(self, step: int) -> int:
        """The same, of this episode."""
        return min(self.quiet_at(step), step - self.episode.begun_at)

    def is_deadly(self, room: str, action: str) -> bool:
        """Whether an action is one of the deadly ones of a room."""
        if self.rewards.victories_in(room).get(action, 1) <= 0 or action in self.dangers.traps.get(room, ()):
            return True
        if action not in self.attempts.deadly_in(room) or self.dangers.is_survived(room, action):
            return False
        return room in self.rooms.dark or action not in self.dangers.deadly_in_the_dark(room)

    def unclaimed(self, room: str) -> Mapping[str, int]:
        """What earned points here in an episode before, did not end it, and has earned none in this one."""
        found = self.rewards.unclaimed(room, self.attempts.earned_in(room))
        return {action: points for action, points in found.items() if self._can_be_left(action)}

    def _can_be_left(self, action: str) -> bool:
        """Whether an action leaves nothing somewhere that is not in hand."""
        named, held = words_of(thing_of(action)), self.belongings.words
        is_vague = not SEVERAL.isdisjoint(named)
        return action_kind_of(action) not in LEAVING or is_vague or not held.isdisjoint(named)

    def _is_unlikely_way(self, action: str) -> bool:
        way, room = direction_of(action), self.playthrough.room
        return way is not None and way in self.map.untried(room) and way not in self.map.hinted(room)

    def _note_trap(self, room: str) -> None:
        """The player has given up in a room: if no way leads out of it, or the player was stuck there before,
        the way into it is a trap."""
        self.rooms.given_up[room] += self.rooms.stayed >= _STUCK
        if self.map.exits.get(room) and self.rooms.given_up[room] < _OFTEN:
            return
        for start, exits in self.map.exits.items():
            self.dangers.traps[start].update(way for way, end in exits.items() if end == room)

    def _begin(self, opening: StepTaken) -> None:
        known = len(self.map.names), self.rewards.first_points
        barren = self.episode.barren + 1 if known == self._known_at_opening else 0
        self._known_at_opening = known
        self.episode = Episode(opening.episode, opening.step, opening.score or 0, room_of(opening), barren)
        self.belongings.begin(opening.step)
        self.history.begin()
        self.rooms.begin()
        self.dangers.begin()
        self.rewards.begin()

    def _learn(self, attempt: Attempt, room: str, now: StepTaken) -> None:
        action = attempt.action
        effective = self._is_effective(attempt, room, now)
        is_heard = self._is_heard(attempt, room)
        is_first = self.attempts.in_room(room)[action] == 1
        self.tried_at = now.step if is_first else self.tried_at
        leads_back = attempt.moved_to in self.rooms.visited_at
        self.effect_at = now.step if effective and not leads_back else self.effect_at
        self.history.note(room, action, now.step, attempt.result, effective=effective)
        if is_heard:
            self.history.note_effect(room, action)
        if effective and action_kind_of(action) in _SETTING_TO_WORK and AT_WORK.search(attempt.result):
            self.history.worked_at = now.step
        if action != "score":
            self.rewards.note(room, attempt, first=is_first)
        is_way = direction_of(action) is not None
        is_locked = not effective and LOCKED.search(attempt.result) is not None
        if effective or (MANY.isdisjoint(words_of(action)) and not (is_way and is_locked)):
            self.rates.verbs[verb_of(action)].note(effective, attempt.reward)
        if not effective and self.history.anywhere[action] == 1:
            self.refusals.note_fruitless(attempt.result)
        thing = action.partition(" with ")[0].rpartition(" ")[2]
        if is_locked and (is_way or " " in action):
            self.rooms.locked[room]["door" if is_way else thing] = None
        elif action_kind_of(action) is ActionKind.OPEN and (effective or _IS_OPEN.search(attempt.result)):
            self.rooms.locked[room].pop(thing, None)
        self.refusals.note_unknown(action, attempt.result)
        self.refusals.forget(word for name in attempt.gained for word in words_of(name))
        self.dangers.note_action(room, action)
        self.dangers.note_taken_off(attempt, self.history.anywhere)
        if attempt.ended and not attempt.won:
            if not self.attempts.delayed_deaths.is_innocent((room, action)):
                self.dangers.note_death(room, action, self.equipment_in(room), dark=room in self.rooms.dark)
            self.history.note_death(now.step)
        else:
            self.dangers.note_survival(room, action)
        self._learn_of_its_kind(attempt, room, effective=effective)
        self._learn_of_its_words(attempt, room)
        self.belongings.note(attempt, now.step, room)

    def _is_effective(self, attempt: Attempt, room: str, now: StepTaken) -> bool:
        if attempt.earned or attempt.moved_to or attempt.lost:
            return True
        if now.world:
            is_working = action_kind_of(attempt.action) in (ActionKind.OPEN, *_SETTING_TO_WORK)
            return attempt.changed or (is_working and ACKNOWLEDGED.fullmatch(attempt.result) is not None)
        if action_kind_of(attempt.action) is ActionKind.OPEN and not is_fruitless(attempt.result):
            return True
        own_words = not self.answers.is_stock(attempt.action, now.observation)
        is_news = own_words and self._is_news(attempt, room)
        return attempt.changed and is_news and not self.refusals.in_text(attempt.result)

    def _is_news(self, attempt: Attempt, room: str) -> bool:
        """Whether the answer is new, or the action had an effect in an earlier episode and not in this."""
        return self.answers.is_new or attempt.action in self.history.due_in(room)

    def _is_heard(self, attempt: Attempt, room: str) -> bool:
        """Whether something that was said got an answer of its own."""
        is_said = action_kind_of(attempt.action) is ActionKind.TALK or attempt.action in _REPLIES
        is_news = is_said and self._is_news(attempt, room)
        return is_news and not attempt.ended and not is_fruitless(attempt.result)

    def _learn_of_its_kind(self, attempt: Attempt, room: str, *, effective: bool) -> None:
        kind, rates = action_kind_of(attempt.action), self.rates
        if kind is ActionKind.PLACE:
            rates.targets[target_of(attempt.action)].note(effective, attempt.reward)
        if kind is ActionKind.EXAMINE and not self.belongings.words.issuperset(words_of(attempt.action)[1:]):
            is_described = self.mentions.is_described(words_of(attempt.action)[-1], room)
            rate = rates.described if is_described else rates.told
            rate.note(not self.refusals.in_text(attempt.result))
        if kind is ActionKind.TALK:
            rates.talk.note(bool(attempt.reward) or not self.refusals.in_text(attempt.result))
        if kind is ActionKind.TAKE and not attempt.gained:
            rates.burdens.note(bool(BURDENED.search(attempt.result)))

    def _learn_of_its_words(self, attempt: Attempt, room: str) -> None:
        words, kind = words_of(attempt.action), action_kind_of(attempt.action)
        self.refusals.note_all(words, attempt.result)
        if len(words) > 1 or kind is ActionKind.MOVE:
            self.refusals.note_verb(words[0], attempt.result, words[1] if len(words) == 2 else "")
            self.refusals.note_cut_short(words, attempt.result)
            self.refusals.note_preposition(words, room, attempt.result)
        self.refusals.note_missing(words, room, attempt.result)
        if attempt.action == "take all":
            self.refusals.note_take_all(attempt.result, gained=bool(attempt.gained))
        names_one = len(words) == 2 and words[1] not in MANY
        if names_one and not attempt.moved_to and room not in self.rooms.dark:
            self.refusals.note_word(words[1], room, attempt.result)
            self.refusals.note_noun(words[0], words[1], room, attempt.result)
            if words[0] == "examine":
                self.refusals.note_look(words[1], room, attempt.result)
        if len(words) > 1 and LIFELESS.search(attempt.result):
            self.instructions.social.add(words[0])
            if kind is ActionKind.TALK:
                self.mentions.lifeless.update(words[1:3])
            elif kind is ActionKind.GIVE:
                self.mentions.lifeless.add(words[-1])
        if kind is ActionKind.TAKE and UNWILLING.search(attempt.result):
            self.mentions.people.add(words[-1])
