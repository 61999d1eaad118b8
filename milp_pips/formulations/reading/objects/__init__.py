"""Models of modelling libraries as exact linear models. What a linear model cannot state is refused by name.

Each library has a file beside this one, which is imported for an object of that library alone; and no file
imports a library that the object is not of.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from milp_pips.formulations.model import Model
from milp_pips.problem.fields import shown

READERS_OF_OBJECTS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "pulp": (("LpProblem",), "pulp", "from_pulp"),
    "pyomo": (("BlockData",), "pyomo", "from_pyomo"),
    "highspy": (("Highs",), "highspy", "from_highspy"),
    "linopy": (("Model",), "linopy", "from_linopy"),
    "ortools.math_opt": (("Model",), "math_opt", "from_math_opt"),
    "ortools.linear_solver": (("Solver", "Model"), "linear_solver", "from_linear_solver"),
    "ortools.sat": (("CpModel",), "cp_sat", "from_cp_sat"),
    "cvxpy": (("Problem",), "cvxpy", "from_cvxpy"),
    "mip": (("Model",), "mip", "from_mip"),
    "pyscipopt": (("Model",), "pyscipopt", "from_pyscipopt"),
    "gurobipy": (("Model",), "gurobipy", "from_gurobipy"),
    "docplex": (("Model",), "docplex", "from_docplex"),
    "cpmpy": (("Model",), "cpmpy", "from_cpmpy"),
    "builtins": (("dict",), "scipy", "from_milp"),
}
"""By module of an object's class: the classes of models, and the file and the function that read them."""

TAKEN_MODELS = (
    "models of PuLP, Pyomo, highspy, linopy, OR-Tools (MathOpt, pywraplp, ModelBuilder, CpModel), CVXPY, "
    "python-mip, PySCIPOpt, gurobipy, docplex and CPMpy, and the arguments of SciPy's milp as a dict"
)
"""What is taken, for messages."""


def linear_model(given: object) -> Model:
    """Return a model of a modelling library as a linear model, with exact numbers.

    ``READERS_OF_OBJECTS`` has the libraries. Of SciPy, the arguments of ``milp`` are taken as a dictionary.
    A model that was read from a file has its own.

    Raises TypeError for anything else, and UsageError for what a linear model cannot state.
    """
    if (found := model_of(given)) is None:
        if isinstance(read := getattr(given, "model", None), Model):
            return read
        raise TypeError(
            f"linear_model takes {TAKEN_MODELS}, not {shown(given)}; write it as MPS and read that"
        )
    return found


def model_of(model: object) -> Model | None:
    """Return a model of a library as a linear model; None if it is none.

    Raises UsageError for what a linear model cannot state, and TypeError for another object of a library.
    """
    if isinstance(model, Model):
        from milp_pips.formulations.reading.objects.draft import exactly

        return exactly(model)
    if isinstance(model, dict) and "c" not in model:
        return None
    is_of_library = False
    for kind in type(model).__mro__:
        for module, (classes, file, function) in READERS_OF_OBJECTS.items():
            if not f"{kind.__module__}.".startswith(f"{module}."):
                continue
            is_of_library |= module != "builtins"
            if kind.__name__ in classes:
                return cast("Model", getattr(import_module(f"{__name__}.{file}"), function)(model))
    if is_of_library:
        raise TypeError(
            f"{shown(model)} is no model; {TAKEN_MODELS} are taken; or write it as MPS and read that"
        )
    return None
