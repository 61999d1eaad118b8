"""Each constraint as the global constraint of MiniZinc that says the same."""

from __future__ import annotations

from milp_pips.minizinc.cover import state_cover
from milp_pips.minizinc.draft import Draft
from milp_pips.minizinc.names import comment, values
from milp_pips.problem import (
    AllDifferent,
    AllEqual,
    Cardinality,
    Constraint,
    DominoCover,
    LinearSum,
    NoGood,
    Regular,
)


def state(draft: Draft, constraint: Constraint) -> None:
    """Add the constraint under its label."""
    draft.lines += ["", comment(constraint.label or type(constraint).__name__)]
    if not constraint.variables:  # nothing to choose: true or false as it stands
        draft.lines.append(f"constraint {'true' if constraint.holds(()) else 'false'};")
        return
    match constraint:
        case DominoCover():
            state_cover(draft, constraint)
        case AllEqual():
            _call(draft, draft.library("all_equal"), draft.named(constraint.variables))
        case AllDifferent():
            _call(draft, draft.library("alldifferent"), draft.named(constraint.variables))
        case LinearSum():
            total = " + ".join(draft.names[v] for v in constraint.variables)
            draft.lines.append(f"constraint {total} {constraint.relation.value} {constraint.target};")
        case Cardinality():
            _cardinality(draft, constraint)
        case Regular():
            _regular(draft, constraint)
        case NoGood(variables, given, least):
            differ = " + ".join(
                f"bool2int({draft.names[v]} != {a})" for v, a in zip(variables, given, strict=True)
            )
            draft.lines.append(f"constraint {differ} >= {least};")
        case _:
            raise TypeError(f"no MiniZinc text for {type(constraint).__name__}")


def _call(draft: Draft, predicate: str, *arguments: object) -> None:
    draft.lines.append(f"constraint {predicate}({', '.join(map(str, arguments))});")


def _cardinality(draft: Draft, constraint: Cardinality) -> None:
    """State how often each value occurs: exactly, or between two numbers."""
    most = len(constraint.variables)
    low = {value: 0 for value, _, _ in constraint.bounds}
    high = dict.fromkeys(low, most)
    for value, least, greatest in constraint.bounds:  # a value may have several bounds
        low[value], high[value] = max(low[value], least), min(high[value], greatest)
    if any(low[value] > high[value] for value in low):
        draft.lines.append("constraint false;  % no number of occurrences is allowed")
    elif low == high and low:
        predicate = draft.library("global_cardinality")
        _call(draft, predicate, draft.named(constraint.variables), [*low], [*low.values()])
    elif low:
        predicate = draft.library("global_cardinality_low_up")
        occurs = [*low], [*low.values()], [*high.values()]
        _call(draft, predicate, draft.named(constraint.variables), *occurs)


def _regular(draft: Draft, constraint: Regular) -> None:
    """State the automaton by its table: MiniZinc numbers states and symbols from 1, and state 0 rejects."""
    automaton = constraint.automaton
    states = {automaton.start: 1}
    for state, _, target in automaton.arcs:
        states.setdefault(state, len(states) + 1)
        states.setdefault(target, len(states) + 1)
    accepting = sorted(states[state] for state in automaton.accepting if state in states)
    if not automaton.arcs or not accepting:
        draft.lines.append("constraint false;  % the automaton accepts no such word")
        return
    first = min(symbol for _, symbol, _ in automaton.arcs)
    symbols = max(symbol for _, symbol, _ in automaton.arcs) - first + 1
    table = [[0] * symbols for _ in states]
    for state, symbol, target in automaton.arcs:
        table[states[state] - 1][symbol - first] = states[target]
    word = draft.named(constraint.variables)
    if first != 1:
        word = f"[x {'-' if first > 1 else '+'} {abs(first - 1)} | x in {word}]"
    draft.lines += [
        f"constraint {draft.library('regular')}({word}, {len(states)}, {symbols},",
        "  [| " + "\n   | ".join(", ".join(map(str, row)) for row in table) + " |],",
        f"  1, {values(accepting)});",
    ]
