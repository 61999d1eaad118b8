"""Write the page as static files, with this package, which answers in the visitor's browser by Pyodide."""

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

# Pyodide (Python for browsers): the version that the site uses, and how to fetch it.

PYODIDE_VERSION = "314.0.7"
"""The version of Pyodide that the tests run; ``web/package-lock.json`` has the same one."""

INTEGRITY = "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""The hash of Pyodide's npm package, as npm writes it."""

FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
    "package.json",
)
"""The files of Pyodide's core."""

FETCH_HINT = (
    f"`npm pack pyodide@{PYODIDE_VERSION}` fetches it, "
    f"`tar xzf pyodide-{PYODIDE_VERSION}.tgz` unpacks it into `package`"
)
"""How to get Pyodide by hand."""

VAGUE_PREFIXES = "code ", "errno ", "syscall "
"""Prefixes of lines in npm's errors that are less informative than the line after them."""

FETCH_SECONDS = 300.0
"""Most seconds for npm: the package has 6.5 MB."""


@contextmanager
def pyodide_from_npm() -> Iterator[str]:
    """Fetch Pyodide by npm, and yield a temporary folder with the files of its core.

    Raises UsageError if npm is absent or fails, or if the hash of the package is not ``INTEGRITY``.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise UsageError(
            f"npm is not installed, so it cannot fetch Pyodide: {FETCH_HINT}, and --pyodide package uses it"
        )
    with temporary_folder() as folder:
        command = [npm, "pack", f"pyodide@{PYODIDE_VERSION}", "--ignore-scripts", "--loglevel=error"]
        with Deadline(FETCH_SECONDS) as deadline:
            ran = run_program(command, deadline, folder=folder)
        if ran.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        package = os.path.join(folder, f"pyodide-{PYODIDE_VERSION}.tgz")
        if ran.status or ran.stop or not os.path.isfile(package):
            lines = [line.removeprefix("npm error ") for line in ran.errors.splitlines()]
            error = next((line for line in lines if line and not line.startswith(VAGUE_PREFIXES)), "")
            what = (
                f"no answer within {FETCH_SECONDS:g} s" if ran.stop else error or f"exit status {ran.status}"
            )
            raise UsageError(f"npm cannot fetch Pyodide: {what}; {FETCH_HINT}, and --pyodide package uses it")
        with open(package, "rb") as stream:
            digest = hashlib.sha512(stream.read()).digest()
        if f"sha512-{base64.b64encode(digest).decode()}" != INTEGRITY:
            raise UsageError(
                f"npm fetched a pyodide@{PYODIDE_VERSION} whose hash differs from the expected one"
            )
        with tarfile.open(package) as archive:
            for name in FILES:
                member = archive.extractfile(f"package/{name}")
                assert member is not None, name  # the hash guarantees it
                with member, open(os.path.join(folder, name), "wb") as file:
                    shutil.copyfileobj(member, file)
        yield folder


PACKED_EXTENSIONS = ".py", ".pyi", ".json", ".toml"
"""Extensions of the files of this package that are needed in a browser."""

EXCLUDED_FOLDERS = frozenset(
    {"page", "reference", "testing", "bench", "lab", "cli", "examples", "__pycache__"}
)
"""Folders of this package that the browser does not need, or that are packed separately (the examples)."""

SITE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
"""The content security policy of the site: it may load only itself, and run WebAssembly for Pyodide."""

ANSWER_PLACES = ' data-where="local"', ' data-where="browser"'
"""The attribute of the page that states where its answers come from: in the page, and in the site."""

# Use without a network: a manifest for the installation, and a service worker that keeps the site's files.

SERVICE_WORKER = "service-worker.js"

PAGE_FILES = "page.js", "page.css", "worker.js", "icon.svg", "manifest.webmanifest"
"""The files of the page that the site has unchanged."""

SITE_FILES = (
    *("index.html", *PAGE_FILES, "examples.json", "milp_pips.zip", "licences.txt"),
    *(f"pyodide/{name}" for name in FILES),
)
"""The files of the site without its service worker, which keeps them all."""

LICENCES = f"""\
milp_pips, its page and its examples (milp_pips.zip): MIT licence.

The folder pyodide is the core of Pyodide {PYODIDE_VERSION}, unchanged: Mozilla Public License 2.0.
Its files are those of the npm package pyodide, its source is at https://github.com/pyodide/pyodide.
It contains CPython and its standard library: PSF License Agreement 2.
"""
"""What the site ships besides our own code, and where its source is."""

PACK_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every packed file, so that the same sources make the same bytes."""


def build(out: str, pyodide: str, page: str) -> int:
    """Write the site, and return its size in bytes.

    Parameters
    ----------
    out
        The output folder; it is created if it does not exist.
    pyodide
        The folder with the files of Pyodide's core.
    page
        The folder with the files of the page.

    Raises
    ------
    UsageError
        If a file of Pyodide is missing in its folder.
    InputError
        If a file cannot be read or written.
    """
    missing = [name for name in FILES if not os.path.isfile(os.path.join(pyodide, name))]
    if missing:
        raise UsageError(f"{pyodide} is not an unpacked Pyodide: it lacks {', '.join(missing)}; {FETCH_HINT}")
    try:
        os.makedirs(os.path.join(out, "pyodide"), exist_ok=True)
        for name in FILES:
            shutil.copyfile(os.path.join(pyodide, name), os.path.join(out, "pyodide", name))
        for name in PAGE_FILES:
            shutil.copyfile(os.path.join(page, name), os.path.join(out, name))
        _write(out, "index.html", _index(os.path.join(page, "index.html")))
        _write(out, "examples.json", json.dumps(_examples(), ensure_ascii=False))
        _write(out, "licences.txt", LICENCES)
        _pack(os.path.join(out, "milp_pips.zip"))
        _write(out, SERVICE_WORKER, _service_worker(out, os.path.join(page, SERVICE_WORKER)))
        return sum(os.path.getsize(os.path.join(out, name)) for name in (*SITE_FILES, SERVICE_WORKER))
    except OSError as error:
        raise InputError(f"cannot write the site: {error.strerror}", error.filename or out) from None


def _index(path: str) -> str:
    """Return the page with the security policy as a meta element, marked as answering in the browser."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    policy = f'<meta http-equiv="Content-Security-Policy" content="{SITE_POLICY}">'
    charset = '<meta charset="utf-8">'
    if ANSWER_PLACES[0] not in text or charset not in text:
        raise InputError("not the page of this package", path)
    head = f'{charset}\n{policy}\n<link rel="manifest" href="manifest.webmanifest">'
    return text.replace(*ANSWER_PLACES, 1).replace(charset, head, 1)


def _service_worker(out: str, source: str) -> str:
    """Return the service worker, which begins with the names of the site's files and a hash of them."""
    digest = hashlib.sha256()
    for name in SITE_FILES:
        with open(os.path.join(out, name), "rb") as stream:
            digest.update(hashlib.sha256(stream.read()).digest())
    names = ["./" if name == "index.html" else name for name in SITE_FILES]
    site = {"version": digest.hexdigest()[:16], "files": names}
    with open(source, encoding="utf-8") as stream:
        return f"const SITE = {json.dumps(site)};\n{stream.read()}"


def _examples() -> Record:
    """Return the result of the verb ``examples``: the page shows it before Pyodide has loaded."""
    events: dict[str, Record] = {}
    reply("examples", "{}", events.__setitem__, "browser", 60.0)
    return events["result"]


def _pack(path: str) -> None:
    """Write the archive of this package and its examples."""
    package = os.path.join(HOME, "milp_pips")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for root, inside in ((package, "milp_pips"), (examples_folder(), "milp_pips/examples")):
            for folder, name in _files(root):
                shown = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
                if inside == "milp_pips" and not name.endswith(PACKED_EXTENSIONS):
                    continue
                entry = zipfile.ZipInfo(f"{inside}/{shown}", PACK_DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                with open(os.path.join(folder, name), "rb") as stream:
                    archive.writestr(entry, stream.read())


def _files(root: str) -> Iterator[tuple[str, str]]:
    """Yield folder and name of every file below ``root``, sorted, except those in ``EXCLUDED_FOLDERS``."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - EXCLUDED_FOLDERS)
        for name in sorted(names):
            yield folder, name


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
