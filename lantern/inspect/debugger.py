"""A recorded session gone through step by step: stops, breakpoints, looking at messages and at changes."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from folds.text.reader import TextReader
from lantern.inspect.changes import SceneChange, changes
from lantern.inspect.comparison import ExpressionRefused
from lantern.inspect.expression import Expression, parsed
from lantern.inspect.values import plain
from lantern.inspect.vocabulary import known_names, values_at
from lantern.views.pace import ReplayPace
from lantern.views.show import lines_of, printable
from mesh.record.step_messages import StepMessages
from schemas.base import Kind
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
d              what changed from the step before
r              back one step
g NUMBER       go to a step
h              this help
q              quit"""

Say = Callable[[str], None]
Ask = Callable[[str], Awaitable[str | None]]
"""Shows a prompt and gives a line; None: there are no more."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A step to go through, and what else is to be said about it."""

    moment: StepMessages
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """A step as the debugger knows it."""

    shown: Shown
    scene: SceneChange
    started: SessionStarted | None
    lines: tuple[tuple[Envelope, tuple[str, ...]], ...]
    """Each message in words."""

    @property
    def number(self) -> int:
        """The step's."""
        return self.shown.moment.number

    def text(self) -> list[str]:
        """Everything that is shown of the step."""
        return [*(line for _, lines in self.lines for line in lines), *map(printable, self.shown.notes)]


@dataclass(slots=True)
class Told:
    """What a command comes to."""

    lines: Sequence[str] = ()
    goes_on: bool = False
    ends: bool = False


@dataclass(slots=True)
class Debugger:
    """Where one stands in a session, and where to stop. Give it every step in order, from 0 on."""

    stepping: bool = False
    """Whether it stops at every step."""
    breakpoints: dict[int, Expression] = field(default_factory=dict)
    _views: deque[View] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    _at: int = -1
    """Which of the views is looked at; -1: the newest."""
    _target: int | None = None
    """The step to go to."""
    _by_text: TextReader = field(default_factory=TextReader)
    _started: SessionStarted | None = None
    _said: dict[str, FragmentGiven] = field(default_factory=dict)

    def breaks_at(self, expression: str) -> int:
        """Set a breakpoint; its number.

        Raises:
            ExpressionRefused: the expression is none.
        """
        number = max(self.breakpoints, default=0) + 1
        self.breakpoints[number] = parsed(expression, known_names())
        return number

    def arrives(self, shown: Shown) -> View:
        """Take in the next step."""
        step = None
        lines = []
        for message in shown.moment.messages:
            match message.body:
                case SessionStarted() as started:
                    self._started = started
                case StepTaken() as taken:
                    step = self._by_text.read(taken)
                case FragmentGiven(unchanged=False) as given:
                    self._said[message.service.name] = given
                case _:
                    pass
            lines.append((message, tuple(lines_of(message, self._by_text))))
        view = View(shown, SceneChange(step, dict(self._said)), self._started, tuple(lines))
        self._views.append(view)
        self._at = -1
        return view

    def stops(self) -> list[str] | None:
        """Why to stop at the step that has just come; None: there is no reason to."""
        view = self._views[-1]
        if self._target is not None and view.number >= self._target:
            self._target, self.stepping = None, True
        if self._target is not None:
            return None
        reasons = self._met(view)
        if reasons:
            self.stepping = True
        return reasons if self.stepping else None

    def told(self, line: str) -> Told:
        """Obey a command."""
        word, _, rest = line.strip().partition(" ")
        commands: Mapping[str, Callable[[str], Told]] = {
            "": self._next,
            "n": self._next,
            "c": self._continue,
            "b": self._break,
            "x": self._remove,
            "p": self._print,
            "d": self._changes,
            "r": self._back,
            "g": self._go,
            "h": lambda rest: Told(HELP.splitlines()),
            "q": lambda rest: Told(ends=True),
        }
        if word not in commands:
            return Told([f"There is no command {printable(word)}. h lists the commands."])
        return commands[word](rest.strip())

    @property
    def current(self) -> View:
        """The step that is looked at."""
        return self._views[self._at]

    def _met(self, view: View) -> list[str]:
        values = values_at(view.shown.moment, view.scene.step, view.started)
        reasons = []
        for number, expression in self.breakpoints.items():
            try:
                if expression.holds(values):
                    reasons.append(f"breakpoint {number}: {printable(expression.text)}")
            except ExpressionRefused as error:
                reasons.append(f"breakpoint {number}: {printable(str(error))}")
        return reasons

    def _next(self, rest: str) -> Told:
        if self._at == -1:
            self.stepping = True
            return Told(goes_on=True)
        self._at += 1
        return Told(self.current.text())

    def _continue(self, rest: str) -> Told:
        self.stepping = False
        return Told(goes_on=True)

    def _back(self, rest: str) -> Told:
        if -self._at == len(self._views):
            return Told(["There is no step before this one."])
        self._at -= 1
        return Told(self.current.text())

    def _go(self, rest: str) -> Told:
        if not rest.isdecimal():
            return Told(["Give the number of a step: g 12"])
        wanted = int(rest)
        if wanted > self._views[-1].number:
            self._target = wanted
            return Told(goes_on=True)
        for index, view in enumerate(self._views):
            if view.number == wanted:
                self._at = index - len(self._views)
                return Told(self.current.text())
        return Told([f"Step {wanted} lies before the first that is remembered, {self._views[0].number}."])

    def _break(self, rest: str) -> Told:
        if not rest:
            listed = [f"{number}: {printable(each.text)}" for number, each in self.breakpoints.items()]
            return Told(listed or ["There are no breakpoints. b EXPRESSION sets one."])
        try:
            return Told([f"breakpoint {self.breaks_at(rest)} is set"])
        except ExpressionRefused as error:
            return Told([printable(str(error))])

    def _remove(self, rest: str) -> Told:
        if rest.isdecimal() and int(rest) in self.breakpoints:
            del self.breakpoints[int(rest)]
            return Told([f"breakpoint {int(rest)} is removed"])
        return Told(["There is no such breakpoint. b lists those there are."])

    def _print(self, rest: str) -> Told:
        """A kind, and a service where each has its own; a service alone names its fragment."""
        messages = self.current.shown.moment.messages
        contents = f"step {self.current.number} has: {', '.join(map(_named, messages))}"
        if not rest:
            return Told([contents])
        found = [message for message in messages if _is_named(message, rest.split())]
        return Told(_whole(found[-1]) if found else [f"There is no such message: {contents}"])

    def _changes(self, rest: str) -> Told:
        if -self._at == len(self._views):
            return Told(["There is no step before this one to compare it with."])
        before, now = self._views[self._at - 1], self.current
        return Told(list(changes(before.scene, now.scene)) or ["Nothing has changed."])


async def debug(
    steps: AsyncIterator[Shown],
    debugger: Debugger,
    say: Say,
    ask: Ask,
    pace: ReplayPace,
    first: int = 0,
) -> None:
    """Show the steps from `first` on, and stop where the debugger stops, until its user quits.

    `steps` must begin with the opening: what is known at a step comes from those before it.
    """
    async for shown in steps:
        view = debugger.arrives(shown)
        if view.number < first:
            continue
        await _show(view, say, pace)
        reasons = debugger.stops()
        if reasons is None:
            continue
        _say_all(reasons, say)
        if not await _obey(debugger, say, ask):
            return
        pace.begin_again()


async def _obey(debugger: Debugger, say: Say, ask: Ask) -> bool:
    """Take commands until one goes on (True) or ends."""
    while (line := await ask(f"step {debugger.current.number}> ")) is not None:
        told = debugger.told(line)
        _say_all(told.lines, say)
        if told.goes_on or told.ends:
            return told.goes_on
    return False


async def _show(view: View, say: Say, pace: ReplayPace) -> None:
    for message, lines in view.lines:
        if isinstance(message.body, SessionStarted):
            pace.begin_again()
        if lines:
            await pace.until(message.time)
            _say_all(lines, say)
    _say_all(map(printable, view.shown.notes), say)


def _say_all(lines: Iterable[str], say: Say) -> None:
    for line in lines:
        say(line)


def _named(message: Envelope) -> str:
    return f"{message.kind} {message.service.name}" if message.kind is Kind.FRAGMENT else str(message.kind)


def _is_named(message: Envelope, words: Sequence[str]) -> bool:
    kind, service = words[0], words[1] if len(words) > 1 else None
    if message.kind == kind:
        return service in (None, message.service.name)
    return message.kind is Kind.FRAGMENT and message.service.name == kind


def _whole(message: Envelope) -> list[str]:
    return printable(json.dumps(plain(message), indent=2, ensure_ascii=False)).splitlines()
