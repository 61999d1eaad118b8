"""The page as static files: the package goes along, and answers in the visitor's own browser by Pyodide."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Iterator

from milp_pips.extras.web.answers import reply
from milp_pips.extras.web.pyodide import FILES, HOW
from milp_pips.extras.web.records import Record
from milp_pips.extras.web.verbs import examples_folder
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.runtime.import_path import HOME

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
