"""``python -m milp_pips VERB …``."""

from milp_pips.cli import run

run()
