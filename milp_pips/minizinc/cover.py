"""``DominoCover`` in MiniZinc: what lies on each edge, and which cells are partners."""

from __future__ import annotations

from collections.abc import Iterable

from milp_pips.minizinc.draft import Draft
from milp_pips.minizinc.names import values
from milp_pips.problem import DominoCover


def state_cover(draft: Draft, cover: DominoCover) -> None:
    """Add the cover.

    What lies on each edge follows from partners and values, so every placement is one solution of the model.
    """
    cells, edges, kinds = len(cover.values), len(cover.edges), len(cover.kinds)
    if not edges or not kinds:
        draft.lines.append("constraint false;  % there is no domino, or no place for one")
        return
    value, partner, near, edge, kind, many, lies, fits = draft.fresh(
        "value", "partner", "near", "edge", "kind", "many", "lies", "fits"
    )
    neighbours: list[set[int]] = [set() for _ in range(cells)]
    for i, j in cover.edges:
        neighbours[i].add(j)
        neighbours[j].add(i)
    inverse, table, counted = map(draft.library, ("inverse", "table", "global_cardinality"))
    all_cells, all_edges, all_kinds = f"0..{cells - 1}", f"1..{edges}", f"1..{kinds}"
    pips = sorted({pip for both in cover.kinds for pip in both})
    shown = [sum(many * both.count(pip) for both, many in cover.kinds.items()) for pip in pips]
    rows = sum(1 if a == b else 2 for a, b in cover.kinds) + len(pips) ** 2
    near_sets = ", ".join(values(cells) for cells in neighbours)
    draft.searches += [partner, value]
    draft.lines += f"""
% The cells are numbered from 0: cell c shows {value}[c] and shares its domino with cell {partner}[c].
array[{all_cells}] of var int: {value} = array1d({all_cells}, {draft.named(cover.values)});
array[{all_cells}] of var int: {partner} = array1d({all_cells}, {draft.named(cover.partners)});
% A domino may lie on each of these edges between two cells.
array[{all_edges}, 1..2] of int: {edge} = {_pairs(cover.edges)};
array[{all_cells}] of set of int: {near} = array1d({all_cells}, [{near_sets}]);
% The kinds of dominoes, by their two numbers of pips, and how many there are of each kind.
array[{all_kinds}, 1..2] of int: {kind} = {_pairs(cover.kinds)};
array[{all_kinds}] of int: {many} = {list(cover.kinds.values())};
% The kind of the domino that lies on each edge, 0 for none.
array[{all_edges}] of var 0..{kinds}: {lies};

% The partner of a cell is near it and has that cell as its own partner; their domino lies on the edge
% between them.
constraint forall(c in {all_cells})({partner}[c] in {near}[c]);
constraint {inverse}({partner}, {partner});
constraint forall(e in {all_edges})({lies}[e] > 0 <-> {partner}[{edge}[e, 1]] = {edge}[e, 2]);

% A domino shows its pips, either way round; where none lies, the cells of the edge are free.
array[1..{rows}, 1..3] of int: {fits} = array2d(1..{rows}, 1..3,
  [[k, {kind}[k, 1], {kind}[k, 2]][i] | k in {all_kinds}, i in 1..3]
  ++ [[k, {kind}[k, 2], {kind}[k, 1]][i] | k in {all_kinds} where {kind}[k, 1] < {kind}[k, 2], i in 1..3]
  ++ [[0, a, b][i] | a, b in {values(pips)}, i in 1..3]);
constraint forall(e in {all_edges})(
  {table}([{lies}[e], {value}[{edge}[e, 1]], {value}[{edge}[e, 2]]], {fits}));

% All dominoes are used. Hence every number of pips shows as often as the dominoes have it: that is
% redundant, but it helps.
constraint {counted}({lies}, [k | k in {all_kinds}], {many});
constraint {counted}({value}, {pips}, {shown});
""".strip().splitlines()


def _pairs(pairs: Iterable[tuple[int, int]]) -> str:
    return "[| " + " | ".join(f"{a}, {b}" for a, b in pairs) + " |]"
