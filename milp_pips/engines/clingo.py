"""The solver clingo (Gebser, Kaminski, Kaufmann and Schaub 2019), which solves answer set programs.

A problem becomes a list of facts. The rules below define what the facts mean. Each answer set is a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

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
from milp_pips.engines.library import LibrarySolver, Points, Run, answer_of_points, end_of_list
from milp_pips.problem import Answer, Constraint, Deadline, Problem, Settings, Stop, UsageError
from milp_pips.runtime.interruptible import CALL_POLL, call_interruptibly

CLINGO_RULES = """
% V is a variable, A and B are values, C is a constraint, I and J are places of variables in it.
{ is(V, A) : domain(V, A) } = 1 :- variable(V).
takes(C, I, A) :- at(C, I, V), is(V, A).
could(C, A) :- at(C, _, V), domain(V, A).

:- all_equal(C), takes(C, I, A), at(C, I + 1, _), not takes(C, I + 1, A).
:- all_different(C), could(C, A), { takes(C, I, A) : at(C, I, _) } > 1.
:- less(C, Gap), takes(C, 0, A), takes(C, 1, B), A + Gap > B.
:- at_least(C, Target), #sum { K * A, I : times(C, I, K), takes(C, I, A) } < Target.
:- at_most(C, Target), #sum { K * A, I : times(C, I, K), takes(C, I, A) } > Target.
:- occurs(C, A, Low, High), not Low { takes(C, I, A) : at(C, I, _) } High.
:- pairs_at_least(C, Low), #sum { K, V, A : weight(C, V, A, K), is(V, A) } < Low.
:- pairs_at_most(C, High), #sum { K, V, A : weight(C, V, A, K), is(V, A) } > High.
#minimize { K, V, A : cost(V, A, K), is(V, A) }.

{ chosen(C, Row) : row(C, Row) } = 1 :- table(C).
:- chosen(C, Row), entry(C, Row, I, A), not takes(C, I, A).

reached(C, 0, S) :- start(C, S).
reached(C, I + 1, T) :- reached(C, I, S), takes(C, I, A), arc(C, S, A, T).
:- length(C, I), { reached(C, I, S) : accepts(C, S) } < 1.

% I and J are the cells of a domino of kind K; the values of the cells are at their places.
lies(C, I, J) :- partner(C, I, V), is(V, J).
:- lies(C, I, J), not lies(C, J, I).
:- lies(C, I, J), not edge(C, I, J).
domino(C, I, J, K) :- lies(C, I, J), I < J, takes(C, I, A), takes(C, J, B), way(C, K, A, B).
:- lies(C, I, J), I < J, not domino(C, I, J, _).
:- kind(C, K, Times), not Times { domino(C, I, J, K) : edge(C, I, J) } Times.

#show is/2.
"""

MAX_CLINGO_NUMBER = 2**30
"""The greatest number that clingo takes: it computes in 32 bits, and greater numbers silently overflow."""

CONFIGURATIONS = ("auto", "frumpy", "jumpy", "tweety", "handy", "crafty", "trendy", "many")
"""The names of clingo's configurations; it takes any other name for a file and reads it."""


Fact: TypeAlias = tuple[Any, ...]
"""The name of a fact and its arguments, which are all numbers: no text of a file gets in."""


def program(problem: Problem) -> str:
    """Return the facts as text. Raises UsageError if a number or a sum is too great for clingo."""
    stated = list(facts(bridge(problem, FACTS)))
    require_small(max((abs(number) for _, *numbers in stated for number in numbers), default=0))
    return "".join(f"{name}({','.join(map(str, numbers))}).\n" for name, *numbers in stated)


def require_small(number: int) -> None:
    """Raise UsageError for a number, or a sum that can be reached, that is too great for clingo."""
    if number > MAX_CLINGO_NUMBER:
        raise UsageError(
            f"clingo counts up to {MAX_CLINGO_NUMBER}, and there are greater numbers or sums here"
        )


def facts(problem: Problem) -> Iterator[Fact]:
    """Yield the facts of a bridged problem; a fact of a constraint begins with the constraint's number."""
    for v, variable in enumerate(problem.variables):
        yield "variable", v
        yield from (("domain", v, a) for a in variable.domain)
    costs = {} if problem.objective is None else problem.objective.costs
    require_small(sum(abs(cost) for of_value in costs.values() for cost in of_value.values()))
    for v, of_value in costs.items():
        yield from (("cost", v, a, cost) for a, cost in of_value.items())
    for c, constraint in enumerate(problem.constraints):
        for name, *arguments in entry_of(FACTS, constraint)(constraint, problem):
            yield (name, c, *arguments)


def places(variables: Iterable[int]) -> Iterator[Fact]:
    """Yield which variable is at which place of a constraint."""
    return (("at", i, v) for i, v in enumerate(variables))


def bounds_between(low: str, high: str, bounds: Iterable[int | None]) -> Iterator[Fact]:
    """Yield the bounds of a sum, by these names of a lower and an upper one."""
    return ((name, bound) for name, bound in zip((low, high), bounds, strict=True) if bound is not None)


def equal_facts(equal: AllEqual, _: Problem) -> Iterator[Fact]:
    """Yield the facts of equal variables."""
    yield ("all_equal",)
    yield from places(equal.variables)


def different_facts(different: AllDifferent, _: Problem) -> Iterator[Fact]:
    """Yield the facts of different variables."""
    yield ("all_different",)
    yield from places(different.variables)


def less_facts(less: Less, _: Problem) -> Iterator[Fact]:
    """Yield the facts of a comparison, which clingo grounds to short clauses."""
    yield "less", less.gap
    yield from places(less.variables)


def sum_facts(total: LinearSum, problem: Problem) -> Iterator[Fact]:
    """Yield the facts of a sum of variables. Raises UsageError if it can be too great."""
    domains = [problem.variables[v].domain for v in total.variables]
    ends = (max(map(abs, domain), default=0) for domain in domains)
    require_small(sum(abs(times) * end for (times, _), end in zip(total.terms, ends, strict=True)))
    yield from places(total.variables)
    yield from (("times", i, times) for i, (times, _) in enumerate(total.terms))
    yield from bounds_between("at_least", "at_most", total.bounds)


def pair_facts(pairs: PairSum, _: Problem) -> Iterator[Fact]:
    """Yield the facts of a sum over pairs. Raises UsageError if it can be too great."""
    require_small(sum(abs(times) for _, _, times in pairs.terms))
    yield from (("weight", *term) for term in pairs.terms)
    yield from bounds_between("pairs_at_least", "pairs_at_most", (pairs.low, pairs.high))


def cardinality_facts(cardinality: Cardinality, _: Problem) -> Iterator[Fact]:
    """Yield the facts of bounds on the number of occurrences."""
    yield from places(cardinality.variables)
    yield from (("occurs", *bounds) for bounds in cardinality.bounds)


def table_facts(table: Table, _: Problem) -> Iterator[Fact]:
    """Yield the facts of a table: its rows and their entries."""
    yield ("table",)
    yield from places(table.variables)
    for number, row in enumerate(dict.fromkeys(table.rows)):
        yield "row", number
        yield from (("entry", number, i, a) for i, a in enumerate(row))


def regular_facts(regular: Regular, _: Problem) -> Iterator[Fact]:
    """Yield the facts of a word and its automaton."""
    yield "start", regular.automaton.start
    yield "length", len(regular.variables)
    yield from places(regular.variables)
    yield from (("arc", *arc) for arc in regular.automaton.arcs)
    yield from (("accepts", state) for state in regular.automaton.accepting)


def cover_facts(cover: DominoCover, _: Problem) -> Iterator[Fact]:
    """Yield the facts of a domino cover; its places are its cells."""
    yield from places(cover.values)
    yield from (("partner", i, v) for i, v in enumerate(cover.partners))
    yield from (("edge", *way) for i, j in cover.edges for way in ((i, j), (j, i)))
    for kind, ((a, b), times) in enumerate(cover.kinds.items()):
        yield "kind", kind, times
        yield from (("way", kind, *way) for way in {(a, b), (b, a)})


FACTS: Mapping[type[Constraint], Callable[[Any, Problem], Iterator[Fact]]] = {
    DominoCover: cover_facts,
    AllEqual: equal_facts,
    AllDifferent: different_facts,
    Less: less_facts,
    LinearSum: sum_facts,
    PairSum: pair_facts,
    Cardinality: cardinality_facts,
    Table: table_facts,
    Regular: regular_facts,
}
"""The function that yields the facts of a constraint, without its number, by its class."""


class ClingoSolver(LibrarySolver):
    """The solver clingo; its options have clingo's own names, such as ``--option configuration=trendy``."""

    name = "clingo"
    kind = "cp"
    title = "clingo"
    requires = ("clingo",)
    distribution = "clingo"
    features = frozenset(
        {"time limit", "seed", "threads", "options", "enumeration", "projection", "objective"}
    )
    transformations = ("filter", "bridge")
    isolated = True  # grounding cannot be stopped, and Python crashes if it exits meanwhile

    @property
    def native(self) -> Collection[type[Constraint]]:
        """The constraint classes that have facts."""
        return FACTS.keys()

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run | None:
        """Return the search for the first answer set of the grounded problem; see ``LibrarySolver``."""
        control = grounded(problem, (), settings, deadline)

        def run() -> Answer:
            # The search ends before its statistics are read.
            points = answer_sets(control, len(problem.variables), deadline)
            found = answer_of_points(points, problem, deadline)
            size, counts = (control.statistics[part] for part in ("problem", "solving"))
            lines, solvers = size["lp"], counts["solvers"]
            return replace(
                found,
                statistics={"conflicts": int(solvers["conflicts"]), "decisions": int(solvers["choices"])},
                size={"columns": int(lines["atoms"]), "rows": int(lines["rules"])},
            )

        return control and run

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield one point per solution that differs in the key; clingo projects on the key itself."""
        self.check(settings)
        problem = problem.with_objective(None)
        control = grounded(problem, problem.keys[key], settings, deadline)
        if control is None:
            return end_of_list(False, deadline)
        return (yield from answer_sets(control, len(problem.variables), deadline))


def grounded(problem: Problem, compared: Iterable[int], settings: Settings, deadline: Deadline) -> Any:
    """Return clingo's control object with the problem grounded; None if the deadline passes first.

    If any variables are ``compared``, answer sets that agree on them count as one. Raises UsageError.
    """
    for name, value in settings.options.items():
        if "configuration".startswith(name) and value not in CONFIGURATIONS:  # clingo takes prefixes of names
            raise UsageError(f"clingo has the configurations {', '.join(CONFIGURATIONS)}, not {value!r}")
    import clingo

    options = {"warn": "none", "models": "0", "seed": str(settings.seed), **settings.options}
    if settings.threads > 1:
        options["parallel-mode"] = str(settings.threads)
    projected = "".join(f"#project is({v}, A) : domain({v}, A).\n" for v in compared)
    if projected:
        options["project"] = "auto"
    try:
        control = clingo.Control(
            [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()]
        )
    except RuntimeError as error:
        words = str(error).removeprefix("In context '<libclingo>': ")
        raise UsageError(f"clingo: {words}") from None

    def ground() -> None:
        control.add("base", [], CLINGO_RULES + program(problem) + projected)
        control.ground([("base", [])])

    return control if call_interruptibly(ground, deadline, control.interrupt) and not deadline.stop else None


def answer_sets(control: Any, variables: int, deadline: Deadline) -> Points:
    """Yield each answer set as a point of the first variables; clingo searches in its own thread."""
    pairs: dict[Any, tuple[int, int]] = {}  # reading an atom takes as long as finding the answer set
    with control.solve(yield_=True, async_=True) as handle:
        while not deadline.stop:
            handle.resume()
            while not handle.wait(CALL_POLL):
                if deadline.stop:
                    handle.cancel()
            model = handle.model()
            if model is None:
                return end_of_list(handle.get().exhausted, deadline, Stop.COUNT)
            point = [0] * variables
            for atom in model.symbols(shown=True):
                if (pair := pairs.get(atom)) is None:
                    variable, value = atom.arguments
                    pair = pairs[atom] = variable.number, value.number
                if pair[0] < variables:
                    point[pair[0]] = pair[1]
            yield tuple(point)
    return end_of_list(False, deadline)
