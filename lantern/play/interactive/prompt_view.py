"""A session that a person plays on a terminal: the game's text, and a prompt for each action."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from folds.map import Map
from lantern.nats.connection import connection, nats_url
from lantern.play.session_requests import ask_advice, ask_opinion, take_controls, type_action
from lantern.views.live.step_scene import exits_here
from lantern.views.standard_input import StandardInput
from lantern.views.text_view import TextView, one_line, printable
from mesh.errors import FailureError
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import ACTION_LENGTH
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionEnded, SessionPace, SessionStarted, StepTaken

HISTORY = "actions.history"
"""The file in Lantern's home with the actions that were typed."""

HELP = """\
What you type is played. Lines that begin with a slash are for Lantern:
  /agent      what the agent would do here; `/agent 5` lets it play 5 steps
  /critic     what the critic thinks of your last action; `/critic look`, of one that you may play
  /map        the known ways out of this room
  /hint       what the sub-agent says; likewise /memory, /narrator, /npc_tracker or one of yours
  /quit       end the session (`lantern resume` goes on with it); Ctrl-D does the same"""


class PromptView(TextView):
    """Prints the game's text, and asks for an action whenever one is waited for."""

    def __init__(self, settings: MeshSettings, *, quiet: bool = False) -> None:
        """`quiet`: nothing is printed."""
        super().__init__()
        self._settings, self._quiet = settings, quiet
        self._input = StandardInput(None if quiet else settings.home / HISTORY)
        self._started: Envelope | None = None
        self._step = -1
        """The newest step."""
        self._began, self._came = asyncio.Event(), asyncio.Event()
        self._agent_until = -1
        """The step up to which the agent plays."""
        self._said: dict[str, FragmentGiven] = {}
        self._verdict: ActionJudged | None = None
        self._map = Map()

    def show_message(self, envelope: Envelope) -> None:
        """Print the game's text; remember what the others say, until it is asked for."""
        match envelope.body:
            case StepTaken() as step:
                self._take(step)
                self._print_step(step)
                self._came.set()
            case FragmentGiven(unchanged=False) as given:
                self._said[envelope.service.name] = given
            case ActionJudged() as verdict:
                self._verdict = verdict
            case SessionStarted() | SessionEnded():
                if not self._quiet:
                    super().show_message(envelope)
                if isinstance(envelope.body, SessionStarted):
                    self._started = envelope
                    self._began.set()
            case _:
                pass

    async def run(self, stopping: asyncio.Event, set_pace: Callable[[SessionPace], None]) -> None:
        """Ask for actions, until cancelled or until there are no more."""
        await self._began.wait()
        assert self._started is not None
        cell, session = self._started.cell, self._started.session
        async with (
            nats_url(self._settings) as url,
            connection(url, cell, patience=self._settings.patience) as bus,
        ):
            await self._catch_up(bus, session)
            while True:
                await self._turn()
                line = await self._input.ask("> ")
                if line is None or line.strip() in ("/quit", "/q"):
                    stopping.set()
                    return
                await self._do(line.strip(), bus, session)

    async def _catch_up(self, bus: Bus, session: str) -> None:
        """Take in what was played before, and print the last step, where the session goes on."""
        last = None
        async for step in bus.reader.steps(session):
            if step.step > self._step:
                self._take(step)
                last = step
        if last is not None:
            self._print_step(last)
            self._came.set()

    def _take(self, step: StepTaken) -> None:
        self._map.after(self.by_text.read(step))
        self._step = max(self._step, step.step)

    async def _turn(self) -> None:
        """Wait for a step at which a person is to act."""
        while True:
            await self._came.wait()
            if self._agent_until < 0:
                return
            if self._step >= self._agent_until:
                self._agent_until = -1
                return
            self._came.clear()

    async def _do(self, line: str, bus: Bus, session: str) -> None:
        try:
            if line.startswith("/"):
                await self._command(line[1:].split(), bus, session)
            elif 0 < len(line) <= ACTION_LENGTH:
                await self._type(line, bus, session)
            elif line:
                self._print(f"An action has at most {ACTION_LENGTH} characters. Shorten it.")
        except FailureError as error:
            self._print(str(error))

    async def _type(self, action: str, bus: Bus, session: str) -> None:
        self._came.clear()
        try:
            await type_action(session, bus, self._step, action)
        except FailureError:
            self._came.set()  # nothing will come of it: ask again
            raise

    async def _command(self, words: list[str], bus: Bus, session: str) -> None:
        match words:
            case ["agent"]:
                advice = await ask_advice(session, bus)
                self._print(f"The agent would: {one_line(advice.action)} - {one_line(advice.reason)}")
            case ["agent", steps] if steps.isdecimal() and 0 < int(steps) < 1_000_000:
                self._agent_until = self._step + int(steps)
                self._came.clear()
                await take_controls(session, bus, by_hand=False, until=self._agent_until)
            case ["map"]:
                self._print("\n".join(exits_here(self._map)) or "No way out of here is known.")
            case ["critic"]:
                self._print(_opinion(self._verdict))
            case ["critic", *action]:
                wanted = " ".join(action)[:ACTION_LENGTH]
                opinion = await ask_opinion(session, bus, self._step, wanted)
                self._print(f"{one_line(wanted)}: {opinion.score:+g} of -1 to +1, {one_line(opinion.reason)}")
            case [name] if name in self._said:
                self._print(_words(self._said[name]))
            case _:
                self._print(HELP)

    def show_waiting(self, absent: Iterable[str]) -> None:
        """Say what is missing; a person may take any time."""
        if missing := [*absent]:
            super().show_waiting(missing)

    def _print_step(self, step: StepTaken) -> None:
        points = f"  [{step.reward:+} points]" if step.reward else ""
        by_agent = f"> {one_line(step.action)}\n" if step.action and self._agent_until >= 0 else ""
        self._print(f"\n{by_agent}{step.observation.strip()}{points}")

    def _print(self, text: str) -> None:
        if not self._quiet:
            print(printable(text), flush=True)


def _opinion(verdict: ActionJudged | None) -> str:
    if verdict is None:
        return "The critic has judged nothing yet."
    return f"{one_line(verdict.proposed)}: {verdict.score:+g} of -1 to +1, {one_line(verdict.reason)}"


def _words(given: FragmentGiven) -> str:
    parts = [section.text.strip() for section in given.sections]
    tried = [f"Worth trying: {'; '.join(given.suggestions)}"] if given.suggestions else []
    return "\n".join([*parts, *tried]) or "It has nothing to say."
