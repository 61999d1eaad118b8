"""The part of the page about one benchmark: tables, plots, and how to read them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from milp_pips.comparison.statistics import SHIFT
from milp_pips.reporting import texts
from milp_pips.reporting.benchmark import Benchmark
from milp_pips.reporting.curves import cactus, profile
from milp_pips.reporting.figures import Style, multiple, to_svg
from milp_pips.reporting.markup import Markup, element, joined, table
from milp_pips.reporting.pairs import head_to_head, phase_seconds, phases
from milp_pips.reporting.spreads import against_size, by_constraint, by_folder, by_group
from milp_pips.reporting.summary import (
    Pair,
    Row,
    full_name,
    hardest,
    outcome,
    pairs,
    rows,
    seconds_or_more,
    unsolved,
    why_unsolved,
)

FEW = 3
"""Up to so many configurations, all pairs are plotted; of more, the two best."""

FEW_RUNS = 12
"""Up to so many unsolved runs are listed openly; of more, the list opens on a click."""


class Chapter:
    """Builds the chapter of a benchmark; afterwards ``html`` is its markup and ``figures`` its plots.

    Parameters
    ----------
    benchmark
        The runs.
    styles
        How each configuration is drawn.
    prefix
        What the names of its plots begin with.
    """

    def __init__(self, benchmark: Benchmark, styles: Mapping[str, Style], prefix: str = ""):
        self.benchmark, self.styles, self.prefix = benchmark, styles, prefix
        self.figures: dict[str, str] = {}
        self.html = joined(
            [
                element("h2", benchmark.title, id=f"{prefix}results"),
                self._results(),
                *(self._shared() if np.isfinite(benchmark.times[benchmark.common]).any() else ()),
                self._pairs() if len(benchmark.configurations) > 1 else Markup(),
                *self._spreads(),
                self._phases(),
                self._models(),
                self._hardest(),
                self._unsolved(),
            ]
        )

    def _shared(self) -> list[Markup]:
        """Return what needs a solved instance that all configurations have run."""
        drawn = self.benchmark, self.styles
        found = [self._plot("cactus", "Puzzles solved within a time", texts.CACTUS, cactus(*drawn))]
        if len(self.benchmark.configurations) > 1:
            found.append(self._plot("profile", "How far from the best", texts.PROFILE, profile(*drawn)))
        return found

    def _spreads(self) -> list[Markup]:
        """Return what tells kinds of puzzles apart, where there are several."""
        benchmark, styles, found = self.benchmark, self.styles, []
        if len({instance.size for instance in benchmark.instances}) > 1:
            plot = against_size(benchmark, styles)
            found.append(self._plot("size", "Time against size", texts.SIZE, plot))
        for name, title, text, groups in (
            ("folder", "Time by folder", texts.FOLDER, by_folder(benchmark)),
            ("constraint", "Time by kind of constraint", texts.CONSTRAINT, by_constraint(benchmark)),
        ):
            if len(groups) > 1:
                found.append(self._plot(name, title, text, by_group(benchmark, groups, styles)))
        return found

    def _plot(self, name: str, title: str, text: str, figure: Any) -> Markup:
        """Keep a plot for its file, and return its section."""
        return element(
            "section",
            element("h3", title, id=self.prefix + name),
            element("p", text, class_="note"),
            self._figure(name, title, figure),
        )

    def _figure(self, name: str, title: str, figure: Any, class_: str = "plot") -> Markup:
        svg = to_svg(figure, self.prefix + name, f"{title}: {self.benchmark.title}")
        self.figures[self.prefix + name] = svg
        return element("figure", element("div", Markup(svg)), class_=class_)

    def _label(self, configuration: str) -> Markup:
        colour = self.styles[configuration].colour
        return joined([element("span", "", class_="swatch", style=f"background:{colour}"), configuration])

    def _results(self) -> Markup:
        benchmark, found = self.benchmark, rows(self.benchmark)
        common = int(benchmark.common.sum())
        several = len(found) > 1
        missing = any(row.missing for row in found)
        heads = ["configuration", f"solved of {common}", "mean", "PAR-10", "median", "95 % interval"]
        heads += ["middle half", *(["not run"] if missing else [])]
        heads += [what for what in ("wrong", "errors") if any(getattr(row, what) for row in found)]

        def cells(row: Row) -> list[str]:
            texts_ = [
                _best(str(row.solved), several and row.solved == max(r.solved for r in found)),
                *(
                    _best(
                        seconds_or_more(value(row), benchmark),
                        several and value(row) == min(map(value, found)),
                    )
                    for value in (_mean, _par10, _median)
                ),
                _span(row.median.low, row.median.high, benchmark),
                _span(row.lower, row.upper, benchmark),
            ]
            if missing:
                texts_.append(str(row.missing))
            for what in heads[len(texts_) + 1 :]:
                count = getattr(row, what)
                texts_.append(element("span", str(count), class_="bad") if count else "0")
            return texts_

        return element(
            "section",
            table(heads, ([self._label(row.configuration), *cells(row)] for row in found)),
            element("p", texts.TABLE.format(shift=SHIFT), class_="note"),
        )

    def _pairs(self) -> Markup:
        benchmark, names = self.benchmark, self.benchmark.configurations
        found = pairs(benchmark, FEW)
        shown = found if len(names) <= FEW else found[:1]
        plots = [
            self._figure(
                f"pair-{pair.first + 1}-{pair.second + 1}",
                f"{names[pair.first]} against {names[pair.second]}",
                head_to_head(benchmark, pair.first, pair.second, self.styles),
                "square",
            )
            for pair in shown
            if not math.isnan(pair.comparison.ratio.median)
        ]
        heads = ["configuration", "against", "ratio of times", "95 % interval"]
        heads += ["quicker", "slower", "neither"]
        return element(
            "section",
            element("h3", "Head to head", id=f"{self.prefix}pairs"),
            element("p", texts.HEAD_TO_HEAD, class_="note"),
            table(heads, (self._pair(pair) for pair in found)),
            *([element("p", texts.PAIR, class_="note")] if plots else []),
            *([element("div", *plots, class_="pairs")] if len(plots) > 1 else plots),
        )

    def _pair(self, pair: Pair) -> list[str]:
        names, (ratio, quicker, slower, neither) = self.benchmark.configurations, pair.comparison
        known = not math.isnan(ratio.median)
        return [
            self._label(names[pair.second]),
            self._label(names[pair.first]),
            multiple(ratio.median) if known else "–",
            f"{multiple(ratio.low)} – {multiple(ratio.high)}" if known else "–",
            str(quicker),
            str(slower),
            str(neither),
        ]

    def _phases(self) -> Markup:
        count, _ = phase_seconds(self.benchmark)
        if not count:
            return Markup()
        text = texts.PHASES.format(count=count)
        figure = phases(self.benchmark, self.styles)
        return self._plot("phases", "Building against solving", text, figure)

    def _models(self) -> Markup:
        whole = ("columns", "rows", "nodes")
        found = rows(self.benchmark)
        if all(math.isnan(getattr(row, what)) for row in found for what in (*whole, "peak_bytes")):
            return Markup()
        body = [
            [
                self._label(row.configuration),
                *(_whole(getattr(row, what)) for what in whole),
                _whole(row.peak_bytes / 2**20),
            ]
            for row in found
        ]
        return element(
            "section",
            element("h3", "Models and memory", id=f"{self.prefix}models"),
            element("p", texts.MODELS, class_="note"),
            table(["configuration", "columns", "rows", "nodes", "peak memory (MB)"], body),
        )

    def _hardest(self) -> Markup:
        benchmark = self.benchmark
        chosen = hardest(benchmark)
        body = [
            [
                full_name(benchmark, row),
                str(benchmark.instances[row].size),
                *(self._outcome(row, column) for column in range(len(benchmark.configurations))),
            ]
            for row in chosen
        ]
        return element(
            "section",
            element("h3", "The hardest puzzles", id=f"{self.prefix}hardest"),
            element("p", texts.HARDEST, class_="note"),
            table(["puzzle", "cells", *map(self._label, benchmark.configurations)], body),
        )

    def _outcome(self, row: int, column: int) -> str:
        text = outcome(self.benchmark, row, column)
        if np.isfinite(self.benchmark.times[row, column]):
            return text
        return element("span", text, class_="bad" if "WRONG" in text or "error" in text else "late")

    def _unsolved(self) -> Markup:
        found = unsolved(self.benchmark)
        if not found:
            return element("p", "Every run was solved.", id=f"{self.prefix}unsolved")
        body = [
            [name, self._label(configuration), str(run.seed), str(run.repeat), why_unsolved(run), run.message]
            for name, configuration, run in found
        ]
        heads: Sequence[str] = ["puzzle", "configuration", "seed", "repeat", "outcome", "message"]
        return element(
            "section",
            element("h3", f"Unsolved runs ({len(found)})", id=f"{self.prefix}unsolved"),
            element("p", texts.UNSOLVED, class_="note"),
            element(
                "details",
                element("summary", "Show them" if len(body) <= FEW_RUNS else f"Show all {len(body)}"),
                table(heads, body, "left"),
                **({"open": "open"} if len(body) <= FEW_RUNS else {}),
            ),
        )


def _mean(row: Row) -> float:
    return row.mean


def _par10(row: Row) -> float:
    return row.par10


def _median(row: Row) -> float:
    return row.median.median


def _best(text: str, best: bool) -> str:
    return element("strong", text) if best else text


def _span(low: float, high: float, benchmark: Benchmark) -> str:
    first, second = seconds_or_more(low, benchmark), seconds_or_more(high, benchmark)
    return first if first == second else f"{first} – {second}"


def _whole(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:,.0f}"
