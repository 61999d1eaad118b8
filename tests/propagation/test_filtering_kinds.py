"""Propagation by kinds of dominoes loses no solution and makes the expected deductions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

from milp_pips.constraints import DominoCover, LinearSum, Relation
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem, Variable
from milp_pips.propagation import filter_domains
from milp_pips.testing import board

chances = st.randoms(use_true_random=False)


@pytest.fixture(autouse=True, scope="module")
def boards_of_any_size_are_large() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("milp_pips.propagation.LARGE_BOARD", 0)
        yield


def narrow_problem(rng: random.Random) -> Problem:
    """Return dominoes, some of them equal, on any graph, with few values to each cell; mostly solvable."""
    cells = 2 * rng.randint(1, 6)
    order = rng.sample(range(cells), cells)
    edges = {tuple(sorted(order[k : k + 2])) for k in range(0, cells, 2)}
    edges |= {tuple(sorted(rng.sample(range(cells), 2))) for _ in range(rng.randint(0, 2 * cells))}
    pips = range(rng.randint(1, 4))
    shown = [rng.choice(pips) for _ in range(cells)]
    dominoes = sorted(
        tuple(sorted((shown[a], shown[b]))) for a, b in zip(order[::2], order[1::2], strict=True)
    )
    if rng.random() < 0.2:
        dominoes[0] = (rng.choice(pips),) * 2
    width = rng.choice([1, 1, 2, 3])
    domains = [
        {pip, *(rng.choice(pips) for _ in range(rng.randrange(width)))} & {p for d in dominoes for p in d}
        for pip in shown
    ]
    near = [tuple(sorted(i + j - k for i, j in edges if k in (i, j))) for k in range(cells)]
    variables = [Variable(f"cell {i}", tuple(pips)) for i in range(cells)]
    variables += [Variable(f"partner of cell {i}", near[i]) for i in range(cells)]
    values, partners = tuple(range(cells)), tuple(range(cells, 2 * cells))
    cover = DominoCover(values, partners, tuple(sorted(edges)), tuple(sorted(dominoes)), "cover")
    problem = Problem(tuple(variables), (cover,), {"placement": values + partners, "grid": values})
    return problem.restricted(dict(enumerate(map(sorted, domains))))  # some may be empty


def layouts(problem: Problem) -> set[tuple[int, ...]]:
    """Return all solutions of a problem that is one cover, by laying a domino on the first free cell."""
    (cover,) = problem.constraints
    assert isinstance(cover, DominoCover)
    domains = [variable.domain for variable in problem.variables]
    cells = len(cover.values)
    point = [-1] * (2 * cells)

    def lay(left: Counter[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
        free = [i for i in range(cells) if point[i] < 0]
        if not free:
            yield tuple(point)
            return
        i = free[0]
        for j in [
            j for j in free if (i, j) in cover.edges and j in domains[cells + i] and i in domains[cells + j]
        ]:
            for kind in [kind for kind in left if left[kind]]:
                for a, b in {kind, kind[::-1]}:
                    if a in domains[i] and b in domains[j]:
                        point[i], point[j], point[cells + i], point[cells + j] = a, b, j, i
                        yield from lay(left - Counter([kind]))
                        point[i] = point[j] = -1

    return set(lay(Counter(cover.dominoes)))


@examples(12)
@given(chances)
def test_nothing_is_lost_where_most_pips_are_known(rng: random.Random) -> None:
    problem = narrow_problem(rng)
    expected = layouts(problem)
    try:
        filtered = filter_domains(problem)
    except Contradiction:
        assert not expected
        return
    assert layouts(filtered) == expected
    again = filter_domains(filtered)  # which may remove more: what follows from two edges is not tried again
    assert layouts(again) == expected


def given_board(rows: list[list[int]], dominoes: list[tuple[int, int]]) -> Problem:
    """Return a rectangle whose every pip is given."""
    pips = [pip for row in rows for pip in row]
    rules = [LinearSum((i,), Relation.EQ, pip, f"{pip} in cell {i}") for i, pip in enumerate(pips)]
    return board(len(rows), len(rows[0]), dominoes, rules)


def edges_left(problem: Problem) -> set[tuple[int, int]]:
    (cover,) = (c for c in filter_domains(problem).constraints if isinstance(c, DominoCover))
    return set(cover.edges)


def test_a_kind_with_one_place_lies_there():
    # 1-1 fits on cells 0 and 3 alone, though both 1s could lie beside a 2 as far as the cells know
    rows = [[1, 2, 2], [1, 2, 1]]
    assert edges_left(given_board(rows, [(1, 1), (2, 2), (1, 2)])) == {(0, 3), (1, 4), (2, 5)} | {
        (1, 2),
        (4, 5),
    }
    assert edges_left(given_board([[1, 2], [1, 3]], [(1, 1), (2, 3)])) == {(0, 2), (1, 3)}


def test_a_kind_with_as_many_places_as_dominoes_lies_on_all():
    rows = [[1, 1, 2, 3], [2, 3, 1, 1]]
    assert edges_left(given_board(rows, [(1, 1), (1, 1), (2, 3), (2, 3)])) == {(0, 1), (2, 3), (4, 5), (6, 7)}


def test_an_edge_that_leaves_a_kind_no_room_is_dropped():
    # 1-1 lies on cells 0 and 1, or on 1 and 2: either way on cell 1, which therefore shares none with cell 4
    problem = given_board([[1, 1, 1], [2, 2, 2]], [(1, 1), (1, 2), (2, 2)])
    assert edges_left(problem) == {(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (2, 5)}


@pytest.mark.parametrize(
    "rows, dominoes, reason",
    [
        ([[1, 2, 1], [2, 1, 2]], [(1, 1), (1, 2), (2, 2)], "domino (1-1|2-2) has no place left"),
        (
            [[1, 2, 0, 1], [0, 2, 1, 2], [1, 1, 0, 1]],
            [(0, 1), (0, 2), (0, 2), (1, 1), (1, 1), (1, 2)],
            "there are places for 1 of 2 dominoes 1-1 only",
        ),
    ],
)
def test_a_kind_without_places_is_a_contradiction(rows, dominoes, reason):
    with pytest.raises(Contradiction, match=reason):
        filter_domains(given_board(rows, dominoes))
