"""A certificate that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

import milp_pips

SQUARE = Path(__file__).parents[2] / "examples" / "pips" / "square.txt"


@pytest.fixture(scope="session")
def proved(tmp_path_factory):
    """The certificate of a puzzle with four solutions: a list, or a count."""
    puzzle = milp_pips.read(SQUARE)
    folders = {kind: tmp_path_factory.mktemp(kind) for kind in ("list", "count")}
    for kind, folder in folders.items():
        assert milp_pips.prove(puzzle, folder, kind=kind).solutions == 4
    return folders
