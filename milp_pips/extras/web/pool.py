"""The pool of worker processes of the server, and the queue of requests that wait for a worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple

from milp_pips.extras.web.answers import fault
from milp_pips.runtime.children import environment, python_command, start_message
from milp_pips.runtime.reaper import ProcessTree, new_mark

WEB_GRACE = 1.0
"""Seconds past the time limit before a worker is killed: it needs some to send its answer."""

MEMORY_POLL = 0.2
"""Seconds between two checks of a worker's memory: most answers are finished before the first check."""

START_SECONDS = 20.0
"""Most seconds for a worker to load its modules, on a busy machine."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the server.

    Parameters
    ----------
    seconds, memory
        Limits of one answer: seconds, and bytes of memory of its processes.
    running, per_client
        Most requests that run at the same time, in all and for one client.
    waiting, waiting_per_client
        Most requests that wait in the queue, in all and for one client.
    """

    seconds: float = 60.0
    memory: int = 2 * 2**30
    running: int = 2
    per_client: int = 2
    waiting: int = 64
    waiting_per_client: int = 64


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
    """A process that answers one request at a time; see ``milp_pips.extras.web.worker``."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str = ""):
        self._process = process
        self._tree = ProcessTree(process.pid, mark)
        self._is_too_large = False

    @classmethod
    async def start(cls, has_report: bool) -> Worker:
        """Start a process; ``has_report`` states whether the server has a report of a campaign."""
        mark = new_mark()
        process = await asyncio.create_subprocess_exec(
            *python_command("milp_pips.extras.web.worker", *(["--report"] if has_report else [])),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment(mark),
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(start_message())
        return cls(process, mark)

    async def is_ready(self) -> bool:
        """Wait until the process can take a request; return False if it fails or takes too long."""
        try:
            async with asyncio.timeout(START_SECONDS):
                return (await self._next_event()).name == "ready"
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            return False

    async def answer(self, verb: str, body: bytes, limits: Limits) -> AsyncGenerator[Event, None]:
        """Yield the events of a request, with ``result`` or ``fault`` at the end."""
        deadline = asyncio.get_running_loop().time() + limits.seconds + WEB_GRACE
        memory_watch = asyncio.create_task(self._watch_memory(limits.memory))
        try:
            async with asyncio.timeout_at(deadline):
                await self._send(verb, body, limits)
            last = False
            while not last:
                async with asyncio.timeout_at(deadline):
                    event = await self._next_event()
                last = event.is_last
                yield event
        except TimeoutError:
            yield Event.of("fault", fault("limit", f"no answer within {limits.seconds:g} s"))
        except (asyncio.IncompleteReadError, ConnectionError):
            yield Event.of("fault", await self._last_words(limits))
        finally:
            memory_watch.cancel()

    async def _send(self, verb: str, body: bytes, limits: Limits) -> None:
        assert self._process.stdin is not None
        head = {"verb": verb, "seconds": limits.seconds, "memory": limits.memory // 2, "bytes": len(body)}
        self._process.stdin.write(json.dumps(head).encode() + b"\n" + body)
        await self._process.stdin.drain()

    async def _next_event(self) -> Event:
        assert self._process.stdout is not None
        head = json.loads(await self._process.stdout.readuntil())
        return Event(head["event"], await self._process.stdout.readexactly(head["bytes"]))

    async def _last_words(self, limits: Limits) -> dict[str, str]:
        """Return the fault that describes how the process died."""
        if self._is_too_large:
            return fault("limit", f"the answer takes more than {limits.memory // 2**20} MB of memory")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._process.wait()
        status = self._process.returncode
        killed = f", killed by {signal.Signals(-status).name}" if status is not None and status < 0 else ""
        return fault("engine", f"the process that worked on the answer has died{killed}")

    async def _watch_memory(self, most: int) -> None:
        """Poll the memory of the process and its descendants until cancelled; kill them if it is too much."""
        while not self._is_too_large:
            await asyncio.sleep(MEMORY_POLL)
            self._is_too_large = await asyncio.to_thread(self._tree.measure) > most
        await self.end()

    async def end(self) -> None:
        """Kill the process and its descendants, and discard its remaining output.

        The output must be read: asyncio does not notice the end of a process whose output is not read to the
        end (https://github.com/python/cpython/issues/119710).
        """
        assert self._process.stdout is not None
        if self._process.returncode is None:
            await asyncio.to_thread(self._kill)
        with contextlib.suppress(RuntimeError):  # another task is reading it to the end
            while await self._process.stdout.read(2**16):
                pass
        await self._process.wait()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            if not hasattr(signal, "SIGSTOP"):  # Windows
                self._tree.kill_started()
                self._process.kill()
                return
            os.kill(self._process.pid, signal.SIGSTOP)  # stopped, it cannot start further processes
            self._tree.kill_started()
            # ``Process.kill`` would first poll whether the process has ended, and asyncio, which waits for
            # that end itself, would then miss it.
            os.kill(self._process.pid, signal.SIGKILL)


class Ticket:
    """A request's place in the queue: the number of requests ahead, and its worker once it has one."""

    def __init__(self, client: str):
        self.client = client
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
    """A fixed number of workers, and the requests that wait for one, first come, first served.

    At most ``limits.per_client`` requests of one client run at a time; requests of other clients overtake
    those that must wait for that reason.
    """

    def __init__(self, limits: Limits, *, has_report: bool = False):
        self.limits, self._has_report = limits, has_report
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._running: Counter[str] = Counter()
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

    def enter(self, client: str) -> Ticket:
        """Return a place in the queue; call ``leave`` with it at the end. Raises FullError."""
        own = sum(ticket.client == client for ticket in self._queue)
        if len(self._queue) >= self.limits.waiting or own >= self.limits.waiting_per_client:
            raise FullError
        ticket = Ticket(client)
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
        self._running[ticket.client] -= 1
        if not self._running[ticket.client]:
            del self._running[ticket.client]
        self._run_in_background(self._add_when_ready(worker) if finished else self._replace(worker))

    def _assign(self) -> None:
        """Assign idle workers to waiting requests, and update the number ahead of the others."""
        waiting: list[Ticket] = []
        for ticket in self._queue:
            if self._idle and self._running[ticket.client] < self.limits.per_client:
                self._running[ticket.client] += 1
                ticket.update(0, self._idle.pop(0))
            else:
                ticket.update(len(waiting))
                waiting.append(ticket)
        self._queue = waiting

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
                worker = await Worker.start(self._has_report)
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
        await worker.end()
        self._workers.discard(worker)
