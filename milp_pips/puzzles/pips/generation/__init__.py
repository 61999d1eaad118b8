"""New Pips puzzles: what one can ask for, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping

from milp_pips.puzzles.family import Format
from milp_pips.puzzles.pips import text, times
from milp_pips.puzzles.pips.generation.request import maker, options

__all__ = ["formats", "maker", "options"]

formats: Mapping[str, Format] = {
    "text": Format(".txt", text.write, with_solution=False),
    "times": Format(".json", times.write, with_solution=True),
}
