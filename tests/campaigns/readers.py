"""Model files: written by libraries and read back; with changed parts; with all freedoms, against SCIP."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from math import inf
from pathlib import Path

import agreement
from corrupted_files import corrupt_text
from frame import Case, Failure
from model_files import lp_text, mps_text, random_model
from modelling_libraries import to_linopy, to_pyscipopt

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading import read_model
from milp_pips.formulations.reading.lines import ReadingNote
from milp_pips.formulations.rows import Column, Row, limits
from milp_pips.formulations.writing import to_highspy, to_pulp, to_pyomo
from milp_pips.formulations.writing_files import to_lp, to_mps
from milp_pips.problem.errors import InputError

LIMIT = 60
GOAL = "models written by libraries", 1_000
prepare = agreement.prepare

CHANGES, SLOW = 10, 1.0
"""The changed files of a case, and the seconds that none may take."""


def run(case: Case) -> None:
    """Write a model by every library and read it back; change files; compare free ones with SCIP."""
    model = random_model(case.random)
    case.note(repr(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        needed = _needed(model)
        for name, write in WRITERS.items():
            if find_spec(name) is not None and (needed.columns or write is _own):
                _compare(case, name, model if write is _own else needed, write)
        case.counts["models written by libraries"] += 1
        for ending in ("mps", "lp"):
            for _ in range(CHANGES):
                _change(case, ending)
            _against_scip(case, ending)


# Written by libraries

Written = tuple[str, str, Model]
"""The text of a file, its ending, and the model that it states."""


def _compare(case: Case, name: str, model: Model, write: Callable[[Model, Path], list[Written]]) -> None:
    for text, ending, expected in write(model, case.folder):
        try:
            found = read_model(text, f"x.{ending}")
        except InputError as error:
            raise Failure(f"{name}: refused with {error}", text=text, model=repr(model)) from error
        if _plain(found) != _plain(expected):
            raise Failure(f"{name}, {ending}: another model", text=text, found=found, expected=expected)
        case.counts[f"files by {name}, {ending}"] += 1


def _plain(model: Model) -> tuple[object, ...]:
    """Return what a model states, by the names of columns, without the names of rows, free and empty rows."""
    names = [column.name for column in model.columns]
    one = next((column for column in model.columns if column.name == "ONE_VAR_CONSTANT"), None)
    if one:  # Pyomo's way to write a constant of the objective
        kept = tuple(row for row in model.rows if names.index(one.name) not in row.terms)
        constant = model.constant + one.cost
        model = replace(
            _without(replace(model, rows=kept), [c is one for c in model.columns]), constant=constant
        )
        names.remove(one.name)
    rows = sorted(
        (
            (tuple(sorted((names[j], a) for j, a in row.terms.items() if a)), row.low, row.high)
            for row in _single(model.rows)
            if any(row.terms.values())
        ),
        key=repr,
    )
    return sorted(model.columns, key=lambda column: column.name), rows, model.sense, model.constant


def _single(rows: tuple[Row, ...]) -> list[Row]:
    """Return the rows with one for each of two different sides, since many writers do so."""
    found = []
    for row in rows:
        if row.low is not None and row.low == row.high:
            found.append(row)
        else:
            found += [replace(row, high=None)] if row.low is not None else []
            found += [replace(row, low=None)] if row.high is not None else []
    return found


def _renamed(model: Model, rename: Callable[[str], str]) -> Model:
    return replace(model, columns=tuple(replace(c, name=rename(c.name)) for c in model.columns))


def _own(model: Model, _folder: Path) -> list[Written]:
    return [(to_mps(model), "mps", model), (to_lp(model), "lp", model)]


def _pulp(model: Model, folder: Path) -> list[Written]:
    problem, found = to_pulp(model), []
    without = replace(model, constant=Fraction(0))  # PuLP writes none
    for ending, write in (("mps", problem.writeMPS), ("lp", problem.writeLP)):
        write(str(folder / f"pulp.{ending}"))
        found.append(((folder / f"pulp.{ending}").read_text(), ending, without))
    problem.writeMPS(str(folder / "sense.mps"), with_objsense=True)
    return [*found, ((folder / "sense.mps").read_text(), "mps", without)]


def _pyomo(model: Model, folder: Path) -> list[Written]:
    concrete, found = to_pyomo(model), []
    expected = _renamed(model, lambda name: f"x({name})")
    for ending in ("mps", "lp"):
        concrete.write(str(folder / f"pyomo.{ending}"), io_options={"symbolic_solver_labels": True})
        text = (folder / f"pyomo.{ending}").read_text()
        found.append((text, ending, _used(expected, text)))
    return found


def _needed(model: Model) -> Model:
    """Return the model without columns of no cost in no row: writers forget them or make them integer."""
    used = {j for row in model.rows for j in row.terms}
    return _without(model, [not column.cost and j not in used for j, column in enumerate(model.columns)])


def _used(model: Model, text: str) -> Model:
    """Return the model without the columns that a writer leaves out because they are in no row."""
    return _without(model, [column.name not in text for column in model.columns])


def _without(model: Model, dropped: list[bool]) -> Model:
    kept = [j for j, drop in enumerate(dropped) if not drop]
    places = {j: place for place, j in enumerate(kept)}
    rows = tuple(replace(r, terms={places[j]: a for j, a in r.terms.items()}) for r in model.rows)
    return replace(model, columns=tuple(model.columns[j] for j in kept), rows=rows)


def _highspy(model: Model, folder: Path) -> list[Written]:
    found = []
    for ending in ("mps", "lp"):
        to_highspy(model).writeModel(str(folder / f"highs.{ending}"))
        whole = replace(model, columns=tuple(map(_whole, model.columns)))
        found.append(((folder / f"highs.{ending}").read_text(), ending, whole))
    return found


def _scip(model: Model, folder: Path) -> list[Written]:
    scip, found = to_pyscipopt(model), []
    for ending in ("mps", "lp"):
        scip.writeProblem(str(folder / f"scip.{ending}"), verbose=False)
        found.append(((folder / f"scip.{ending}").read_text(), ending, model))
    return found


def _linopy(model: Model, folder: Path) -> list[Written]:
    whole, found = to_linopy(model), []
    expected = _renamed(model, {c.name: f"x{j}" for j, c in enumerate(model.columns)}.__getitem__)
    for ending in ("mps", "lp"):
        whole.to_file(folder / f"linopy.{ending}")
        text = (folder / f"linopy.{ending}").read_text()
        found.append((text, ending, replace(_used(expected, text), constant=Fraction(0))))
    return found


WRITERS: dict[str, Callable[[Model, Path], list[Written]]] = {
    "milp_pips": _own,
    "pulp": _pulp,
    "pyomo": _pyomo,
    "highspy": _highspy,
    "pyscipopt": _scip,
    "linopy": _linopy,
}


def _whole(column: Column) -> Column:
    """Return a column as HiGHS gets it: the bounds of an integer one are whole."""
    low, high = (None if abs(end) == inf else Fraction(end) for end in limits(column))
    return replace(column, low=low, high=high) if column.integer else column


# Changed parts


def _change(case: Case, ending: str) -> None:
    """Change a few parts of a valid file: it is read, or refused in one line, in little time."""
    rng = case.random
    model = random_model(rng)
    changed = corrupt_text(mps_text(model, rng) if ending == "mps" else lp_text(model, rng), rng)
    case.note(changed)
    begun = time.process_time()
    try:
        read_model(changed, f"x.{ending}")
        case.counts[f"changed {ending} files read"] += 1
    except InputError as error:
        said = str(error)
        if not said.isprintable() or len(said) > 1500 or not said.startswith(f"x.{ending}:"):
            raise Failure(f"refused with {said!r}", text=changed) from error
        case.counts[f"changed {ending} files refused"] += 1
    except Exception as error:
        raise Failure(f"{error!r}", text=changed) from error
    spent = time.process_time() - begun
    case.measures["seconds of a changed file"].append(spent)
    if spent > SLOW:
        raise Failure(f"{spent:.1f} s", text=changed)


# Against SCIP


def _against_scip(case: Case, ending: str) -> None:
    """Write a model with the freedom that a format gives; our reader and SCIP's agree on its optimum."""
    if find_spec("pyscipopt") is None:
        return
    import pyscipopt

    rng = case.random
    model = random_model(rng, bounded=True)
    text = mps_text(model, rng, for_scip=True) if ending == "mps" else lp_text(model, rng, for_scip=True)
    path = case.folder / f"free.{ending}"
    case.folder.mkdir(exist_ok=True)
    path.write_text(text)
    case.note(text)
    scip = pyscipopt.Model()
    scip.hideOutput()
    try:
        scip.readProblem(str(path))
    except OSError as error:
        raise Failure(f"{ending}: SCIP refuses a file", text=text) from error
    scip.optimize()
    theirs = scip.getObjVal() if scip.getNSols() else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingNote)
        found = read_model(text, path.name)
    if _plain(found) != _plain(model):
        raise Failure(f"{ending}: another model than the one written", text=text, found=found, expected=model)
    highs = to_highspy(found)
    highs.run()
    ours = (
        highs.getObjectiveValue() if highs.modelStatusToString(highs.getModelStatus()) == "Optimal" else None
    )
    if (theirs is None) != (ours is None) or (
        theirs is not None and abs(theirs - (ours or 0)) > 1e-6 * (1 + abs(theirs))
    ):
        raise Failure(f"{ending}: SCIP {theirs}, we {ours}", text=text, found=found)
    case.counts[f"{ending} files with SCIP's optimum"] += 1
    case.counts[f"{ending} files without a solution"] += theirs is None
