"""Problems and answers as frozen data, and shared code: errors, deadlines, validation, plugins.

The names that most modules need are here as well; each is imported on first use. The stub ``__init__.pyi``
lists them.
"""

import os

VERSION = "1.0.0rc1"
"""The version of the package."""

INSTALL = "pip install '.[{}]'"
"""How to install an extra: from a checkout of the source. With a release on PyPI it is 'milp-pips[{}]'."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> "Any":
    """Return a name that the stub lists."""
    if not name[:1].isupper() and name != "__all__":  # imports of modules of this package ask, too
        raise AttributeError(name)
    from milp_pips.problem.plugins import lazy_package

    find, names = lazy_package(__name__, os.path.dirname(__file__))
    if name == "__all__":
        return names
    return find(name)


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
