"""A summary for the terminal, in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from milp_pips.comparison.records import SessionRecord
from milp_pips.comparison.statistics import SHIFT
from milp_pips.reporting.benchmark import Benchmark
from milp_pips.reporting.summary import alarms, cautions, headline, rows, seconds_or_more


def to_markdown(benchmarks: Sequence[Benchmark], sessions: Sequence[SessionRecord]) -> str:
    """Return, per benchmark, what came out, what to beware of, and the table of figures."""
    return "\n\n".join(_section(benchmark, sessions) for benchmark in benchmarks)


def _section(benchmark: Benchmark, sessions: Sequence[SessionRecord]) -> str:
    lines = [f"## {benchmark.title}", "", headline(benchmark), ""]
    warnings = [f"**WRONG: {line}**" for line in alarms(benchmark)] + cautions(benchmark, sessions)
    if warnings:
        lines += [*(f"- {line}" for line in warnings), ""]
    body = [
        [
            row.configuration.replace("|", "\\|"),
            f"{row.solved}/{int(benchmark.common.sum())}",
            *(
                seconds_or_more(value, benchmark)
                for value in (row.mean, row.par10, row.median.median, row.lower, row.upper)
            ),
        ]
        for row in rows(benchmark)
    ]
    heads = [
        "configuration",
        "solved",
        f"mean (shift {SHIFT:g} s)",
        "PAR-10",
        "median",
        "quartile",
        "quartile",
    ]
    widths = [max(map(len, column)) for column in zip(heads, *body, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([*lines, *(_line(cells, widths) for cells in (heads, rule, *body))])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (
        text.ljust(width) if place == 0 else text.rjust(width)
        for place, (text, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "| " + " | ".join([first, *rest]) + " |"
