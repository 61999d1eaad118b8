"""Reasons: why a puzzle has no solution, what the next step is, how hard it is."""
