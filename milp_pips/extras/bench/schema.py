"""The tables of a results file: a column for each field of a record, a version, the way from older ones.

Files from before there were versions have number 0.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import fields
from typing import Any

from milp_pips.extras.bench.records import InstanceRecord, Record, RunKey, RunRecord, SessionRecord

SCHEMA_VERSION = 3
"""What SQLite keeps as ``user_version``; it grows with every change of the tables."""

TABLES: dict[str, type[Record]] = {"session": SessionRecord, "instance": InstanceRecord, "run": RunRecord}
UNIQUE = {"instance": ("hash",), "run": tuple(field.name for field in fields(RunKey))}
"""Columns by which a row of the table is known: there is no other one with the same values."""

ADDED: dict[str, dict[str, object]] = {
    "session": {"host": "", "reference_seconds": None, "disturbance": None},
    "instance": {},
    "run": {
        **{"rules": "none", "processor_seconds": None, "measured_by": "milp_pips"},
        **{"clock_processor_seconds": None, "load": None},
    },
}
"""Columns that older files lack, with what held when there were none."""

LOST = (
    "SELECT count(*) FROM run WHERE instance NOT IN (SELECT id FROM instance)"
    " OR session NOT IN (SELECT id FROM session)"
)
"""Runs that no file of ours has."""

SQLITE_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "None": (type(None),),
}
"""What SQLite may hold in a column, by the words of its annotation."""


def bring_up_to_date(database: sqlite3.Connection) -> None:
    """Make the tables, or those of an older version anew: all at once, or nothing."""
    with database:
        database.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            _renew(database, table)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def check(database: sqlite3.Connection) -> None:
    """Raise ValueError, or an error of SQLite's, where this is no results file, or one from the future."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise ValueError(
            f"written by a newer milp_pips: version {version} of its tables, not {SCHEMA_VERSION}"
        )
    for table, kind in reversed(TABLES.items()):
        needed = ", ".join(field.name for field in fields(kind) if field.name not in ADDED[table])
        database.execute(f"SELECT {needed} FROM {table} LIMIT 0")
    (lost,) = database.execute(LOST).fetchone()
    if lost:
        raise ValueError(f"{lost} runs are of puzzles or sessions that are not there")


def _renew(database: sqlite3.Connection, table: str) -> None:
    """Make a table, or make it anew, with the rows it has, where it lacks a column."""
    there = {column[1] for column in database.execute(f"PRAGMA table_info({table})")}
    lacking = {name: value for name, value in ADDED[table].items() if name not in there}
    if not there:
        database.execute(_statement(table))
    elif lacking:
        kept = ", ".join(field.name for field in fields(TABLES[table]) if field.name in there)
        database.execute(f"ALTER TABLE {table} RENAME TO old")
        database.execute(_statement(table))
        database.execute(
            f"INSERT INTO {table} ({kept}, {', '.join(lacking)}) "
            f"SELECT {kept}, {', '.join('?' * len(lacking))} FROM old",
            [*lacking.values()],
        )
        database.execute("DROP TABLE old")


def _statement(table: str) -> str:
    """Return the SQL that makes a table: a column of the right kind for each field, the id first."""
    kinds = {"int": "INTEGER", "bool": "INTEGER", "float": "REAL"}  # of SQLite; a mapping is JSON text
    columns = [
        f"{field.name} {kinds.get(str(field.type).removesuffix(' | None'), 'TEXT')}"
        + (" PRIMARY KEY" if field.name == "id" else "")
        for field in sorted(fields(TABLES[table]), key=lambda field: field.name != "id")
    ]
    unique = [f"UNIQUE ({', '.join(UNIQUE[table])})"] if table in UNIQUE else []
    return f"CREATE TABLE {table} ({', '.join(columns + unique)})"


def read_column(name: str, value: Any, kind: str) -> Any:
    """Return a value of a column. Raises ValueError where a damaged file has something else there."""
    if kind.startswith("Mapping"):
        found = json.loads(value)
        if not isinstance(found, dict):
            raise ValueError(f"{name} is no mapping")
        return found
    if kind == "bool":
        return bool(value)
    if not isinstance(value, tuple(one for word in kind.split(" | ") for one in SQLITE_TYPES[word])):
        raise ValueError(f"{name} is {str(value)[:40]!r}, not {kind}")
    if name == "options" and not isinstance(json.loads(str(value)), dict):
        raise ValueError("options is no mapping")
    if isinstance(value, int | float) and not 0 <= value < 2**63:
        raise ValueError(f"{name} is {value}, which is no count and no time")
    return value
