"""Draw the linear relaxation on the board: the shares of values and dominoes at a vertex."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, cast

from milp_pips.extras.lab.puzzle_model import (
    INTEGER_TOLERANCE,
    PuzzleModel,
    Shown,
    cells_of,
    fact_text,
    state_model,
)
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.render.colours import shade
from milp_pips.render.vocabulary import (
    Drawing,
    Graph,
    Grid,
    Line,
    Link,
    Note,
    Place,
    Square,
    draw_squares,
)
from milp_pips.tasks.pipeline import settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True)
class Relaxation(Shown):
    """A vertex of the linear relaxation of a puzzle's model, or the proof that the relaxation is empty.

    Parameters
    ----------
    stated
        The puzzle and its model.
    fixed
        The values that were fixed, in the words of the puzzle.
    x
        The vertex, shape (columns,); None if the relaxation is empty, or if ``stop`` states why nothing is
        known.
    stop
        The stopping criterion.
    seconds
        The time taken.
    """

    stated: PuzzleModel = field(repr=False)
    fixed: tuple[str, ...]
    x: tuple[float, ...] | None = field(repr=False)
    stop: Stop
    seconds: float

    @property
    def status(self) -> str:
        """``fractional``, ``integral``, ``infeasible`` or ``unknown``."""
        if self.x is None:
            return "infeasible" if self.stop is Stop.FINISHED else "unknown"
        return "integral" if self.stated.is_integral(self.x) else "fractional"

    @property
    def columns(self) -> dict[str, float]:
        """The nonzero columns, by their names in the model."""
        names = self.stated.model.column_names()
        return {
            name: _rounded(y) for name, y in zip(names, self.x or (), strict=False) if y > INTEGER_TOLERANCE
        }

    @property
    def values(self) -> dict[str, dict[int, float]]:
        """The nonzero share of each value, by the name of the cell."""
        if self.x is None:
            return {}
        problem = self.stated.problem
        shares = self.stated.shares(self.x, cells_of(problem))
        return {
            problem.variables[v].name: {a: _rounded(y) for a, y in taken.items() if y > INTEGER_TOLERANCE}
            for v, taken in shares.items()
        }

    @property
    def dominoes(self) -> dict[tuple[str, str], dict[tuple[int, int], float]]:
        """The nonzero share of each domino, by its two cells; the first pip lies on the first cell."""
        names = [variable.name for variable in self.stated.problem.variables]
        found: dict[tuple[str, str], dict[tuple[int, int], float]] = {}
        for ends, kind, y in sorted(placed_dominoes(self.stated, self.x or ())):
            laid = found.setdefault((names[ends[0]], names[ends[1]]), {})
            laid[kind] = _rounded(laid.get(kind, 0.0) + y)
        return found

    def text_parts(self) -> Iterator[str | Drawing]:
        """Yield a sentence, the board, and one line for each fractional cell or edge."""
        stated = self.stated
        with_fixed = f" with {', '.join(self.fixed)}" if self.fixed else ""
        formulation = f" ({stated.model.formulation})" if stated.model.formulation else ""
        who = f"{stated.puzzle.name}{with_fixed}: the relaxation{formulation}"
        if self.x is None:
            no = "has no point" if self.stop is Stop.FINISHED else f"was not solved; stop: {self.stop}"
            yield f"{who} {no}"
            return
        yield self.drawing()
        if self.status == "integral":
            yield f"{who} has an integral vertex: a solution"
            return
        fractional = {name: taken for name, taken in self.values.items() if len(taken) > 1}
        yield f"{who} has a vertex with {len(fractional)} fractional cells of {len(self.values)}"
        for name, taken in fractional.items():
            written = partial(stated.problem.written, v=stated.variable(name))
            yield f"{name}: " + ", ".join(f"{written(a)} {percent(y)}" for a, y in taken.items())
        for (one, other), laid in self.dominoes.items():
            if max(laid.values()) < 1 - INTEGER_TOLERANCE:
                shares = ", ".join(f"{a}-{b} {percent(y)}" for (a, b), y in laid.items())
                yield f"{one}─{other}: {shares}"

    def drawing(self) -> Drawing:
        """Return the board with the shares of values and of edges as shades."""
        drawing = draw_shares(self.stated, self.x or ())
        name = self.stated.model.formulation or "the relaxation"
        words = (f"{len(self.columns)} of {self.stated.model.size['columns']} columns are not 0", *self.fixed)
        title = f"{self.stated.puzzle.name}: {name}, relaxed"
        return drawing._replace(title=title, notes=(Note(name, (", ".join(words),)),))

    def _repr_svg_(self) -> str | None:
        return None if self.x is None else self.drawing()._repr_svg_()

    def to_json(self) -> dict[str, Any]:
        """Return the relaxation as JSON-ready data."""
        stated = self.stated
        written = {name: partial(stated.problem.written, v=stated.variable(name)) for name in self.values}
        return {
            "puzzle": self.stated.puzzle.name,
            "formulation": self.stated.model.formulation,
            "status": self.status,
            "fixed": list(self.fixed),
            "values": {
                name: {written[name](a): y for a, y in taken.items()} for name, taken in self.values.items()
            },
            "dominoes": [
                {"pips": list(kind), "cells": list(cells), "share": y}
                for cells, laid in self.dominoes.items()
                for kind, y in laid.items()
            ],
            "model": self.stated.model.size,
            "stop": self.stop.value,
            "seconds": round(self.seconds, 6),
        }


@named_keywords
def relax(
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    fix: Mapping[str, object] = {},
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Relaxation:
    """Return a vertex of the linear relaxation of a puzzle's 0-1 model.

    There is no objective: of the many vertices it is the first one that the simplex method reaches.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    settings, deadline, shortcuts
        As for ``solve``; ``formulation`` names the formulation, empty for the one that suits the size.
        Nothing is filtered first unless ``rules`` requests it.
    fix
        Values to fix in cells, by name: what the relaxation still allows if ``r1c1`` is 3. A value that no
        solution has shows where the relaxation is too weak.

    Raises
    ------
    UsageError
        For an unknown formulation, cell or value, and for a puzzle that the named rules refute.
    Unfinished
        If the deadline stops it before the model is stated.
    EngineFault
        If an integral vertex breaks a rule.
    """
    begun = time.perf_counter()
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        stated = state_model(puzzle, settings, "relax", deadline)
        chosen = {v: stated.value(v, str(a)) for v, a in ((stated.variable(n), a) for n, a in fix.items())}
        # fix a value: bound the columns of all other values of its variable to 0
        relaxed = stated.relax()
        for v, a in chosen.items():
            relaxed.bound(stated.others(v, (a,)), 0, 0)
        ending = relaxed.run(deadline)
    if ending.stop is Stop.ERROR:
        raise EngineFault(f"the relaxation of {stated.puzzle.name} failed: {ending.message}")
    proven = ending.proof in (Proof.FEASIBLE, Proof.INFEASIBLE)
    x = None if ending.x is None else tuple(ending.x)
    if x is not None and stated.is_integral(x):
        stated.prepared.judge(stated.model.decode(x), "the relaxation")
    fixed = tuple(fact_text(stated.prepared.problem, v, (a,)) for v, a in chosen.items())
    stop = Stop.FINISHED if proven else ending.stop
    return Relaxation(stated, fixed, x, stop, time.perf_counter() - begun)


def placed_dominoes(
    stated: PuzzleModel, x: Sequence[float]
) -> Iterator[tuple[tuple[int, int], tuple[int, int], float]]:
    """Yield two cells, the earlier one first, their pips, and the share of the domino, for nonzero shares."""
    for column, ((a, b), one, other) in stated.places.items():
        if column < len(x) and x[column] > INTEGER_TOLERANCE:
            ends, kind = ((one, other), (a, b)) if one < other else ((other, one), (b, a))
            yield ends, kind, x[column]


def draw_shares(stated: PuzzleModel, x: Sequence[float]) -> Drawing:
    """Return the board with the share of each value as its shade, and that of each edge as a bar."""
    problem, puzzle = stated.problem, stated.puzzle
    squares = {}
    for v, taken in stated.shares(x, cells_of(problem)).items():
        most = max(taken, key=lambda a: (taken[a], -a))
        if taken[most] > 1 - INTEGER_TOLERANCE:
            squares[v] = Square(problem.written(most, v), fill=shade(1))
            continue
        candidates = tuple(
            (problem.written(a, v), shade(y)) if y > INTEGER_TOLERANCE else ("", shade(0))
            for a, y in taken.items()
        )
        squares[v] = Square(
            f"{problem.written(most, v)} {percent(taken[most])}",
            fill=shade(taken[most]),
            candidates=candidates,
        )
    # An edge has one column per kind of domino and direction: its bar shows their sum.
    drawing = draw_squares(stated.prepared.family.draw(puzzle, None), squares, keep_lines=True)
    edges: dict[tuple[Hashable, Hashable], float] = {}
    for ends, _, y in placed_dominoes(stated, x):
        if all(v in drawing.places for v in ends):
            one, other = (drawing.places[v] for v in ends)
            edges[one, other] = edges.get((one, other), 0.0) + y
    match drawing.board:
        case Grid() as grid:
            bonds = {
                (min(pair), max(pair)): min(y, 1.0)
                for pair, y in cast("dict[tuple[Place, Place], float]", edges).items()
            }
            return drawing._replace(board=grid._replace(bonds=bonds))
        case Graph() as graph:
            links = tuple(_shaded(link, edges) for link in graph.links)
            return drawing._replace(board=graph._replace(links=links))
    return drawing


def _shaded(link: Link, edges: Mapping[tuple[Hashable, Hashable], float]) -> Link:
    y = edges.get((link.one, link.other), 0.0) + edges.get((link.other, link.one), 0.0)
    return link._replace(line=Line.THICK, colour=shade(y)) if y else link._replace(line=Line.FAINT)


def percent(y: float) -> str:
    """Return a share in whole per cent; never 0 % or 100 % unless it is exactly that."""
    return f"{min(max(round(100 * y), 1), 99) if y < 1 - INTEGER_TOLERANCE else 100}%"


def _rounded(y: float) -> float:
    """Return a share rounded, without the numerical noise of the simplex method."""
    return round(y, 9)
