"""All runs of a results file as one table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import fields

from milp_pips.comparison.records import InstanceRecord, RunRecord

OF_THE_INSTANCE = ("name", "level", "family", "folder", "path", "size", "hash")
OF_THE_RUN = tuple(field.name for field in fields(RunRecord) if field.name != "instance")
COLUMNS = (*OF_THE_INSTANCE, *OF_THE_RUN)
"""Names of the columns: those of the instance, then those of the run as in the results file."""


def to_csv(instances: Mapping[int, InstanceRecord], runs: Iterable[RunRecord]) -> str:
    """Return a line per run, in the order in which they were made; what is not known is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for run in runs:
        instance = instances[run.instance]
        writer.writerow(
            [getattr(instance, name) for name in OF_THE_INSTANCE] + [_plain(run, name) for name in OF_THE_RUN]
        )
    return stream.getvalue()


def _plain(run: RunRecord, name: str) -> object:
    value = getattr(run, name)
    return int(value) if isinstance(value, bool) else value
