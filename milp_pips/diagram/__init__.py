"""Decision diagrams: every solution of a problem as a path, to be counted, walked and drawn at random."""

from milp_pips.diagram.budget import (
    DEFAULT,
    GENERATING,
    RECOUNTING,
    REFINING,
    Budget,
    Unfinished,
    Unsupported,
)
from milp_pips.diagram.compile import compile_diagram, compile_narrow, compile_restricted
from milp_pips.diagram.diagram import Diagram
from milp_pips.diagram.projection import project

__all__ = [
    "DEFAULT",
    "GENERATING",
    "RECOUNTING",
    "REFINING",
    "Budget",
    "Diagram",
    "Unfinished",
    "Unsupported",
    "compile_diagram",
    "compile_narrow",
    "compile_restricted",
    "project",
]
