"""Read the study's files: groups of puzzles along one parameter, and the comparisons on them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "study"
ENGINES = "engines"
ORDER = ("published", "styled", "loose", "sudokus", "colour_grids")
GROUP_FILES = sorted(file.stem for file in FOLDER.glob("*.toml") if file.stem != ENGINES)
GROUPS = (*ORDER, *(name for name in GROUP_FILES if name not in ORDER))
"""The names of all groups, in the order in which they are run and reported."""

LISTS: Mapping[str, Sequence[str]]
APPROACHES: Mapping[str, Sequence[str]]
LISTS, APPROACHES = tomllib.loads((FOLDER / f"{ENGINES}.toml").read_text(encoding="utf-8")).values()
"""Lists of configurations by name, and the solvers that stand for each approach."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Puzzles along one parameter.

    ``options`` are those of ``milp-pips generate``; the option ``vary`` takes the ``values`` in turn. If the
    series is ``published``, the values are levels of the given files; if it is ``made``, the function of
    ``instances.py`` with that name makes its puzzles. ``grows`` states that each value has larger puzzles
    than the one before.
    """

    name: str
    vary: str
    values: Sequence[Any]
    count: int
    options: Mapping[str, Any]
    published: bool = False
    made: str = ""
    grows: bool = False

    def point(self, value: Any) -> str:
        """Return the common name of the puzzles with this value."""
        return f"{self.name}-{value:02}" if isinstance(value, int) else f"{self.name}-{value}"

    @property
    def points(self) -> list[str]:
        """The names of all points, in order."""
        return [self.point(value) for value in self.values]


@dataclass(frozen=True, slots=True, eq=False)
class Campaign:
    """A comparison of configurations on some series; ``names`` are further options of ``compare``."""

    task: str
    configurations: tuple[str, ...]
    series: tuple[Series, ...]
    names: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The task as a part of names of files and tables: ``maximise-random-1`` for an objective."""
        return re.sub(r"\W+", "-", self.task).strip("-")

    @property
    def has_objective(self) -> bool:
        """Whether the task is the best solution by an objective."""
        return " " in self.task

    @property
    def unfiltered(self) -> bool:
        """Whether the engines get the unfiltered problem."""
        return self.names.get("presolve-rules") == "none"


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Series of puzzles and the campaigns on them; ``when_named`` if only ``--only`` runs it in full."""

    name: str
    title: str
    series: tuple[Series, ...]
    campaigns: tuple[Campaign, ...]
    when_named: bool

    def includes(self, campaign: Campaign, task: str, configuration: str, rules: str) -> bool:
        """Return whether a run of this task, with these rules, belongs to a campaign.

        Published models get the unfiltered problem in any campaign. So a run without filtering belongs to an
        unfiltered campaign only if that campaign names its configuration.
        """
        unfiltered = rules == "none"
        elsewhere = {name for one in self.campaigns if one.unfiltered for name in one.configurations}
        has_its_filtering = unfiltered == campaign.unfiltered or (
            unfiltered and configuration not in elsewhere
        )
        return task == campaign.task and has_its_filtering


def group(name: str) -> Group:
    """Return the group that a file defines."""
    content = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    series = tuple(_series(dict(one)) for one in content["puzzles"])
    campaigns = tuple(_campaign(dict(one), series) for one in content["compare"])
    return Group(name, content["title"], series, campaigns, content.get("when-named", False))


def _series(content: dict[str, Any]) -> Series:
    own = ("vary", "values", "count", "published", "made", "grows")
    known = {name: content.pop(name) for name in own if name in content}
    return Series(name=content.pop("series", known["vary"]), options=content, **known)


def _campaign(content: dict[str, Any], series: Sequence[Series]) -> Campaign:
    named = content.pop("run")
    configurations = (one for name in named for one in LISTS.get(name, [name]))
    on = content.pop("series", [one.name for one in series])
    chosen = tuple(one for one in series if one.name in on)
    return Campaign(content["task"], tuple(dict.fromkeys(configurations)), chosen, content)


def solver_of(configuration: str) -> str:
    """Return the solver of a configuration: ``highs`` of ``highs/projected,presolve=off``."""
    return configuration.partition(",")[0].partition("/")[0]


def approach_of(configuration: str) -> str:
    """Return the approach of a configuration."""
    solver = solver_of(configuration)
    return next(name for name, solvers in APPROACHES.items() if solver in solvers)
