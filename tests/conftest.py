"""What all tests share: golden files, written anew by ``pytest --update``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from mangling import Amount

from milp_pips import plugins

collect_ignore = ["campaigns"]  # a command of its own, see its README
GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden files anew instead of comparing")
    parser.addoption(
        "--thorough",
        action="store_true",
        help="300 random boards per way to enumerate, 1,000 of each family that is generated, "
        "40,000 mangled files for each reader: an hour",
    )


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


@pytest.fixture
def amount(request: pytest.FixtureRequest) -> Amount:
    """How many mangled files a reader is given: 1,200, with ``--thorough`` 40,000."""
    return Amount(200, 200) if request.config.getoption("--thorough") else Amount(20, 60)


@pytest.fixture(autouse=True, scope="session")
def engines_share_the_process_of_the_tests() -> None:
    """Let engines meet in this process: the pinned versions get along, and a worker per solve takes long.

    That they are kept apart otherwise is tested in processes of their own (``test_worker.py``).
    """
    for where in plugins.SOLVERS.values():
        plugins.load(where).clashes = frozenset()
