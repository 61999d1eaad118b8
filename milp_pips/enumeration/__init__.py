"""All solutions of a puzzle, one after another, and whether the list is complete."""

from milp_pips.enumeration.enumerate import METHODS, Enumeration, Summary, solutions

__all__ = ["METHODS", "Enumeration", "Summary", "solutions"]
