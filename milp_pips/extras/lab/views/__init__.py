"""The results of the lab as text and pictures."""

from milp_pips.extras.lab.views import svg as svg
from milp_pips.extras.lab.views import text as text
