"""For those who teach MIP and CP: what a formulation, a cut, a search and a rule do, on a puzzle to look at.

The truth beside which all of it is held is the solution space, which is exact. Models are those of ``milp``,
of the problem as it is stated: nothing is filtered unless the settings name rules.
"""
