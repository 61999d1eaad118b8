"""Regular expressions over one-letter symbols, compiled to minimal automata.

Understood are letters, ``.`` (any symbol), ``[rg]`` and ``[^rg]``, ``|``, ``( )``, and the repeats ``*``,
``+``, ``?``, ``{3}``, ``{2,}``, ``{,3}`` and ``{2,3}``, with the meaning they have for ``re.fullmatch``.

The libraries that compile more than this cannot be stopped where an automaton explodes, as one may here.
"""

from __future__ import annotations

from collections.abc import Mapping

from milp_pips.problem import Automaton
from milp_pips.puzzles.regular_expressions.minimal import minimal
from milp_pips.puzzles.regular_expressions.positions import MOST_STATES, deterministic
from milp_pips.puzzles.regular_expressions.syntax import UNDERSTOOD, parsed

__all__ = ["MOST_STATES", "UNDERSTOOD", "compile_expression", "minimal"]


def compile_expression(text: str, symbols: Mapping[str, int]) -> Automaton:
    """Return the minimal automaton that accepts the words which the expression describes.

    Parameters
    ----------
    text
        The expression.
    symbols
        The integer that stands for each letter.

    Raises
    ------
    InputError
        The expression cannot be read, names a letter that is no symbol, or is too large: the automaton
        may have ``MOST_STATES`` states before it is made minimal.
    """
    return minimal(deterministic(parsed(text, symbols), tuple(symbols.values())))
