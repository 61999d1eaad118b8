"""The page as static files: the package goes along, and answers in the visitor's own browser by Pyodide."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from milp_pips.extras.web.answers import reply
from milp_pips.extras.web.records import Record
from milp_pips.extras.web.verbs import examples_folder
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.import_path import HOME
from milp_pips.runtime.interruptible import run_program
from milp_pips.runtime.writing import temporary_folder

# Pyodide, which is Python for browsers: the version that static pages are made with, and how to get it.

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


PACKED = ".py", ".pyi", ".json"
"""Endings of the files of this package that it needs in a browser."""

LEFT_OUT = frozenset({"page", "reference", "testing", "bench", "lab", "cli", "examples", "__pycache__"})
"""Folders of this package that are not needed there, or are packed by themselves, as the examples are."""

SITE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
"""What the page may load: itself alone; what Pyodide is compiled to may run."""

WHERE = ' data-where="local"', ' data-where="browser"'
"""How the page is told where its answers come from."""

DATE = (1980, 1, 1, 0, 0, 0)
"""Of every packed file: the same sources make the same bytes."""


def build(out: str, pyodide: str, page: str) -> int:
    """Write the site, and return how many bytes it has.

    Parameters
    ----------
    out
        The folder to write to; made if it is not there.
    pyodide
        The folder with the files of Pyodide's core.
    page
        The folder with the files of the page.

    Raises
    ------
    UsageError
        If Pyodide is not in its folder.
    InputError
        If something cannot be read or written.
    """
    missing = [name for name in FILES if not os.path.isfile(os.path.join(pyodide, name))]
    if missing:
        raise UsageError(f"{pyodide} is no unpacked Pyodide: it has no {', '.join(missing)}; {HOW}")
    try:
        os.makedirs(os.path.join(out, "pyodide"), exist_ok=True)
        for name in FILES:
            shutil.copyfile(os.path.join(pyodide, name), os.path.join(out, "pyodide", name))
        for name in sorted(os.listdir(page)):
            if name != "index.html" and os.path.isfile(os.path.join(page, name)):
                shutil.copyfile(os.path.join(page, name), os.path.join(out, name))
        _write(out, "index.html", _index(os.path.join(page, "index.html")))
        _write(out, "examples.json", json.dumps(_examples(), ensure_ascii=False))
        _pack(os.path.join(out, "milp_pips.zip"))
        return sum(os.path.getsize(os.path.join(folder, name)) for folder, name in _files(out))
    except OSError as error:
        raise InputError(f"cannot write the site: {error.strerror}", error.filename or out) from None


def _index(path: str) -> str:
    """Return the page with the policy that a server would send, told that it is on its own."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    policy = f'<meta http-equiv="Content-Security-Policy" content="{SITE_POLICY}">'
    charset = '<meta charset="utf-8">'
    if WHERE[0] not in text or charset not in text:
        raise InputError("not the page of this package", path)
    return text.replace(*WHERE, 1).replace(charset, f"{charset}\n{policy}", 1)


def _examples() -> Record:
    """Return the examples as the verb gives them: the page has them before it can ask."""
    told: dict[str, Record] = {}
    reply("examples", "{}", told.__setitem__, "browser", 60.0)
    return told["result"]


def _pack(path: str) -> None:
    """Write the archive of this package and its examples."""
    package = os.path.join(HOME, "milp_pips")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for root, inside in ((package, "milp_pips"), (examples_folder(), "milp_pips/examples")):
            for folder, name in _files(root):
                shown = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
                if inside == "milp_pips" and not name.endswith(PACKED):
                    continue
                entry = zipfile.ZipInfo(f"{inside}/{shown}", DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                with open(os.path.join(folder, name), "rb") as stream:
                    archive.writestr(entry, stream.read())


def _files(root: str) -> Iterator[tuple[str, str]]:
    """Yield folder and name of every file below, in order, without those that are left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - LEFT_OUT)
        for name in sorted(names):
            yield folder, name


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
