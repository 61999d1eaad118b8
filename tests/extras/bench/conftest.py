"""What tests of the report share."""

from __future__ import annotations

import pytest


@pytest.fixture
def empty_plots(monkeypatch):
    """Draw nothing, for tests that read only what the page says: drawing takes most of its time."""
    monkeypatch.setattr("milp_pips.extras.bench.report.plots.to_svg", lambda *_: "<svg></svg>")
