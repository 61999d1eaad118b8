"""The results of the lab as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from milp_pips.extras.lab.filter_trace import FilterStep, FilterTrace
from milp_pips.extras.lab.puzzle_model import INTEGER_TOLERANCE
from milp_pips.extras.lab.relax import Relaxation
from milp_pips.extras.lab.relax_model import ModelRelaxation
from milp_pips.extras.lab.search_tree import SearchTree
from milp_pips.extras.lab.strength import FormulationStrength, Strength
from milp_pips.extras.lab.views.svg import draw_row_prices, percent
from milp_pips.problem.answer import MAXIMISE, Stop
from milp_pips.problem.errors import UsageError, visible
from milp_pips.render.vocabulary import Drawing
from milp_pips.views.json import record
from milp_pips.views.text import parts as parts
from milp_pips.views.text import summary


@record.register(Relaxation)
@record.register(ModelRelaxation)
@record.register(FilterTrace)
@record.register(SearchTree)
@record.register(Strength)
def _(found: Relaxation | ModelRelaxation | FilterTrace | SearchTree | Strength) -> dict[str, Any]:
    """Raise UsageError: these are for looking at."""
    raise UsageError(f"a {type(found).__name__} has no form as JSON; its attributes have its data")


BAR = 20
"""The characters of a bar that stands for 100 %."""


@parts.register(Relaxation)
def _(relaxation: Relaxation) -> Iterator[str | Drawing]:
    """Yield a sentence, the board, and one line for each fractional cell or edge."""
    stated = relaxation.stated
    with_fixed = f" with {', '.join(relaxation.fixed)}" if relaxation.fixed else ""
    formulation = f" ({stated.model.formulation})" if stated.model.formulation else ""
    who = f"{stated.puzzle.name}{with_fixed}: the relaxation{formulation}"
    if relaxation.x is None:
        stop = relaxation.stop
        yield f"{who} {'has no point' if stop is Stop.FINISHED else f'was not solved; stop: {stop}'}"
        return
    yield relaxation.drawing()
    fractional = {name: taken for name, taken in relaxation.values.items() if len(taken) > 1}
    if relaxation.status == "integral":
        yield f"{who} has an integral vertex: a solution"
    else:
        yield f"{who} has a vertex with {len(fractional)} fractional cells of {len(relaxation.values)}"
    edges = {"─".join(names): y for names, y in relaxation.edge_prices.items()}
    for name, prices in (relaxation.cell_prices | ({"edges": edges} if edges else {})).items():
        words = ", ".join(f"{what} costs {y:.4g}" for what, y in prices.items())
        yield from textwrap.wrap(f"{name}: {words}", 110, subsequent_indent="  ")
    for name, taken in fractional.items():
        written = partial(stated.problem.written, v=stated.variable(name))
        yield f"{name}: " + ", ".join(f"{written(a)} {percent(y)}" for a, y in taken.items())
    for (one, other), laid in relaxation.dominoes.items():
        if max(laid.values()) < 1 - INTEGER_TOLERANCE:
            shares = ", ".join(f"{a}-{b} {percent(y)}" for (a, b), y in laid.items())
            yield f"{one}─{other}: {shares}"


def dual_parts(relaxation: Relaxation) -> Iterator[str | Drawing]:
    """Yield the board with the prices of cells, and a table whose last column adds up to the bound.

    Raises UsageError without an objective, or if the relaxation has no vertex.
    """
    yield draw_row_prices(relaxation)
    rows, bound = relaxation.priced_rows, relaxation.bound or 0.0
    width = max([len("columns at 1"), *(len(row.name) for row in rows)])
    yield f"{'row':{width}}  {'side':>8}  {'price':>8}  side × price"
    for row in rows:
        yield f"{row.name:{width}}  {row.side:8.4g}  {row.price:8.4g}  {row.side * row.price:12.4g}"
    objective = relaxation.stated.problem.objective
    constant = 0.0 if objective is None else objective.constant / objective.scale
    rest = bound - constant - sum(row.side * row.price for row in rows)
    for what, y in (("constant", constant), ("columns at 1", rest)):
        if abs(y) > INTEGER_TOLERANCE:
            yield f"{what:{width}}  {'':8}  {'':8}  {y:12.4g}"
    yield f"{'the bound':{width}}  {'':8}  {'':8}  {bound:12.4g}"


@parts.register(ModelRelaxation)
def _(relaxation: ModelRelaxation) -> Iterator[str]:
    """Yield a sentence, then a line for each column and each row."""
    if relaxation.bound is None:
        ends = {"infeasible": "has no point", "unbounded": "has no bound: its objective grows for ever"}
        ended = ends.get(relaxation.status, f"was not solved; stop: {relaxation.stop}")
        yield f"{relaxation.model.name}: the relaxation {ended}"
        return
    fractional = sum(column.is_fractional for column in relaxation.columns)
    most = "most" if relaxation.model.sense == MAXIMISE else "least"
    yield (
        f"{relaxation.model.name}: the objective is at {most} {relaxation.bound:g}; "
        f"{fractional} of {len(relaxation.columns)} columns are fractional"
    )
    columns = [("column", "value", "reduced cost")]
    columns += [
        (visible(one.name), f"{one.value:.6g}", f"{one.reduced_cost:.6g}") for one in relaxation.columns
    ]
    rows = [("row", "sum", "price")]
    rows += [(visible(one.name), f"{one.activity:.6g}", f"{one.price:.6g}") for one in relaxation.rows]
    width = max(len(name) for name, _, _ in columns + rows)
    for name, y, price in columns + rows:
        yield f"{name:{width}}  {y:>10}  {price:>12}"


@parts.register(FilterTrace)
def _(trace: FilterTrace) -> Iterator[str | Drawing]:
    """Yield the lines and the board to print: the steps, the remaining values, and the comparison."""
    for number, step in enumerate(trace.steps, 1):
        yield from textwrap.wrap(f"{number:3} {step}", 110, subsequent_indent="      ")
    if trace.refutation:
        yield f"    no solution: {trace.refutation}"
    else:
        yield trace.drawing()
    yield trace.summary()


@summary.register(FilterStep)
def _(step: FilterStep) -> str:
    cells = [f"{name} ≠ {', '.join(values)}" for name, values in step.values.items()]
    told = [*cells, *(f"no {pair}" for pair in step.edges)]
    return f"{step.rule or 'a rule'}: {'; '.join(told)}"


@summary.register(FilterTrace)
def _(trace: FilterTrace) -> str:
    """Return one line that compares filtering and the relaxation."""
    name = trace.stated.puzzle.name
    if trace.stop is not Stop.FINISHED:
        return f"{name}: {len(trace.steps)} steps; the relaxation was not compared; stop: {trace.stop}"
    both, whole = len(trace.taken & trace.excluded), len(trace.impossible)
    formulation = trace.stated.model.formulation
    relaxation = f"the relaxation ({formulation})" if formulation else "the relaxation"
    return (
        f"{name}: of {whole} values that no solution has, filtering takes {len(trace.taken)}, "
        f"{relaxation} excludes {len(trace.excluded)}: both {both}, "
        f"neither {len(trace.impossible - trace.taken - trace.excluded)}"
    )


@summary.register(Strength)
def _(strength: Strength) -> str:
    """Return one line with the number of values that each formulation excludes."""
    excluded = (f"{one.formulation} {one.excluded}" for one in strength.formulations)
    whole = len(strength.impossible)
    return (
        f"{strength.puzzle.name}: of {whole} values that no solution has, excluded by {', '.join(excluded)}"
    )


@parts.register(Strength)
def _(strength: Strength) -> Iterable[str]:
    lines = _lines(strength.puzzle.name, len(strength.impossible), strength.filtered, strength.formulations)
    return [*lines, *(f"{name} is left out: {why}" for name, why in strength.left_out.items())]


def total(measured: Sequence[Strength]) -> list[str]:
    """Return the lines of a table that adds up several puzzles; empty if they share no formulations."""
    names = [[one.formulation for one in found.formulations] for found in measured]
    if len(measured) < 2 or any(names[0] != others for others in names):
        return []
    impossible = sum(len(found.impossible) for found in measured)
    filtered = sum(found.filtered for found in measured)
    rows = zip(*(found.formulations for found in measured), strict=True)
    return _lines(f"all {len(measured)}", impossible, filtered, [_added(row) for row in rows])


def _added(row: Sequence[FormulationStrength]) -> FormulationStrength:
    """Return the strength of one formulation over several puzzles together."""
    roots = [one.admitted_by_root for one in row]
    by_root = None if None in roots else tuple(pair for root in roots for pair in root or ())
    return FormulationStrength(
        row[0].formulation,
        sum(one.impossible for one in row),
        tuple(pair for one in row for pair in one.admitted),
        by_root,
        {name: sum(one.size.get(name, 0) for one in row) for name in ("columns", "rows", "nonzeros")},
        sum(one.seconds for one in row),
    )


def _lines(
    name: str, impossible: int, filtered: int, formulations: Sequence[FormulationStrength]
) -> list[str]:
    whole = f"of {impossible} values of cells that no solution has"
    lines = [f"{name}: {whole}, these are excluded"]
    names = [one.formulation or "as stated" for one in formulations]  # a model has one formulation
    room = max(map(len, ["formulation", *names]))
    root = any(one.admitted_by_root is not None for one in formulations)
    head = f"{'formulation':{room}}  {'':{BAR}}        share" + "   root" * root
    lines.append(head + "  columns   rows  nonzeros")
    for name, one in zip(names, formulations, strict=True):
        by_root = one.excluded_by_root
        lines.append(
            f"{name:{room}}  {_bar(one.excluded, impossible)} {one.excluded:5} "
            f"{_percent(one.excluded, impossible)}"
            + (f" {_percent(by_root, impossible)}" if by_root is not None else "")
            + "".join(
                f"{one.size.get(what, 0):{wide}}"
                for what, wide in (("columns", 9), ("rows", 7), ("nonzeros", 10))
            )
            + f"  {one.seconds:.3f} s"
        )
    lines.append(
        f"{'filtering':{room}}  {_bar(filtered, impossible)} {filtered:5} {_percent(filtered, impossible)}"
    )
    return [line.rstrip() for line in lines]


def _bar(part: int, whole: int) -> str:
    full = round(BAR * part / whole) if whole else 0
    return "█" * full + "░" * (BAR - full)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f}%" if whole else "     -"


@parts.register(SearchTree)
def _(tree: SearchTree) -> Iterable[str | Drawing]:
    return [tree.drawing(), tree.summary()]


@summary.register(SearchTree)
def _(tree: SearchTree) -> str:
    how = ", ".join(filter(None, [tree.stated.model.formulation, tree.rule, tree.order]))
    solved = sum(number is not None for number in tree.numbers)
    told = f"{solved} node{'' if solved == 1 else 's'} by {tree.solver} ({how}), {tree.seconds:.3f} s"
    what = {
        "solved": "solved",
        "optimal": f"{tree.objective}: {tree.value}",
        "infeasible": "no solution",
        "unknown": f"not finished; stop: {tree.stop}",
    }[tree.status]
    if tree.status == "unknown" and tree.stop is Stop.FINISHED:
        what = "no solution was found, but nothing has confirmed that there is none"
    by = f"; confirmed by {tree.confirmed_by}" if tree.confirmed_by else ""
    return f"{tree.stated.puzzle.name}: {what}; {told}{by}"
