"""A certificate that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

import milp_pips

SEVERAL = Path(__file__).parents[2] / "examples" / "pips" / "several.txt"


@pytest.fixture(scope="session")
def proved(tmp_path_factory):
    """The certificate of a puzzle with 56 solutions: a list, or a count."""
    puzzle = milp_pips.read(SEVERAL)
    folders = {kind: tmp_path_factory.mktemp(kind) for kind in ("list", "count")}
    for kind, folder in folders.items():
        assert milp_pips.prove(puzzle, folder, kind=kind).solutions == 56
    return folders
