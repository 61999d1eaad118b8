"""Explain why a puzzle has no solution, find the next step, and rate how hard a puzzle is."""
