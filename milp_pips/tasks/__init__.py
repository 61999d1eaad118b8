"""The tasks: solve, count, enumerate, sample, check and convert, one module each.

Every task prepares its puzzle and queries engines through ``milp_pips.tasks.pipeline``.
"""
