"""The verbs ``web`` (serve the page) and ``site`` (write the page as static files)."""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, Verb
from milp_pips.cli.arguments import not_negative, positive, size, time_limit
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.extras.web.pool import ServerLimits

PORT = 8414
"""The default port. It is fixed, so that the browser finds its saved games again."""

LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")

PUBLIC_SECONDS, PUBLIC_MEMORY = 120.0, 4 * 2**30
"""The largest limits of time and memory for one answer that --public accepts."""


def add_web_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument(
        "--port",
        type=not_negative,
        default=PORT,
        metavar="N",
        help=f"port; 0 is any free one (default: {PORT})",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the page in a browser")
    parser.add_argument(
        "--host",
        default=LOOPBACK_HOSTS[0],
        metavar="ADDRESS",
        help="address to listen on (default: this machine alone)",
    )
    parser.add_argument(
        "--public",
        action="store_true",
        help="serve other machines, too; needs --name, --time-limit, --memory-limit, --workers, --per-client",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="HOST",
        help="host name of the page, with its port if that is not the usual one, such as pips.example.org; "
        "may be given several times",
    )
    parser.add_argument(
        "--time-limit", type=time_limit, metavar="SECONDS", help="time limit of one answer (default: 60)"
    )
    parser.add_argument(
        "--memory-limit", type=size, metavar="SIZE", help="memory limit of one answer (default: 2G)"
    )
    parser.add_argument(
        "--workers", type=positive, metavar="N", help="answers computed at a time (default: 2 to 4)"
    )
    parser.add_argument(
        "--per-client",
        type=positive,
        metavar="N",
        help="answers computed at a time for one address (default: N of --workers)",
    )
    parser.add_argument(
        "--waiting",
        type=positive,
        default=64,
        metavar="N",
        help="requests that may wait; with --public, twice --per-client for one address (default: 64)",
    )
    parser.add_argument(
        "--report",
        metavar="RESULTS",
        help="results file of compare; the page links to its report, made once at the start",
    )


def run_web(arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    limits = limits_of(arguments)
    try:
        from milp_pips.extras.web.pool import Pool
        from milp_pips.extras.web.server import listen, make_app, serve
    except ModuleNotFoundError as error:
        raise UsageError(f"the module {error.name} is not installed: pip install 'milp-pips[web]'") from None
    report = report_page(arguments.report)
    with listen(arguments.host, arguments.port) as listening:
        port = listening.getsockname()[1]
        shown = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        url = f"http://{shown}:{port}/"
        names = [f"{host}:{port}" for host in ("localhost", "127.0.0.1", "[::1]")]
        pool = Pool(limits, has_report=report is not None)
        app = make_app(pool, [*names, *(name.lower() for name in arguments.name)], report=report)
        print(f"{url} serves the page; Ctrl-C ends it", flush=True)
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(url)
        serve(app, pool, listening)
    return FOUND


def report_page(results: str | None) -> str | None:
    """Return the report of a results file as HTML, if a file is named. Raises InputError and UsageError."""
    if results is None:
        return None
    from milp_pips.extras.bench.report import report

    page = report(results).files["report.html"]
    assert isinstance(page, str)
    return page


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


def add_site_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("--out", required=True, metavar="DIR", help="write the files into this directory")
    parser.add_argument(
        "--pyodide",
        metavar="DIR",
        help="directory with the files of Pyodide's npm package (default: fetch it with npm)",
    )


def run_site(arguments: argparse.Namespace) -> int:
    """Write the files."""
    from milp_pips.extras.web import PAGE
    from milp_pips.extras.web.site import build, pyodide_from_npm

    with nullcontext(arguments.pyodide) if arguments.pyodide else pyodide_from_npm() as pyodide:
        size = build(arguments.out, pyodide, PAGE)
    print(f"{arguments.out}: {size / 1e6:.1f} MB, for any server of static files")
    return FOUND


WEB = Verb(add_web_arguments, run_web)
SITE = Verb(add_site_arguments, run_site)
