"""What a player has learned: what was done in this episode, what pays, what kills, where it is dark."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from folds.attempts import Attempt
from folds.playthrough import Playthrough
from folds.text.phrases import DARK
from folds.text.rooms import room_of
from folds.vocabulary.actions import direction_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, words_of
from schemas.game import RESTART, SessionStarted, StepTaken
from services.actor.knowledge.mentions import MentionedNouns
from services.actor.knowledge.refusals import Refusals
from services.actor.knowledge.statistics import RecentSuccess, TryStatistics, target_of, verb_of
from services.actor.knowledge.texts import BURDENED, HOSTILE, LIFELESS, LOCKED, UNWILLING

_REARRANGING = (ActionKind.MOVE, ActionKind.TAKE, ActionKind.DROP, ActionKind.PLACE, ActionKind.EXAMINE)


class Experience:
    """Everything the rule-based player remembers of a session."""

    def __init__(self, started: SessionStarted) -> None:
        self.started = started
        self.playthrough = Playthrough()
        self.map, self.tried = self.playthrough.map, self.playthrough.attempts
        self.mentions = MentionedNouns()
        self.refusals = Refusals()
        self.verbs: dict[str, TryStatistics] = defaultdict(TryStatistics)
        self.targets: dict[str, TryStatistics] = defaultdict(TryStatistics)
        self.scenery = RecentSuccess()
        self.unlikely_ways = RecentSuccess()
        self.talk = RecentSuccess()
        self.grabs = RecentSuccess()
        self.fruitless: dict[str, Counter[str]] = defaultdict(Counter)
        self.died = self.first_points = self.begun_with = 0
        self.deaths: Counter[str] = Counter()
        self.deadly_verbs: set[str] = set()
        self.endings: dict[str, dict[str, int]] = defaultdict(dict)
        self.deadly_in_the_dark: dict[str, set[str]] = defaultdict(set)
        self.dark: set[str] = set()
        self.locked: set[str] = set()
        self.treasures: set[str] = set()
        self._begin(1, 0)

    def after(self, step: StepTaken) -> None:
        """Fold one step; a step that was folded before changes nothing."""
        if self.playthrough.includes(step):
            return
        before = self.playthrough.last
        unlikely = before is not None and self._is_unlikely_way(step.action, room_of(before))
        came_from = room_of(before) if before is not None else None
        now = self.playthrough.after(step).last or step
        if before is None or step.action == RESTART or now.episode != self._episode:
            self._begin(now.episode, now.step)
            self.begun_with = now.score or 0
        elif now.action:
            self._learn(self.tried.by_room[room_of(before)][-1], room_of(before), now)
            if unlikely:
                self.unlikely_ways.note(room_of(now) != room_of(before))
        self._see(now, came=room_of(now) != came_from)
        self.mentions.after(now)

    @property
    def held_words(self) -> frozenset[str]:
        """The words by which things held may be called."""
        return self._held_words

    def deadly(self, room: str) -> frozenset[str]:
        """Actions that kill in a room or end the game for nothing; darkness kills only in the dark."""
        deadly = self.tried.deadly_in(room)
        if deadly and room not in self.dark:
            deadly -= self.deadly_in_the_dark[room]
        return deadly | {action for action, points in self.endings.get(room, {}).items() if points <= 0}

    def unclaimed(self, room: str) -> Mapping[str, int]:
        """What earned points here in an episode before, did not end it, and has earned none in this one."""
        without = {*self.claimed.get(room, ()), *self.endings.get(room, ())}
        return {a: points for a, points in self.tried.earned_in(room).items() if a not in without}

    def _is_unlikely_way(self, action: str | None, room: str) -> bool:
        way = direction_of(action or "")
        return way is not None and way in self.map.untried(room) and way not in self.map.hinted(room)

    def _begin(self, episode: int, step: int) -> None:
        self._episode, self.begun_at, self.gained_at, self.burdened_at = episode, step, step, -1
        self.held: dict[str, None] = {}
        self._held_words: frozenset[str] = frozenset()
        self.once_held: set[str] = set()
        self.laid_down: set[str] = set()
        self.done: dict[str, Counter[str]] = defaultdict(Counter)
        self.claimed: dict[str, set[str]] = defaultdict(set)
        self.done_at: dict[str, dict[str, int]] = defaultdict(dict)
        self.done_anywhere: Counter[str] = Counter()
        self.entered: Counter[str] = Counter()
        self.changed_at: dict[str, int] = {}
        self.visited: dict[str, int] = {}
        self.hostile = False

    def _learn(self, attempt: Attempt, room: str, now: StepTaken) -> None:
        action = attempt.action
        if self.tried.in_room(room)[action] == 1:
            self.first_points += max(0, attempt.reward)
        effective = self._is_effective(attempt, bool(now.world))
        self.done[room][action] += 1
        self.done_at[room][action] = now.step
        self.done_anywhere[action] += 1
        if not effective:
            self.fruitless[room][action] += 1
            if self.done_anywhere[action] == 1:
                self.refusals.note_fruitless(attempt.result)
        elif action_kind_of(action) not in _REARRANGING:
            self.changed_at[room] = now.step
        self.verbs[verb_of(action)].note(effective, attempt.reward)
        if LOCKED.search(attempt.result) and not effective:
            self.locked.add(room)
        if attempt.reward > 0:
            self.claimed[room].add(action)
        if action_kind_of(action) is ActionKind.PLACE:
            self.targets[target_of(action)].note(effective, attempt.reward)
        if attempt.ended and now.victory:
            self.endings[room][action] = attempt.reward
        elif attempt.ended:
            self._die(room, action)
        self._learn_words(attempt, room, now)

    def _is_effective(self, attempt: Attempt, hashed: bool) -> bool:
        if attempt.earned or attempt.moved_to or attempt.lost:
            return True
        return attempt.changed and (hashed or not self.refusals.in_text(attempt.result))

    def _die(self, room: str, action: str) -> None:
        self.died += 1
        self.deaths[room] += room not in self.dark
        if room in self.dark:
            self.deadly_in_the_dark[room].add(action)
        else:
            self.deadly_verbs.add(verb_of(action))

    def _learn_words(self, attempt: Attempt, room: str, now: StepTaken) -> None:
        words, deed = words_of(attempt.action), action_kind_of(attempt.action)
        if len(words) == 2 and not attempt.moved_to:
            self.refusals.note_word(words[1], room, attempt.result)
        if deed is ActionKind.EXAMINE and not self._held_words.issuperset(words[1:]):
            self.scenery.note(not self.refusals.in_text(attempt.result))
        if deed is ActionKind.TALK and len(words) > 1 and LIFELESS.search(attempt.result):
            self.mentions.lifeless.update(words[1:3])
        if deed is ActionKind.TALK:
            self.talk.note(bool(attempt.reward) or not self.refusals.in_text(attempt.result))
        if deed in (ActionKind.PLACE, ActionKind.DROP) and attempt.reward <= 0:
            self.laid_down.update(head_of(name) for name in attempt.lost)
        self.laid_down.difference_update(head_of(name) for name in attempt.gained)
        if deed is ActionKind.TAKE:
            self._learn_of_taking(words[-1], attempt, now)

    def _learn_of_taking(self, noun: str, attempt: Attempt, now: StepTaken) -> None:
        if not attempt.gained:
            self.grabs.note(bool(BURDENED.search(attempt.result)))
        if UNWILLING.search(attempt.result):
            self.mentions.people.add(noun)
        if BURDENED.search(attempt.result):
            self.burdened_at = now.step
        if attempt.reward > 0:
            self.treasures.add(noun)

    def _see(self, now: StepTaken, *, came: bool) -> None:
        room = room_of(now)
        self.entered[room] += 1
        self.visited[room] = now.step
        if DARK.search(now.observation):
            self.dark.add(room)
        elif room in self.dark and (
            came or (action_kind_of(now.action or "") is ActionKind.LIGHT and now.changed)
        ):
            self.dark.discard(room)
        self.hostile = bool(HOSTILE.search(now.observation))
        if now.inventory is not None:
            inside = {thing.id for thing in now.inventory}
            in_hand = [thing.name for thing in now.inventory if thing.container not in inside]
            self._hold({thing.name: None for thing in now.inventory}, now.step, in_hand)

    def _hold(self, held: dict[str, None], step: int, in_hand: list[str] | None = None) -> None:
        heads = [head_of(name) for name in (held if in_hand is None else in_hand)]
        if not self.once_held.issuperset(heads):
            self.gained_at = step
        self.once_held.update(heads)
        self.held = held
        self._held_words = frozenset(word for name in held for word in words_of(name))
