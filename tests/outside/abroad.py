"""Honest solvers of another distribution, which are those of this package under other names."""

from __future__ import annotations

import os

from milp_pips.engines.brute import BruteSolver
from milp_pips.engines.highs import HighsSolver
from milp_pips.engines.sat import SatSolver


class Cutter(HighsSolver):
    name = "cutter"


class Assumer(SatSolver):
    name = "assumer"


class Printer(BruteSolver):
    """Prints to standard output, past Python as well."""

    name = "printer"

    def solve(self, problem, settings, deadline):
        print("solving")
        os.write(1, b"still solving\n")
        return super().solve(problem, settings, deadline)

    def points(self, problem, key, settings, deadline):
        print("listing")
        return (yield from super().points(problem, key, settings, deadline))
