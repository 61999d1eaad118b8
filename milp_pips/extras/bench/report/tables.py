"""The tables of all runs, for spreadsheets (CSV) and for data frames (Parquet), and of all figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from milp_pips.extras.bench.figures import FIGURES, VIRTUAL_BEST, Benchmark
from milp_pips.extras.bench.records import InstanceRecord, RunRecord
from milp_pips.problem.errors import UsageError

OF_THE_INSTANCE = ("name", "level", "family", "folder", "path", "size", "hash")
OF_THE_RUN = ("id", *(field.name for field in fields(RunRecord) if field.name not in ("id", "instance")))


def to_csv(instances: Mapping[int, InstanceRecord], runs: Iterable[RunRecord]) -> str:
    """Return a line per run, in the order in which they were made; what is not known is empty.

    Its columns are those of the instance, then those of the run as in the results file.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(OF_THE_INSTANCE + OF_THE_RUN)
    for run in runs:
        values = [getattr(run, name) for name in OF_THE_RUN]
        writer.writerow(
            [
                _cell(value)
                for value in [*(getattr(instances[run.instance], name) for name in OF_THE_INSTANCE), *values]
            ]
        )
    return stream.getvalue()


def figures_to_csv(benchmarks: Iterable[tuple[Benchmark, Mapping[str, Benchmark]]]) -> str:
    """Return a line per configuration, with its figures, of each benchmark and of each folder's part of it.

    The folder is empty for the whole; the virtual best comes after the configurations. What is infinite or
    not known is empty, as it is null in JSON.
    """
    stream = io.StringIO()
    about = ("task", "time_limit", "memory_limit", "folder", "configuration")
    writer = csv.DictWriter(stream, (*about, *FIGURES), lineterminator="\n")
    writer.writeheader()
    for whole, parts in benchmarks:
        for folder, one in [("", whole), *parts.items()]:
            best = [one.virtual_best.to_json()] if one.virtual_best else []
            for row in [*(row.to_json() for row in one.standings), *best]:
                line = {
                    "task": whole.task,
                    "time_limit": whole.time_limit,
                    "memory_limit": whole.memory_limit,
                    "folder": folder,
                    "configuration": VIRTUAL_BEST,
                    **row,
                }
                writer.writerow({name: _cell(value) for name, value in line.items()})
    return stream.getvalue()


def _cell(value: object) -> object:
    """Return a cell of a table that no spreadsheet takes for a formula, whatever a name begins with."""
    if isinstance(value, bool):
        return int(value)
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )


def to_parquet(instances: Mapping[int, InstanceRecord], runs: Iterable[RunRecord]) -> bytes:
    """Return the same table as a Parquet file: numbers are numbers there, and what is not known is null.

    Raises UsageError if PyArrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'milp-pips[parquet]'") from None
    kinds = {
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "str": pyarrow.string(),
        "bool": pyarrow.bool_(),
    }
    rows = list(runs)
    columns: dict[str, Any] = {}
    for record, names in ((InstanceRecord, OF_THE_INSTANCE), (RunRecord, OF_THE_RUN)):
        types = {field.name: str(field.type).removesuffix(" | None") for field in fields(record)}
        for name in names:
            of = [instances[run.instance] if record is InstanceRecord else run for run in rows]
            columns[name] = pyarrow.array([getattr(one, name) for one in of], kinds[types[name]])
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), stream)
    return stream.getvalue()
