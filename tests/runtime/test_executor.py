"""Calls in processes of their own: values, items, errors, limits, and how a process dies."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import closing

import pytest
from waiting import WAIT_LIMIT, act_when, expire

from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.executor import OwnProcess, Threads, completed_calls
from milp_pips.runtime.interruptible import CALL_POLL, Limits
from milp_pips.runtime.worker import send_item


def add(a, b, deadline):
    return a + b, os.getpid()


def echo(deadline):
    """Return what the call can read and has printed."""
    print("a line of the engine")
    return sys.stdin.read()


def refuse(deadline):
    raise UsageError("not this one")


def crash(deadline):
    raise RuntimeError("last words")


def make_a_function(deadline):
    return lambda: None


def die(deadline):
    os.kill(os.getpid(), signal.SIGKILL)


def count_to(number, deadline):
    for item in range(number):
        send_item(item)
    return number


def talk_without_end(deadline):
    while True:
        send_item("x" * 1000)


def sleep_briefly(seconds, deadline):
    time.sleep(seconds)
    return "slept"


def sleep(note, deadline):
    open(note, "w").close()
    time.sleep(300)


def work_until_told(note, deadline):
    open(note, "w").close()
    while not deadline.stop:
        time.sleep(0.01)
    return deadline.stop


def leave_a_program_with_the_output(deadline):
    if not os.fork():
        time.sleep(300)
    os._exit(3)


@pytest.fixture(scope="module")
def process():
    """A process for calls that leave it as it was."""
    with closing(OwnProcess()) as process:
        yield process


@pytest.fixture
def own_process():
    """A process that ends with its test."""
    with closing(OwnProcess()) as process:
        yield process


def test_one_process_runs_one_call_after_another(process):
    (first, pid), (second, same) = (process.submit(add, (2, n), Limits()).value for n in (3, 4))
    assert (first, second, pid) == (5, 6, same)
    assert pid != os.getpid()


def test_what_a_call_prints_and_reads_is_no_part_of_the_replies(process):
    assert process.submit(echo, (), Limits()).value == ""
    assert process.submit(add, (1, 1), Limits()).value[0] == 2


def test_items_come_in_order_and_before_the_value(process):
    items = []
    assert process.submit(count_to, (1000,), Limits(), items.append).value == 1000
    assert items == list(range(1000))


def test_errors_of_the_package_are_raised_and_the_process_goes_on(process):
    with pytest.raises(UsageError, match="not this one"):
        process.submit(refuse, (), Limits())
    assert process.submit(add, (1, 1), Limits()).value[0] == 2


@pytest.mark.parametrize(
    ("function", "fault", "status"),
    [
        (crash, "the engine's process ended with 1: RuntimeError: last words", 1),
        (die, "the engine's process was killed by SIGKILL", -signal.SIGKILL),
        (leave_a_program_with_the_output, "the engine's process ended with 3", 3),
    ],
)
def test_the_death_of_a_process_is_an_outcome(function, fault, status, own_process):
    outcome = own_process.submit(function, (), Limits())
    assert (outcome.value, outcome.stop, outcome.fault, outcome.status) == (None, None, fault, status)
    assert own_process.submit(add, (1, 1), Limits()).fault == "its process has ended"


def test_what_cannot_be_pickled_is_a_fault(process):
    with pytest.raises(EngineFault, match="a call cannot be sent to a process of its own: "):
        process.submit(add, (lambda: None, 1), Limits())
    with pytest.raises(EngineFault, match="the engine's result cannot be pickled: "):
        process.submit(make_a_function, (), Limits())


def test_a_call_that_ignores_its_deadline_is_killed(own_process, tmp_path):
    deadline, note = Deadline(WAIT_LIMIT), tmp_path / "note"
    act_when(note.exists, lambda: expire(deadline))
    assert own_process.submit(sleep, (str(note),), Limits(deadline)).stop is Stop.TIME
    assert own_process.ended


def test_a_call_that_never_stops_sending_is_killed(own_process):
    outcome = own_process.submit(talk_without_end, (), Limits(Deadline(0.2)))
    assert (outcome.value, outcome.stop) == (None, Stop.TIME)


def test_an_interruption_reaches_the_deadline_of_the_call(process, tmp_path):
    deadline, note = Deadline(WAIT_LIMIT), tmp_path / "note"
    act_when(note.exists, deadline.interrupt)
    outcome = process.submit(work_until_told, (str(note),), Limits(deadline))
    assert (outcome.value, outcome.stop) == (Stop.INTERRUPTED, Stop.INTERRUPTED)
    assert process.submit(add, (1, 1), Limits()).value[0] == 2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_a_signal_whose_handler_is_slow_ends_the_wait_for_a_reply(own_process):
    deadline = Deadline()

    def slowly(*_):
        time.sleep(3 * CALL_POLL)
        deadline.interrupt()

    before = signal.signal(signal.SIGALRM, slowly)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        outcome = own_process.submit(sleep_briefly, (4.0,), Limits(deadline, grace=0.1))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert (outcome.value, outcome.stop) == (None, Stop.INTERRUPTED)


def test_threads_of_this_process_run_calls():
    with Threads(3) as executor:
        calls = (lambda n=n: executor.submit(add, (n, n), Limits()) for n in range(10))
        ended = [future for _, more in completed_calls(executor, calls, Deadline(), 0.1) for future in more]
        assert sorted(future.result().value[0] for future in ended) == list(range(0, 20, 2))
        with pytest.raises(UsageError, match="not this one"):
            executor.submit(refuse, (), Limits()).result()


def test_calls_that_are_given_up_hear_of_it(tmp_path):
    note = tmp_path / "note"
    with Threads(1) as executor:
        future = executor.submit(work_until_told, (str(note),), Limits())
        act_when(note.exists, executor.give_up)
        assert future.result(WAIT_LIMIT).stop is Stop.BEATEN
