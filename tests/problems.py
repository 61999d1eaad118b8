"""Problems for tests, random and fixed, and their solutions by exhaustive search."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from strange_constraints import EvenSum, FarApart

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    AnyOf,
    Automaton,
    Cardinality,
    Connected,
    DominoCover,
    Fixed,
    Less,
    LinearSum,
    NoGood,
    PairSum,
    Regular,
    Relation,
    Table,
)
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem, Variable, unchecked_variable


def placements(cover: DominoCover) -> Iterator[dict[int, int]]:
    """Yield every placement of the dominoes: the first open cell, any neighbour, any domino."""
    near: list[set[int]] = [set() for _ in cover.values]
    for i, j in cover.edges:
        near[i].add(j)
        near[j].add(i)

    def lay(
        open_cells: list[int], stock: Counter[tuple[int, int]], laid: dict[int, int]
    ) -> Iterator[dict[int, int]]:
        if not open_cells:
            yield dict(laid)
            return
        i = open_cells[0]
        for j in near[i] & set(open_cells):
            for low, high in [kind for kind, times in stock.items() if times]:
                for a, b in {(low, high), (high, low)}:
                    put = {cover.values[i]: a, cover.values[j]: b, cover.partners[i]: j, cover.partners[j]: i}
                    rest = [cell for cell in open_cells if cell not in (i, j)]
                    yield from lay(rest, stock - Counter([(low, high)]), laid | put)

    yield from lay(list(range(len(cover.values))), Counter(cover.dominoes), {})


def solutions(problem: Problem) -> set[tuple[int, ...]]:
    """Return all solutions by exhaustive search with ``holds`` of each constraint and without propagators."""
    covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
    laid = list(placements(covers[0])) if covers else [{}]
    covered = covers[0].variables if covers else ()
    others = [v for v in range(len(problem.variables)) if v not in covered]
    found = set()
    for base in laid:
        for whole in _completed(problem, base, others):
            assignment = tuple(whole[v] for v in range(len(problem.variables)))
            if problem.violated(assignment) is None:
                found.add(assignment)
    return found


def _completed(problem: Problem, base: dict[int, int], others: list[int]) -> Iterator[dict[int, int]]:
    """Yield every assignment with these values that satisfies the constraints on the other variables."""
    place = {v: k for k, v in enumerate(others)}
    full: list[list[Constraint]] = [[] for _ in others]
    for rule in problem.constraints:
        if not place.keys().isdisjoint(rule.variables):
            full[max(place[v] for v in rule.variables if v in place)].append(rule)

    def choose(value: dict[int, int], k: int) -> Iterator[dict[int, int]]:
        if k == len(others):
            yield value
            return
        for x in problem.variables[others[k]].domain:
            value[others[k]] = x
            if all(rule.holds(value) for rule in full[k]):
                yield from choose(value, k + 1)

    yield from choose(dict(base), 0)


def random_automaton(rng: random.Random, letters: list[int]) -> Automaton:
    states = range(rng.randint(1, 4))
    arcs = [(s, letter, rng.choice(states)) for s in states for letter in letters if rng.random() < 0.8]
    accepting = frozenset(s for s in states if rng.random() < 0.6)
    return Automaton(rng.choice(states), accepting, tuple(arcs))


def random_constraint(rng: random.Random, variables: list[int], values: list[int]) -> Constraint:
    scope = tuple(rng.sample(variables, rng.randint(1, min(5, len(variables)))))
    kind = rng.randrange(11)
    if kind == 0:
        return AllEqual(scope[:3], "equal")
    if kind == 1:
        return AllDifferent(scope, "different")
    if kind == 2:
        chosen = rng.sample(values, rng.randint(1, len(values)))
        lows = [rng.choice((0, 0, 0, 1)) for _ in chosen]
        return Cardinality(
            scope,
            tuple((v, low, low + rng.randint(0, 2)) for v, low in zip(chosen, lows, strict=True)),
            "card",
        )
    if kind == 3:
        return Regular(scope, random_automaton(rng, values), "word")
    if kind == 4:
        values = tuple(rng.choice(values) for _ in scope)
        return NoGood(scope, values, "not these", least=rng.randint(0, 2))
    if kind == 5 and len(scope) > 1:
        return Less((scope[0], scope[1]), rng.random() < 0.5, "less")
    if kind == 6:
        scope = scope[:3]
        rows = [tuple(rng.choice(values) for _ in scope) for _ in range(rng.randint(0, 12))]
        return Table(scope, tuple(rows), "table")
    if kind == 7:
        times = tuple(rng.choice((-3, -2, -1, 0, 1, 1, 2, 5)) for _ in scope)
        likely = sum(c * rng.choice(values) for c in times) + rng.randint(-1, 1)
        return LinearSum(scope, rng.choice(list(Relation)), likely, "weighted sum", times)
    target = round(sum(values) / len(values) * len(scope)) + rng.randint(-3, 3)
    return LinearSum(scope, rng.choice(list(Relation)), target, "sum")


def any_constraint(rng: random.Random, variables: list[int], values: list[int]) -> Constraint:
    """Return a constraint of any class, also of those that no family uses or the package does not know."""
    scope = tuple(rng.sample(variables, rng.randint(1, min(5, len(variables)))))
    match rng.randrange(9):
        case 0:
            pairs = [(i, j) for j in range(len(scope)) for i in range(j)]
            edges = tuple(pair for pair in pairs if rng.random() < 0.5)
            return Connected(
                scope, edges, tuple(rng.sample(values, rng.randint(1, len(values)))), "connected"
            )
        case 1 | 2:
            facts = sorted({(rng.choice(scope), rng.choice(values)) for _ in range(rng.randint(1, 6))})
            terms = tuple((v, value, rng.choice((-3, -1, 1, 1, 2))) for v, value in facts)
            low, high = sorted(rng.randint(-3, 4) for _ in range(2))
            return PairSum(terms, rng.choice((None, low)), rng.choice((None, high)), "facts")
        case 3:
            facts = {(v, rng.choice(values), rng.random() < 0.5) for v in scope}
            return AnyOf(tuple(sorted(facts)), "one of these facts")
        case 4:
            return Fixed(scope[0], rng.choice(values), "fixed")
        case 5:
            return EvenSum(scope)
        case 6 if len(scope) > 1:
            return FarApart(scope[:2], rng.randint(0, 3))
    return random_constraint(rng, variables, values)


def any_problem(rng: random.Random, most_rules: int = 3) -> Problem:
    """Return up to five variables with constraints of any class, also on a value that none of them has."""
    values = sorted(rng.sample(range(-3, 6), rng.randint(1, 4)))
    variables = tuple(
        Variable(f"x{i}", tuple(sorted(rng.sample(values, rng.randint(1, len(values))))))
        for i in range(rng.randint(1, 5))
    )
    every = list(range(len(variables)))
    rules = [any_constraint(rng, every, [*values, 9]) for _ in range(rng.randint(1, most_rules))]
    return Problem(variables, tuple(rules), {"all": tuple(every)})


def random_board(rng: random.Random) -> tuple[int, list[tuple[int, int]]]:
    """Return the number of cells and the edges of a part of a grid, or of a random graph."""
    cells = 2 * rng.choice((1, 2, 2, 3, 3, 3, 4))
    if rng.random() < 0.2:
        pairs = [(i, j) for i in range(cells) for j in range(i + 1, cells) if rng.random() < 0.5]
        return cells, pairs
    columns = rng.randint(1, 4)
    at = [divmod(k, columns) for k in range(cells)]
    number = {cell: k for k, cell in enumerate(at)}
    steps = ((0, 1), (1, 0))
    return cells, [
        (k, number[r + y, c + x]) for k, (r, c) in enumerate(at) for y, x in steps if (r + y, c + x) in number
    ]


def random_domino_problem(rng: random.Random, *, tidy: bool) -> Problem:
    """Return a domino puzzle: ``tidy`` with disjoint regions, else with any constraints."""
    cells, edges = random_board(rng)
    pips = rng.sample([-2, 0, 1, 2, 3, 4, 7], rng.randint(2, 4))
    dominoes = [tuple(sorted(rng.choices(pips, k=2))) for _ in range(cells // 2)]
    if rng.random() < 0.05:
        dominoes.append(dominoes[0])
    shown = tuple(sorted({pip for domino in dominoes for pip in domino}))
    values, partners = tuple(range(cells)), tuple(range(cells, 2 * cells))
    near = [sorted({i + j - k for i, j in edges if k in (i, j)}) for k in range(cells)]
    variables = [Variable(f"v{k}", shown) for k in values] + [
        unchecked_variable(f"p{k}", tuple(near[k])) for k in values
    ]
    cover = DominoCover(values, partners, tuple(edges), tuple(sorted(dominoes)), "cover")
    constraints: list[Constraint] = [cover]
    if tidy:
        order = rng.sample(values, cells)
        while order:
            size = rng.randint(1, 4)
            if rng.random() < 0.7:
                constraints.append(random_constraint(rng, order[:size], list(shown)))
            order = order[size:]
    else:
        if rng.random() < 0.3:
            variables.append(Variable("extra", tuple(sorted(rng.sample(range(-3, 300), 2)))))
        rules = rng.randint(0, 3)
        constraints += [random_constraint(rng, list(values), list(shown)) for _ in range(rules)]
        if rng.random() < 0.3:
            constraints.append(random_constraint(rng, list(range(len(variables))), list(range(cells))))
    problem = Problem(tuple(variables), tuple(constraints), {"placement": values + partners, "grid": values})
    if rng.random() < 0.3:
        v = rng.randrange(2 * cells)
        keep = [x for x in variables[v].domain if rng.random() < 0.7]
        problem = problem.restricted({v: keep})
    return problem


def random_problem(rng: random.Random) -> Problem:
    values = sorted(rng.sample(range(-3, 6), rng.randint(2, 4)))
    variables = [
        Variable(f"x{i}", tuple(sorted(rng.sample(values, rng.randint(1, len(values))))))
        for i in range(rng.randint(1, 6))
    ]
    every = list(range(len(variables)))
    constraints = tuple(random_constraint(rng, every, values) for _ in range(rng.randint(0, 4)))
    seen = tuple(sorted(rng.sample(every, rng.randint(0, len(every)))))
    return Problem(tuple(variables), constraints, {"all": tuple(every), "grid": seen})


def latin_square(
    size: int, boxes: tuple[int, int] | None = None, given: dict[int, int] | None = None
) -> Problem:
    values = tuple(range(1, size + 1))
    cell = {(r, c): r * size + c for r in range(size) for c in range(size)}
    groups = [[cell[r, c] for c in range(size)] for r in range(size)]
    groups += [[cell[r, c] for r in range(size)] for c in range(size)]
    if boxes:
        high, wide = boxes
        groups += [
            [cell[r + y, c + x] for y in range(high) for x in range(wide)]
            for r in range(0, size, high)
            for c in range(0, size, wide)
        ]
    variables = tuple(Variable(f"r{r + 1}c{c + 1}", values) for r, c in cell)
    problem = Problem(variables, tuple(AllDifferent(tuple(group), "group") for group in groups))
    return problem.restricted({v: [x] for v, x in (given or {}).items()})


def skewed_paths() -> Problem:
    """Return a problem for which a walk with equally likely arcs samples far from uniformly."""
    cover = DominoCover(
        tuple(range(8)),
        tuple(range(8, 16)),
        ((0, 1), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7)),
        ((0, 1), (0, 1), (1, 1), (2, 2)),
    )
    near = [sorted(i + j - k for i, j in cover.edges if k in (i, j)) for k in range(8)]
    variables = [Variable(f"value {k}", (0, 1, 2)) for k in range(8)]
    variables += [Variable(f"partner {k}", tuple(near[k])) for k in range(8)]
    return Problem(tuple(variables), (cover, LinearSum((0, 4), Relation.LE, 2, "sum")))
