from __future__ import annotations

import math
from itertools import combinations, product

import pytest

from milp_pips.render.layout import positions
from milp_pips.render.vocabulary import neighbours


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


def cube():
    nodes = list(product((0, 1), repeat=3))
    return nodes, [(p, q) for p in nodes for q in nodes if p < q and math.dist(p, q) == 1]


def wheel(spokes):
    rim = [(i, (i + 1) % spokes) for i in range(spokes)]
    return ["hub", *range(spokes)], [*(("hub", i) for i in range(spokes)), *rim]


def comb(teeth):
    """A tree: a row of nodes, each with a leaf of its own."""
    spine = [(i, i + 1) for i in range(teeth - 1)]
    return list(range(2 * teeth)), spine + [(i, teeth + i) for i in range(teeth)]


def spider(legs):
    """A tree: legs of two links, and one of one link, on the same body."""
    knees = [("body", f"knee {i}") for i in range(legs)]
    feet = [(f"knee {i}", f"foot {i}") for i in range(legs)]
    links = [("body", "head"), *knees, *feet]
    return list(dict.fromkeys(node for link in links for node in link)), links


def twins(between):
    """Two nodes without a link, which have the same neighbours."""
    return ["u", "v", *range(between)], [(end, i) for end in "uv" for i in range(between)]


def pieces():
    return list(range(8)), [(0, 1), (2, 3), (3, 4), (4, 5), (5, 2), (6, 7)]


def complete(n):
    return list(range(n)), [(i, j) for i in range(n) for j in range(i)]


ODD_GRAPHS = [cube(), wheel(5), wheel(9), comb(8), spider(8), twins(6), pieces(), complete(6)]


@pytest.mark.parametrize("nodes, links", ODD_GRAPHS)
def test_no_node_hides_another_and_no_link_runs_through_a_node(nodes, links):
    at = positions(nodes, links)
    assert min(math.dist(at[p], at[q]) for p, q in combinations(nodes, 2)) > 0.69
    for one, other in links:
        for node in nodes:
            if node not in (one, other):
                assert far_from(at[node], at[one], at[other]) > 0.3
    assert max(math.dist(at[one], at[other]) for one, other in links) < 2.5


def far_from(point, start, end):
    """Return the distance of a point from the line between two others."""
    (x1, y1), (x2, y2) = start, end
    along = (point[0] - x1) * (x2 - x1) + (point[1] - y1) * (y2 - y1)
    share = min(max(along / math.dist(start, end) ** 2, 0), 1)
    return math.dist(point, (x1 + share * (x2 - x1), y1 + share * (y2 - y1)))


def test_large_graphs_do_not_take_long_but_still_lie_apart():
    at = positions(range(300), [(i, (7 * i + 1) % 300) for i in range(300)])
    assert min(math.dist(p, q) for p, q in combinations(at.values(), 2)) > 0.69


def test_a_very_large_graph_is_drawn_in_columns():
    links = [(i, i + 1) for i in range(20_000)] + [(i, i + 7) for i in range(0, 19_000, 3)]
    at = positions(range(20_001), links)
    assert len(set(at.values())) == 20_001
    assert max(abs(at[one][0] - at[other][0]) for one, other in links) == 1
