"""Formulations of a problem: as a 0-1 model, as a CNF formula and as a MiniZinc model."""
