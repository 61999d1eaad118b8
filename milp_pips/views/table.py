"""Lists of results as tables: a line for each result, a column for each member of its JSON record."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from milp_pips.problem.answer import TaskResult

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["rows", "to_csv", "to_frame"]


def rows(results: Iterable[TaskResult]) -> list[dict[str, Any]]:
    """Return the records of the results, each flat: ``total`` in ``seconds`` becomes ``seconds.total``."""
    return [dict(_flat("", result.to_json())) for result in results]


def _flat(prefix: str, record: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{name}.", value)
        else:
            yield prefix + name, value


def to_csv(results: Iterable[TaskResult]) -> str:
    """Return the results as CSV; a member that is null, or that a result does not have, is empty."""
    table, text = rows(results), io.StringIO()
    columns = list(dict.fromkeys(name for row in table for name in row))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: escape_formula(value) for name, value in row.items()} for row in table)
    return text.getvalue()


def escape_formula(value: Any) -> Any:
    """Return the value; a text that a spreadsheet would take for a formula gets an apostrophe."""
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if formula else value


def to_frame(results: Iterable[TaskResult]) -> pd.DataFrame:
    """Return the results as a DataFrame. Raises ImportError if pandas is not installed."""
    import pandas as pd

    return pd.DataFrame(rows(results))
