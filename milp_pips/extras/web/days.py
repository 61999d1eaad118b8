"""A folder of days: JSON files of the Times, each with the puzzles of one date."""

from __future__ import annotations

import json
import os
from datetime import date
from typing import Any

from milp_pips.extras.web.requests import LARGEST_REQUEST
from milp_pips.problem.errors import InputError, visible

LEVELS = ("easy", "medium", "hard")

MAX_DAYS = 10_000
"""Most files of a folder, which are all kept in memory: 30 years have 80 MB."""


def read_days(folder: str) -> tuple[dict[str, str], list[str]]:
    """Return the texts of a folder's days by date, and one line for each JSON file that is not a day.

    The texts are kept, so that no request reads a file. Raises InputError if the folder cannot be read or has
    no day.
    """
    days: dict[str, str] = {}
    faults: list[str] = []
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
        if len(names) > MAX_DAYS:
            raise InputError(f"{len(names)} files are more than {MAX_DAYS}", folder)
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.isfile(path):
                continue
            try:
                with open(path, "rb") as stream:
                    text = stream.read(LARGEST_REQUEST // 4).decode("utf-8-sig")  # in JSON, a text grows
            except (OSError, UnicodeDecodeError) as error:
                why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
                faults.append(f"{visible(path)}: {why}; skipped")
                continue
            found = date_of(text)
            if found is None or found in days:
                what = "no day of the Times" if found is None else f"{found} is in another file, too"
                faults.append(f"{visible(path)}: {what}; skipped")
            else:
                days[found] = text
    except OSError as error:
        raise InputError(f"cannot read the folder: {error.strerror}", folder) from None
    if not days:
        raise InputError('no file *.json with "printDate" and the puzzles of a day', folder)
    return dict(sorted(days.items())), faults


def date_of(text: str) -> str | None:
    """Return the date of a file's day as YYYY-MM-DD; None if it is not a day."""
    try:
        document: Any = json.loads(text)
        if not any(isinstance(document[level], dict) for level in LEVELS if level in document):
            return None
        return date.fromisoformat(document["printDate"]).isoformat()
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
