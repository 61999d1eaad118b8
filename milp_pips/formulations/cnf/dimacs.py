"""The formula of a problem as a DIMACS file, whose comments say what the literals mean."""

from __future__ import annotations

from milp_pips.formulations.cnf.encoding import CnfEncoding
from milp_pips.problem.problem import Problem


def to_dimacs(problem: Problem) -> str:
    """Return the problem in DIMACS CNF format; each model of the formula is one point of the problem.

    Before the clauses stands a comment for each value of each variable, such as ``c 17 r1c2 = 5``: literal 17
    holds where this variable has this value. What all other literals mean follows from these.
    """
    statement = CnfEncoding(problem)
    lines = ["c a literal, and what holds where it does"]
    for v, (name, domain) in enumerate(problem.variables):
        said = [(statement.literal(v, value), _plain(problem.written(value))) for value in domain]
        lines += [f"c {literal} {_plain(name)} = {value}" for literal, value in said]
    lines.append(f"p cnf {statement.variables} {len(statement.clauses)}")
    lines += [" ".join(map(str, [*clause, 0])) for clause in statement.clauses]
    return "\n".join(lines) + "\n"


def _plain(words: str) -> str:
    """Return the words on one line, in ASCII: not every reader of DIMACS skips anything else in comments."""
    printable = "".join(c if c.isprintable() else " " for c in words)
    return " ".join(printable.split()).encode("ascii", "backslashreplace").decode()
