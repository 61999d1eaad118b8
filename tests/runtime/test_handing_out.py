"""The items that an interruptible call yields while it works: in order, in time, and to the end."""

from __future__ import annotations

from threading import Event

import pytest

from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.interruptible import MAX_BUFFERED_ITEMS, yield_interruptibly


def no_cancel() -> None:
    """Leave the work alone: it ends by itself."""


def test_everything_comes_in_order():
    def work(hand_out):
        for item in range(3 * MAX_BUFFERED_ITEMS):
            assert hand_out(item)

    assert list(yield_interruptibly(work, Deadline(), no_cancel)) == list(range(3 * MAX_BUFFERED_ITEMS))


def test_an_item_comes_while_the_work_goes_on():
    seen = Event()

    def work(hand_out):
        hand_out("first")
        assert seen.wait(30)
        hand_out("last")

    items = yield_interruptibly(work, Deadline(), no_cancel)
    assert next(items) == "first"
    seen.set()
    assert list(items) == ["last"]


def test_a_failure_comes_after_what_was_handed_out():
    def work(hand_out):
        hand_out(1)
        raise ValueError("broken")

    items = yield_interruptibly(work, Deadline(), no_cancel)
    assert next(items) == 1
    with pytest.raises(ValueError, match="broken"):
        next(items)


def test_work_learns_that_its_items_are_not_needed():
    told, cancelled = Event(), Event()

    def work(hand_out):
        while hand_out(0):
            pass
        told.set()

    items = yield_interruptibly(work, Deadline(), cancelled.set)
    next(items)
    items.close()
    assert cancelled.is_set()
    assert told.wait(30)
