"""Make new puzzles whose solution is known, and unique on request."""

from milp_pips.generation.request import families, family_named
from milp_pips.generation.stream import Made, generate

__all__ = ["Made", "families", "family_named", "generate"]
