"""What tests of the report share."""

from __future__ import annotations

import pytest


@pytest.fixture
def empty_plots(monkeypatch):
    """Draw nothing, for tests that read only what the page says: drawing takes most of its time."""
    monkeypatch.setattr("milp_pips.extras.bench.report.plots.to_svg", lambda *_: "<svg></svg>")


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch):
    """Let no other program take a core, whatever runs beside the tests."""
    from milp_pips.extras.bench import measurement

    monkeypatch.setattr(measurement, "core_load", lambda: measurement.CoreLoad(0.0, 2))
