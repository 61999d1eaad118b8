"""Stopping criteria, how they are combined, and the deadlines that hold them."""

from __future__ import annotations

import pytest

from milp_pips.problem.answer import Stop
from milp_pips.problem.stopping import (
    Deadline,
    EarlierDeadline,
    Request,
    SubDeadline,
    TimeLimit,
    any_of,
)


def test_a_time_limit_is_met_when_it_has_passed():
    assert TimeLimit(0.0)() is TimeLimit(-1.0)() is Stop.TIME
    assert TimeLimit(1000.0)() is TimeLimit(None)() is None


def test_a_request_is_met_once_it_is_made():
    request = Request(Stop.BEATEN)
    assert request() is None
    request.made = True
    assert request() is Stop.BEATEN


def test_any_of_states_the_first_criterion_that_is_met():
    beaten, interrupted = Request(Stop.BEATEN), Request(Stop.INTERRUPTED)
    both = any_of(beaten, interrupted)
    assert any_of()() is both() is None
    interrupted.made = True
    assert both() is Stop.INTERRUPTED
    beaten.made = True
    assert both() is Stop.BEATEN


def test_a_criterion_ends_a_part_and_not_the_whole():
    whole = Deadline(1000.0)
    assert SubDeadline(whole, None, TimeLimit(0.0)).stop is Stop.TIME
    part = SubDeadline(whole, 10.0, TimeLimit(1000.0))
    assert (part.stop, whole.stop) == (None, None)
    assert part.remaining < 11 < whole.remaining
    part.end()
    assert (part.stop, whole.stop) == (Stop.BEATEN, None)
    part.interrupt()
    assert part.interrupted
    assert part.stop is whole.stop is EarlierDeadline(whole, 0.5).stop is Stop.INTERRUPTED


def test_the_progress_of_a_part_is_that_of_the_whole():
    lines = []
    part = SubDeadline(whole := Deadline())
    part.progress.report("nobody hears it")
    whole.progress.listener = lines.append
    part.progress.report("a line")
    part.progress.report_sometimes(lambda: pytest.fail("it is too early for another one"))
    assert lines == ["a line"]
