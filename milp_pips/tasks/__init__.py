"""One module per task; each reads as the algorithm, and goes the way of ``milp_pips.tasks.pipeline``."""
