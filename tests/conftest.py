"""Fixtures and options of all tests, and golden files, which ``pytest --update`` rewrites."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
import thoroughness
from hypothesis import settings

from milp_pips.engines import registry
from milp_pips.problem import plugins

collect_ignore = ["campaigns"]  # a command of its own, see its README
LONGEST = (
    *("test_conformance", "test_views", "test_play", "test_docs", "test_spread", "test_cluster"),
    *("test_site", "test_page_hints", "test_days", "test_study", "test_tree_in_pieces", "test_compare"),
    *("test_web_server", "test_mixed_models", "test_outside", "test_reporting", "test_objects"),
    *("test_more_families", "test_enumeration", "test_schemas", "test_web_answers", "test_architecture"),
    *("test_hint", "test_family_conformance", "test_certificates", "test_objectives", "test_tree_proofs"),
    *("test_folder", "test_limits", "test_read_picture", "test_tree_certificates", "test_executor"),
    *("test_strangers", "test_loosen", "test_rate", "test_stopping", "test_measuring"),
    *("test_generation_pips", "test_web_site", "test_race", "test_texts", "test_reason_words"),
    *("test_listing_parts", "test_cli", "test_reasons", "test_cli_pictures", "test_model_reasons"),
    *("test_signals", "test_tree", "test_plugins", "test_minizinc_model", "test_worker", "test_tree_files"),
)
"""Files that take three seconds of the processor or more, the longest first."""

TOGETHER = {
    "modelling libraries": ("test_objects", "test_object_kinds", "test_linear_writing"),
    "the syntax of all files": ("test_architecture", "test_texts"),
    "pandas, SciPy and Matplotlib": (
        *("test_reporting", "test_reporting_figures", "test_best", "test_comparison", "test_inference"),
        *("test_compare", "test_strangers"),
    ),
}
"""Files that one process runs, since they load the same libraries or parse the same code."""

MARKED_FOLDERS = {"docs": "docs", "benchmarks": "docs"}
"""Folders whose tests have a marker, and so run in CI beside the suite."""

MARKED_FILES = {
    **dict.fromkeys(
        ("test_play", "test_one_screen", "test_page_hints", "test_views", "test_site", "test_built"),
        "browser",
    ),
    "test_days": "browser",
    **dict.fromkeys(("test_cluster", "test_spread"), "cluster"),
}
"""Files whose tests have a marker."""

WHOLE_SUITE = ("brute", "cdcl", "diagram", "highs", "sat")
"""Solvers on which everyone runs the whole conformance suite: those that need no engine, and the defaults."""

SMOKE = ("test_it_says_what_it_is", "test_solvable", "test_infeasible")
"""The part of the conformance suite that other solvers run without the marker ``long`` or ``variants``.

Those that are slow to build a model run two of them.
"""

SLOW_TO_STATE = ("cbc", "cpmpy", "minizinc", "pulp", "pyomo", "scip")
"""Solvers that take up to half a second to build a model."""

OF_ALL_ENGINES = re.compile(
    r"(every|each|no)_(engine|solver)|random_models_on|engines_of_every_kind|the_slower_ways"
)
"""Names of tests that have all engines as parameters: those of ``SLOW_TO_STATE`` have the marker ``long``."""

MARKS = re.compile(
    rf"mark\.(browser|cluster|docs|long|variants)|mostly_long|Conformance|{OF_ALL_ENGINES.pattern}"
)
"""What a file has in which some tests have a marker."""

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden files anew instead of comparing")
    parser.addoption(
        "--thorough",
        action="store_true",
        help="300 random examples or more where it is some twenty, 40,000 mangled files for each reader: "
        "an hour",
    )


def _write_bytecode(config: pytest.Config) -> None:
    """Let Python write bytecode during the tests, and delete at the end what was not there before.

    Without it, each of some 500 processes would compile the package.
    """
    root = Path(__file__).parents[1]
    parts = [root / name for name in ("milp_pips", "tests", "examples", "benchmarks")]
    before = {folder for part in parts for folder in part.rglob("__pycache__")}

    def delete() -> None:
        for part in parts:
            for folder in set(part.rglob("__pycache__")) - before:
                rmtree(folder, ignore_errors=True)

    config.add_cleanup(delete)
    sys.dont_write_bytecode = False


def _draw_no_constants_of_the_package() -> None:
    """Keep Hypothesis from searching every module for constants to draw: four seconds for each process."""
    with suppress(ImportError):  # older versions search for none
        from hypothesis.internal.conjecture import providers

        providers._get_local_constants = lambda: providers.Constants()


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until the tests are collected
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        _write_bytecode(config)
    thoroughness.thorough = config.getoption("--thorough")
    settings.register_profile("usual", thoroughness.examples(5))  # where a test does not say how many
    settings.load_profile("usual")
    if not thoroughness.thorough:
        _draw_no_constants_of_the_package()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return for ``-n auto`` a process per core: each one collects all tests and loads all libraries."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(2, cores)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each file to one process, so that what its tests share is made once."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return next((name for name, files in TOGETHER.items() if Path(file).stem in files), file)

    config.option.loadscopereorder = False  # in the order below
    return Scheduling(config, log)


def _marker_of(item: pytest.Item) -> str:
    """Return the marker of a test; empty for one of the suite that everyone runs."""
    solver, name = (
        str(getattr(getattr(item, "cls", None), "solver", "")),
        getattr(item, "originalname", item.name),
    )
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if OF_ALL_ENGINES.search(name) and {str(value).partition(":")[0] for value in values} & {*SLOW_TO_STATE}:
        return "long"
    if solver and solver not in WHOLE_SUITE and name not in SMOKE[: 2 if solver in SLOW_TO_STATE else 3]:
        return "variants" if ":" in solver else "long"
    return _marker_of_file(item.path)


def _marker_of_file(path: Path) -> str:
    """Return the marker of all tests of a file or folder; empty if they have none in common."""
    folder = path.relative_to(Path(__file__).parent).parts[0]
    return MARKED_FILES.get(path.stem, MARKED_FOLDERS.get(folder, ""))


LISTED_SKIPS = "MILP_PIPS_LISTED_SKIPS"
"""The environment variable by which CI fails on a skip whose reason is not in ``listed_skips.txt``."""

_unlisted: set[str] = set()


def unlisted(reason: str) -> bool:
    """Return whether the list has no pattern for the reason of a skip."""
    lines = (Path(__file__).parent / "listed_skips.txt").read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    return not any(re.fullmatch(pattern, reason) for pattern in patterns)


def _note_skip(report: Any) -> None:
    if os.environ.get(LISTED_SKIPS) and report.skipped and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        if unlisted(reason):
            _unlisted.add(reason)


def pytest_runtest_logreport(report: Any) -> None:
    _note_skip(report)


def pytest_collectreport(report: Any) -> None:
    _note_skip(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let the run fail if it skipped what it should not have skipped."""
    if _unlisted and not hasattr(session.config, "workerinput"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for reason in sorted(_unlisted):
        terminalreporter.line(f"a skip that is not in tests/listed_skips.txt: {reason}", red=True)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files of which no test runs: every process would import them and their libraries.

    A marker expression is a Python expression, in which the marker of the file is true and others are false.
    """
    wanted = config.getoption("markexpr") or "True"
    if marker := _marker_of_file(collection_path):
        return not eval(wanted, {}, defaultdict(bool, {marker: True})) or None
    if collection_path.suffix != ".py" or eval(wanted, {}, defaultdict(bool)):
        return None
    return not MARKS.search(collection_path.read_text("utf-8")) or None


class Backwards(pytest.Dir):
    """A folder whose files are collected from the last to the first."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        return reversed([*super().collect()])


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
    """Let the second process begin at the other end.

    Then both meet in the middle, and each finds compiled what the other one has collected before.
    """
    return (
        Backwards.from_parent(parent, path=path) if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" else None
    )


def pytest_collection_finish() -> None:
    """Keep what stays to the end, the tests and the libraries, out of each garbage collection."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no process works on one while the others are done."""
    for item in items:
        if marker := _marker_of(item):
            item.add_marker(marker)
        if OF_ALL_ENGINES.search(item.name):
            item.fixturenames.append("no_workers")
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (rank.get(item.path.stem, len(rank)), item.path))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of that name; with ``--update``, write the file."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        assert path.exists(), f"no golden file {name}: run pytest --update and look at what it writes"
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture(autouse=True, scope="session")
def engines_share_the_process_of_the_tests() -> None:
    """Let engines meet in this process: the pinned versions get along, and a worker per solve takes long.

    That they are kept apart otherwise is tested in processes of their own (``test_worker.py``).
    """
    for where in registry.SOLVERS.values():
        plugins.load(where).clashes = frozenset()


@pytest.fixture
def no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all engines run in this process: starting another takes up to a second.

    Tests with all engines as parameters use it; others show that an engine answers from its own process.
    """
    for name in registry.SOLVERS:
        monkeypatch.setattr(type(registry.solver(name)), "isolated", False)
