"""A recorded session gone through step by step: stops, breakpoints, looking at messages and at changes."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from folds.text.reader import TextReader
from lantern.inspect.breakpoint_names import known_names, values_at
from lantern.inspect.changes import SceneChange, changes
from lantern.inspect.comparison import ExpressionRefused
from lantern.inspect.expression import Expression, parsed
from lantern.inspect.plain_values import plain
from lantern.views.text_view import lines_of, printable
from mesh.record.step_messages import StepMessages
from schemas.base import Kind
from schemas.catalogue import MESSAGE_OF
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionStarted, StepTaken

REMEMBERED = 1000
"""Steps that one can go back."""

HELP = """\
Enter, n       the next step
c              go on to the next breakpoint, or to the end
b EXPRESSION   set a breakpoint: score > 10, room == "Kitchen", "lamp" in inventory, verdict.by == "game"
b              list the breakpoints
x NUMBER       remove a breakpoint
p              list the messages of this step
p KIND [WHO]   print a message whole: p step, p verdict, p fragment narrator
p EXPRESSION   print a value: p score, p inventory, p fragment.narrator.text, p score > 10
d              what changed from the step before, a line for each thing
d all          the same in full
r              back one step
g NUMBER       go to a step
h              this help
q              quit"""


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step to go through, and what else is to be said about it."""

    step_messages: StepMessages
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepView:
    """A step as the debugger knows it."""

    shown: ShownStep
    scene: SceneChange
    started: SessionStarted | None
    lines: tuple[tuple[Envelope, tuple[str, ...]], ...]
    """Each message in words."""

    @property
    def number(self) -> int:
        """The step's."""
        return self.shown.step_messages.number

    def text(self) -> list[str]:
        """Everything that is shown of the step."""
        return [*(line for _, lines in self.lines for line in lines), *map(printable, self.shown.notes)]


@dataclass(slots=True)
class CommandResult:
    """What a command prints, and whether the debugger continues or quits."""

    lines: Sequence[str] = ()
    continues: bool = False
    quits: bool = False


@dataclass(slots=True)
class Debugger:
    """Where one stands in a session, and where to stop. Give it every step in order, from 0 on."""

    stepping: bool = False
    """Whether it stops at every step."""
    breakpoints: dict[int, Expression] = field(default_factory=dict)
    _views: deque[StepView] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    _position: int = -1
    """Which of the views is looked at; -1: the newest."""
    _target: int | None = None
    """The step to go to."""
    _by_text: TextReader = field(default_factory=TextReader)
    _started: SessionStarted | None = None
    _fragments: dict[str, FragmentGiven] = field(default_factory=dict)

    def add_breakpoint(self, expression: str) -> int:
        """Set a breakpoint; its number.

        Raises:
            ExpressionRefused: the expression is none.
        """
        number = max(self.breakpoints, default=0) + 1
        self.breakpoints[number] = parsed(expression, known_names())
        return number

    def add_step(self, shown: ShownStep) -> StepView:
        """Take in the next step."""
        step = None
        lines = []
        for message in shown.step_messages.messages:
            match message.body:
                case SessionStarted() as started:
                    self._started = started
                case StepTaken() as taken:
                    step = self._by_text.read(taken)
                case FragmentGiven(unchanged=False) as given:
                    self._fragments[message.service.name] = given
                case _:
                    pass
            lines.append((message, tuple(lines_of(message, self._by_text))))
        view = StepView(shown, SceneChange(step, dict(self._fragments)), self._started, tuple(lines))
        self._views.append(view)
        self._position = -1
        return view

    def reasons_to_stop(self) -> list[str] | None:
        """Why to stop at the step that has just come; None: there is no reason to."""
        view = self._views[-1]
        if self._target is not None and view.number >= self._target:
            self._target, self.stepping = None, True
        if self._target is not None:
            return None
        reasons = self._breakpoint_reasons(view)
        if reasons:
            self.stepping = True
        return reasons if self.stepping else None

    def execute(self, line: str) -> CommandResult:
        """Execute a command."""
        word, _, rest = line.strip().partition(" ")
        commands: Mapping[str, Callable[[str], CommandResult]] = {
            "": self._next,
            "n": self._next,
            "c": self._continue,
            "b": self._break,
            "x": self._remove,
            "p": self._print,
            "d": self._changes,
            "r": self._back,
            "g": self._go,
            "h": lambda rest: CommandResult(HELP.splitlines()),
            "q": lambda rest: CommandResult(quits=True),
        }
        if word not in commands:
            return CommandResult([f"There is no command {printable(word)}. h lists the commands."])
        return commands[word](rest.strip())

    @property
    def current(self) -> StepView:
        """The step that is looked at."""
        return self._views[self._position]

    def _breakpoint_reasons(self, view: StepView) -> list[str]:
        values = values_at(view.shown.step_messages, view.scene.step, view.started)
        reasons = []
        for number, expression in self.breakpoints.items():
            try:
                if expression.holds(values):
                    reasons.append(f"breakpoint {number}: {printable(expression.text)}")
            except ExpressionRefused as error:
                reasons.append(f"breakpoint {number}: {printable(str(error))}")
        return reasons

    def _next(self, rest: str) -> CommandResult:
        if self._position == -1:
            self.stepping = True
            return CommandResult(continues=True)
        self._position += 1
        return CommandResult(self.current.text())

    def _continue(self, rest: str) -> CommandResult:
        self.stepping = False
        return CommandResult(continues=True)

    def _back(self, rest: str) -> CommandResult:
        if -self._position == len(self._views):
            return CommandResult(["There is no step before this one."])
        self._position -= 1
        return CommandResult(self.current.text())

    def _go(self, rest: str) -> CommandResult:
        if not rest.isdecimal():
            return CommandResult(["Give the number of a step: g 12"])
        wanted = int(rest)
        if wanted > self._views[-1].number:
            self._target = wanted
            return CommandResult(continues=True)
        for index, view in enumerate(self._views):
            if view.number == wanted:
                self._position = index - len(self._views)
                return CommandResult(self.current.text())
        return CommandResult(
            [f"Step {wanted} lies before the first that is remembered, {self._views[0].number}."]
        )

    def _break(self, rest: str) -> CommandResult:
        if not rest:
            listed = [f"{number}: {printable(each.text)}" for number, each in self.breakpoints.items()]
            return CommandResult(listed or ["There are no breakpoints. b EXPRESSION sets one."])
        try:
            return CommandResult([f"breakpoint {self.add_breakpoint(rest)} is set"])
        except ExpressionRefused as error:
            return CommandResult([printable(str(error))])

    def _remove(self, rest: str) -> CommandResult:
        if rest.isdecimal() and int(rest) in self.breakpoints:
            del self.breakpoints[int(rest)]
            return CommandResult([f"breakpoint {int(rest)} is removed"])
        return CommandResult(["There is no such breakpoint. b lists those there are."])

    def _print(self, rest: str) -> CommandResult:
        """A kind, and a service where each has its own; a service alone names its fragment."""
        messages = self.current.shown.step_messages.messages
        contents = f"step {self.current.number} has: {', '.join(map(_label, messages))}"
        if not rest:
            return CommandResult([contents])
        found = [message for message in messages if _is_meant(message, rest.split())]
        if found:
            return CommandResult(_message_lines(found[-1]))
        if rest.split()[0] in MESSAGE_OF:
            return CommandResult([f"There is no such message: {contents}"])
        return CommandResult(self._value_lines(rest))

    def _value_lines(self, expression: str) -> list[str]:
        """The value of anything that a breakpoint may name."""
        view = self.current
        values = values_at(view.shown.step_messages, view.scene.step, view.started)
        try:
            value = parsed(expression, known_names()).value(values)
        except ExpressionRefused as error:
            return [printable(str(error))]
        if value is None:
            return ["unknown"]
        told = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
        return printable(told).splitlines() or [""]

    def _changes(self, rest: str) -> CommandResult:
        if -self._position == len(self._views):
            return CommandResult(["There is no step before this one to compare it with."])
        before, now = self._views[self._position - 1], self.current
        told = changes(before.scene, now.scene, in_full=rest == "all")
        return CommandResult(list(told) or ["Nothing has changed."])

    def note_end(self) -> None:
        """There is no further step: stay at the last one."""
        self._target, self.stepping, self._position = None, True, -1


def _label(message: Envelope) -> str:
    return f"{message.kind} {message.service.name}" if message.kind is Kind.FRAGMENT else str(message.kind)


def _is_meant(message: Envelope, words: Sequence[str]) -> bool:
    kind, service = words[0], words[1] if len(words) > 1 else None
    if message.kind == kind:
        return service in (None, message.service.name)
    return message.kind is Kind.FRAGMENT and message.service.name == kind


def _message_lines(message: Envelope) -> list[str]:
    return printable(json.dumps(plain(message), indent=2, ensure_ascii=False)).splitlines()
