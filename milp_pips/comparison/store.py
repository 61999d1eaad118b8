"""The results file: one SQLite database, written run by run, valid whenever the process is killed."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from typing import Any

from milp_pips.comparison.records import InstanceRecord, RunRecord, SessionRecord
from milp_pips.errors import InputError

SCHEMA = """
CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY, started TEXT, command TEXT, machine TEXT, processor TEXT, cores INTEGER,
    python TEXT, package TEXT, engines TEXT
);
CREATE TABLE IF NOT EXISTS instance (
    id INTEGER PRIMARY KEY, hash TEXT UNIQUE, name TEXT, level TEXT, family TEXT, path TEXT, folder TEXT,
    size INTEGER, constraints TEXT, text TEXT
);
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY, instance INTEGER, solver TEXT, formulation TEXT, task TEXT, seed INTEGER,
    repeat INTEGER, threads INTEGER, time_limit REAL, memory_limit INTEGER, options TEXT,
    session INTEGER, started TEXT,
    status TEXT, stop TEXT, solutions INTEGER, complete INTEGER,
    read_seconds REAL, build_seconds REAL, solve_seconds REAL, total_seconds REAL, wall_seconds REAL,
    peak_bytes INTEGER, columns INTEGER, rows INTEGER, nonzeros INTEGER, nodes INTEGER,
    confirmed_by TEXT, version TEXT, message TEXT,
    UNIQUE (instance, solver, formulation, task, seed, repeat, threads, time_limit, memory_limit, options)
);
"""


class Store:
    """A results file that is open.

    Parameters
    ----------
    path
        The file.
    new
        Whether to make it if it is not there.

    Raises
    ------
    InputError
        If there is none, or it is no results file, or it cannot be written to.
    """

    def __init__(self, path: str, *, new: bool = False):
        self.path = path
        if not new and not os.path.isfile(path):
            raise InputError("No such file or directory", path, expected="a results file of compare")
        with self._told():
            self._database = sqlite3.connect(path, timeout=30)
            try:
                if new:
                    self._database.executescript(SCHEMA)
                self._database.execute(f"SELECT {', '.join(_columns(RunRecord))} FROM run LIMIT 0")
            except sqlite3.Error:
                self._database.close()
                raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def sessions(self) -> tuple[SessionRecord, ...]:
        """Return all sessions, the oldest first. Raises InputError, as every method here does."""
        return tuple(
            SessionRecord(**{**row, "engines": json.loads(row["engines"])})
            for row in self._rows(_columns(SessionRecord), "session")
        )

    def instances(self) -> dict[int, InstanceRecord]:
        """Return all instances by id."""
        return {
            row["id"]: InstanceRecord(**{**row, "constraints": json.loads(row["constraints"])})
            for row in self._rows(_columns(InstanceRecord), "instance")
        }

    def runs(self) -> tuple[RunRecord, ...]:
        """Return all runs in the order in which they were made."""
        return tuple(map(_run, self._rows(_columns(RunRecord), "run")))

    def runs_of(self, instance: int) -> tuple[RunRecord, ...]:
        """Return the runs of one instance, by its id."""
        return tuple(map(_run, self._rows(_columns(RunRecord), "run", "WHERE instance = ?", (instance,))))

    def add_session(self, session: SessionRecord) -> int:
        """Write a session, and return the id it was given."""
        values = {f: getattr(session, f) for f in _columns(SessionRecord)[1:]}
        return self._insert("session", {**values, "engines": _json(session.engines)})

    def add_instance(self, instance: InstanceRecord) -> int:
        """Return the id of the instance with this hash, which is written if there is none."""
        values = {f: getattr(instance, f) for f in _columns(InstanceRecord)[1:]}
        known = "SELECT id FROM instance WHERE hash = ?"
        with self._told(), self._database:
            row = self._database.execute(known, (instance.hash,)).fetchone()
        return (
            int(row[0])
            if row
            else self._insert("instance", {**values, "constraints": _json(instance.constraints)})
        )

    def add_run(self, run: RunRecord) -> int:
        """Write a run, and return the id it was given, once it is safe against a kill."""
        return self._insert("run", {f: getattr(run, f) for f in _columns(RunRecord)[1:]})

    def refute(self, run: int, message: str) -> None:
        """Call the answer of a run wrong, since another run has shown that it is."""
        with self._told(), self._database:
            self._database.execute(
                "UPDATE run SET status = 'wrong', message = ? WHERE id = ?", (message, run)
            )

    def _insert(self, table: str, values: dict[str, Any]) -> int:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        with self._told(), self._database:
            done = self._database.execute(
                f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())
            )
        return int(done.lastrowid or 0)

    def _rows(
        self, columns: tuple[str, ...], table: str, where: str = "", values: tuple[Any, ...] = ()
    ) -> Iterator[dict[str, Any]]:
        query = f"SELECT {', '.join(columns)} FROM {table} {where} ORDER BY id"
        with self._told(), closing(self._database.execute(query, values)) as found:
            for row in found:
                yield dict(zip(columns, row, strict=True))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn a database's error into words for a person."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise InputError(
                "another comparison is writing the same runs into this file", self.path
            ) from None
        except sqlite3.Error as error:
            raise InputError(str(error), self.path, expected="a results file of compare") from None


def _columns(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


def _run(row: dict[str, Any]) -> RunRecord:
    return RunRecord(**{**row, "complete": bool(row["complete"])})


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True)
