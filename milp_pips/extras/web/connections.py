"""The connections of the server: how long it waits for a client, and how many each client may have."""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

TRANSFER_SECONDS = 10.0
"""Most seconds for a client to send the head of a request, and to send its body."""

SLOWEST_BYTES = 16 * 1024
"""Least bytes per second of a client that reads an answer, after ``TRANSFER_SECONDS``."""

CONNECTIONS = 512
"""Most connections at the same time; for further ones the server reports that it is busy."""

CONNECTIONS_PER_CLIENT = 64
"""Most connections of one address: several browsers with their six each."""

CHECK_SECONDS = 0.5
"""Seconds between two checks of a connection."""

BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 39\r\n\r\nthere are too many of your connections\n"
)


class TimedProtocol(H11Protocol):
    """HTTP with time limits for what a client has to do, and a limit of connections per client.

    A client has to send a request or to read an answer. If it has not done so in time, its connection is
    closed. A further connection of a client that has too many closes the one that has done nothing for the
    longest time; it is refused if all of them wait for answers.
    """

    _until: float | None = None
    """When the time of the client ends; None while the server has to act."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock of a new connection, and make room for it."""
        super().connection_made(transport)
        self._check()
        address = self.client and self.client[0]
        same = [cast("TimedProtocol", each) for each in self.connections]
        same = [each for each in same if each.client and each.client[0] == address]
        if len(same) <= CONNECTIONS_PER_CLIENT:
            return
        idle = [each for each in same if each is not self and each._is_idle]
        if idle:
            min(idle, key=lambda each: each._until or 0.0).transport.abort()
        else:
            transport.write(BUSY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._clock.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Start the time for the next request."""
        self._until = None
        super().on_response_complete()

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _check(self) -> None:
        """Close the connection if the client's time is over; check again later."""
        unread, now = self.transport.get_write_buffer_size(), self.loop.time()
        if not (unread or self._is_idle):
            self._until = None
        elif self._until is None:
            self._until = now + TRANSFER_SECONDS + unread / SLOWEST_BYTES
        elif now > self._until:
            self.transport.abort()  # close() would wait until the client has read everything
        self._clock = self.loop.call_later(CHECK_SECONDS, self._check)
