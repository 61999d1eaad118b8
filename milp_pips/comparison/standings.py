"""Who did how well: one row per configuration, over the runs that every configuration has made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from milp_pips.comparison.configuration import Configuration
from milp_pips.comparison.records import RunRecord
from milp_pips.comparison.statistics import median, penalised_average, shifted_geometric_mean


@dataclass(frozen=True, slots=True)
class Standing:
    """The figures of one configuration.

    Parameters
    ----------
    configuration
        Its text.
    runs, solved, unsolved, wrong
        How many runs; of these the successful ones, the wrong ones and the rest.
    median, mean, par10
        Median, shifted geometric mean and penalised average of the seconds to state and solve, without
        reading. An unsolved or wrong run counts as its time limit, in PAR-10 ten times that.
    """

    configuration: str
    runs: int
    solved: int
    unsolved: int
    wrong: int
    median: float
    mean: float
    par10: float

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        return {name: round(v, 6) if isinstance(v, float) else v for name, v in asdict(self).items()}


def standings(
    runs: Sequence[RunRecord], configurations: Sequence[Configuration], time_limit: float
) -> tuple[Standing, ...]:
    """Return the standing of each configuration; none where there is no run that all have made."""
    common = comparable(runs, configurations)
    rows = []
    for configuration in configurations:
        own = [run for run in common if run.configuration == configuration]
        if own:
            solved = [run.success for run in own]
            times = [_time(run, time_limit) for run in own]
            wrong = sum(run.status == "wrong" for run in own)
            rows.append(
                Standing(
                    str(configuration),
                    len(own),
                    sum(solved),
                    len(own) - sum(solved) - wrong,
                    wrong,
                    median(times),
                    shifted_geometric_mean(times),
                    penalised_average(times, solved, time_limit),
                )
            )
    return tuple(rows)


def comparable(runs: Sequence[RunRecord], configurations: Sequence[Configuration]) -> list[RunRecord]:
    """Return the runs of those puzzles, seeds and repeats that every configuration has run.

    Without this, a comparison that was interrupted would compare engines on different puzzles.
    """
    made: dict[tuple[int, int, int], set[Configuration]] = defaultdict(set)
    for run in runs:
        made[run.instance, run.seed, run.repeat].add(run.configuration)
    wanted = set(configurations)
    return [run for run in runs if made[run.instance, run.seed, run.repeat] >= wanted]


def contradicted(runs: Sequence[RunRecord]) -> dict[int, str]:
    """Return which of an instance's runs another one has shown to be wrong, by id, and how.

    A run that says "no further solution" after n of them is wrong if another has more checked solutions.
    """
    most = max(runs, key=lambda run: run.solutions, default=None)
    found: dict[int, str] = {}
    for run in runs:
        if most is not None and run.complete and run.status != "wrong" and run.solutions < most.solutions:
            claim = f"says that the solutions are {run.solutions}" if run.solutions else "says infeasible"
            found[run.id] = f"{claim}, but {most.configuration} has {most.solutions}, checked"
    return found


def table(rows: Sequence[Standing]) -> str:
    """Return the standings as text."""
    head = ("configuration", "runs", "solved", "unsolved", "wrong", "median s", "mean s", "PAR-10 s")
    body = [
        (
            row.configuration,
            *(str(n) for n in (row.runs, row.solved, row.unsolved, row.wrong)),
            *(f"{seconds:.3f}" for seconds in (row.median, row.mean, row.par10)),
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    return "\n".join(
        "  ".join(
            [words[0].ljust(widths[0]), *(w.rjust(n) for w, n in zip(words[1:], widths[1:], strict=True))]
        )
        for words in (head, *body)
    )


def _time(run: RunRecord, time_limit: float) -> float:
    return time_limit if not run.success or run.seconds is None else run.seconds
