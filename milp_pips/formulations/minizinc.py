"""The formulation of a problem as a MiniZinc model: readable text that any MiniZinc solver can run."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Cardinality,
    DominoCover,
    Less,
    LinearSum,
    PairSum,
    Regular,
    Table,
)
from milp_pips.constraints.bridges import bridge, entry_of
from milp_pips.constraints.domino_cover.board import adjacency_lists
from milp_pips.problem import Constraint, Problem, Variable
from milp_pips.problem.objective import Objective

LINE_WIDTH = 110
"""Characters per line, unless a name is longer."""

LUBY_UNIT = 100
"""Failures per unit of Luby's restart sequence (Luby, Sinclair, Zuckerman 1993): enough to solve a small
puzzle before the first restart. Not chosen by a benchmark."""


def to_minizinc(problem: Problem, *, restarts: bool = False) -> str:
    """Return the problem as a MiniZinc model whose solutions correspond one to one to the problem's points.

    With ``restarts`` the search is random and restarts. That helps to find one solution of a large puzzle,
    but Gecode then never terminates a search for all solutions. The variables of the problem come first, by
    their ``identifiers``; auxiliary ones follow.
    """
    problem = bridge(problem, ITEMS)
    statement = _Statement(identifiers(problem), problem.variables)
    if problem.value_names:
        meanings = ", ".join(f"{value} is {name}" for value, name in problem.named_values.items())
        statement.lines.append(_comment(meanings))
    for variable, name in zip(problem.variables, statement.names, strict=True):
        remark = "" if variable.name in (name, name.replace("_", " ")) else f"  {_comment(variable.name)}"
        statement.lines.append(f"var {_set(variable.domain)}: {name};{remark}")
    for constraint in problem.constraints:
        _state(statement, constraint)
    if problem.objective is not None:
        statement.goal = f"minimize {_cost(statement, problem.objective)}"
    includes = [f'include "{predicate}.mzn";' for predicate in sorted(statement.includes)]
    lines = [*includes, *[""] * bool(includes), *statement.lines, "", *_search(statement, restarts)]
    return "".join(f"{line}\n" for long in lines for line in _wrap(long))


def _wrap(line: str) -> list[str]:
    """Return a long line broken at blanks into several; a line with a comment behind it stays whole."""
    if len(line) <= LINE_WIDTH or "%" in line[1:] or "\n" in line:
        return [line]
    deeper = "% " if line.startswith("%") else "  "
    return textwrap.wrap(
        line, LINE_WIDTH, subsequent_indent=deeper, break_long_words=False, break_on_hyphens=False
    )


def _search(statement: _Statement, restarts: bool) -> list[str]:
    """Return the ``solve`` item: branch on partners first, then on pips, each by weighted degree."""
    if not statement.searches:
        return [f"solve {statement.goal};"]
    choice, restart = "indomain_min", ""
    if restarts:
        choice, restart = "indomain_random", f" :: restart_luby({LUBY_UNIT})"
    searches = ",\n".join(f"  int_search({array}, dom_w_deg, {choice})" for array in statement.searches)
    return [
        "% Search on the variables that fail most, first where the dominoes lie and then what they show.",
        f"solve :: seq_search([\n{searches}\n]){restart} {statement.goal};",
    ]


class _Statement:
    """A MiniZinc model under construction.

    ``names`` has the identifier of each variable, ``taken`` all identifiers of the model, ``searches`` the
    arrays to branch on, in order, and ``goal`` the words behind ``solve``. ``includes`` names the predicates
    of MiniZinc's library; the file of each is included separately, since Debian's ``globals.mzn`` does not
    compile.
    """

    def __init__(self, names: tuple[str, ...], variables: Sequence[Variable]):
        self.names, self._variables = names, variables
        self._facts: dict[tuple[int, int], str] = {}
        self.lines: list[str] = []
        self.includes: set[str] = set()
        self.searches: list[str] = []
        self.taken = set(names)
        self.goal = "satisfy"

    def array(self, variables: Iterable[int]) -> str:
        """Return an array literal of the variables."""
        return "[" + ", ".join(self.names[v] for v in variables) + "]"

    def fact(self, v: int, value: int) -> str:
        """Return an expression that is 1 if the variable has this value, and else 0.

        A variable of its own is declared for it. MiniZinc 2.6 may lose the definition of a comparison inside
        a sum, also of a variable that is declared equal to one, and then Gecode lists a solution twice.
        """
        domain = self._variables[v].domain
        if value not in domain:
            return "0"
        if domain == (0, 1) and value == 1:
            return self.names[v]
        if (v, value) not in self._facts:
            number = str(value).replace("-", "minus_")
            (self._facts[v, value],) = _unique([f"{self.names[v]}_is_{number}"], self.taken)
            fact = self._facts[v, value]
            self.lines.append(f"var 0..1: {fact};")
            self.lines.append(f"constraint {fact} = 1 <-> {self.names[v]} = {value};")
        return self._facts[v, value]

    def add(self, predicate: str, *arguments: object) -> None:
        """Add a constraint with a predicate of MiniZinc's library."""
        self.includes.add(predicate)
        self.lines.append(f"constraint {predicate}({', '.join(map(str, arguments))});")


def _state(statement: _Statement, constraint: Constraint) -> None:
    """Add the constraint, with its label as a comment."""
    statement.lines += ["", _comment(constraint.label or type(constraint).__name__)]
    if constraint.variables:
        entry_of(ITEMS, constraint)(statement, constraint)
    else:  # without variables it is constant
        statement.lines.append(f"constraint {'true' if constraint.holds(()) else 'false'};")


def _equal(statement: _Statement, equal: AllEqual) -> None:
    statement.add("all_equal", statement.array(equal.variables))


def _different(statement: _Statement, different: AllDifferent) -> None:
    statement.add("alldifferent", statement.array(different.variables))


def _sum(statement: _Statement, total: LinearSum) -> None:
    terms = _terms((times, statement.names[v]) for times, v in total.terms)
    statement.lines.append(f"constraint {terms} {total.relation.value} {total.target};")


def _pairs(statement: _Statement, pairs: PairSum) -> None:
    terms = _terms([(times, statement.fact(v, a)) for v, a, times in pairs.terms])
    if pairs.low is not None and pairs.low == pairs.high:
        statement.lines.append(f"constraint {terms} = {pairs.low};")
        return
    for sign, bound in ((">=", pairs.low), ("<=", pairs.high)):
        if bound is not None:
            statement.lines.append(f"constraint {terms} {sign} {bound};")


def _cost(statement: _Statement, objective: Objective) -> str:
    """Return the identifier of a new variable that equals the cost of the objective."""
    costs = [(v, a, cost) for v, of in objective.costs.items() for a, cost in of.items()]
    terms = _terms([(cost, statement.fact(v, a)) for v, a, cost in costs])
    reach = sum(abs(cost) for _, _, cost in costs)
    (name,) = _unique(["cost"], statement.taken)
    statement.lines += ["", "% The objective.", f"var {-reach}..{reach}: {name};"]
    statement.lines.append(f"constraint {name} = {terms};")
    return name


def _terms(terms: Iterable[tuple[int, str]]) -> str:
    """Return the sum of products of a number and a text."""
    return " + ".join(text if times == 1 else f"{times} * {text}" for times, text in terms if times) or "0"


def _less(statement: _Statement, less: Less) -> None:
    smaller, greater = (statement.names[v] for v in less.variables)
    statement.lines.append(f"constraint {smaller} {'<' if less.strict else '<='} {greater};")


def _table(statement: _Statement, table: Table) -> None:
    if table.rows:
        statement.add("table", statement.array(table.variables), _rows(table.rows))
    else:
        statement.lines.append("constraint false;  % no row is allowed")


def _cardinality(statement: _Statement, constraint: Cardinality) -> None:
    """Add the bounds on the number of occurrences of each value, exact or between two numbers."""
    array, most = statement.array(constraint.variables), len(constraint.variables)
    low = {value: max(0, least) for value, (least, _) in constraint.tightest.items()}
    high = {value: min(greatest, most) for value, (_, greatest) in constraint.tightest.items()}
    if any(low[value] > high[value] for value in low):
        statement.lines.append("constraint false;  % no number of occurrences is allowed")
    elif low == high and low:
        statement.add("global_cardinality", array, [*low], [*low.values()])
    elif low:
        statement.add("global_cardinality_low_up", array, [*low], [*low.values()], [*high.values()])


def _regular(statement: _Statement, constraint: Regular) -> None:
    """Add the automaton as a table: MiniZinc numbers states and symbols from 1, and state 0 rejects."""
    automaton = constraint.automaton
    states = {automaton.start: 1}
    for state, _, target in automaton.arcs:
        states.setdefault(state, len(states) + 1)
        states.setdefault(target, len(states) + 1)
    accepting = sorted(states[state] for state in automaton.accepting if state in states)
    if not automaton.arcs or not accepting:
        statement.lines.append("constraint false;  % the automaton accepts no such word")
        return
    first = min(symbol for _, symbol, _ in automaton.arcs)
    symbols = max(symbol for _, symbol, _ in automaton.arcs) - first + 1
    table = [[0] * symbols for _ in states]
    for state, symbol, target in automaton.arcs:
        table[states[state] - 1][symbol - first] = states[target]
    word = statement.array(constraint.variables)
    if first != 1:
        word = f"[x {'-' if first > 1 else '+'} {abs(first - 1)} | x in {word}]"
    statement.includes.add("regular")
    statement.lines += [
        f"constraint regular({word}, {len(states)}, {symbols},",
        "  [| " + "\n   | ".join(", ".join(map(str, row)) for row in table) + " |],",
        f"  1, {_set(accepting)});",
    ]


def _cover(statement: _Statement, cover: DominoCover) -> None:
    """Add the cover.

    Partners and values determine the domino on each edge, so every placement is one solution of the model.
    """
    cells, edges, kinds = len(cover.values), len(cover.edges), len(cover.kinds)
    if not edges or not kinds:
        statement.lines.append("constraint false;  % there is no domino, or no place for one")
        return
    names = ("value", "partner", "near", "edge", "kind", "many", "lies", "fits")
    value, partner, near, edge, kind, many, lies, fits = _unique(names, statement.taken)
    all_cells, all_edges, all_kinds = f"0..{cells - 1}", f"1..{edges}", f"1..{kinds}"
    pips = sorted({pip for both in cover.kinds for pip in both})
    shown = [sum(many * both.count(pip) for both, many in cover.kinds.items()) for pip in pips]
    rows = sum(1 if a == b else 2 for a, b in cover.kinds) + len(pips) ** 2
    near_sets = ", ".join(_set(near) for near in adjacency_lists(cells, cover.edges))
    statement.includes |= {"inverse", "table", "global_cardinality"}
    statement.searches += [partner, value]
    statement.lines += f"""
% The cells are numbered from 0: cell c shows {value}[c] and shares its domino with cell {partner}[c].
array[{all_cells}] of var int: {value} = array1d({all_cells}, {statement.array(cover.values)});
array[{all_cells}] of var int: {partner} = array1d({all_cells}, {statement.array(cover.partners)});
% A domino may lie on each of these edges between two cells.
array[{all_edges}, 1..2] of int: {edge} = {_rows(cover.edges)};
array[{all_cells}] of set of int: {near} = array1d({all_cells}, [{near_sets}]);
% The kinds of dominoes, by their two numbers of pips, and how many there are of each kind.
array[{all_kinds}, 1..2] of int: {kind} = {_rows(cover.kinds)};
array[{all_kinds}] of int: {many} = {list(cover.kinds.values())};
% The kind of the domino that lies on each edge, 0 for none.
array[{all_edges}] of var 0..{kinds}: {lies};

% The partner of a cell is near it and has that cell as its own partner; their domino lies on the edge
% between them.
constraint forall(c in {all_cells})({partner}[c] in {near}[c]);
constraint inverse({partner}, {partner});
constraint forall(e in {all_edges})({lies}[e] > 0 <-> {partner}[{edge}[e, 1]] = {edge}[e, 2]);

% A domino shows its pips, either way round; where none lies, the cells of the edge are free.
array[1..{rows}, 1..3] of int: {fits} = array2d(1..{rows}, 1..3,
  [[k, {kind}[k, 1], {kind}[k, 2]][i] | k in {all_kinds}, i in 1..3]
  ++ [[k, {kind}[k, 2], {kind}[k, 1]][i] | k in {all_kinds} where {kind}[k, 1] < {kind}[k, 2], i in 1..3]
  ++ [[0, a, b][i] | a, b in {_set(pips)}, i in 1..3]);
constraint forall(e in {all_edges})(
  table([{lies}[e], {value}[{edge}[e, 1]], {value}[{edge}[e, 2]]], {fits}));

% All dominoes are used. Hence every number of pips shows as often as the dominoes have it: that is
% redundant, but it helps.
constraint global_cardinality({lies}, [k | k in {all_kinds}], {many});
constraint global_cardinality({value}, {pips}, {shown});
""".strip().splitlines()


ITEMS: Mapping[type[Constraint], Callable[[_Statement, Any], None]] = {
    DominoCover: _cover,
    AllEqual: _equal,
    AllDifferent: _different,
    LinearSum: _sum,
    PairSum: _pairs,
    Less: _less,
    Table: _table,
    Cardinality: _cardinality,
    Regular: _regular,
}
"""The function that adds the items of a constraint to the model, by its class."""


def _rows(rows: Iterable[tuple[int, ...]]) -> str:
    return "[| " + " | ".join(", ".join(map(str, row)) for row in rows) + " |]"


def identifiers(problem: Problem) -> tuple[str, ...]:
    """Return a valid, unique identifier for each variable of the problem, close to the variable's name."""
    return tuple(_unique((_identifier(variable.name) for variable in problem.variables), set()))


def _unique(names: Iterable[str], taken: set[str]) -> Iterator[str]:
    """Yield the names, with a number appended to each taken one, and mark them as taken."""
    for name in names:
        free, again = name, 1
        while free in taken:
            again += 1
            free = f"{name}_{again}"
        taken.add(free)
        yield free


def _comment(words: str) -> str:
    """Return the words as one comment line; unprintable characters become blanks."""
    printable = "".join(c if c.isprintable() else " " for c in words)
    return f"% {' '.join(printable.split())}".rstrip()


def _identifier(name: str) -> str:
    """Return the name as ASCII letters and digits without accents; underscores replace all other characters.

    A name of several characters without a digit is capitalised, so that it differs from MiniZinc's keywords
    and functions (``not``, ``domain``), which start with a lower-case letter.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    word = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_") or "x"
    if word[0].isdigit():
        return f"x{word}"
    if len(word) > 1 and not re.search(r"\d", word):
        return word[0].upper() + word[1:]
    return word


def _set(numbers: Iterable[int]) -> str:
    """Return the set of these numbers: ``0..6`` without gaps, ``{1, 3}`` with, ``{}`` for none."""
    ordered = sorted(set(numbers))
    if len(ordered) > 2 and ordered[-1] - ordered[0] + 1 == len(ordered):
        return f"{ordered[0]}..{ordered[-1]}"
    return "{" + ", ".join(map(str, ordered)) + "}"
