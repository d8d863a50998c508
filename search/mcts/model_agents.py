"""The agents that MC-DML is compared with: a language model that plays, and one that reflects between rounds.

They look ahead by nothing but the valid actions (MC-DML, section 4, baselines 4 and 5, and appendix B).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from search.environment import Outcome
from search.mcts.advice import Advisor, Moment, Reflections, lesson_of, policy, question_about
from search.mcts.options import TreeOptions
from search.mcts.reporting import tell_move
from search.mcts.tree_search import observation_at
from search.task import Task
from search.valid_actions.finder import ValidActionFinder

REPEATS = 5
"""Times in a row that an action may be done in one state of the world; then another is taken by chance."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """An action, and how often it was done in a row in one state of the world."""

    world: str = ""
    action: str = ""
    times: int = 0

    def after(self, world: str, action: str) -> Repetition:
        """The same after one more action."""
        again = (world, action) == (self.world, self.action)
        return Repetition(world, action, self.times + 1 if again else 1)


@dataclass(slots=True)
class ModelPlayer:
    """Plays what a language model finds most promising."""

    task: Task
    valid_actions: ValidActionFinder
    options: TreeOptions
    advisor: Advisor
    reflections: Reflections = field(init=False)
    _repeated: Repetition = Repetition()

    def __post_init__(self) -> None:
        self.reflections = Reflections(self.options.reflections)

    def play(self, rounds: int) -> None:
        """Play the story so often; between two rounds the model reflects on the one before.

        Raises:
            SearchStopped: the probes are spent.
        """
        for number in range(rounds):
            steps = self._round()
            if number + 1 < rounds:
                self.reflections.add(lesson_of(self.advisor, steps))

    def _round(self) -> list[tuple[str, str]]:
        """Play the story once; its actions and texts."""
        environment, moment = self.task.environment, Moment("")
        outcome = environment.restart()
        steps = [("", outcome.observation)]
        while len(steps) <= self.options.moves and not outcome.done:
            moment = self._moment(outcome, moment, steps[-1][0])
            choices = self.valid_actions.here()
            if not choices:
                break
            action = self._choice(moment, choices)
            outcome = environment.step(action)
            steps.append((action, outcome.observation))
            tell_move(self.task, [action for action, _ in steps[1:]], outcome.score)
        return steps

    def _moment(self, outcome: Outcome, before: Moment, action: str) -> Moment:
        environment = self.task.environment
        now = observation_at(environment, environment.save(), outcome.observation)
        return Moment(now, before.observation, action) if self.options.in_trial_memory else Moment(now)

    def _choice(self, moment: Moment, choices: tuple[str, ...]) -> str:
        shares = policy(self.advisor, question_about(moment, self.reflections.lessons, choices))
        action = choices[shares.index(max(shares))]
        self._repeated = self._repeated.after(self.task.environment.world(), action)
        if self._repeated.times > REPEATS:
            self._repeated = Repetition()
            return self.task.random.choice(choices)
        return action
