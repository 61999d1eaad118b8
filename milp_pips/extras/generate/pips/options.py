"""Read what is asked of new Pips puzzles: sizes, sets, rules, shares."""

from __future__ import annotations

from milp_pips.extras.generate.pips.regions import Weights
from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.located import whole_number
from milp_pips.puzzles.pips.puzzle import MOST_CELLS, MOST_PIPS, Rule

UNLIMITED_DOMINOES = -1
"""In place of the highest pip of a set: any domino, any number of times."""

SETS = {"six": 6, "nine": 9, "twelve": 12, "fifteen": 15, "eighteen": 18}
"""The sets that are sold."""


def read_sizes(text: str) -> tuple[int, ...]:
    """Return the sizes in text such as ``2..5`` or ``1,2,4``, in increasing order. Raises UsageError."""
    low, dots, high = text.partition("..")
    numbers = [whole_number(part.strip()) for part in ((low, high) if dots else text.split(","))]
    sizes = [size for size in numbers if size is not None and 1 <= size <= MOST_CELLS]
    if len(sizes) < len(numbers) or (dots and sizes[0] > sizes[1]):
        raise UsageError(f"--region-sizes: {text!r} is neither a range such as 2..5 nor sizes such as 1,2,4")
    return tuple(range(sizes[0], sizes[1] + 1)) if dots else tuple(sorted(set(sizes)))


def read_set(text: str) -> int:
    """Return the highest pip of a set such as ``double-six`` or ``double-7``. Raises UsageError."""
    if text == "free":
        return UNLIMITED_DOMINOES
    word = text.removeprefix("double-")
    highest = SETS.get(word, whole_number(word))
    if word == text or highest is None or not 0 <= highest <= MOST_PIPS:
        raise UsageError(
            f"--set: {text!r} is no set of dominoes; known: free, double-six, double-nine, double-N"
        )
    return highest


def read_rules(text: str) -> Weights:
    """Return the weights in text such as ``SUM=3,EQ,none=2``; a rule without a number has the weight 1.

    Raises UsageError.
    """
    weights: dict[Rule | None, int] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        known = {rule.value: rule for rule in Rule}
        if name.upper() not in known and name.lower() != "none":
            raise UsageError(f"--rules: {name!r} is no rule; known: {', '.join(known)}, none")
        if equals and not (number.isascii() and number.isdigit() and len(number) < 7):
            raise UsageError(f"--rules: the weight of {name} is {number!r}, not a whole number from 0 on")
        rule = known.get(name.upper())
        if rule in weights:
            raise UsageError(f"--rules: {name} is named twice")
        weights[rule] = int(number) if equals else 1
    return weights


def read_share(text: str) -> int:
    """Return the share of the cells, in percent, in text such as ``all`` or ``60%``. Raises UsageError."""
    share = 100 if text == "all" else whole_number(text.removesuffix("%")) if text.endswith("%") else None
    if share is None or not 0 <= share <= 100:
        raise UsageError(f"--given: {text!r} is neither all nor a share of the cells such as 60%")
    return share
