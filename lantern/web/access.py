"""Who may open the page, and act through it.

A page of another site may try to use the browser of somebody who has this one open. So a request must name a
host that is this one's (a foreign name may point here) and come from no other origin; one that acts must have
a token that only this page can read.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "lantern"
CSRF_HEADER = "x-lantern-csrf"
SAFE = ("GET", "HEAD")

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Access:
    """The rules of one server."""

    host: str
    """The address that it listens on."""
    control: bool = False
    """Whether the page may act: pause, fork, play."""
    token: str = ""
    """What a browser must know; empty: nothing is asked for (on the loopback address only)."""
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def refusal(self, method: str, headers: Headers) -> str:
        """Why a request is refused; empty: it is not."""
        host = headers.get("host", "")
        if not self.is_ours(host):
            return f"The host {host[:100]!r} is not this server's. Open it by its address."
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return "The request comes from another site."
        is_link = method in SAFE and headers.get("sec-fetch-mode") == "navigate"
        if not is_link and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "The request comes from another site."
        if method in SAFE:
            return ""
        if not self.control:
            return "This page only shows. Start it with `lantern web --control` to act."
        if origin is None or not _same(headers.get(CSRF_HEADER, ""), self.csrf):
            return "The request does not come from this page. Load it again."
        return ""

    def is_ours(self, host: str) -> bool:
        """Whether a host is an address or a name of this machine, and no foreign name that points here."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        name = name.removeprefix("[").removesuffix("]").lower()
        if name in ("localhost", self.host.lower(), socket.gethostname().lower()):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def knows_token(self, headers: Headers) -> bool:
        """Whether a browser has shown the token before."""
        if not self.token:
            return True
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        return cookie is not None and _same(cookie.value, self.token)


class Guard:
    """Lets in whom the rules let in, and sets the headers that keep a page to itself."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request (ASGI)."""
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                added = ((name.encode(), value.encode()) for name, value in HEADERS.items())
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in added if name not in given),
                ]
            await send(message)

        answer = self._refused(scope) or self.app
        await answer(scope, receive, send_guarded)

    def _refused(self, scope: Scope) -> Response | None:
        headers, access = Headers(scope=scope), self.access
        if refusal := access.refusal(scope["method"], headers):
            return JSONResponse({"error": refusal}, 403)
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        shown = dict(query).get("token")
        if access.token and shown is not None and _same(shown, access.token):
            left = urlencode([pair for pair in query if pair[0] != "token"])
            come_in = RedirectResponse(f"{scope['path']}{'?' if left else ''}{left}", 303)
            come_in.set_cookie(COOKIE, access.token, httponly=True, samesite="lax")
            return come_in
        if not access.knows_token(headers):
            return JSONResponse(
                {"error": "A token is needed. Open the address that `lantern web` has printed."}, 401
            )
        return None


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
