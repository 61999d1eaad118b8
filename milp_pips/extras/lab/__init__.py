"""Teaching tools for MIP and CP: they show what a formulation, a cut, a search or a rule does to a puzzle.

Everything is compared with the solution space, which is exact. The models are those of ``milp``, of the
problem as it is stated: nothing is filtered unless the settings name rules.
"""
