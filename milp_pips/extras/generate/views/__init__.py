"""New puzzles, and what is found out for setters, as text, JSON and pictures."""

from milp_pips.extras.generate.views import clues as clues
from milp_pips.extras.generate.views import loosen as loosen
from milp_pips.extras.generate.views import new as new
