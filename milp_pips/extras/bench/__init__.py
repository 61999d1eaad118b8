"""Fair comparisons: puzzles × solvers × formulations × seeds × repeats, with all results in one file.

``run.compare`` makes the runs of a ``campaign.Campaign``, ``store.Store`` reads the results, and ``figures``
summarises them. This module imports none of these, so that a measured run loads only what it needs.
"""

from importlib.util import find_spec

from milp_pips.problem import INSTALL
from milp_pips.problem.errors import UsageError

LIBRARIES = {
    "pandas": "figures need",
    "scipy": "intervals need",
    "matplotlib": "plots need",
    "jinja2": "the page needs",
}
"""The libraries of comparisons, with the beginning of the message if one is missing."""


def require_libraries(extra: str, *names: str) -> None:
    """Raise UsageError with the extra to install if one of these libraries is missing; none is loaded."""
    for name in names:
        if find_spec(name) is None:
            raise UsageError(f"{LIBRARIES[name]} {name}: {INSTALL.format(extra)}")
