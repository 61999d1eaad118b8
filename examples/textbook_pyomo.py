"""All solutions of a four-cell Pips puzzle in Pyomo, by no-good cuts; docs/model.md explains the rows."""

import pyomo.environ as pyo

CELLS = ["r1c1", "r1c2", "r2c1", "r2c2"]
EDGES = [("r1c1", "r1c2"), ("r1c1", "r2c1"), ("r1c2", "r2c2"), ("r2c1", "r2c2")]
COPIES = {(1, 1): 1, (1, 2): 1}  # domino: how many there are
REGIONS = {"A": ["r1c1", "r1c2"]}
TOTALS = {"A": 3}


def build(cells, edges, copies, regions, totals):
    """Return the model; place[a, b, i, j]: domino a|b lies with a on cell i and with b on cell j."""
    places = [(a, b, i, j) for a, b in copies for i, j in edges]
    places += [(a, b, j, i) for a, b in copies for i, j in edges if a != b]  # a double has one way round
    m = pyo.ConcreteModel("square")
    m.CELLS = pyo.Set(initialize=cells)
    m.PIPS = pyo.Set(initialize=sorted({pip for domino in copies for pip in domino}))
    m.DOMINOES = pyo.Set(initialize=copies.keys(), dimen=2)
    m.PLACES = pyo.Set(initialize=places, dimen=4)
    m.REGION = pyo.Set(totals.keys(), initialize=regions)
    m.copies = pyo.Param(m.DOMINOES, initialize=copies)
    m.total = pyo.Param(totals.keys(), initialize=totals)
    m.place = pyo.Var(m.PLACES, domain=pyo.Binary)
    m.value = pyo.Var(m.CELLS, m.PIPS, domain=pyo.Binary)
    m.any_solution_will_do = pyo.Objective(expr=0)

    @m.Constraint(m.CELLS)
    def choose(m, i):
        return sum(m.value[i, p] for p in m.PIPS) == 1

    @m.Constraint(m.CELLS)
    def cover(m, i):
        return sum(m.place[q] for q in m.PLACES if i in q[2:]) == 1

    @m.Constraint(m.DOMINOES)
    def use(m, a, b):
        return sum(m.place[q] for q in m.PLACES if q[:2] == (a, b)) == m.copies[a, b]

    @m.Constraint(m.PLACES, ["first", "second"])
    def link(m, a, b, i, j, half):
        return m.place[a, b, i, j] <= (m.value[i, a] if half == "first" else m.value[j, b])

    @m.Constraint(totals.keys())
    def region(m, r):
        return sum(p * m.value[i, p] for i in m.REGION[r] for p in m.PIPS) == m.total[r]

    m.cuts = pyo.ConstraintList()
    return m


if __name__ == "__main__":
    model, highs = build(CELLS, EDGES, COPIES, REGIONS, TOTALS), pyo.SolverFactory("highs")
    while pyo.check_optimal_termination(results := highs.solve(model, load_solutions=False)):
        model.solutions.load_from(results)
        chosen = [q for q in model.PLACES if model.place[q].value > 0.5]
        print(len(model.cuts) + 1, chosen)
        model.cuts.add(sum(model.place[q] for q in chosen) <= len(chosen) - 1)
    print("no further solution")
