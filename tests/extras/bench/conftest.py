"""What tests of the report share."""

from __future__ import annotations

import pytest


@pytest.fixture
def empty_plots(monkeypatch):
    """Draw nothing, for tests that read only what the page says: drawing takes most of its time."""
    from milp_pips.extras.bench.report import chapter

    monkeypatch.setattr(chapter.plots, "to_svg", lambda *_: "<svg></svg>")
    monkeypatch.setattr(chapter.plots, "head_to_head", lambda *_: None)
    monkeypatch.setattr(chapter.Chapter, "_figures", lambda *_: ())


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch):
    """Let no other program take a core, whatever runs beside the tests."""
    from milp_pips.extras.bench import measurement

    monkeypatch.setattr(measurement, "core_load", lambda: measurement.CoreLoad(0.0, 2))
