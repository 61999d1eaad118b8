"""The HTTP server of the page and its answers, for this machine alone.

Every request must name a known host, so that no page of another host reaches the server by a name that
resolves to it (DNS rebinding); a request with an origin must have the server's own. The page may use only
what it needs: no inline script, no other host. Files are served from the page's folder only.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Collection, Mapping
from types import MappingProxyType

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from milp_pips.extras.web import PAGE
from milp_pips.extras.web.answers import fault
from milp_pips.extras.web.pool import FullError, Pool
from milp_pips.extras.web.requests import LARGEST_REQUEST
from milp_pips.extras.web.verbs import WEB_VERBS
from milp_pips.problem.errors import UsageError

SERVER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""The content security policy of the page: it may load only itself."""

HEADERS = {
    "content-security-policy": SERVER_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webmanifest": "application/manifest+json",
}
"""Content types by file extension; files with another extension are not served."""


TRANSFER_SECONDS = 10.0
"""Most seconds for the body of a request."""

CONNECTIONS = 512
"""Most connections at the same time; for further ones the server reports that it is busy."""


class Guard:
    """Middleware that refuses requests with a wrong host or origin and adds the security headers."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]):
        self._app, self._hosts = app, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refused = self._refusal(scope)
        app = self._app if refused is None else refused
        await app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        if scope["type"] != "http":
            return refuse(400, "this server speaks only HTTP")
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return refuse(403, "this server does not serve this host")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return refuse(403, "pages of other origins may not use this server")
        return None


def refuse(status: int, message: str, kind: str = "usage") -> Response:
    """Return the response to a refused request."""
    return JSONResponse(fault(kind, message), status, headers={"connection": "close"})


class EventStream(Response):
    """A response that streams the events of a request; the work ends when the client disconnects."""

    media_type = "text/event-stream"

    def __init__(self, pool: Pool, verb: str, body: bytes):
        super().__init__()
        self._pool, self._ticket = pool, pool.enter()
        self._events = pool.answer(self._ticket, verb, body)
        self.raw_headers = [(name, value) for name, value in self.raw_headers if name != b"content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send all events, or those until the client disconnects."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_disconnection(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            sending.cancel()
            self._pool.leave(self._ticket)
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await sending

    async def _send(self, send: Send) -> None:
        async with contextlib.aclosing(self._events) as events:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async for name, data in events:
                body = b"event: " + name.encode() + b"\ndata: " + data + b"\n\n"
                await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnection(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def make_app(
    pool: Pool,
    hosts: Collection[str],
    days: Mapping[str, str] = MappingProxyType({}),
    address: str | None = None,
) -> ASGIApp:
    """Return the application.

    Parameters
    ----------
    pool
        The pool of workers that answer.
    hosts
        The hosts that a request may name, such as ``localhost:8414``.
    days
        The puzzles of a day as a text, by date.
    address
        The address under which others reach the page, for links.
    """

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        pool.open()
        try:
            yield
        finally:
            await pool.close()

    async def answer(request: Request) -> Response:
        verb = request.path_params["verb"]
        if verb not in WEB_VERBS:
            return refuse(404, f"unknown verb; known: {', '.join(WEB_VERBS)}")
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return refuse(415, "a request is JSON: application/json")
        try:
            body = await _body(request)
        except ClientDisconnect:
            return refuse(400, "the client closed the connection")
        except TimeoutError:
            return refuse(408, f"the request was not sent within {TRANSFER_SECONDS:g} s")
        if body is None:
            return refuse(413, f"the request has more than {LARGEST_REQUEST} bytes")
        try:
            return EventStream(pool, verb, body)
        except FullError:
            return refuse(503, "too many requests are waiting: try again later", "busy")

    async def serve_file(request: Request) -> Response:
        return _file(request.path_params.get("name") or "index.html")

    async def serve_dates(_request: Request) -> Response:
        return JSONResponse({"days": list(days), "address": address})

    async def serve_day(request: Request) -> Response:
        text = days.get(request.path_params["date"])
        return refuse(404, "there is no such day") if text is None else JSONResponse({"text": text})

    routes = [
        Route("/days.json", serve_dates),
        Route("/days/{date}", serve_day),
        Route("/api/{verb}", answer, methods=["POST"]),
        Route("/", serve_file),
        Route("/{name}", serve_file),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    app.router.redirect_slashes = False
    return Guard(app, hosts)


async def _body(request: Request) -> bytes | None:
    """Return the body, or None if it is too large. Raises TimeoutError."""
    body = bytearray()
    async with asyncio.timeout(TRANSFER_SECONDS):
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST_REQUEST:
                return None
    return bytes(body)


def _file(name: str) -> Response:
    """Return a file of the page; its name must be one that the folder of the page lists."""
    kind = CONTENT_TYPES.get(os.path.splitext(name)[1])
    if kind is None or name not in os.listdir(PAGE):
        return refuse(404, "there is no such file")
    with open(os.path.join(PAGE, name), "rb") as stream:
        return Response(stream.read(), media_type=kind, headers={"cache-control": "no-cache"})


class PromptServer(uvicorn.Server):
    """A server that ends running requests at shutdown instead of waiting for them."""

    def __init__(self, config: uvicorn.Config, pool: Pool):
        super().__init__(config)
        self._pool = pool

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve; signals are handled even before the event loop starts."""
        with self.capture_signals():
            super().run(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the workers, then the connections."""
        await self._pool.close()
        await super().shutdown(sockets)


def serve(app: ASGIApp, pool: Pool, listening: socket.socket) -> None:
    """Answer requests until the process gets a signal to end. Raises KeyboardInterrupt on Ctrl-C."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    PromptServer(config, pool).run(sockets=[listening])


def listen(port: int) -> socket.socket:
    """Return a listening socket; port 0 is any free port. Raises UsageError."""
    if port > LAST_PORT:
        raise UsageError(f"port {port}: the largest port is {LAST_PORT}")
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise UsageError(f"cannot listen on 127.0.0.1, port {port}: {error.strerror or error}") from None


LAST_PORT = 65535
