"""The 0-1 model of a problem, and the libraries it can be handed to."""

from milp_pips.milp.formulation import CHOICES, choices, formulate
from milp_pips.milp.model import Family, Model

__all__ = ["CHOICES", "Family", "Model", "choices", "formulate"]
