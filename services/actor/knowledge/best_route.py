"""The way to the best score so far, and to what was found last, to be gone again after a restart."""

from __future__ import annotations

from collections.abc import Sequence, Set

from folds.discoveries import Discoveries
from folds.route import RouteStep, route_step, shortened, without_detours
from folds.vocabulary.words import words_of
from schemas.game import RESTART, StepTaken

FREELY = 3
"""Every third episode without a better score is played without the recipe: it may lead into a dead end.

Once it has led to a victory, nothing lies beyond it: then it is only every third that is played with it."""


class BestRoute:
    """What was done in the episode that earned most, without what came to nothing."""

    def __init__(self) -> None:
        self._discoveries = Discoveries()
        self._told: set[str] = set()
        """The words of all texts of this episode."""
        self._route: tuple[RouteStep, ...] = ()
        """What is gone again in this episode."""
        self.stages: tuple[RouteStep, ...] = ()
        self.followed_at = 0
        """The step at which a stage was last gone again."""
        self._whole: tuple[RouteStep, ...] = ()
        """The stages without what is certain to be of no use: for when the shortened ones earn less."""
        self._done: list[RouteStep] = []
        self._gained = self._best = self._vain = 0
        self._at: int | None = None
        self._is_unproved = False
        """Whether the route was begun in this episode, and has not earned as much as the best so far."""
        self._is_won = False
        """Whether the best score was reached by a victory."""
        self.is_free = False
        """Whether this episode is played without the route on purpose."""

    def after(self, before: StepTaken, now: StepTaken, *, works: bool = True) -> None:
        """Fold a step, with the one before it; `works`: whether its action is known to have an effect."""
        told = frozenset(words_of(now.observation)) - self._told
        self._told |= told
        if now.action in (None, RESTART):
            self._begin(died=before.done and not before.victory)
            return
        stage = route_step(before, now, works=works, reveals=told)
        self._follow(stage, now.step)
        if not stage.is_vain:
            self._done.append(stage)
        self._gained += now.reward
        self._is_unproved &= self.is_behind
        if self._gained > self._best:
            self._best, self._vain, self._at = self._gained, 0, None
            self.stages, self._whole = shortened(self._done), without_detours(self._done)
            self._is_won = False
        self._discoveries.after(now, len(self._done), is_behind=self.is_behind)
        self._is_won |= now.done and now.victory and not self.is_behind

    def begin_with(self, stages: Sequence[RouteStep], points: int) -> None:
        """Begin with the best route of an earlier session: it is gone from the opening on."""
        self.stages, self._best = tuple(stages), points
        self._whole = self._route = self.stages
        self._at, self._vain = 0, 1

    @property
    def is_behind(self) -> bool:
        """Whether this episode has earned less than the best one."""
        return self._gained < self._best

    @property
    def is_under_way(self) -> bool:
        """Whether the route is being followed."""
        return self._stage is not None

    @property
    def leads_further(self) -> bool:
        """Whether it is the way to what was found last that is gone again."""
        return self._route is not self.stages

    @property
    def left(self) -> int:
        """The stages that are still to be gone, where the route is being followed."""
        return len(self._route) - self._at if self._at is not None else 0

    @property
    def is_to_be_won(self) -> bool:
        """Whether the next stage wins the game."""
        return self._is_won and self.left == 1

    @property
    def _stage(self) -> RouteStep | None:
        """The next one, where the route is being followed."""
        return self._route[self._at] if self._at is not None and self.left else None

    def next(self, room: str) -> str | None:
        """The action that the recipe wants here; None: there is none, or the way was lost."""
        return self._stage.action if self._stage and self._stage.room == room else None

    def braves(self, held: Set[str]) -> bool:
        """Whether as much is in hand as when the next stage was survived; it may have killed with less."""
        return self._stage is not None and self._stage.held <= held

    def _begin(self, *, died: bool) -> None:
        """After a death the way to what its episode has found last is gone again."""
        if self._is_unproved:
            self.stages = self._whole
        further = self._discoveries.way(self._done)
        is_further = died and len(further) > len(self.stages)
        self._route = further if is_further else self.stages
        self._told.clear()
        self._done, self._gained = [], 0
        self._vain += 1
        self.is_free = bool(self._vain % FREELY) if self._is_won else not self._vain % FREELY
        self.is_free &= not is_further
        self._at = 0 if self._route and not self.is_free else None
        self._is_unproved = self._at is not None

    def _follow(self, done: RouteStep, step: int) -> None:
        wanted = self._stage
        if wanted is None or self._at is None:
            return
        if (done.action, done.room) == (wanted.action, wanted.room):
            self.followed_at = step
            self._at = self._at + 1 if done.arrives == wanted.arrives else None
        elif done.arrives != wanted.room:
            self._at = None
