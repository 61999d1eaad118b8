"""Boards get a perfect matching, or a proof that there is none by a certificate that is easy to check."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples, few_or_many

import milp_pips
from milp_pips.algorithms.matching import Barrier, Graph, Matching, perfect_matching
from milp_pips.constraints import DominoCover
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem, Variable
from milp_pips.propagation import filter_domains
from milp_pips.propagation.supply_certificates import obstruction
from milp_pips.puzzles.pips.puzzle import Pips

chances = st.randoms(use_true_random=False)


@pytest.fixture(autouse=True, scope="module")
def boards_of_any_size_are_large() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("milp_pips.propagation.LARGE_BOARD", 0)
        yield


def a_graph(rng: random.Random, most: int = 12) -> list[set[int]]:
    """Return the neighbours of each cell of a random graph; most graphs have odd cycles."""
    cells = rng.randint(1, most)
    near: list[set[int]] = [set() for _ in range(cells)]
    for _ in range(rng.randint(0, 2 * cells) if cells > 1 else 0):
        i, j = rng.sample(range(cells), 2)
        near[i].add(j)
        near[j].add(i)
    return near


def is_coverable(near: Graph, covered: frozenset[int] = frozenset()) -> bool:
    """Return whether the first free cell can be matched so that the others can."""
    free = [i for i in range(len(near)) if i not in covered]
    return not free or any(
        is_coverable(near, covered | {free[0], j}) for j in near[free[0]] if j not in covered
    )


def odd_parts(near: Graph, removed: frozenset[int]) -> int:
    """Return how many parts of odd size are left, by giving linked cells one label."""
    label = {i: i for i in range(len(near)) if i not in removed}
    for _ in label:
        label = {i: min([label[i], *(label[j] for j in near[i] if j in label)]) for i in label}
    return sum(list(label.values()).count(part) % 2 for part in set(label.values()))


@examples(12)
@given(chances)
def test_a_graph_has_a_perfect_matching_or_a_barrier(rng: random.Random) -> None:
    near = a_graph(rng)
    for found in (perfect_matching(near), perfect_matching(near, rng)):
        assert is_certified(near, found) == is_coverable(near)


def test_larger_graphs_are_certified_either_way() -> None:
    certified = []
    for seed in range(few_or_many(50, 300)):
        near = a_graph(random.Random(seed), 80)
        certified.append(is_certified(near, perfect_matching(near)))
    assert set(certified) == {True, False}


def is_certified(near: Graph, found: Matching | Barrier | None) -> bool:
    """Check the perfect matching, or the proof that there is none; return which of the two it is."""
    if isinstance(found, Barrier):
        assert odd_parts(near, found.cells) > len(found.cells)
        assert found.proof(near, [f"c{i}" for i in range(len(near))])
        return False
    assert found is not None
    assert all(found[j] == i and j in near[i] for i, j in enumerate(found))
    return True


@examples(12)
@given(chances)
def test_boards_are_refuted_if_and_only_if_they_cannot_be_covered(rng: random.Random) -> None:
    near = a_graph(rng)
    near += [set() for _ in range(len(near) % 2)]
    n = len(near)
    edges = tuple((i, j) for i in range(n) for j in sorted(near[i]) if i < j)
    variables = [Variable(f"c{i}", (1,)) for i in range(n)]
    variables += [Variable(f"partner of c{i}", tuple(range(n + 1))) for i in range(n)]
    cover = DominoCover(tuple(range(n)), tuple(range(n, 2 * n)), edges, ((1, 1),) * (n // 2), "cover")
    problem = Problem(tuple(variables), (cover,))
    partners = {n + i: sorted(near[i]) for i in range(n)}  # none for a cell without neighbours
    problem = problem.restricted(partners)
    assert (obstruction(problem) is None) == is_coverable(near)
    if is_coverable(near):
        filter_domains(problem)
    else:
        with pytest.raises(Contradiction):
            filter_domains(problem)


def blank(cells) -> Pips:
    cells = list(cells)
    return Pips.on_grid("blank", cells, [], [(k % 7, k % 4) for k in range(len(cells) // 2)])


# two cells beside one another in a row, all around them cut off but the cells beneath and above one of them
NARROWS = {(4, 5), (5, 4), (4, 7), (5, 8), (6, 5), (6, 7)}
MIRRORED = {(12, 14), (13, 13), (12, 16), (13, 17), (14, 14), (14, 16)}


@pytest.mark.parametrize("size", [20, 40])
@pytest.mark.parametrize("solver", ["", "lns"])
def test_large_boards_without_a_perfect_matching_are_refuted_in_a_sentence(size, solver):
    board = blank(c for c in product(range(size), repeat=2) if c not in NARROWS | MIRRORED)
    result = milp_pips.solve(board, solver, rules=() if solver else None, seconds=60)
    assert (result.status, result.solver) == ("infeasible", solver or "filtering")
    assert result.confirmed_by.startswith(
        "counting: dominoes cannot cover the board: 2 cells, r6c6 among them, can share"
    )
    if solver:
        assert f"counting: {result.remark}" == result.confirmed_by


def test_a_board_that_is_no_grid_falls_into_odd_parts():
    # a cell in the middle of three triangles, and one that hangs on the first of them
    triangles = [[f"{name}{k}" for k in range(3)] for name in "abc"]
    edges = [(t[i], t[i - 1]) for t in triangles for i in range(3)] + [("hub", t[0]) for t in triangles]
    cells = ["hub", *(cell for t in triangles for cell in t)]
    puzzle = Pips("triangles", tuple(cells), tuple(edges), (), ((1, 2),) * 5)
    said = "dominoes cannot cover the board: without hub it falls into 3 parts of odd size, one with a0"
    assert obstruction(milp_pips.state(puzzle)) == said
    result = milp_pips.solve(puzzle)
    assert (result.status, result.confirmed_by) == ("infeasible", f"counting: {said}")
