"""Compiled expressions accept what ``re`` says they match, with as few states as can be."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

from milp_pips.algorithms.regular_expressions import MOST_STATES, UNDERSTOOD
from milp_pips.constraints import Automaton
from milp_pips.problem.errors import InputError
from milp_pips.puzzles.colour_grid.puzzle import matches
from milp_pips.puzzles.regular_expressions import compile_expression

SYMBOLS = {"r": 0, "g": 1, "b": 2}
WORDS = ["".join(letters) for length in range(6) for letters in product("rgb", repeat=length)]
UNITS = st.sampled_from(["r", "g", "b", ".", "[rg]", "[^rb]", "[gb]"])
REPEATS = st.sampled_from(["*", "+", "?", "{0}", "{1}", "{2}", "{0,2}", "{1,3}", "{2,}", "{,2}", "{3,3}"])
EXPRESSIONS = st.recursive(
    UNITS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.tuples(inner, REPEATS).map(lambda pair: f"({pair[0]}){pair[1]}"),
        st.tuples(UNITS, REPEATS).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join).map(lambda text: f"({text}|)"),
    ),
    max_leaves=6,
)


@examples(12)
@given(expression=EXPRESSIONS)
def test_automaton_and_rules_agree_with_re(expression):
    automaton = compile_expression(expression, SYMBOLS)
    pattern = re.compile(expression)
    for word in WORDS:
        expected = pattern.fullmatch(word) is not None
        assert automaton.accepts(map(SYMBOLS.get, word)) == expected, word
        assert matches(expression, word) == expected, word


@examples(12)
@given(expression=EXPRESSIONS)
def test_the_automaton_is_minimal(expression):
    """As few states as the automaton has that is reversed and made deterministic twice (Brzozowski 1962)."""
    automaton = compile_expression(expression, SYMBOLS)
    assert len(states_of(automaton)) == len(states_of(reversed_twice(automaton)))


def states_of(automaton):
    return {automaton.start, *(q for q, _, r in automaton.arcs), *(r for _, _, r in automaton.arcs)}


def reversed_twice(automaton):
    for _ in range(2):
        backwards: dict[tuple[int, int], set[int]] = {}
        for q, a, r in automaton.arcs:
            backwards.setdefault((r, a), set()).add(q)
        start = frozenset(automaton.accepting)
        number, queue, arcs = {start: 0}, [start], []
        for state in queue:
            for a in SYMBOLS.values():
                target = frozenset(q for r in state for q in backwards.get((r, a), ()))
                if target:
                    if target not in number:
                        number[target] = len(number)
                        queue.append(target)
                    arcs.append((number[state], a, number[target]))
        accepting = frozenset(n for state, n in number.items() if automaton.start in state)
        automaton = Automaton(0, accepting, tuple(arcs))
    return automaton


@pytest.mark.parametrize(
    "expression, message",
    [
        ("r(g", 'character 2, "(", opens a bracket that is never closed'),
        ("rg)", 'character 3, ")", closes a bracket that was never opened'),
        ("*r", 'character 1, "*", repeats nothing; expected a letter or a bracket before it'),
        (
            "r+?",
            'character 3, "?", repeats a repeat; expected brackets around the part that is repeated twice',
        ),
        (
            "r++",
            'character 3, "+", repeats a repeat; expected brackets around the part that is repeated twice',
        ),
        ("rx", 'character 2, "x", is not one of the letters; expected r, g, b'),
        ("[rx]", 'character 3, "x", is not one of the letters; expected r, g, b'),
        ("g[^rgb]", 'character 2, "[", starts an empty set of letters'),
        ("r{3,2}", 'character 2, "{", starts a repeat from 3 to 2'),
        ("r{,}", 'character 2, "{", starts a repeat without a number; expected such as {2}, {2,} or {2,3}'),
        (
            r"\d",
            'character 1, "\\", has no meaning in an expression; '
            "expected letters, . [ ] ( ) | and the repeats * + ? {2} {2,} {2,3}",
        ),
        ("r\x1b", 'character 2, "\\u001b", has no meaning in an expression; expected ' + UNDERSTOOD),
        ("(" * 60, "brackets are nested more than 10 deep"),
        ("(r|g)*r(r|g){20}", f"the expression needs an automaton of more than {MOST_STATES} states"),
        ("(r{99}){99}", "the expression has more than 5000 parts with repeats written out"),
        ("((){9999}){9999}", "the expression has more than 5000 parts with repeats written out"),
    ],
)
def test_what_cannot_be_compiled_is_refused_with_a_reason(expression, message):
    with pytest.raises(InputError) as refusal:
        compile_expression(expression, SYMBOLS)
    assert str(refusal.value) == message


def test_the_rules_take_no_time_for_what_backtracking_takes_for_ever_on():
    assert not matches("(r*g*)*b", "rg" * 40)
    assert matches("(r*g*)*b", "rg" * 40 + "b")
    nested = "(" * 10 + "r*" + ")*" * 10
    compile_expression(nested, SYMBOLS)
    assert not matches(nested, "r" * 100 + "b")
