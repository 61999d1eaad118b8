"""Models of modelling libraries become exact linear models, number by number, or are refused by name."""

from __future__ import annotations

import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fractions import Fraction
from multiprocessing import get_context
from random import Random

import pytest
from linear_models import random_model, solutions
from modelling_libraries import BUILDERS, MODULES, essence, read_back, stated
from thoroughness import few_or_many

import milp_pips
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*PuLP 4.0:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:linopy"),
]


def number(text):
    return None if text is None else Fraction(text)


def column(name, low, high, integer, cost=0):
    return Column(name, number(low), number(high), integer, Fraction(cost))


def row(name, terms, low, high):
    return Row(name, {j: Fraction(a) for j, a in terms.items()}, number(low), number(high))


INTEGERS = (column("x", 0, 5, True, "0.1"), column("y", -3, 4, True, -2), column("z", 0, 1, True))

MODELS = {
    "decimals": Model(
        (*INTEGERS, column("zw", "-2.5", "1000000000000001", False, "1e-8")),
        (row("a", {0: "0.1", 1: 1, 3: "1e-7"}, None, "0.3"), row("b", {2: "1e6", 3: "0.7"}, "-1e15", None)),
        "maximise",
        Fraction(7),
    ),
    "sides": Model(
        (*INTEGERS, column("za", None, None, False, 3), column("zb", None, -1, False)),
        (
            row("equal", {0: 1, 3: 2}, 4, 4),
            row("range", {1: 1, 2: -1}, -1, "2.5"),
            row("least", {4: -1, 0: "0.5"}, "0.25", None),
        ),
    ),
    "whole": Model(INTEGERS, (row("a", {0: 3, 1: -2}, -1, 7), row("b", {0: 1, 1: 1, 2: 1}, None, 4))),
    "no objective": Model(
        tuple(replace(c, cost=Fraction(0)) for c in INTEGERS), (row("a", {0: 2, 1: 1}, 2, 6),)
    ),
    "no rows": Model(INTEGERS, ()),
    "fixed": Model((column("x", 3, 3, True, 1), column("y", 0, 9, True)), (row("a", {0: 1, 1: 1}, 4, None),)),
}

ALONE = ("mip",)
"""Libraries that share no process with others: python-mip and OR-Tools have two versions of CBC."""

WHOLE = ("cp_sat",)
"""Libraries that take integer columns with bounds alone."""


COMMON = ("pulp", "highspy")
"""Libraries that every run of the suite loads; CI loads them all."""


def by_library(libraries):
    """Return parameters of a test, of which all but the common libraries have the mark ``long``."""
    return [pytest.param(one, marks=() if one in COMMON else pytest.mark.long) for one in libraries]


def build(library, model):
    with warnings.catch_warnings(action="ignore"):
        pytest.importorskip(MODULES.get(library, library))
    return BUILDERS[library](model)


def read(library, *models):
    """Return what a library's statements of models are read as, in another process if it must be alone."""
    if library not in ALONE:
        return [milp_pips.linear_model(build(library, model)) for model in models]
    pytest.importorskip(MODULES.get(library, library))
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        return list(other.map(read_back, [library] * len(models), models))


@pytest.mark.filterwarnings("ignore:.*as probably written")  # Gurobi subtracts the sides of ranges
@pytest.mark.parametrize("library", by_library(BUILDERS))
def test_models_are_read_number_by_number(library):
    models = [m for m in MODELS.values() if library not in WHOLE or all(c.values for c in m.columns)]
    rng = Random(library)
    for _ in range(few_or_many(2, 300)):
        model = random_model(rng, mixed=library not in WHOLE and rng.random() < 0.5)
        names = [replace(c, name=f"x{j}") for j, c in enumerate(model.columns)]
        models.append(replace(model, columns=tuple(names)))
    for model, found in zip(models, read(library, *models), strict=True):
        assert essence(found) == essence(stated(model, library))
        if library not in ("pyomo", "scipy"):
            assert [c.name for c in found.columns] == [c.name for c in model.columns]
        assert found.shown is None


@pytest.mark.parametrize("library", by_library(sorted({*BUILDERS} - {*ALONE})))
def test_a_model_of_each_library_is_counted_and_solved(library):
    model = Model(
        tuple(column(name, 0, 2, True, cost) for name, cost in (("x", 2), ("y", 3))),
        (row("a", {0: 1, 1: 1}, 2, 3),),
    )
    given = build(library, model)
    assert milp_pips.count(given).counts == {"assignment": len(solutions(model))}
    assert milp_pips.solve(given).objective.value == 4
