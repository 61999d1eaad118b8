"""Calls in a process of their own: HiGHS and SCIP in one process may disturb each other."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")


def in_own_process(work: Callable[..., T], *arguments: object) -> T:
    """Return what a function of a module returns in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(work, *arguments).result()
