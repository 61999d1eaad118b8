"""The results of the lab as pictures."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, cast

from milp_pips.extras.lab.filter_trace import FilterTrace
from milp_pips.extras.lab.puzzle_model import (
    INTEGER_TOLERANCE,
    Pair,
    PuzzleModel,
    cells_of,
    fractional_columns,
    pairs_of,
)
from milp_pips.extras.lab.relax import PricedRow, Relaxation, placed_dominoes
from milp_pips.extras.lab.relax_model import ModelRelaxation
from milp_pips.extras.lab.search_tree import SearchTree
from milp_pips.extras.lab.strength import FormulationStrength, Strength
from milp_pips.problem.errors import UsageError, visible
from milp_pips.problem.objective import MAXIMISE
from milp_pips.render.colours import shade
from milp_pips.render.vocabulary import (
    Branch,
    Drawing,
    Graph,
    Grid,
    Line,
    Link,
    Note,
    Place,
    Square,
    Tree,
    draw_squares,
)
from milp_pips.tasks.pipeline import prepare
from milp_pips.tasks.query import Prepared
from milp_pips.views.svg import drawing

if TYPE_CHECKING:
    from milp_pips.engines.contract import SearchNode


ADMITTED_FILL, EXCLUDED_FILL, POSSIBLE_FILL = "#e8590c", "#dfe3e8", "#ffffff"
"""Fills of values: impossible but admitted, impossible and excluded, possible."""


@drawing.register(Relaxation)
def _(relaxation: Relaxation) -> Drawing:
    """Return the board with the shares of values and of edges as shades."""
    if relaxation.x is None:
        raise UsageError(f"{relaxation.stated.puzzle.name}: there is no vertex to draw")
    if relaxation.bound is not None:
        return _draw_prices(relaxation)
    drawing = draw_shares(relaxation.stated, relaxation.x)
    name = relaxation.stated.model.formulation or "the relaxation"
    nonzero, columns = len(relaxation.columns), relaxation.stated.model.size["columns"]
    words = (f"{nonzero} of {columns} columns are not 0", *relaxation.fixed)
    title = f"{relaxation.stated.puzzle.name}: {name}, relaxed"
    return drawing._replace(title=title, notes=(Note(name, (", ".join(words),)),))


MOST_DRAWN = 40
"""The most rows and columns of a model whose matrix is drawn."""

MOST_LETTERS = 12
"""The most letters of a name in the drawing of a matrix."""


@drawing.register(ModelRelaxation)
def _(relaxation: ModelRelaxation) -> Drawing:
    """Return the matrix of the model, the vertex above its columns, sides and prices beside its rows."""
    model = relaxation.model
    if not relaxation.has_vertex or max(len(model.columns), len(model.rows)) > MOST_DRAWN:
        raise UsageError(f"{model.name}: only a vertex of up to {MOST_DRAWN} rows and columns is drawn")
    squares, left, right, above = {}, {}, {}, {}
    for j, column in enumerate(relaxation.columns):
        fill = RELAXED_FILL if column.is_fractional else ""
        above[j] = Square(visible(column.name, MOST_LETTERS)), Square(f"{column.value:.3g}", fill=fill)
        squares[0, j] = Square(f"{float(model.columns[j].cost):.4g}")
    left[0], right[0] = (Square(model.sense),), (Square(f"= {relaxation.bound:g}"), Square("price"))
    for i, (row, found) in enumerate(zip(model.rows, relaxation.rows, strict=True), 1):
        squares |= {(i, j): Square(f"{float(times):.4g}") for j, times in row.terms.items()}
        side = " and ".join(
            f"{sign} {float(bound):.4g}"
            for sign, bound in (("=", row.low), ("≥", row.low), ("≤", row.high))
            if bound is not None and (sign == "=") == (row.low == row.high)
        )
        left[i] = (Square(visible(row.name, MOST_LETTERS)),)
        right[i] = Square(side), Square(f"{found.price:.3g}")
    board = Grid(squares, Line.FAINT, left=left, above=above, right=right)
    return Drawing(f"{model.name}: the relaxation", board)


PRICE_FILLS = "#ffffff", "#fff3bf", "#ffd8a8", "#ffa94d"
"""Fills of values by price: none, and up to a third, two thirds and all of the greatest."""


def _draw_prices(relaxation: Relaxation) -> Drawing:
    """Return the board with the price of a value as its fill, and that of an edge as a bar."""
    stated = relaxation.stated
    edges = {(stated.variable(p), stated.variable(q)): y for (p, q), y in relaxation.edge_prices.items()}
    prices = {
        (v, a): relaxation.prices.get(v, {}).get(a, 0.0)
        for v, a in pairs_of(stated.problem)
        if v in relaxation.prices or relaxation.values[stated.problem.variables[v].name].get(a)
    }
    greatest = max([*prices.values(), *edges.values(), 0.0])
    fills = {pair: PRICE_FILLS[ceil(3 * y / greatest) if y else 0] for pair, y in prices.items()}
    lower = "lower" if _is_maximised(relaxation) else "higher"
    notes = [_bound_note(relaxation)]
    for i, fill in enumerate(PRICE_FILLS):
        if fill in fills.values():
            by = f"by up to {greatest * i / 3:.3g} with this value"
            notes.append(Note(lower, (by,), fill) if i else Note("free", ("the bound stays",), fill))
    if edges:
        notes.append(Note("bars", (f"{lower} with a domino across two cells",)))
    drawing = draw_values(stated.prepared, fills, [pair for pair, y in prices.items() if y], "prices", notes)
    return _with_bars(drawing, {ends: y / greatest for ends, y in edges.items()})


def _is_maximised(relaxation: Relaxation) -> bool:
    objective = relaxation.stated.problem.objective
    return objective is not None and objective.sense == MAXIMISE


def _bound_note(relaxation: Relaxation) -> Note:
    most = "most" if _is_maximised(relaxation) else "least"
    return Note("bound", (f"{relaxation.stated.problem.objective} is at {most} {relaxation.bound:g}",))


def draw_row_prices(relaxation: Relaxation) -> Drawing:
    """Return the board with the price of the row of each cell; the prices of other rows are below it.

    Raises UsageError without an objective, or if the relaxation has no vertex.
    """
    stated = relaxation.stated
    if relaxation.bound is None:
        raise UsageError(f"{stated.puzzle.name}: there are no prices without an objective and a vertex")
    squares, others = {v: Square("0") for v in cells_of(stated.problem)}, list[PricedRow]()
    rows_of_cells = {
        number: stated.variable(label)
        for family in ("choose", "cover")
        for label, number in stated.model.row_labels().get(family, {}).items()
    }
    number_of = {name: i for i, name in enumerate(stated.model.row_names())}
    dearest = max((abs(row.price) for row in relaxation.priced_rows), default=1.0)
    for row in relaxation.priced_rows:
        v = rows_of_cells.get(number_of[row.name])
        if v is None:
            others.append(row)
        else:
            squares[v] = Square(f"{row.price:.3g}", fill=PRICE_FILLS[ceil(3 * abs(row.price) / dearest)])
    notes = (
        _bound_note(relaxation),
        Note("cells", ("what one more unit of the row of the cell adds to the bound",)),
        *([Note("rows", (_dearest(others),))] if others else ()),
    )
    drawing = draw_squares(stated.prepared.family.draw(stated.puzzle, None), squares, keep_lines=True)
    return drawing._replace(title=f"{stated.puzzle.name}: prices of rows", notes=notes)


MOST_NOTED_ROWS = 5
"""The most rows whose prices a picture states; the table of the command has all."""


def _dearest(rows: list[PricedRow]) -> str:
    shown = sorted(rows, key=lambda row: -abs(row.price))[:MOST_NOTED_ROWS]
    words = ", ".join(f"{row.name} {row.price:.4g}" for row in shown)
    return f"{words}, and {len(rows) - len(shown)} others" if len(rows) > len(shown) else words


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
    edges: dict[Pair, float] = {}
    for ends, _, y in placed_dominoes(stated, x):
        edges[ends] = edges.get(ends, 0.0) + y
    return _with_bars(
        draw_squares(stated.prepared.family.draw(puzzle, None), squares, keep_lines=True), edges
    )


def _with_bars(drawing: Drawing, strengths: Mapping[tuple[int, int], float]) -> Drawing:
    """Return the drawing with a bar between two variables for each strength, from 0 to 1."""
    at = drawing.places
    edges: dict[tuple[Hashable, Hashable], float] = {
        (at[one], at[other]): y for (one, other), y in strengths.items() if one in at and other in at
    }
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


BOTH_FILL, FILTERED_FILL, RELAXED_FILL, NEITHER_FILL = EXCLUDED_FILL, "#8fc1e3", "#f7e08c", ADMITTED_FILL
"""Fills of values that no solution has: excluded by filtering and the relaxation; by filtering alone; by the
relaxation alone; by neither."""


FILTER_NOTES = {
    BOTH_FILL: ("both", "filtering takes it, and the relaxation excludes it"),
    FILTERED_FILL: ("filtering", "filtering takes it, the relaxation does not"),
    RELAXED_FILL: ("relaxation", "the relaxation excludes it, filtering does not"),
    NEITHER_FILL: ("neither", "in no solution, but neither excludes it"),
}


@drawing.register(FilterTrace)
def _(trace: FilterTrace) -> Drawing:
    """Return the board, coloured by which method excludes which value; as text, what filtering leaves."""
    fills = {pair: _fill_of_pair(trace, pair) for pair in pairs_of(trace.stated.problem)}
    seen = set(fills.values())
    notes = [Note(head, (words,), fill) for fill, (head, words) in FILTER_NOTES.items() if fill in seen]
    return draw_values(trace.stated.prepared, fills, trace.taken, "filtering and relaxation", notes)


def _fill_of_pair(trace: FilterTrace, pair: Pair) -> str:
    if pair not in trace.impossible:
        return POSSIBLE_FILL
    if pair in trace.taken:
        return BOTH_FILL if pair in trace.excluded else FILTERED_FILL
    return RELAXED_FILL if pair in trace.excluded else NEITHER_FILL


def drawings_of_strength(strength: Strength) -> list[Drawing]:
    """Return a board for each formulation on which impossible but admitted values stand out."""
    return [_draw_admitted(strength, one) for one in strength.formulations]


def _draw_admitted(strength: Strength, one: FormulationStrength) -> Drawing:
    prepared = prepare(strength.puzzle)
    excluded = set(strength.impossible) - set(one.admitted)
    fills = dict.fromkeys(pairs_of(prepared.problem), POSSIBLE_FILL)
    fills |= dict.fromkeys(excluded, EXCLUDED_FILL) | dict.fromkeys(one.admitted, ADMITTED_FILL)
    name = one.formulation or "the relaxation"
    notes = (
        Note(name, (f"excludes {one.excluded} of {one.impossible} impossible values",)),
        Note("admitted", ("in no solution, yet in a point of the relaxation",), ADMITTED_FILL),
        Note("excluded", ("in no solution, and in no such point",), EXCLUDED_FILL),
    )
    return draw_values(prepared, fills, excluded, name, notes)


NODE_NOTES = {
    "solution": Note("solution", ("the vertex is integral: a solution",), "#bfe3a2"),
    "infeasible": Note("infeasible", ("pruned: the relaxation has no point",), "#e3e2de"),
    "bound": Note("bound", ("pruned: no point is better than the best solution",), "#f7e08c"),
}
"""The meaning of the fills of nodes, by status."""


@drawing.register(SearchTree)
def _(tree: SearchTree) -> Drawing:
    """Return the tree, with the relaxation of each node on a small board."""
    nodes = tuple(_branch(tree, number) for number in range(len(tree.nodes)))
    seen = {node.status for node in tree.nodes}
    notes = tuple(note for status, note in NODE_NOTES.items() if status in seen)
    name = f"{tree.stated.puzzle.name}: branch and bound by {tree.solver}"
    return Drawing(name, Tree(nodes), notes)


def _branch(tree: SearchTree, number: int) -> Branch:
    """Return one node as it is drawn."""
    node, board = tree.nodes[number], None
    if node.x is not None:
        drawn = draw_shares(tree.stated, node.x).board
        board = drawn if isinstance(drawn, Grid | Graph) else None
    solved = tree.numbers[number]
    head = f"node {solved}" if solved is not None else "not solved"
    words = [] if solved is None and node.status == "open" else [_describe_outcome(node)]
    bound = tree.value_of(node.bound)
    if bound is not None and node.status != "open":
        greatest = tree.objective.startswith("greatest")
        at = "value" if node.status == "solution" else "at most" if greatest else "at least"
        words.append(f"{at} {bound:g}")
    fill = NODE_NOTES[node.status].fill if node.status in NODE_NOTES else ""
    keep = node.status == "solution"
    return Branch(node.parent, tree.links[number], head, tuple(words), fill, board, keep)


def _describe_outcome(node: SearchNode) -> str:
    if node.status != "branched" or node.x is None:
        return {"bound": "pruned by bound", "open": "left open"}.get(node.status, node.status)
    return f"{len(fractional_columns(node.x))} columns fractional"


def draw_values(
    prepared: Prepared, fills: Mapping[Pair, str], hidden: Collection[Pair], title: str, notes: Iterable[Note]
) -> Drawing:
    """Return the board with every value of a cell in its fill; as text, with those that are not hidden."""
    problem, puzzle = prepared.problem, prepared.puzzle
    values: dict[int, list[Pair]] = {}
    for pair in fills:
        values.setdefault(pair[0], []).append(pair)
    squares = {
        v: Square(
            ",".join(problem.written(a, v) for v, a in pairs if (v, a) not in hidden),
            candidates=tuple((problem.written(a, v), fills[v, a]) for v, a in pairs),
        )
        for v, pairs in values.items()
    }
    drawing = draw_squares(prepared.family.draw(puzzle, None), squares, keep_lines=True)
    return drawing._replace(title=f"{puzzle.name}: {title}", notes=tuple(notes))


def percent(y: float) -> str:
    """Return a share in whole per cent; never 0 % or 100 % unless it is exactly that."""
    return f"{min(max(round(100 * y), 1), 99) if y < 1 - INTEGER_TOLERANCE else 100}%"
