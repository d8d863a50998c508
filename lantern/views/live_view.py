"""The live view of a session on a terminal: text, sub-agents, decision, progress."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from folds.text.reader import TextReader
from lantern.views.text_view import one_line, printable
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionStarted, StepTaken

SAID_LENGTH = 320
"""Characters of a sub-agent's words that are shown."""


@dataclass(slots=True)
class LiveScene:
    """What is on the screen; folded over the session's messages."""

    started: SessionStarted | None = None
    step: StepTaken | None = None
    said: dict[str, FragmentGiven] = field(default_factory=dict)
    proposal: ActionProposed | None = None
    verdict: ActionJudged | None = None
    notice: str = ""
    by_text: TextReader = field(default_factory=TextReader)

    def after(self, envelope: Envelope) -> LiveScene:
        """Take in one message."""
        self.notice = ""
        match envelope.body:
            case SessionStarted() as started:
                self.started = started
            case StepTaken() as step:
                self.step = self.by_text.read(step)
            case FragmentGiven(unchanged=False) as given:
                self.said[envelope.service.name] = given
            case ActionProposed() as proposal:
                self.proposal, self.verdict = proposal, None
            case ActionJudged() as verdict:
                self.verdict = verdict
            case _:
                pass
        return self


class LiveView:
    """Draws a session while it is played."""

    kinds: Collection[Kind] = tuple(Kind)

    def __init__(self, steps: int, console: Console | None = None, foreword: str = "") -> None:
        """`foreword`: said above all else when the session has begun."""
        self.scene, self.foreword = LiveScene(), foreword
        self.progress = Progress(
            TextColumn("steps"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            expand=True,
        )
        self.task = self.progress.add_task("steps", total=steps)
        self.live = Live(console=console, refresh_per_second=12, screen=False, transient=False)

    def __enter__(self) -> LiveView:
        self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def saw(self, envelope: Envelope) -> None:
        """Take in a message and draw."""
        if self.foreword:
            self.live.console.print(Text(self.foreword))
            self.foreword = ""
        self.scene.after(envelope)
        if isinstance(envelope.body, SessionStarted):
            self.progress.update(self.task, total=envelope.body.steps)
        if isinstance(envelope.body, StepTaken):
            self.progress.update(self.task, completed=envelope.body.step)
        self.live.update(drawn(self.scene, self.progress))

    def quiet(self, absent: Iterable[str]) -> None:
        """Say why nothing moves."""
        missing = ", ".join(sorted(absent))
        self.scene.notice = f"waiting; not live: {missing}" if missing else "waiting for a slow service"
        self.live.update(drawn(self.scene, self.progress))

    def away(self, seconds: float) -> None:
        """Say what is waited for."""
        self.scene.notice = f"the NATS server is away; waiting {seconds:.0f} s for it"
        self.live.update(drawn(self.scene, self.progress))


def drawn(scene: LiveScene, progress: RenderableType) -> RenderableType:
    """The whole picture."""
    layout = Layout()
    layout.split_column(
        Layout(name="middle", ratio=1),
        Layout(
            Panel(_decision(scene), title="decision", title_align="left"), size=6 + bool(_objective(scene))
        ),
        Layout(progress, size=1),
    )
    layout["middle"].split_row(
        Layout(Panel(_game(scene), title=_heading(scene), title_align="left"), ratio=3),
        Layout(Panel(_agents(scene), title="sub-agents", title_align="left"), ratio=2),
    )
    return layout


def _heading(scene: LiveScene) -> Text:
    started, step = scene.started, scene.step
    if started is None or step is None:
        return Text("starting")
    room = one_line(step.room.name) if step.room else "somewhere"
    score = "?" if step.score is None else step.score
    of = "?" if started.max_score is None else started.max_score
    return Text(
        f"{one_line(started.game)}: {room}   score {score}/{of}   step {step.step}   episode {step.episode}"
    )


def _game(scene: LiveScene) -> Text:
    if scene.step is None:
        return Text("")
    text = Text()
    if scene.step.action is not None:
        text.append(f"> {one_line(scene.step.action)}\n\n", style="bold")
    return text.append(printable(scene.step.observation).strip())


def _agents(scene: LiveScene) -> RenderableType:
    return Group(*(_said(name, given) for name, given in sorted(scene.said.items())))


def _said(name: str, given: FragmentGiven) -> Text:
    text = Text(f"{name}\n", style="bold cyan")
    lines = [f"try: {'; '.join(given.suggestions)}"] if given.suggestions else []
    if not given.suggestions:
        lines = [line for section in given.sections for line in section.text.splitlines() if line.strip()]
    said = printable("\n".join(lines))
    shown = said if len(said) <= SAID_LENGTH else said[: SAID_LENGTH - 1] + "…"
    return text.append(f"{shown}\n", style="not bold default")


def _objective(scene: LiveScene) -> str:
    """What an actor that asks a model wants to reach; empty: nothing that it says."""
    mind = scene.proposal.mind if scene.proposal else None
    return one_line(mind.objective) if mind else ""


def _decision(scene: LiveScene) -> Text:
    text = Text()
    if scene.proposal is not None:
        text.append("actor   ", style="cyan").append(one_line(scene.proposal.action), style="bold")
        text.append(f"  {one_line(scene.proposal.reason)}\n")
        if _objective(scene):
            text.append(f"        wants: {_objective(scene)}\n", style="green")
        if scene.proposal.degraded:
            text.append(f"        by rule: {one_line(scene.proposal.degraded)}\n", style="yellow")
        for notice in scene.proposal.notices[:1]:
            text.append(f"        {one_line(notice)}\n", style="yellow")
        if scene.proposal.missing:
            text.append(f"        without {', '.join(scene.proposal.missing)}\n", style="yellow")
    if scene.verdict is not None:
        substituted = scene.verdict.decision is Decision.SUBSTITUTE
        text.append(f"{scene.verdict.by:<8}", style="cyan")
        text.append(
            "substitutes " if substituted else "approves ", style="yellow" if substituted else "green"
        )
        text.append(one_line(scene.verdict.action), style="bold")
        text.append(f"  {one_line(scene.verdict.reason)}")
    if scene.notice:
        text.append(f"\n{scene.notice}", style="yellow")
    return text
