"""The results file and its records: one SQLite database, written run by run, valid whenever it is killed.

A lock file beside it keeps a second campaign out while one writes; ``report`` can read at the same time.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple, TypeAlias

from milp_pips.problem.errors import InputError, OutputError, UsageError
from milp_pips.problem.objective import MINIMISE
from milp_pips.runtime.writing import open_locked, write_errors


class Configuration(NamedTuple):
    """A solver, a formulation (empty: the solver's default), options by the solver's own names, threads.

    As text: ``SOLVER[/FORMULATION][,NAME=VALUE…]``, such as ``highs/projected,presolve=off``. ``threads=N``
    works for every solver; None stands for the campaign's setting. One thread is not written.
    """

    solver: str
    formulation: str = ""
    options: tuple[tuple[str, str], ...] = ()
    threads: int | None = None

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """Return the configuration that a text denotes. Raises UsageError."""
        head, *rest = text.split(",")
        solver, _, first = head.partition("/")
        choices = [first, *(piece for piece in rest if "=" not in piece)]
        options = [piece.partition("=") for piece in rest if "=" in piece]
        if not solver or "=" in head or not all(name for name, _, _ in options):
            raise UsageError(f"{text!r} is not a configuration; expected SOLVER[/FORMULATION][,NAME=VALUE…]")
        named = {name: value for name, _, value in options}
        threads = named.pop("threads", None)
        if threads is not None and not re.fullmatch("[1-9][0-9]{0,3}", threads):
            raise UsageError(f"{text!r} has threads={threads}; expected a whole number from 1 on")
        return cls(
            solver,
            ",".join(filter(None, choices)),
            tuple(sorted(named.items())),
            None if threads is None else int(threads),
        )

    def __str__(self) -> str:
        stated = f"{self.solver}/{self.formulation}" if self.formulation else self.solver
        several = [("threads", str(self.threads))] if (self.threads or 1) > 1 else []
        return ",".join([stated, *(f"{name}={value}" for name, value in (*self.options, *several))])


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One start of a comparison: when (ISO 8601, UTC), by what command, where, and with which versions.

    On a cluster each ``host`` has one; the name is empty if the command itself made the runs.
    """

    id: int
    started: str
    command: str
    machine: str
    processor: str
    cores: int
    python: str
    package: str
    engines: Mapping[str, str]
    host: str = ""


@dataclass(frozen=True, slots=True)
class InstanceRecord:
    """A puzzle; ``size`` counts the variables of its last key, ``constraints`` those of each class.

    ``hash`` is that of the problem it states: two files that state the same problem are one instance.
    ``level``, ``path`` and ``text`` record its origin, ``folder`` is the directory's own name. Sums are
    counted by relation. ``id`` is its number in the results file, 0 before it is stored.
    """

    id: int
    hash: str
    name: str
    level: str
    family: str
    path: str
    folder: str
    size: int
    constraints: Mapping[str, int]
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKey:
    """The key that distinguishes runs; no run with the same key is made twice.

    ``instance`` is the id of the instance in the file. Solver, formulation, ``options`` (a JSON object with
    sorted names) and threads are the configuration. ``task`` is ``first``, ``prove``, ``all`` or an
    objective. The seed is the engine's. Limits are seconds, and bytes, 0 for none. ``rules`` names the
    reductions of domains that were made first, separated by commas, or ``none``.
    """

    instance: int
    solver: str
    formulation: str
    task: str
    seed: int
    repeat: int
    threads: int
    time_limit: float
    memory_limit: int
    options: str
    rules: str = "none"

    @property
    def configuration(self) -> Configuration:
        """The configuration: solver, formulation, options and threads."""
        options = tuple(json.loads(self.options).items())
        return Configuration(self.solver, self.formulation, options, self.threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord(RunKey):
    """A run: its key, its session, and its result. An unknown figure is None.

    ``started`` is a time in UTC (ISO 8601). ``status`` is ``solved``, ``infeasible``, ``unknown``, ``wrong``
    or ``error``, and ``stop`` is the engine's stopping criterion. ``solutions`` counts validated ones.
    ``complete`` states that the engine claims that there is no further one, or no better one, and
    ``confirmed_by`` names the method that confirmed it, if any.

    ``total_seconds`` cover everything from reading to the answer; every successful run has them.
    ``wall_seconds`` cover the whole process with its start and the loading of libraries.
    ``processor_seconds`` are those of the process and of all programs it started. ``peak_bytes`` is their
    peak resident memory. Memory and processor time are ``measured_by`` either ``psutil`` or ``benchexec``.
    ``clock_processor_seconds`` are the processor seconds while the
    clock ran, comparable with ``seconds``; ``load`` is the system's one-minute load average at the start.
    Columns, rows, nonzeros and nodes are those of the model and of the search, as far as the engine reports
    them. ``version`` is the engine's, and ``message`` is a text for the reader.

    With an objective, ``value`` is that of the last solution, ``bound`` the best value that the engine has
    not excluded, and ``incumbents`` a JSON list of better and better solutions: seconds, and the value.
    """

    id: int = 0
    session: int
    started: str
    status: str = "unknown"
    stop: str = "finished"
    solutions: int = 0
    complete: bool = False
    read_seconds: float | None = None
    build_seconds: float | None = None
    solve_seconds: float | None = None
    total_seconds: float | None = None
    wall_seconds: float | None = None
    peak_bytes: int | None = None
    columns: int | None = None
    rows: int | None = None
    nonzeros: int | None = None
    nodes: int | None = None
    confirmed_by: str | None = None
    version: str = ""
    message: str = ""
    processor_seconds: float | None = None
    measured_by: str = "psutil"
    clock_processor_seconds: float | None = None
    load: float | None = None
    value: int | None = None
    bound: int | None = None
    incumbents: str = "[]"

    def __post_init__(self) -> None:
        if self.success and (self.seconds is None or self.seconds < 0):
            known = f"total_seconds is {self.total_seconds} and read_seconds is {self.read_seconds}"
            raise ValueError(f"run {self.id} is {self.status}, but {known}")

    @property
    def key(self) -> RunKey:
        """The key that distinguishes this run from every other."""
        return RunKey(**{field.name: getattr(self, field.name) for field in fields(RunKey)})

    @property
    def seconds(self) -> float | None:
        """The seconds to state and solve the problem, without reading the puzzle; None if not reported."""
        return None if self.total_seconds is None else self.total_seconds - (self.read_seconds or 0.0)

    @property
    def success(self) -> bool:
        """Whether the task is complete; a claim that there is no further solution must be confirmed."""
        done = self.status in ("solved", "infeasible")
        return done and (not self.complete or self.confirmed_by is not None)


Record: TypeAlias = SessionRecord | InstanceRecord | RunRecord


# The tables of a results file: a column for each field of a record, and a version.

SCHEMA_VERSION = 5
"""SQLite's ``user_version``: a file with another version of the tables is refused."""

TABLES: dict[str, type[Record]] = {"session": SessionRecord, "instance": InstanceRecord, "run": RunRecord}
UNIQUE_COLUMNS = {"instance": ("hash",), "run": tuple(field.name for field in fields(RunKey))}
"""The columns whose values are unique in the table."""

ORPHANS_QUERY = (
    "SELECT count(*) FROM run WHERE instance NOT IN (SELECT id FROM instance)"
    " OR session NOT IN (SELECT id FROM session)"
)
"""A query for runs without their instance or session, which no valid file has."""

SQLITE_TYPES = {"int": (int,), "float": (int, float), "str": (str,), "None": (type(None),)}
"""The types that SQLite may store in a column, by the words of its annotation."""


def check(database: sqlite3.Connection) -> None:
    """Raise ValueError, or an error of SQLite, if these are not the tables of a results file."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA_VERSION:
        raise ValueError(f"its tables have version {version}, not {SCHEMA_VERSION}")
    (orphans,) = database.execute(ORPHANS_QUERY).fetchone()
    if orphans:
        raise ValueError(f"{orphans} runs refer to missing puzzles or sessions")


def create_tables(database: sqlite3.Connection) -> None:
    """Create the tables: completely or not at all."""
    with database:
        database.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            database.execute(_create_table_statement(table))
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _create_table_statement(table: str) -> str:
    """Return the SQL that creates a table: a typed column for each field."""
    kinds = {"int": "INTEGER", "bool": "INTEGER", "float": "REAL"}  # of SQLite; a mapping is JSON text
    columns = [
        f"{field.name} {kinds.get(str(field.type).removesuffix(' | None'), 'TEXT')}"
        + (" PRIMARY KEY" if field.name == "id" else "")
        for field in fields(TABLES[table])
    ]
    unique = [f"UNIQUE ({', '.join(UNIQUE_COLUMNS[table])})"] if table in UNIQUE_COLUMNS else []
    return f"CREATE TABLE {table} ({', '.join(columns + unique)})"


def column_reader(name: str, kind: str) -> Callable[[Any], Any]:
    """Return a function that returns the value of a column, checked.

    It raises ValueError if a damaged file contains something else. Texts are checked once: most rows have the
    same ones.
    """
    is_mapping = kind.startswith("Mapping")
    words = () if is_mapping or kind == "bool" else kind.split(" | ")
    types = tuple([found for word in words for found in SQLITE_TYPES[word]])
    least = -(2**63) if name in ("value", "bound") else 0
    in_json = {"options": dict, "incumbents": list}.get(name)
    known = set[str]()

    def read(value: Any) -> Any:
        if type(value) is str and value in known:
            return value
        if is_mapping:
            found = json.loads(value)
            if not isinstance(found, dict):
                raise ValueError(f"{name} is not a mapping")
            return found
        if kind == "bool":
            return bool(value)
        if not isinstance(value, types):
            raise ValueError(f"{name} is {str(value)[:40]!r}, not {kind}")
        if in_json and not isinstance(json.loads(str(value)), in_json):
            raise ValueError(f"{name} is not a {'mapping' if in_json is dict else 'list'}")
        if isinstance(value, int | float) and not least <= value < 2**63:
            raise ValueError(f"{name} is {value}, which is neither a count nor a time")
        if type(value) is str:
            known.add(value)
        return value

    return read


LOCK = ".lock"
"""The suffix of the lock file. It is separate because closing a second handle on the database would release
SQLite's own locks."""

FULL_DISK_CODES = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
"""SQLite's error codes for a full disk, and for a file that may not grow any more."""


class Store:
    """An open results file.

    Parameters
    ----------
    path
        The file.
    new
        Whether a campaign writes it: it is created if necessary, and locked.

    Raises
    ------
    InputError
        If the file does not exist, is not a results file, or cannot be written.
    OutputError
        If the disk is full.
    UsageError
        If another campaign is writing it.
    """

    def __init__(self, path: str, *, new: bool = False):
        self.path = path
        if not new and not os.path.isfile(path):
            raise InputError("No such file or directory", path, expected="a results file of compare")
        with ExitStack() as stack:
            if new:
                with write_errors(path):
                    stack.callback(open_locked(path + LOCK, path).close)
                stack.callback(_remove, path + LOCK)
                if not os.path.exists(path):
                    stack.callback(self._remove_if_empty)
            with self._translate_errors():
                self._database = stack.enter_context(closing(sqlite3.connect(path, timeout=30)))
                is_empty = not self._database.execute("SELECT 1 FROM sqlite_master").fetchone()
                if not (new and is_empty):
                    check(self._database)
                if new and is_empty:
                    create_tables(self._database)
            # Until here any error closes and releases everything; from now on ``close`` does.
            self._open = stack.pop_all()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and release the lock."""
        self._open.close()

    def sessions(self) -> tuple[SessionRecord, ...]:
        """Return all sessions, the oldest first. Raises InputError, as every method of this class does."""
        with self._translate_errors(), closing(self._rows("session")) as rows:
            return tuple(SessionRecord(**row) for row in rows)

    def instances(self) -> dict[int, InstanceRecord]:
        """Return all instances by id."""
        with self._translate_errors(), closing(self._rows("instance")) as rows:
            return {row["id"]: InstanceRecord(**row) for row in rows}

    def runs(self, instance: int | None = None) -> tuple[RunRecord, ...]:
        """Return all runs in the order in which they were made, or those of the instance with this id."""
        where = () if instance is None else ("WHERE instance = ?", instance)
        with self._translate_errors(), closing(self._rows("run", *where)) as rows:
            return tuple(RunRecord(**row) for row in rows)

    def add(self, record: Record) -> int:
        """Write a record, and return its id once it is safe against a kill.

        An instance whose hash is already known is not written again.
        """
        with self._translate_errors(), self._database:
            return self._insert(record)

    def copy_runs(self, other: Store) -> tuple[int, int]:
        """Copy the content of another file, entirely or not at all.

        Return the number of new runs, and of runs that were left as they are because their key was known.
        Equal sessions and instances become one.
        """
        with self._translate_errors(), self._database:
            # No other process can write from here on, so what is read below stays true until the end.
            self._database.execute("BEGIN IMMEDIATE")
            stored = [(replace(session, id=0), session.id) for session in self.sessions()]
            sessions = {}
            for session in other.sessions():
                same = replace(session, id=0)
                known = next((number for one, number in stored if one == same), None)
                sessions[session.id] = self._insert(same) if known is None else known
            instances = {number: self._insert(one) for number, one in other.instances().items()}
            keys = {run.key for run in self.runs()}
            runs = [
                replace(run, id=0, instance=instances[run.instance], session=sessions[run.session])
                for run in other.runs()
            ]
            new = [run for run in runs if run.key not in keys]
            for run in new:
                self._insert(run)
        return len(new), len(runs) - len(new)

    def _insert(self, record: Record) -> int:
        if isinstance(record, InstanceRecord):
            for known in self._rows("instance", "WHERE hash = ?", record.hash):
                return int(known["id"])
        table = next(name for name, kind in TABLES.items() if type(record) is kind)
        values = {
            name: json.dumps(value, sort_keys=True) if isinstance(value, Mapping) else value
            for name, value in asdict(record).items()
            if name != "id"
        }
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        done = self._database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", [*values.values()])
        return int(done.lastrowid or 0)

    def refute(self, run: int, message: str) -> None:
        """Mark the answer of a run as wrong because another run has refuted it."""
        with self._translate_errors(), self._database:
            self._database.execute(
                "UPDATE run SET status = 'wrong', message = ? WHERE id = ?", (message, run)
            )

    def _rows(self, table: str, where: str = "", *values: object) -> Generator[dict[str, Any], None, None]:
        """Yield the rows one by one; equal texts are one object, because most rows have the same ones."""
        readers = {field.name: column_reader(field.name, str(field.type)) for field in fields(TABLES[table])}
        query = f"SELECT {', '.join(readers)} FROM {table} {where} ORDER BY id"
        with self._translate_errors(), closing(self._database.execute(query, values)) as found:
            for row in found:
                texts = [sys.intern(value) if type(value) is str else value for value in row]
                pairs = zip(readers.items(), texts, strict=True)
                yield {name: read(value) for (name, read), value in pairs}

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert a database error into an error of this package."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise InputError(
                "another comparison is writing the same runs into this file", self.path
            ) from None
        except (sqlite3.Error, ValueError, TypeError, RecursionError) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in FULL_DISK_CODES:
                raise OutputError(f"cannot write: {error}", self.path) from None
            raise InputError(str(error), self.path, expected="a results file of compare") from None

    def _remove_if_empty(self) -> None:
        """Remove a new file into which nothing could be written."""
        with suppress(OSError):
            if not os.path.getsize(self.path):
                os.remove(self.path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)


# Answers that other runs refute.


def mark_contradicted(store: Store, instance: int) -> None:
    """Mark as wrong those runs of an instance that another run has refuted."""
    for wrong, message in find_contradicted(store.runs(instance)).items():
        store.refute(wrong, message)


def find_contradicted(runs: Sequence[RunRecord]) -> dict[int, str]:
    """Return, by id, those of an instance's runs that another run refutes, with the reason.

    A run that claims "no further solution" after n of them is wrong if another has more validated solutions.
    A run that claims an optimum is wrong if another of the same task has a better validated solution.
    """
    best = dict[str, RunRecord]()
    for run in runs:
        if run.value is not None and (run.task not in best or _is_better(run, best[run.task])):
            best[run.task] = run
    most = max(runs, key=lambda run: run.solutions, default=None)
    found: dict[int, str] = {}
    for run in runs:
        better = best.get(run.task)
        if run.value is not None and better is not None:
            if run.complete and run.status != "wrong" and _is_better(better, run):
                claim = f"calls {run.value} optimal"
                found[run.id] = f"{claim}, but {better.configuration} has {better.value}, checked"
        elif most is not None and run.complete and run.status != "wrong" and run.solutions < most.solutions:
            claim = f"says that the solutions are {run.solutions}" if run.solutions else "says infeasible"
            found[run.id] = f"{claim}, but {most.configuration} has {most.solutions}, checked"
    return found


def _is_better(run: RunRecord, other: RunRecord) -> bool:
    """Return whether a run of the same task, with an objective, has a better value than another."""
    assert run.value is not None
    assert other.value is not None
    return run.value < other.value if run.task.startswith(MINIMISE) else run.value > other.value


# Merge results files: the shards of a campaign, or the results of different machines.


class Merged(NamedTuple):
    """The number of runs and puzzles in the file, of new runs, and of runs that were already there."""

    runs: int
    puzzles: int
    new: int
    known: int


def merge(sources: Sequence[str], out: str) -> Merged:
    """Copy the runs of results files into one, and return the counts.

    A run whose key is already there stays unchanged: the first measurement counts. Repeating the same merge
    changes nothing. Each file is copied entirely or not at all.

    Parameters
    ----------
    sources
        The results files to read.
    out
        The results file to write; created if it does not exist.

    Raises
    ------
    InputError
        If one is not a results file, or ``out`` cannot be written.
    UsageError
        If ``out`` is one of the sources, or a campaign is writing it.
    """
    new = known = 0
    for source in sources:
        if os.path.realpath(source) == os.path.realpath(out):
            raise UsageError(f"{source} cannot be merged into itself")
        Store(source).close()
    with Store(out, new=True) as store:
        for source in sources:
            with Store(source) as shard:
                new_runs, known_runs = store.copy_runs(shard)
            new, known = new + new_runs, known + known_runs
        instances = store.instances()
        for number in instances:
            mark_contradicted(store, number)
        return Merged(len(store.runs()), len(instances), new, known)
