"""The pool of worker processes of the server, and the queue of requests that wait for a worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from milp_pips.extras.web import worker as work
from milp_pips.extras.web.answers import fault
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import MilpPipsError
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.runtime.executor import Outcome, OwnProcess
from milp_pips.runtime.interruptible import Limits

WEB_GRACE = 1.0
"""Seconds past the time limit before a worker is killed: it needs some to send its answer."""

START_SECONDS = 20.0
"""Most seconds for a worker to load its modules, on a busy machine."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of the server.

    Parameters
    ----------
    seconds, memory
        Limits of one answer: seconds, and bytes of memory of its processes.
    running, waiting
        Most requests that run at the same time, and that wait in the queue.
    """

    seconds: float = 60.0
    memory: int = 2 * 2**30
    running: int = 2
    waiting: int = 64


class Event(NamedTuple):
    """An event of a request: its name, and its data as JSON."""

    name: str
    data: bytes

    @property
    def is_last(self) -> bool:
        """Whether it is the last event of its request."""
        return self.name in ("result", "fault")

    @classmethod
    def of(cls, name: str, data: object) -> Event:
        """Return the event with these data."""
        return cls(name, json.dumps(data, separators=(",", ":")).encode())


class FullError(Exception):
    """The queue is full: no further request is accepted."""


class Worker:
    """A process that answers one request at a time; the thread of a worker waits for its process."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._process: OwnProcess | None = None
        self._call = self._submit(work.load, (), Limits(Deadline(START_SECONDS)))

    def _submit(
        self,
        function: Callable[..., bool],
        arguments: tuple[Any, ...],
        limits: Limits,
        on_item: Callable[[Any], object] = lambda _: None,
    ) -> asyncio.Future[Outcome[bool]]:
        """Start a call in the process; return its future."""
        self._deadline = SubDeadline(limits.deadline)
        limits = replace(limits, deadline=self._deadline)

        def call() -> Outcome[bool]:
            self._process = self._process or OwnProcess()
            return self._process.submit(function, arguments, limits, on_item)

        return asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def is_ready(self) -> bool:
        """Wait until the process can take a request; return False if it fails or must be replaced."""
        try:
            return (await asyncio.shield(self._call)).value is True
        except (OSError, MilpPipsError):
            return False

    async def answer(self, verb: str, body: bytes, limits: ServerLimits) -> AsyncGenerator[Event, None]:
        """Yield the events of a request, with ``result`` or ``fault`` at the end."""
        loop, events = asyncio.get_running_loop(), asyncio.Queue[Event]()

        def receive(item: tuple[str, bytes]) -> None:
            loop.call_soon_threadsafe(events.put_nowait, Event(*item))

        request = verb, body, limits.seconds, limits.memory // 2
        own = Limits(Deadline(limits.seconds), memory=limits.memory, grace=WEB_GRACE)
        self._call = self._submit(work.answer, request, own, receive)
        self._call.add_done_callback(lambda call: events.put_nowait(_fault_of(call, limits)))
        last = False
        while not last:
            event = await events.get()
            last = event.is_last
            yield event

    async def end(self) -> None:
        """Kill the process and all that it has started."""
        self._deadline.end()
        if self._process is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._process.close)
        self._thread.shutdown(wait=False)


def _fault_of(call: asyncio.Future[Outcome[bool]], limits: ServerLimits) -> Event:
    """Return the fault that describes how a call ended; only one without a last event needs it."""
    if call.cancelled() or call.exception():
        return Event.of("fault", fault("engine", str(call.exception())))
    outcome = call.result()
    if outcome.stop is Stop.MEMORY:
        large = f"the answer takes more than {limits.memory // 2**20} MB of memory"
        return Event.of("fault", fault("limit", large))
    if outcome.stop:
        return Event.of("fault", fault("limit", f"no answer within {limits.seconds:g} s"))
    return Event.of("fault", fault("engine", outcome.fault))


class Ticket:
    """A request's place in the queue: the number of requests ahead, and its worker once it has one."""

    def __init__(self) -> None:
        self.ahead = 0
        self.worker: Worker | None = None
        self._changed = asyncio.Event()

    def update(self, ahead: int, worker: Worker | None = None) -> None:
        """Set the number of requests ahead, or the worker, and wake ``change``."""
        if ahead != self.ahead or worker is not None:
            self.ahead, self.worker = ahead, worker
            self._changed.set()

    async def change(self) -> None:
        """Wait until ``update`` changes something."""
        await self._changed.wait()
        self._changed.clear()


class Pool:
    """A fixed number of workers, and the requests that wait for one, first come, first served."""

    def __init__(self, limits: ServerLimits):
        self.limits = limits
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._queue: list[Ticket] = []
        self._chores: set[asyncio.Task[None]] = set()
        self._closed = False

    def open(self) -> None:
        """Start the workers."""
        for _ in range(self.limits.running):
            self._run_in_background(self._add_when_ready(None))

    async def close(self) -> None:
        """End all workers; no request is answered after that."""
        self._closed = True
        while self._workers or self._chores:
            await asyncio.gather(*(self._remove(worker) for worker in list(self._workers)))
            await asyncio.gather(*self._chores, return_exceptions=True)

    def enter(self) -> Ticket:
        """Return a place in the queue; call ``leave`` with it at the end. Raises FullError."""
        if len(self._queue) >= self.limits.waiting:
            raise FullError
        ticket = Ticket()
        self._queue.append(ticket)
        self._assign()
        return ticket

    async def answer(self, ticket: Ticket, verb: str, body: bytes) -> AsyncGenerator[Event, None]:
        """Yield the events of a request: its place in the queue, then those of its worker."""
        while ticket.worker is None:
            yield Event.of("queued", {"ahead": ticket.ahead})
            await ticket.change()
        async with contextlib.aclosing(ticket.worker.answer(verb, body, self.limits)) as events:
            async for event in events:
                if event.is_last:  # free the worker before the client has received the answer
                    self.leave(ticket, finished=event.name == "result" or b'"usage"' in event.data[:20])
                yield event

    def leave(self, ticket: Ticket, *, finished: bool = False) -> None:
        """Free a place in the queue or its worker; replace a worker that has not finished its request."""
        if ticket in self._queue:
            self._queue.remove(ticket)
            self._assign()
        if ticket.worker is None:
            return
        worker, ticket.worker = ticket.worker, None
        self._run_in_background(self._add_when_ready(worker) if finished else self._replace(worker))

    def _assign(self) -> None:
        """Assign idle workers to waiting requests, and update the number ahead of the others."""
        while self._queue and self._idle:
            # The worker that was used last may remember the hint of which more is wanted.
            self._queue.pop(0).update(0, self._idle.pop())
        for ahead, ticket in enumerate(self._queue):
            ticket.update(ahead)

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background and keep a reference to its task until it ends."""
        chore = asyncio.create_task(work)
        self._chores.add(chore)
        chore.add_done_callback(self._chores.discard)

    async def _add_when_ready(self, worker: Worker | None) -> None:
        """Wait until the worker, or a new one in its place, is ready, and add it to the idle ones."""
        failures = 0
        while not self._closed:
            if worker is None:
                worker = Worker()
                self._workers.add(worker)
            if await worker.is_ready():
                self._idle.append(worker)
                self._assign()
                return
            await self._remove(worker)
            worker = None
            await asyncio.sleep(failures)
            failures += 1

    async def _replace(self, worker: Worker) -> None:
        await self._remove(worker)
        await self._add_when_ready(None)

    async def _remove(self, worker: Worker) -> None:
        if worker in self._workers:  # a worker is ended once: its thread takes no work after that
            self._workers.remove(worker)
            await worker.end()
