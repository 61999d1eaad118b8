"""All solutions of a puzzle, one after another, and whether the list is complete."""

from milp_pips.enumeration.enumerate import METHODS, Enumeration, solutions
from milp_pips.enumeration.summary import Summary

__all__ = ["METHODS", "Enumeration", "Summary", "solutions"]
