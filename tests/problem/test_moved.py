"""Import paths of version 0.1 that plugins may use: they work, and warn."""

from __future__ import annotations

import importlib
import re
import warnings
from pathlib import Path

import pytest

import milp_pips
from milp_pips.problem.moved import MOVED_MODULES, MOVED_NAMES, MOVED_PUBLIC

DOCUMENT = Path(__file__).parents[2] / "docs" / "stability.md"


@pytest.mark.parametrize(
    "module, name, now",
    [
        ("milp_pips.problem", "LinearSum", "milp_pips.constraints"),
        ("milp_pips.solvers.mip", "MipSolver", "milp_pips.engines.mip"),
        ("milp_pips.drawing", "to_svg", "milp_pips.render.svg"),
        ("milp_pips.puzzles.family", "Puzzle", "milp_pips.puzzles.puzzle"),
        ("milp_pips.puzzles.family", "Option", "milp_pips.extras.generate.contract"),
    ],
)
def test_an_old_path_works_and_warns(module, name, now):
    old = importlib.import_module(module)
    with pytest.warns(DeprecationWarning, match=re.escape(f"{module}.{name} is now {now}.{name}")):
        found = getattr(old, name)
    assert found is getattr(importlib.import_module(now), name)


@pytest.mark.parametrize("name", MOVED_NAMES)
def test_an_old_name_works_and_warns(name):
    new = MOVED_NAMES[name]
    assert f"| `{name}` | `{new}` |" in DOCUMENT.read_text(encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for old in MOVED_MODULES:
            getattr(importlib.import_module(old), name, None)
    messages = [str(warning.message) for warning in caught if warning.category is DeprecationWarning]
    assert messages
    assert all(message.endswith(f".{new}") for message in messages)


def test_a_name_that_never_was_is_no_attribute():
    with pytest.raises(AttributeError, match=r"'milp_pips\.watch' has no attribute 'Clock'"):
        importlib.import_module("milp_pips.watch").Clock  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("milp_pips.clock")


def test_every_place_in_the_table_exists_and_is_in_the_document():
    text = DOCUMENT.read_text(encoding="utf-8")
    for old, modules in MOVED_MODULES.items():
        places = ", ".join(f"`milp_pips.{module}`" for module in modules)
        assert f"| `{old}` | {places} |" in text
        for module in modules:
            importlib.import_module(f"milp_pips.{module}")


def test_the_public_modules_exist():
    table = DOCUMENT.read_text(encoding="utf-8").split("## Where modules went")[0]
    public = re.findall(r"`(milp_pips[\w.]*)`(?=.*\|$)", table.split("|---|---|")[1], re.MULTILINE)
    assert "milp_pips.engines.contract" in public
    for module in public:
        if module != "milp_pips.__all__":
            importlib.import_module(module)


PUZZLE = milp_pips.read(Path(__file__).parents[2] / "examples" / "pips" / "several.txt")


@pytest.mark.parametrize("name", MOVED_PUBLIC)
def test_an_old_public_name_works_and_warns(name):
    assert f"`milp_pips.{name}" in DOCUMENT.read_text(encoding="utf-8")
    with pytest.warns(DeprecationWarning, match=rf"milp_pips\.{name} is now milp_pips\."):
        assert callable(getattr(milp_pips, name))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_version_0_1_says_of_all_solutions_is_still_understood():
    problem = milp_pips.state(PUZZLE)
    diagram = milp_pips.compile_diagram(problem)
    assert isinstance(diagram, milp_pips.Diagram)
    assert diagram.count == len(list(diagram.assignments())) == 56
    assert milp_pips.project(diagram, problem.keys["grid"]).count == 56
    assert milp_pips.solution_space(PUZZLE, distinct="grid").count == 56


def test_counts_by_name_are_also_found_by_the_position_of_the_variable():
    marginals, problem = milp_pips.compile(PUZZLE).marginals(), milp_pips.state(PUZZLE)
    with pytest.warns(DeprecationWarning, match="by the variable's name, not its position 0"):
        assert marginals[0] == marginals[problem.variables[0].name]
    with pytest.raises(KeyError):
        marginals["no such cell"]
