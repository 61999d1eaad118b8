"""Side-by-side timing: interleaved rounds, medians, and what they were measured on."""

from __future__ import annotations

import datetime
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from importlib import metadata


def header(*distributions: str) -> str:
    """Return date, Python and versions, for the record."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("milp-pips", *distributions))
    return f"{datetime.date.today()}; Python {platform.python_version()}; {versions}"


def interleaved(work: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of every round of each piece of work, done in turn after one uncounted round."""
    spent: dict[str, list[float]] = {name: [] for name in work}
    for counted in range(-1, rounds):
        for name, task in work.items():
            begun = time.perf_counter()
            task()
            if counted >= 0:
                spent[name].append(time.perf_counter() - begun)
    return spent


def table(spent: Mapping[str, list[float]], against: str) -> str:
    """Return a Markdown table of medians, spread and the median ratio, round by round, to one of them."""
    lines = ["| work | median s | least s | most s | ratio |", "|---|---|---|---|---|"]
    for name, seconds in spent.items():
        ratio = statistics.median(a / b for a, b in zip(seconds, spent[against], strict=True))
        figures = statistics.median(seconds), min(seconds), max(seconds)
        lines.append(f"| {name} | " + " | ".join(f"{s:.4f}" for s in figures) + f" | {ratio:.2f} |")
    return "\n".join(lines)
