"""The parameters of ``explain``, ``hint`` and ``rate``, apart from the code that reasons.

Who only reads a request, such as the server of the page, need not load that code.
"""

from __future__ import annotations

from milp_pips.problem.parameters import Parameter, one_of, whole

GRADES = ("easy", "medium", "hard", "expert")
"""The grades, from the one with the shortest and easiest steps on."""

REASONS, ADDITIONS = EXPLAIN_PARAMETERS = (
    Parameter(
        "--reasons N",
        "number of minimal sets of clashing rules to look for if there is no solution (default: 3)",
        whole(1),
        3,
    ),
    Parameter(
        "--additions N",
        "number of changes to print that leave one solution if there are several or none: other rules, other "
        "dominoes, values to be shown; 0 for none (default: 5)",
        whole(),
        5,
    ),
)

DEGREES = ("where", "rule", "why", "move")
"""The degrees of detail: where to look, by which rules, why something follows, and what follows."""

NUDGE = "rule"
"""The default degree: the place and the rule, so that the player finds the conclusion."""

REVEAL, FURTHER = HINT_PARAMETERS = (
    Parameter(
        "--reveal DEGREE",
        "how much to show: where to look, by which rule, why something follows, or what; each includes those "
        f"before it (default: {NUDGE})",
        one_of(DEGREES),
        NUDGE,
    ),
    Parameter(
        "--further N",
        "skip N steps: those that you know but cannot fill in, such as that a cell is not 5",
        whole(),
        0,
    ),
)
