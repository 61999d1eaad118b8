"""Pyodide, which is Python for browsers: the version that static pages are made with, and how to get it."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager

from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.interruptible import run_program
from milp_pips.runtime.temporary import temporary_folder

PYODIDE_VERSION = "314.0.7"
"""The version that the tests run; ``web/package-lock.json`` has the same one."""

INTEGRITY = "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""The hash of its npm package, as npm writes it."""

FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
    "package.json",
)
"""The files of Pyodide's core."""

HOW = (
    f"`npm pack pyodide@{PYODIDE_VERSION}` fetches it, "
    f"`tar xzf pyodide-{PYODIDE_VERSION}.tgz` unpacks it into `package`"
)
"""How a person gets Pyodide."""

CODES = "code ", "errno ", "syscall "
"""How lines of npm's errors begin that say less than the next one."""

FETCHING = 300.0
"""Seconds that npm may take: the package has 6.5 MB."""


@contextmanager
def pyodide_from_npm() -> Iterator[str]:
    """Fetch Pyodide by npm, and yield a temporary folder with the files of its core.

    Raises UsageError if npm is absent or fails, and for a package with another hash than ``INTEGRITY``.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise UsageError(
            f"there is no npm to fetch Pyodide: {HOW}, and --pyodide package takes it from there"
        )
    with temporary_folder() as folder:
        command = [npm, "pack", f"pyodide@{PYODIDE_VERSION}", "--ignore-scripts", "--loglevel=error"]
        with Deadline(FETCHING) as deadline:
            ran = run_program(command, deadline, folder=folder)
        if ran.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        package = os.path.join(folder, f"pyodide-{PYODIDE_VERSION}.tgz")
        if ran.status or ran.stop or not os.path.isfile(package):
            lines = [line.removeprefix("npm error ") for line in ran.errors.splitlines()]
            said = next((line for line in lines if line and not line.startswith(CODES)), "")
            what = f"no answer within {FETCHING:g} s" if ran.stop else said or f"exit status {ran.status}"
            raise UsageError(f"npm cannot fetch Pyodide: {what}; {HOW}, and --pyodide package takes it")
        with open(package, "rb") as stream:
            digest = hashlib.sha512(stream.read()).digest()
        if f"sha512-{base64.b64encode(digest).decode()}" != INTEGRITY:
            raise UsageError(
                f"npm fetched another pyodide@{PYODIDE_VERSION} than the one that is known: its hash differs"
            )
        with tarfile.open(package) as archive:
            for name in FILES:
                member = archive.extractfile(f"package/{name}")
                assert member is not None, name  # the hash says so
                with member, open(os.path.join(folder, name), "wb") as file:
                    shutil.copyfileobj(member, file)
        yield folder
