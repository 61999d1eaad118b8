"""Regular expressions in puzzles: their automata, with errors as for any other input.

The syntax is that of ``milp_pips.algorithms.regular_expressions``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from milp_pips.algorithms.regular_expressions import ExpressionError, StepBudget, automaton_of, parse
from milp_pips.constraints import Automaton
from milp_pips.problem.errors import InputError

__all__ = ["StepBudget", "check_expression", "compile_expression"]


def compile_expression(text: str, symbols: Mapping[str, int], budget: StepBudget | None = None) -> Automaton:
    """Return the minimal automaton of the words that the expression describes.

    ``symbols`` maps each letter to an integer. The expressions of one file share a ``budget``. Raises
    InputError if the expression cannot be read, contains a letter that is not a symbol, or is too large.
    """
    with _input_errors():
        return Automaton(*automaton_of(text, symbols, budget or StepBudget()))


def check_expression(text: str, symbols: Mapping[str, int]) -> None:
    """Raise InputError if the expression cannot be read, or contains a letter that is not a symbol."""
    with _input_errors():
        parse(text, symbols)


@contextmanager
def _input_errors() -> Iterator[None]:
    try:
        yield
    except ExpressionError as error:
        raise InputError(error.what, expected=error.expected) from None
