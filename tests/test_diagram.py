"""Decision diagrams and solution spaces against plain enumeration."""

from __future__ import annotations

import doctest
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product
from typing import Any, NamedTuple, NoReturn
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import milp_pips
from milp_pips.answer import Stop
from milp_pips.diagram import (
    Budget,
    SolutionSet,
    Unfinished,
    Unsupported,
    compile_diagram,
    project,
    states,
)
from milp_pips.problem import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    Constraint,
    DominoCover,
    LinearSum,
    NoGood,
    Problem,
    Regular,
    Relation,
    Variable,
)
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule
from milp_pips.space import compile_space, project_space
from milp_pips.space.divide import Compiler
from milp_pips.watch import Watch


class Way(NamedTuple):
    """A way to keep all solutions: how they are compiled, and seen by some of their variables."""

    compile: Callable[[Problem], SolutionSet]
    project: Callable[[Any, Iterable[int]], SolutionSet]


def without_large_diagrams(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function where every part of a problem is branched on, and small diagrams stand below."""

    def divided(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "_race", Compiler._branch):
            return compile_or_project(*arguments)

    return divided


def without_diagrams(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function where branches go on to the end."""

    def refuse(*_: object) -> NoReturn:
        raise Unfinished("no diagrams here", Stop.MEMORY)

    def branched(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "_as_diagram", refuse):
            return compile_or_project(*arguments)

    return branched


WAYS = {
    "diagram": Way(compile_diagram, project),
    "space": Way(compile_space, project_space),
    "divided": Way(without_large_diagrams(compile_space), without_large_diagrams(project_space)),
    "branched": Way(without_diagrams(compile_space), without_diagrams(project_space)),
}
in_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)

chances = st.randoms(use_true_random=False)


def placements(cover: DominoCover) -> Iterator[dict[int, int]]:
    """Yield every way to lay the dominoes: first open cell, any neighbour, any domino."""
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
    """Return all solutions, by trying everything."""
    covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
    laid = list(placements(covers[0])) if covers else [{}]
    covered = covers[0].variables if covers else ()
    others = [v for v in range(len(problem.variables)) if v not in covered]
    found = set()
    for base in laid:
        for values in product(*(problem.variables[v].domain for v in others)):
            whole = base | dict(zip(others, values, strict=True))
            assignment = tuple(whole[v] for v in range(len(problem.variables)))
            if problem.violated(assignment) is None:
                found.add(assignment)
    return found


def an_automaton(chance: random.Random, letters: list[int]) -> Automaton:
    states = range(chance.randint(1, 4))
    arcs = [(s, letter, chance.choice(states)) for s in states for letter in letters if chance.random() < 0.8]
    accepting = frozenset(s for s in states if chance.random() < 0.6)
    return Automaton(chance.choice(states), accepting, tuple(arcs))


def a_constraint(chance: random.Random, variables: list[int], values: list[int]) -> Constraint:
    scope = tuple(chance.sample(variables, chance.randint(1, min(5, len(variables)))))
    kind = chance.randrange(8)
    if kind == 0:
        return AllEqual(scope[:3], "equal")
    if kind == 1:
        return AllDifferent(scope, "different")
    if kind == 2:
        chosen = chance.sample(values, chance.randint(1, len(values)))
        lows = [chance.choice((0, 0, 0, 1)) for _ in chosen]
        return Cardinality(
            scope,
            tuple((v, low, low + chance.randint(0, 2)) for v, low in zip(chosen, lows, strict=True)),
            "card",
        )
    if kind == 3:
        return Regular(scope, an_automaton(chance, values), "word")
    if kind == 4:
        return NoGood(scope, tuple(chance.choice(values) for _ in scope), chance.randint(0, 2), "not these")
    target = round(sum(values) / len(values) * len(scope)) + chance.randint(-3, 3)
    return LinearSum(scope, chance.choice(list(Relation)), target, "sum")


def a_board(chance: random.Random) -> tuple[int, list[tuple[int, int]]]:
    """Return a number of cells and edges: a piece of a grid, or any graph."""
    cells = 2 * chance.choice((1, 2, 2, 3, 3, 3, 4))
    if chance.random() < 0.2:
        pairs = [(i, j) for i in range(cells) for j in range(i + 1, cells) if chance.random() < 0.5]
        return cells, pairs
    columns = chance.randint(1, 4)
    at = [divmod(k, columns) for k in range(cells)]
    number = {cell: k for k, cell in enumerate(at)}
    steps = ((0, 1), (1, 0))
    return cells, [
        (k, number[r + y, c + x]) for k, (r, c) in enumerate(at) for y, x in steps if (r + y, c + x) in number
    ]


def a_domino_problem(chance: random.Random, *, tidy: bool) -> Problem:
    """Return a domino puzzle: tidy with disjoint regions, else with any rules on any variables."""
    cells, edges = a_board(chance)
    pips = chance.sample([-2, 0, 1, 2, 3, 4, 7], chance.randint(2, 4))
    dominoes = [tuple(sorted(chance.choices(pips, k=2))) for _ in range(cells // 2)]
    if chance.random() < 0.05:
        dominoes.append(dominoes[0])
    shown = tuple(sorted({pip for domino in dominoes for pip in domino}))
    values, partners = tuple(range(cells)), tuple(range(cells, 2 * cells))
    near = [sorted({i + j - k for i, j in edges if k in (i, j)}) for k in range(cells)]
    variables = [Variable(f"v{k}", shown) for k in values] + [
        Variable(f"p{k}", tuple(near[k])) for k in values
    ]
    cover = DominoCover(values, partners, tuple(edges), tuple(sorted(dominoes)), "cover")
    constraints: list[Constraint] = [cover]
    if tidy:
        order = chance.sample(values, cells)
        while order:
            size = chance.randint(1, 4)
            if chance.random() < 0.7:
                constraints.append(a_constraint(chance, order[:size], list(shown)))
            order = order[size:]
    else:
        if chance.random() < 0.3:
            variables.append(Variable("extra", tuple(sorted(chance.sample(range(-3, 300), 2)))))
        rules = chance.randint(0, 3)
        constraints += [a_constraint(chance, list(values), list(shown)) for _ in range(rules)]
        if chance.random() < 0.3:
            constraints.append(a_constraint(chance, list(range(len(variables))), list(range(cells))))
    problem = Problem(tuple(variables), tuple(constraints), {"placement": values + partners, "grid": values})
    if chance.random() < 0.3:
        v = chance.randrange(2 * cells)
        keep = [x for x in variables[v].domain if chance.random() < 0.7]
        problem = problem.restricted({v: keep})
    return problem


def a_plain_problem(chance: random.Random) -> Problem:
    values = sorted(chance.sample(range(-3, 6), chance.randint(2, 4)))
    variables = [
        Variable(f"x{i}", tuple(sorted(chance.sample(values, chance.randint(1, len(values))))))
        for i in range(chance.randint(1, 6))
    ]
    every = list(range(len(variables)))
    constraints = tuple(a_constraint(chance, every, values) for _ in range(chance.randint(0, 4)))
    seen = tuple(sorted(chance.sample(every, chance.randint(0, len(every)))))
    return Problem(tuple(variables), constraints, {"all": tuple(every), "grid": seen})


def agree(problem: Problem, way: Way) -> None:
    """Check everything that is said of the solutions against plain enumeration."""
    expected = solutions(problem)
    diagram = way.compile(problem)
    walked = list(diagram.assignments())
    assert diagram.count == len(expected)
    assert len(walked) == len(expected)
    assert set(walked) == expected
    assert [diagram.nth(i) for i in range(diagram.count)] == walked
    every = range(len(problem.variables))
    marginals = {v: dict(Counter(s[v] for s in expected)) for v in every}
    assert diagram.marginals() == marginals
    assert diagram.forced() == {v: next(iter(m)) for v, m in marginals.items() if len(m) == 1}
    for key in problem.keys.values():
        views = {tuple(s[v] for v in sorted(key)) for s in expected}
        seen = way.project(diagram, key)
        assert seen.count == len(views)
        assert sorted(seen.assignments()) == sorted(views)
        assert seen.marginals() == {v: dict(Counter(w[i] for w in views)) for i, v in enumerate(sorted(key))}


@in_every_way
@settings(max_examples=60, deadline=None)
@given(chances)
def test_boards_with_regions(way: Way, chance: random.Random) -> None:
    agree(a_domino_problem(chance, tidy=True), way)


@in_every_way
@settings(max_examples=60, deadline=None)
@given(chances)
def test_boards_with_any_rules_on_any_variables(way: Way, chance: random.Random) -> None:
    agree(a_domino_problem(chance, tidy=False), way)


@in_every_way
@settings(max_examples=60, deadline=None)
@given(chances)
def test_problems_without_dominoes(way: Way, chance: random.Random) -> None:
    agree(a_plain_problem(chance), way)


@in_every_way
@settings(max_examples=50, deadline=None)
@given(chances)
def test_words_whose_letters_are_decided_in_any_order(way: Way, chance: random.Random) -> None:
    """The other rules and the problem's listing pull the letters of a word apart."""
    letters = [0, 1, 2][: chance.randint(2, 3)]
    size = chance.randint(3, 6)
    variables = tuple(Variable(f"x{i}", tuple(letters)) for i in range(size))
    words = tuple(
        Regular(
            tuple(chance.sample(range(size), chance.randint(2, size))), an_automaton(chance, letters), "word"
        )
        for _ in range(2)
    )
    agree(Problem(variables, words), way)


def latin(size: int, boxes: tuple[int, int] | None = None, given: dict[int, int] | None = None) -> Problem:
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


@in_every_way
@pytest.mark.parametrize(
    "problem, count",
    [
        (latin(3), 12),  # Latin squares of order 3, 4: 12, 576 (OEIS A002860)
        (latin(4), 576),
        (latin(4, (2, 2)), 288),  # Sudoku of order 4: 288 (OEIS A107739)
        (latin(4, (2, 2), {0: 1, 1: 2, 4: 3, 5: 4}), 12),
    ],
)
def test_known_numbers_of_squares(way: Way, problem: Problem, count: int) -> None:
    assert way.compile(problem).count == count


@pytest.mark.parametrize("compiled", [compile_diagram, compile_space])
def test_a_larger_number_of_squares(compiled: Callable[[Problem], SolutionSet]) -> None:
    assert compiled(latin(5)).count == 161280  # OEIS A002860


@in_every_way
def test_cardinality_counts_like_different_values(way: Way) -> None:
    """Each value exactly once in every row and column is a Latin square."""
    squares = latin(4)
    once = tuple((value, 1, 1) for value in range(1, 5))
    stated = tuple(Cardinality(c.variables, once, c.label) for c in squares.constraints)
    assert way.compile(Problem(squares.variables, stated)).count == 576


@in_every_way
def test_bounds_on_one_value_are_all_obeyed(way: Way) -> None:
    bounds = ((7, 1, 3), (7, 0, 2), (8, 0, 1))
    agree(Problem((Variable("x", (7, 8, 9)),) * 4, (Cardinality((0, 1, 2, 3), bounds, "card"),)), way)


@pytest.mark.parametrize("rows, columns, tilings", [(2, 10, 89), (4, 4, 36), (8, 8, 12988816)])
def test_tilings(rows: int, columns: int, tilings: int) -> None:
    """Equal dominoes tell no two placements apart: what is counted are the tilings (Kasteleyn 1961)."""
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    number = {cell: i for i, cell in enumerate(cells)}
    edges = tuple(
        (number[r, c], number[near]) for r, c in cells for near in ((r, c + 1), (r + 1, c)) if near in number
    )
    n = len(cells)
    near = [sorted(i + j - k for i, j in edges if k in (i, j)) for k in range(n)]
    variables = [Variable("value", (5,))] * n + [Variable("partner", tuple(near[k])) for k in range(n)]
    cover = DominoCover(tuple(range(n)), tuple(range(n, 2 * n)), edges, ((5, 5),) * (n // 2))
    diagram = compile_diagram(Problem(tuple(variables), (cover,)))
    assert diagram.count == tilings
    assert project(diagram, range(n)).count == 1


def test_a_count_beyond_machine_integers() -> None:
    variables = tuple(Variable(f"x{i}", (1, 2, 3)) for i in range(1500))
    diagram = compile_diagram(Problem(variables, (LinearSum((0, 1), Relation.EQ, 4, "sum"),)))
    assert diagram.count == 3**1499
    assert project(diagram, range(1, 1500)).count == 3**1499
    assert len(diagram.sample(random.Random(1))) == 1500
    assert next(diagram.assignments())[0] in (1, 2, 3)


def skewed() -> Problem:
    """Paths fork unevenly here: a walk that takes each arc with equal chance would be far from uniform."""
    cover = DominoCover(
        tuple(range(8)),
        tuple(range(8, 16)),
        ((0, 1), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7)),
        ((0, 1), (0, 1), (1, 1), (2, 2)),
    )
    near = [sorted(i + j - k for i, j in cover.edges if k in (i, j)) for k in range(8)]
    variables = [Variable("value", (0, 1, 2))] * 8 + [Variable("partner", tuple(near[k])) for k in range(8)]
    return Problem(tuple(variables), (cover, LinearSum((0, 4), Relation.LE, 2, "sum")))


@in_every_way
def test_samples_are_uniform(way: Way) -> None:
    diagram = way.compile(skewed())
    expected = solutions(skewed())
    chance, draws = random.Random(2026), 200 * len(expected)
    drawn = Counter(diagram.sample(chance) for _ in range(draws))
    assert set(drawn) == expected
    freedom = len(expected) - 1
    chi_square = sum((drawn[s] - 200) ** 2 / 200 for s in expected)
    # about normal for so many degrees of freedom; four standard deviations
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5


@in_every_way
def test_a_seed_draws_the_same_again(way: Way) -> None:
    diagram = way.compile(skewed())
    assert [diagram.sample(random.Random(5)) for _ in range(3)] == [diagram.sample(random.Random(5))] * 3


@in_every_way
def test_sums_of_any_kind_take_the_paths_in_one_order(way: Way) -> None:
    diagram = way.compile(latin(4))
    text = diagram.sums("", lambda fragment: "".join(str(value) for _, value in fragment))
    total = diagram.sums(0, lambda fragment: sum(value << 3 * v for v, value in fragment))
    seen = 0
    for digits, packed, assignment in zip(text, total, diagram.assignments(), strict=True):
        assert sorted(digits) == sorted("1234" * 4)
        assert tuple(packed >> 3 * v & 7 for v in range(16)) == assignment
        seen += 1
    assert seen == 576


@in_every_way
def test_no_solution(way: Way) -> None:
    diagram = way.compile(Problem((Variable("x", (1, 2)), Variable("y", ())), (AllEqual((0, 1), "equal"),)))
    assert diagram.count == 0
    assert list(diagram.assignments()) == []
    assert diagram.marginals() == {0: {}, 1: {}}
    assert diagram.forced() == {}
    assert way.project(diagram, [0]).count == 0
    with pytest.raises(IndexError):
        diagram.sample(random.Random(1))


@in_every_way
def test_no_variables(way: Way) -> None:
    diagram = way.compile(Problem((), ()))
    assert list(diagram.assignments()) == [()]
    assert way.compile(Problem((), (LinearSum((), Relation.GE, 1, "sum"),))).count == 0


def test_too_large_is_said() -> None:
    with pytest.raises(Unfinished) as caught:
        compile_diagram(latin(9, (3, 3)), Budget(5000, 0))
    assert caught.value.stop is Stop.MEMORY
    diagram = compile_diagram(latin(4))
    with pytest.raises(Unfinished) as caught:
        project(diagram, list(range(0, 16, 2)), Budget(0, 100))
    assert caught.value.stop is Stop.MEMORY


@pytest.mark.parametrize("interrupted, stop", [(True, Stop.INTERRUPTED), (False, Stop.TIME)])
def test_a_watch_is_obeyed(interrupted: bool, stop: Stop) -> None:
    watch = Watch(None if interrupted else 0.0)
    watch.interrupted = interrupted
    with pytest.raises(Unfinished) as caught:
        compile_diagram(latin(6), watch=watch)
    assert caught.value.stop is stop
    with pytest.raises(Unfinished) as caught:
        project(compile_diagram(latin(5)), range(13), watch=watch)
    assert caught.value.stop is stop


class LateWatch(Watch):
    """Says stop at one look and ever after."""

    def __init__(self, looks: int):
        super().__init__()
        self.looks = looks

    @property
    def stop(self) -> Stop | None:
        self.looks -= 1
        return Stop.TIME if self.looks < 0 else None


def test_a_watch_is_obeyed_whenever_it_says_stop() -> None:
    """Also between two laps of the race, when an order has just been given up for its size."""
    problem = latin(9, (3, 3))
    for looks in range(200):
        with pytest.raises(Unfinished) as caught:
            compile_diagram(problem, Budget(2000, 0), watch=LateWatch(looks))
        assert caught.value.stop is Stop.TIME


def test_the_worked_example_of_a_packed_state_is_true() -> None:
    tested = doctest.testmod(states)
    assert tested.attempted >= 10
    assert tested.failed == 0


def test_what_no_diagram_can_be_made_of_is_said() -> None:
    problem = skewed()
    two = Problem(problem.variables, (problem.constraints[0], problem.constraints[0]))
    with pytest.raises(Unsupported, match="two domino covers"):
        compile_diagram(two)
    twice = Problem((Variable("x", (1, 2)),), (LinearSum((0, 0), Relation.EQ, 2, "sum of x twice"),))
    with pytest.raises(Unsupported, match="sum of x twice"):
        compile_diagram(twice)


def test_every_order_of_the_cells_gives_the_same_count() -> None:
    """Listing the variables otherwise changes the diagram, not what it says."""
    problem = latin(4, (2, 2), {3: 2})
    for shift in permutations(range(4)):
        new = [4 * shift[v // 4] + v % 4 for v in range(16)]
        variables = sorted(range(16), key=lambda v: new[v])
        moved = Problem(
            tuple(problem.variables[v] for v in variables),
            tuple(AllDifferent(tuple(new[v] for v in c.variables), c.label) for c in problem.constraints),
        )
        assert compile_diagram(moved).count == 72


def test_many_solutions_of_a_part_beside_what_is_fixed_are_walked_as_they_are_numbered():
    cells = [(r, c) for r in range(2) for c in range(4)] + [(0, 9), (1, 9)]
    sixes = [Region("a", ((0, 9),), Rule.GT, 5), Region("b", ((1, 9),), Rule.GT, 5)]
    puzzle = Pips.on_grid("island", cells, sixes, [(0, 1), (2, 3), (4, 5), (0, 2), (6, 6)])
    problem = milp_pips.state(puzzle)
    space = compile_space(problem)
    assert space.count > 512
    walked = list(space.assignments())
    assert walked == [space.nth(i) for i in range(space.count)]
    assert not any(problem.violated(point) for point in walked)
