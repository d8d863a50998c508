"""What the page does: it begins and paces sessions, takes their controls, types actions, and forks."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from lantern.inspect.forking import ForkOptions, check_action, check_fork_options
from lantern.play.session_options import PlayOptions, checked_story, default_session
from lantern.play.session_requests import (
    ask_advice,
    ask_opinion,
    ask_pace,
    stop_session,
    take_controls,
    type_action,
)
from lantern.play.story_files import STORIES, story_names
from lantern.web.api.answers import BadRequest, as_json, body_of
from lantern.web.background_plays import BackgroundPlays
from lantern.web.feed.feeds import Feeds
from mesh.errors import FailureError
from mesh.record.bus import Bus
from schemas.game import SessionPace

Asked = Callable[[str, Bus, Request], Awaitable[dict[str, Any]]]


class _Pace(msgspec.Struct):
    hold_after: int | None = None
    delay: float = 0.0


class _Controls(msgspec.Struct):
    by_hand: bool


class _Typed(msgspec.Struct):
    step: int
    action: str


class _Forked(msgspec.Struct):
    at: int
    action: str | None = None
    policy: str | None = None
    steps: int | None = None


class _Begun(msgspec.Struct):
    story: str
    policy: str
    steps: int
    seed: int


class ControlPages:
    """Answers what acts, and what asks the services that play."""

    def __init__(self, feeds: Feeds, plays: BackgroundPlays, cell: str) -> None:
        """`cell`: the one in which new sessions are played."""
        self._feeds, self._plays, self._cell = feeds, plays, cell

    async def standing(self, session: str, bus: Bus, request: Request) -> dict[str, Any]:
        """How a session is played now: its pace, and whether a person has the controls."""
        try:
            pace, by_hand = await asyncio.gather(ask_pace(session, bus), take_controls(session, bus))
        except FailureError as error:
            return {"played": False, "why": str(error)}
        return {"played": True, "pace": pace.model_dump(mode="json"), "by_hand": by_hand}

    async def pace(self, session: str, bus: Bus, request: Request) -> dict[str, Any]:
        """Pause it, let it go on, or change its speed."""
        wanted = await _body(request, _Pace)
        held = wanted.hold_after is None or wanted.hold_after >= 0
        if not held or not 0 <= wanted.delay <= 60:
            raise BadRequest("A pace has a step from 0 on, and a delay of 0 to 60 s.")
        pace = SessionPace(hold_after=wanted.hold_after, delay=wanted.delay)
        return {"pace": (await ask_pace(session, bus, pace)).model_dump(mode="json")}

    async def controls(self, session: str, bus: Bus, request: Request) -> dict[str, Any]:
        """Take the controls, or hand them back."""
        return {"by_hand": await take_controls(session, bus, (await _body(request, _Controls)).by_hand)}

    async def act(self, session: str, bus: Bus, request: Request) -> dict[str, Any]:
        """Type an action."""
        typed = await _body(request, _Typed)
        check_action(typed.action)
        await type_action(session, bus, typed.step, typed.action)
        return {"step": typed.step}

    async def advise(self, session: str, bus: Bus, request: Request) -> dict[str, Any]:
        """Ask the agent what it would do."""
        advice = await ask_advice(session, bus)
        return {"step": advice.step, "action": advice.action, "reason": advice.reason}

    async def opinion(self, session: str, bus: Bus, request: Request) -> dict[str, Any]:
        """Ask the critic what it thinks of an action, before it is typed."""
        typed = await _body(request, _Typed)
        check_action(typed.action)
        told = await ask_opinion(session, bus, typed.step, typed.action)
        return {"score": told.score, "reason": told.reason}

    async def stop(self, session: str, bus: Bus, request: Request) -> dict[str, Any]:
        """End a session after the step under way."""
        await stop_session(session, bus)
        return {}

    async def fork(self, session: str, bus: Bus, request: Request) -> dict[str, Any]:
        """Fork a session, and play the fork on in the background."""
        wanted = await _body(request, _Forked)
        name = f"{session[:40]}-at{wanted.at}-{secrets.token_hex(2)}"
        options = ForkOptions(
            session, wanted.at, name, steps=wanted.steps, policy=wanted.policy, action=wanted.action
        )
        check_fork_options(options)
        await self._plays.fork(bus, options)
        return {"session": name}

    async def begin(self, request: Request) -> Response:
        """Play a new session in the background."""
        wanted = await _body(request, _Begun)
        if wanted.story not in await asyncio.to_thread(story_names):
            raise BadRequest(
                f"There is no story {wanted.story[:60]!r} here. {STORIES} names a folder of them."
            )
        bus = self._feeds.bus.in_cell(self._cell)
        name = default_session(wanted.story, f"{bus.cell.now().isoformat()} {secrets.token_hex(4)}")
        options = PlayOptions(wanted.story, wanted.steps, wanted.policy, wanted.seed, name, self._cell)
        await asyncio.to_thread(checked_story, options)
        await self._plays.play(bus, options)
        return as_json({"session": name})

    def answering(self, asked: Asked) -> Callable[[Request], Awaitable[Response]]:
        """A handler that finds the session of a request first."""

        async def handler(request: Request) -> Response:
            session = request.path_params["session"]
            return as_json(await asked(session, await self._feeds.bus_of(session), request))

        return handler


async def _body(request: Request, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(await body_of(request), kind)
    except msgspec.ValidationError as error:
        raise BadRequest(f"The request does not fit: {error}.") from error
