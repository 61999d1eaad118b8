"""The verbs ``web`` (serve the page) and ``site`` (write the page as static files)."""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, complain, verb
from milp_pips.problem import INSTALL
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import SECONDS, SIZE, Parameter, flag, whole

if TYPE_CHECKING:
    from milp_pips.extras.web.pool import ServerLimits

PORT = 8414
"""The default port. It is fixed, so that the browser finds its saved games again."""

LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")

PUBLIC_SECONDS, PUBLIC_MEMORY = 120.0, 4 * 2**30
"""The largest limits of time and memory for one answer that --public accepts."""


@verb(
    Parameter("[FOLDER]", "a folder of the Times' JSON files, one for each day; the page shows a calendar"),
    Parameter("--port N", f"port; 0 is any free one (default: {PORT})", whole(), PORT),
    flag("--no-browser", "do not open the page in a browser"),
    Parameter(
        "--host ADDRESS", "address to listen on (default: this machine alone)", default=LOOPBACK_HOSTS[0]
    ),
    flag(
        "--public",
        "serve other machines, too; needs --name, --time-limit, --memory-limit, --workers, --per-client",
    ),
    Parameter(
        "--name HOST",
        "host name of the page, with its port if that is not the usual one, such as pips.example.org; may be "
        "given several times",
        default=(),
        many=True,
    ),
    Parameter("--time-limit SECONDS", "time limit of one answer (default: 60)", SECONDS),
    Parameter("--memory-limit SIZE", "memory limit of one answer (default: 2G)", SIZE),
    Parameter("--workers N", "answers computed at a time (default: 2 to 4)", whole(1)),
    Parameter(
        "--per-client N", "answers computed at a time for one address (default: N of --workers)", whole(1)
    ),
    Parameter(
        "--waiting N",
        "requests that may wait; with --public, twice --per-client for one address (default: 64)",
        whole(1),
        64,
    ),
    Parameter(
        "--report RESULTS", "results file of compare; the page links to its report, made once at the start"
    ),
)
def web_verb(arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    limits = limits_of(arguments)
    try:
        from milp_pips.extras.web.pool import Pool
        from milp_pips.extras.web.server import listen, make_app, serve
    except ModuleNotFoundError as error:
        raise UsageError(f"the module {error.name} is not installed: {INSTALL.format('web')}") from None
    report = None
    if arguments.report:
        from milp_pips.extras.bench.report import report as report_of

        report = str(report_of(arguments.report).files["report.html"])
    days: dict[str, str] = {}
    if arguments.folder:
        from milp_pips.extras.web.days import read_days

        days, faults = read_days(arguments.folder)
        for fault in faults:
            complain(fault)
    with listen(arguments.host, arguments.port) as listening:
        port = listening.getsockname()[1]
        shown = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        url = f"http://{shown}:{port}/"
        names = [f"{host}:{port}" for host in ("localhost", "127.0.0.1", "[::1]")]
        pool = Pool(limits, has_report=report is not None)
        app = make_app(pool, [*names, *(name.lower() for name in arguments.name)], report=report, days=days)
        print(f"{url} serves the page; Ctrl-C ends it", flush=True)
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(url)
        serve(app, pool, listening)
    return FOUND


def limits_of(arguments: argparse.Namespace) -> ServerLimits:
    """Return the limits. Raises UsageError for limits that are unsafe for serving other machines."""
    from milp_pips.extras.web.pool import ServerLimits

    if arguments.host not in LOOPBACK_HOSTS and not arguments.public:
        raise UsageError(f"other machines can reach {arguments.host}: --public allows that, with limits")
    if arguments.public:
        needed = ("name", "time_limit", "memory_limit", "workers", "per_client")
        missing = [f"--{name.replace('_', '-')}" for name in needed if not getattr(arguments, name)]
        if missing:
            raise UsageError(f"--public also needs {', '.join(missing)}")
        if arguments.time_limit > PUBLIC_SECONDS:
            raise UsageError(f"--public: at most {PUBLIC_SECONDS:g} seconds for an answer")
        if not 2**27 <= arguments.memory_limit <= PUBLIC_MEMORY:
            raise UsageError("--public: from 128M to 4G of memory for an answer")
        if arguments.workers > 4 * (os.cpu_count() or 1):
            raise UsageError(f"--public: at most {4 * (os.cpu_count() or 1)} workers on this machine")
    workers = arguments.workers or min(4, max(2, os.cpu_count() or 1))
    return ServerLimits(
        arguments.time_limit or 60.0,
        arguments.memory_limit or 2 * 2**30,
        workers,
        min(workers, arguments.per_client or workers),
        arguments.waiting,
        2 * arguments.per_client if arguments.public else arguments.waiting,
    )


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
