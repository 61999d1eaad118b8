"""The results file: one SQLite database, written run by run, valid whenever the process is killed.

A table holds the records of one class here, a column for each field.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import Field, asdict, dataclass, fields
from typing import Any, NamedTuple, TypeAlias

from milp_pips.errors import InputError, UsageError


class Configuration(NamedTuple):
    """A solver, a formulation (empty: the solver's own choice), and options by the solver's own names.

    As text: ``SOLVER[/FORMULATION][,NAME=VALUE…]``, such as ``highs/projected,presolve=off``.
    """

    solver: str
    formulation: str = ""
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """Return the configuration that a text means. Raises UsageError."""
        head, *rest = text.split(",")
        solver, _, first = head.partition("/")
        choices = [first, *(piece for piece in rest if "=" not in piece)]
        options = [piece.partition("=") for piece in rest if "=" in piece]
        if not solver or "=" in head or not all(name for name, _, _ in options):
            raise UsageError(f"{text!r} is no configuration; expected SOLVER[/FORMULATION][,NAME=VALUE…]")
        named = {name: value for name, _, value in options}
        return cls(solver, ",".join(filter(None, choices)), tuple(sorted(named.items())))

    def __str__(self) -> str:
        stated = f"{self.solver}/{self.formulation}" if self.formulation else self.solver
        return ",".join([stated, *(f"{name}={value}" for name, value in self.options)])


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One start of a comparison: when (ISO 8601, UTC), by what command, where, and with which versions."""

    id: int
    started: str
    command: str
    machine: str
    processor: str
    cores: int
    python: str
    package: str
    engines: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class InstanceRecord:
    """A puzzle; ``size`` counts the variables of its last key, ``constraints`` those of each class.

    ``hash`` is that of the problem it states: two files that state the same problem are one instance.
    ``level``, ``path`` and ``text`` say where it came from, ``folder`` is the directory's own name; sums are
    counted by relation. ``id`` is its number in the file, 0 before it is there.
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
    """What makes two runs different; no run with the same key is made twice.

    ``instance`` is the id of the instance in the file; solver, formulation and ``options``, a JSON object
    with sorted names, are the configuration; ``task`` is ``first``, ``prove`` or ``all``. Seed and threads
    are the engine's. Limits are seconds, and bytes, 0 for none. ``rules`` names the reductions of domains
    that were made first, with commas between, or ``none``, as in all runs of files that do not say.
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
        """What was compared: solver, formulation and options."""
        return Configuration(self.solver, self.formulation, tuple(json.loads(self.options).items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord(RunKey):
    """A run: its key, its session, and what came of it. A figure that is not known is None.

    It ``started`` at a time in UTC (ISO 8601). ``status`` is ``solved``, ``infeasible``, ``unknown``,
    ``wrong`` or ``error``, and ``stop`` says why the engine stopped. ``solutions`` counts checked ones;
    ``complete`` is the engine's word that there is no further one, and ``confirmed_by`` what confirmed that,
    if anything did.

    ``total_seconds`` are everything from reading to the answer, ``wall_seconds`` those of the whole process,
    with its start and the loading of libraries. ``peak_bytes`` is the greatest resident memory of the process
    and of what it started. Columns, rows, nonzeros and nodes are of the model and of the search, as far as
    the engine tells, ``version`` is the engine's, and ``message`` what a person should know.
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

    @property
    def key(self) -> RunKey:
        """What makes it different from every other run."""
        return RunKey(**{field.name: getattr(self, field.name) for field in fields(RunKey)})

    @property
    def seconds(self) -> float | None:
        """Seconds to state and solve the problem, without reading the puzzle; None if it told no time."""
        return None if self.total_seconds is None else self.total_seconds - (self.read_seconds or 0.0)

    @property
    def success(self) -> bool:
        """Whether the task was done; where the engine says that there is no further solution, confirmed."""
        done = self.status in ("solved", "infeasible")
        return done and (not self.complete or self.confirmed_by is not None)


Record: TypeAlias = SessionRecord | InstanceRecord | RunRecord
TABLES: dict[str, type[Record]] = {"session": SessionRecord, "instance": InstanceRecord, "run": RunRecord}
UNIQUE = {"instance": ("hash",), "run": tuple(field.name for field in fields(RunKey))}
"""Columns by which a row of the table is known: there is no other one with the same values."""

OLD_COLUMNS = ", ".join(field.name for field in fields(RunRecord) if field.name != "rules")
"""What every results file says of a run; only newer ones name the rules."""

LOST = (
    "SELECT count(*) FROM run WHERE instance NOT IN (SELECT id FROM instance)"
    " OR session NOT IN (SELECT id FROM session)"
)
"""Runs that no file of ours has."""

KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "None": (type(None),),
}
"""What SQLite may hold in a column, by the words of its annotation."""


class Store:
    """A results file that is open.

    Parameters
    ----------
    path
        The file.
    new
        Whether to make it if it is not there, and to bring it up to date.

    Raises
    ------
    InputError
        If there is none, or it is no results file, or it cannot be written to.
    """

    def __init__(self, path: str, *, new: bool = False):
        self.path = path
        if not new and not os.path.isfile(path):
            raise InputError("No such file or directory", path, expected="a results file of compare")
        with self._errors_told():
            self._database = sqlite3.connect(path, timeout=30)
            try:
                if new:
                    self._database.executescript("".join(map(_statement, TABLES)))
                self._database.execute(f"SELECT {OLD_COLUMNS} FROM run LIMIT 0")
                if new and not self._has_rules():
                    self._add_rules()
                (lost,) = self._database.execute(LOST).fetchone()
                if lost:
                    raise ValueError(f"{lost} runs are of puzzles or sessions that are not there")
            except (sqlite3.Error, ValueError):
                self._database.close()
                raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def sessions(self) -> tuple[SessionRecord, ...]:
        """Return all sessions, the oldest first. Raises InputError, as every method here does."""
        with self._errors_told():
            return tuple(SessionRecord(**row) for row in self._rows("session"))

    def instances(self) -> dict[int, InstanceRecord]:
        """Return all instances by id."""
        with self._errors_told():
            return {row["id"]: InstanceRecord(**row) for row in self._rows("instance")}

    def runs(self, instance: int | None = None) -> tuple[RunRecord, ...]:
        """Return all runs in the order in which they were made, or those of the instance with this id."""
        rows = self._rows("run") if instance is None else self._rows("run", "WHERE instance = ?", instance)
        with self._errors_told():
            return tuple(RunRecord(**row) for row in rows)

    def add(self, record: Record) -> int:
        """Write a record, and return the id it was given, once it is safe against a kill.

        An instance whose hash is known already is not written anew.
        """
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
        with self._errors_told(), self._database:
            done = self._database.execute(
                f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())
            )
        return int(done.lastrowid or 0)

    def refute(self, run: int, message: str) -> None:
        """Call the answer of a run wrong, since another run has shown that it is."""
        with self._errors_told(), self._database:
            self._database.execute(
                "UPDATE run SET status = 'wrong', message = ? WHERE id = ?", (message, run)
            )

    def _rows(self, table: str, where: str = "", *values: object) -> Iterator[dict[str, Any]]:
        known = {field.name: str(field.type) for field in fields(TABLES[table])}
        query = f"SELECT * FROM {table} {where} ORDER BY id"
        with self._errors_told(), closing(self._database.execute(query, values)) as found:
            columns = [name for name, *_ in found.description]
            for row in found:
                pairs = zip(columns, row, strict=True)
                yield {name: _read(name, value, known[name]) for name, value in pairs if name in known}

    def _has_rules(self) -> bool:
        return any(column[1] == "rules" for column in self._database.execute("PRAGMA table_info(run)"))

    def _add_rules(self) -> None:
        """Let the runs of an old file say by which rules domains were reduced: by none.

        The table is written anew, all at once or not at all, since the rules belong to the key of a run.
        """
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            if not self._has_rules():  # else another process was quicker
                self._database.execute("ALTER TABLE run RENAME TO old")
                self._database.execute(_statement("run"))
                self._database.execute(f"INSERT INTO run ({OLD_COLUMNS}) SELECT {OLD_COLUMNS} FROM old")
                self._database.execute("UPDATE run SET rules = 'none'")
                self._database.execute("DROP TABLE old")

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        """Turn a database's error into words for a person."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise InputError(
                "another comparison is writing the same runs into this file", self.path
            ) from None
        except (sqlite3.Error, ValueError, TypeError, RecursionError) as error:
            raise InputError(str(error), self.path, expected="a results file of compare") from None


def _read(name: str, value: Any, kind: str) -> Any:
    """Return a value of a column. Raises ValueError where a damaged file has something else there."""
    if kind.startswith("Mapping"):
        found = json.loads(value)
        if not isinstance(found, dict):
            raise ValueError(f"{name} is no mapping")
        return found
    if kind == "bool":
        return bool(value)
    if not isinstance(value, tuple(one for word in kind.split(" | ") for one in KINDS[word])):
        raise ValueError(f"{name} is {str(value)[:40]!r}, not {kind}")
    if name == "options" and not isinstance(json.loads(str(value)), dict):
        raise ValueError("options is no mapping")
    if isinstance(value, int | float) and not 0 <= value < 2**63:
        raise ValueError(f"{name} is {value}, which is no count and no time")
    return value


def _fields(table: str) -> list[Field[Any]]:
    """Return the fields of a table's records, the id first."""
    return sorted(fields(TABLES[table]), key=lambda field: field.name != "id")


def _statement(table: str) -> str:
    """Return the SQL that makes a table where it is missing: a column of the right kind for each field."""
    kinds = {"int": "INTEGER", "bool": "INTEGER", "float": "REAL"}  # of SQLite; a mapping is JSON text
    columns = [
        f"{field.name} {kinds.get(str(field.type).removesuffix(' | None'), 'TEXT')}"
        + (" PRIMARY KEY" if field.name == "id" else "")
        for field in _fields(table)
    ]
    unique = [f"UNIQUE ({', '.join(UNIQUE[table])})"] if table in UNIQUE else []
    return f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(columns + unique)});\n"
