"""The verbs ``web`` (serve the page) and ``site`` (write the page as static files)."""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from urllib.parse import urlsplit

from milp_pips.cli import FOUND, complain, verb
from milp_pips.problem import INSTALL
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import SECONDS, SIZE, Parameter, flag, whole

PORT = 8414
"""The default port. It is fixed, so that the browser finds its saved games again."""


@verb(
    Parameter("[FOLDER]", "a folder of the Times' JSON files, one for each day; the page shows a calendar"),
    Parameter("--port N", f"port; 0 is any free one (default: {PORT})", whole(), PORT),
    Parameter("--address URL", "address under which others reach this page, for links to puzzles"),
    flag("--no-browser", "do not open the page in a browser"),
    Parameter("--time-limit SECONDS", "time limit of one answer (default: 60)", SECONDS),
    Parameter("--memory-limit SIZE", "memory limit of one answer (default: 2G)", SIZE),
    Parameter("--workers N", "answers computed at a time (default: 2 to 4)", whole(1)),
    Parameter("--waiting N", "requests that may wait (default: 64)", whole(1), 64),
)
def web_verb(arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    try:
        from milp_pips.extras.web.pool import Pool, ServerLimits
        from milp_pips.extras.web.server import listen, make_app, serve
    except ModuleNotFoundError as error:
        raise UsageError(f"the module {error.name} is not installed: {INSTALL.format('web')}") from None
    days: dict[str, str] = {}
    if arguments.folder:
        from milp_pips.extras.web.days import read_days

        days, faults = read_days(arguments.folder)
        for fault in faults:
            complain(fault)
    workers = arguments.workers or min(4, max(2, os.cpu_count() or 1))
    seconds, memory = arguments.time_limit or 60.0, arguments.memory_limit or 2 * 2**30
    with listen(arguments.port) as listening:
        port = listening.getsockname()[1]
        url = f"http://127.0.0.1:{port}/"
        pool = Pool(ServerLimits(seconds, memory, workers, arguments.waiting))
        hosts = [f"localhost:{port}", f"127.0.0.1:{port}"]
        address = arguments.address
        if address:
            host = urlsplit(address).netloc.lower()
            if not host or not address.startswith(("http://", "https://")):
                raise UsageError(f"--address {address}: expected http://… or https://…")
            hosts.append(host)
        app = make_app(pool, hosts, days, address)
        print(f"{url} serves the page; Ctrl-C ends it", flush=True)
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(url)
        serve(app, pool, listening)
    return FOUND


# The verb ``site``: write the page as static files, which compute answers in the visitor's browser.


@verb(
    Parameter("--out DIR", "write the files into this directory", default=...),
    Parameter(
        "--pyodide DIR", "directory with the files of Pyodide's npm package (default: fetch it with npm)"
    ),
)
def site_verb(arguments: argparse.Namespace) -> int:
    """Write the files."""
    from milp_pips.extras.web import PAGE
    from milp_pips.extras.web.site import build, pyodide_from_npm

    with nullcontext(arguments.pyodide) if arguments.pyodide else pyodide_from_npm() as pyodide:
        size = build(arguments.out, pyodide, PAGE)
    print(f"{arguments.out}: {size / 1e6:.1f} MB, for any server of static files")
    return FOUND
