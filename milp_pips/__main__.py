"""``python -m milp_pips VERB …``."""

from milp_pips.cli import run

if __name__ == "__main__":  # a process that helps with an enumeration imports this module again
    run()
