"""The 0-1 model of a problem, and the libraries it can be handed to.

The names of the formulations cost nothing to ask for; numpy is loaded with the first model.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from milp_pips.milp.formulation import LINEARISATIONS, KeyModel, choices, formulate

if TYPE_CHECKING:
    from milp_pips.milp.model import Family, Model

__all__ = ["LINEARISATIONS", "Family", "KeyModel", "Model", "choices", "formulate"]


def __getattr__(name: str) -> Any:
    if name not in ("Family", "Model"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("milp_pips.milp.model"), name)
