"""Problems and answers as frozen data, and shared code: errors, deadlines, validation, plugins."""

VERSION = "1.0.0rc1"
"""The version of the package."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> "Any":
    """Return an object of the module ``milp_pips.problem`` of version 0.1, with a DeprecationWarning."""
    if not name[:1].isupper():  # version 0.1 had classes here; imports of modules of this package ask, too
        raise AttributeError(name)
    from milp_pips.problem.moved import find

    return find(__name__, ("constraints", "problem.problem"), name)
