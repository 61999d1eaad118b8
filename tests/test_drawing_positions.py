from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milp_pips.drawing import neighbours
from milp_pips.drawing.positions import positions


def lattice(rows: int, columns: int) -> tuple[list[tuple[int, int]], list[tuple[tuple[int, int], ...]]]:
    nodes = list(product(range(rows), range(columns)))
    return nodes, [(p, q) for p in nodes for q in neighbours(p) if q > p and q in nodes]


@pytest.mark.parametrize("n", [3, 4, 5, 12, 31])
def test_a_ring_looks_like_a_ring(n):
    at = positions(
        range(n), [(i * 2 % n if n % 2 else i, (i + 1) * 2 % n if n % 2 else (i + 1) % n) for i in range(n)]
    )
    centre = [sum(p[axis] for p in at.values()) / n for axis in (0, 1)]
    radii = [math.dist(p, centre) for p in at.values()]
    assert max(radii) < 1.01 * min(radii)
    step = 2 if n % 2 else 1
    sides = [math.dist(at[i * step % n], at[(i + 1) * step % n]) for i in range(n)]
    assert max(sides) < 1.02 * min(sides)
    assert at[0][0] <= centre[0] + 1e-6
    assert at[0][1] <= centre[1] + 1e-6


@pytest.mark.parametrize("rows, columns", [(1, 7), (2, 2), (2, 9), (4, 4), (3, 8)])
def test_a_lattice_looks_like_a_grid(rows, columns):
    nodes, links = lattice(rows, columns)
    at = positions(nodes, links)
    for one, other in links:
        dx, dy = (abs(at[other][axis] - at[one][axis]) for axis in (0, 1))
        assert min(dx, dy) < 0.15
        assert 0.75 < max(dx, dy) < 1.4
    assert at == positions(nodes, links)


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=24))
def test_no_two_nodes_share_a_place_and_components_lie_apart(links):
    at = positions(range(16), links)
    assert min(min(point) for point in at.values()) >= -1e-9
    component = {i: {i} for i in at}
    for i, j in links:
        if component[i] is not component[j]:
            component[i] |= component[j]
            for k in component[j]:
                component[k] = component[i]
    for i in at:
        for j in range(i):
            assert math.dist(at[i], at[j]) > (0.1 if component[i] is component[j] else 0.99)


def test_positions_of_little():
    assert positions([], []) == {}
    assert positions(["a"], [("a", "a")]) == {"a": (0.0, 0.0)}
