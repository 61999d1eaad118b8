"""All solutions of a four-cell Pips puzzle in PuLP, by no-good cuts; docs/model.md explains the rows."""

import pulp

CELLS = ["r1c1", "r1c2", "r2c1", "r2c2"]
EDGES = [("r1c1", "r1c2"), ("r1c1", "r2c1"), ("r1c2", "r2c2"), ("r2c1", "r2c2")]
COPIES = {(1, 1): 1, (1, 2): 1}  # domino: how many there are
REGIONS = {"A": ["r1c1", "r1c2"]}
TOTALS = {"A": 3}


def build(cells, edges, copies, regions, totals):
    """Return the model and its place variables: domino a|b lies with a on cell i and with b on cell j."""
    pips = sorted({pip for domino in copies for pip in domino})
    places = [(a, b, i, j) for a, b in copies for i, j in edges]
    places += [(a, b, j, i) for a, b in copies for i, j in edges if a != b]  # a double has one way round

    model = pulp.LpProblem("square", pulp.LpMinimize)
    place = model.add_variable_dict("place_%s_%s_%s_%s", places, cat=pulp.LpBinary)
    value = model.add_variable_dict("value_%s_%s", [(i, p) for i in cells for p in pips], cat=pulp.LpBinary)
    model += 0, "any_solution_will_do"

    for i in cells:
        model += pulp.lpSum(value[i, p] for p in pips) == 1, f"choose_{i}"
        model += pulp.lpSum(place[q] for q in places if i in q[2:]) == 1, f"cover_{i}"

    for (a, b), count in copies.items():
        model += pulp.lpSum(place[q] for q in places if q[:2] == (a, b)) == count, f"use_{a}_{b}"

    for a, b, i, j in places:
        model += place[a, b, i, j] <= value[i, a], f"link_{a}_{b}_{i}_{j}_first"
        model += place[a, b, i, j] <= value[j, b], f"link_{a}_{b}_{i}_{j}_second"

    for r, total in totals.items():
        model += (
            pulp.lpSum(p * value[i, p] for i in regions[r] for p in pips) == total,
            f"region_{r}_sum_{total}",
        )

    return model, place


def solutions(model, place):
    """Yield the places of each solution, and cut it off."""
    while model.solve(pulp.HiGHS(msg=False)) == pulp.LpStatusOptimal:
        chosen = [q for q in place if place[q].value() > 0.5]
        yield chosen
        model += pulp.lpSum(place[q] for q in chosen) <= len(chosen) - 1


if __name__ == "__main__":
    for number, chosen in enumerate(solutions(*build(CELLS, EDGES, COPIES, REGIONS, TOTALS)), 1):
        print(number, chosen)
    print("no further solution")
