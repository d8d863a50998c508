"""The routes of the page."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from lantern.play.story_files import story_names
from lantern.web.access import Access, Guard
from lantern.web.api.answers import ANSWERED, Handler, as_json, on_error
from lantern.web.api.controls import ControlPages
from lantern.web.api.inquiries import InquiryPages
from lantern.web.api.sessions import SessionPages
from services.actor.policies import policy_names

STATIC = Path(__file__).parent / "static"

PAGES = {
    "/": "sessions.html",
    "/sessions/{session}": "session.html",
    "/compare": "compare.html",
    "/mesh": "mesh.html",
    "/evaluations": "evaluations.html",
}


def application(
    pages: SessionPages, controls: ControlPages, inquiries: InquiryPages, access: Access
) -> Starlette:
    """The application, behind its guard."""
    acts = (
        *(controls.pace, controls.controls, controls.act, controls.advise, controls.opinion),
        *(controls.stop, controls.fork),
    )

    async def me(request: Request) -> Response:
        """What this page may do, and the token with which it may."""
        csrf = access.csrf if access.control else ""
        told = {"control": access.control, "csrf": csrf, "policies": [*policy_names()]}
        return as_json({**told, "stories": story_names() if access.control else []})

    routes: list[BaseRoute] = [
        *(Route(path, _file(name)) for path, name in PAGES.items()),
        Route("/api/me", me),
        Route("/api/sessions", pages.sessions),
        Route("/api/sessions", controls.begin, methods=["POST"]),
        Route("/api/sessions/{session}/events", pages.events),
        Route("/api/sessions/{session}/steps/{step:int}", pages.step),
        Route("/api/sessions/{session}/texts", pages.texts),
        Route("/api/sessions/{session}/export", pages.export),
        Route("/api/sessions/{session}/ask", inquiries.ask),
        Route("/api/parting", inquiries.parting),
        Route("/api/mesh", inquiries.mesh),
        Route("/api/evaluations", inquiries.evaluations),
        Route("/evaluations/{run}/report", inquiries.report),
        Route("/api/sessions/{session}/standing", controls.answering(controls.standing)),
        *(
            Route(f"/api/sessions/{{session}}/{act.__name__}", controls.answering(act), methods=["POST"])
            for act in acts
        ),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    guards = [
        Middleware(Guard, access=access),
        Middleware(GZipMiddleware, minimum_size=2000, compresslevel=4),
    ]
    errors = dict.fromkeys(ANSWERED, on_error)
    return Starlette(routes=routes, middleware=guards, exception_handlers=errors)


def _file(name: str) -> Handler:
    async def page(request: Request) -> Response:
        return FileResponse(STATIC / name, headers={"cache-control": "no-cache"})

    return page
