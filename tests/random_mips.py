"""Random bounded MIPs, and all their solutions by brute force over the integer columns and exact LPs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem.objective import MAXIMISE, MINIMISE

SCALES = (1, 1, 1, 2, 10, 3)


def random_mip(rng, most_columns=5, most_continuous=2):
    """Return a random MIP; its integer columns have bounds, or rows that imply some."""
    unit = rng.choice(SCALES)

    def number(reach):
        return Fraction(rng.randint(-reach, reach), rng.choice((1, 1, unit)))

    integers = rng.randint(1, most_columns)
    columns = []
    for j in range(integers):
        low = rng.randint(-3, 2)
        columns.append(Column(f"x{j}", low, low + rng.choice((0, 1, 1, 1, 2, 3)), True, number(9)))
    for j in range(rng.choice((0, 0, most_continuous, rng.randint(0, most_continuous)))):
        low = rng.choice((None, 0, number(4), number(4)))
        high = None if rng.random() < 0.3 else (low or 0) + abs(number(6))
        columns.append(Column(f"y{j}", low, high, False, rng.choice((0, number(5)))))
    rng.shuffle(columns)
    inside = [rng.randint(-2, 3) if c.low is None or c.high is None else c.low for c in columns]
    rows = []
    for i in range(rng.randint(0, 5)):
        terms = {j: number(6) for j in range(len(columns)) if rng.random() < 0.6}
        total = sum(a * inside[j] for j, a in terms.items())
        kind = rng.random()
        low, high = total - abs(number(4)), total + abs(number(4))
        if kind < 0.35:
            low = None
        elif kind < 0.7:
            high = None
        elif kind < 0.85:
            high = low
        rows.append(Row(f"r{i}", {j: a for j, a in terms.items() if a}, low, high))
    if rng.random() < 0.2:  # a column whose bounds follow from rows alone
        j = next(j for j, c in enumerate(columns) if c.integer)
        column = columns[j]
        columns[j] = Column(column.name, None, None, True, column.cost)
        rows.append(Row("ends", {j: Fraction(rng.choice((1, 2, -3)))}, *sorted((number(4), number(4)))))
    sense = rng.choice((MINIMISE, MAXIMISE))
    return Model(tuple(columns), tuple(rows), sense, number(5), "random")


def random_charges(rng):
    """Return a random model with fixed charges, whose LP is weak: cuts of the root raise its bound."""
    makers, continuous, sign = rng.randint(2, 4), rng.randint(1, 2), rng.choice((1, 1, -1))
    columns = [Column(f"open{k}", 0, rng.choice((1, 1, 2)), True, rng.randint(2, 9)) for k in range(makers)]
    columns += [
        Column(
            f"make{k}", 0, rng.choice((5, Fraction(9, 2))), k >= continuous, Fraction(rng.randint(0, 3), 2)
        )
        for k in range(makers)
    ]
    need, rows = Fraction(rng.randint(6, 14), rng.choice((1, 2, 3))), []
    made = {makers + k: rng.choice((1, 1, 2)) for k in range(makers)}
    rows.append(Row("need", made, need, rng.choice((need + 1, None))))
    for k in range(makers):
        ready = {makers + k: sign, k: -sign * rng.randint(3, 6)}
        rows.append(Row(f"ready{k}", ready, *((None, 0) if sign > 0 else (0, None))))
    sense = rng.choice((MINIMISE, MAXIMISE))
    columns = [replace(c, cost=c.cost if sense == MINIMISE else -c.cost) for c in columns]
    return Model(tuple(columns), tuple(rows), sense, 1, "charges")


def least_cost(model, values, sign):
    """Return the least of ``sign · objective`` with these integer columns: None if infeasible, else a number.

    Minus infinity if it is unbounded. Continuous columns are eliminated one by one (Fourier and Motzkin).
    """
    free = [j for j, column in enumerate(model.columns) if not column.integer]
    z = len(model.columns)
    priced = sum(c.cost * values[j] for j, c in enumerate(model.columns) if c.integer)
    constant = sign * (model.constant + priced)
    facts = [({**{j: -sign * Fraction(model.columns[j].cost) for j in free}, z: Fraction(1)}, constant)]
    for terms, low, high in [
        *((row.terms, row.low, row.high) for row in model.rows),
        *(({j: 1}, column.low, column.high) for j, column in enumerate(model.columns)),
    ]:
        fixed = sum(a * values[j] for j, a in terms.items() if j in values)
        left = {j: Fraction(a) for j, a in terms.items() if j not in values}
        if low is not None:
            facts.append((left, low - fixed))
        if high is not None:
            facts.append(({j: -a for j, a in left.items()}, fixed - high))
    for j in free:  # each fact says: the sum is at least the side
        above = [fact for fact in facts if fact[0].get(j, 0) > 0]
        below = [fact for fact in facts if fact[0].get(j, 0) < 0]
        facts = [fact for fact in facts if not fact[0].get(j, 0)]
        for (a, side), (b, other) in product(above, below):
            times, factor = -b[j], a[j]
            joint = {k: times * a.get(k, 0) + factor * b.get(k, 0) for k in {*a, *b} if k != j}
            facts.append((joint, times * side + factor * other))
        keys = [(tuple(sorted((k, v) for k, v in terms.items() if v)), side) for terms, side in facts]
        facts = list(dict(zip(keys, facts, strict=True)).values())
    ends = [side / terms[z] for terms, side in facts if terms.get(z, 0) > 0]
    if any(side > 0 for terms, side in facts if not terms.get(z, 0)):
        return None
    return max(ends) if ends else float("-inf")


def ranges_of(model):
    """Return the values of each integer column; bounds that only the row ``ends`` implies included."""
    for j, column in enumerate(model.columns):
        if column.integer:
            low, high = column.low, column.high
            if low is None:
                row = next(row for row in model.rows if row.name == "ends")
                low, high = sorted(side / row.terms[j] for side in (row.low, row.high))
            yield j, range(-(-low // 1), high // 1 + 1)


def brute_force(model):
    """Return the least cost of each assignment of the integer columns that has a point."""
    sign = -1 if model.sense == MAXIMISE else 1
    domains = dict(ranges_of(model))
    found = {}
    for point in product(*domains.values()):
        cost = least_cost(model, dict(zip(domains, map(Fraction, point), strict=True)), sign)
        if cost is not None:
            found[point] = cost
    return tuple(domains), found


def expected(model, query, known=None):
    """Return what a tree should find: the chosen columns of all solutions, or the best costs; the optimum.

    ``known`` is the least cost to which solutions are near, in place of the optimum. None if the objective is
    unbounded.
    """
    names, found = brute_force(model)
    chosen = names if query.chosen is None else query.chosen
    places = [names.index(j) for j in chosen]
    least = {}
    for point, cost in found.items():
        key = tuple(point[i] for i in places)
        least[key] = min(cost, least.get(key, cost))
    if not least or not query.has_cutoff:
        return sorted(least), None
    best = min(least.values())
    if best == float("-inf"):
        return None
    keys = sorted(least)
    if query.within is not None or query.within_relative is not None:
        near = best if known is None else known
        reach = (query.within or 0) + abs(near) * (query.within_relative or 0)
        keys = [key for key in keys if least[key] <= near + reach]
    optimum = -best if model.sense == MAXIMISE else best
    if query.best is not None:
        return sorted(least[key] for key in keys)[: query.best], optimum
    return keys, optimum


def random_query(rng, model, query):
    """Return a random query about a model; ``query`` is the class of queries."""
    integers = [j for j, column in enumerate(model.columns) if column.integer]
    chosen, kind = None, rng.random()
    if rng.random() < 0.3:
        chosen = tuple(sorted(rng.sample(integers, rng.randint(1, len(integers)))))
    if kind < 0.3:
        return query(chosen)
    if kind < 0.6:
        return query(chosen, within=rng.choice((0, 0, 1, Fraction(5, 2), Fraction(1, 3))))
    if kind < 0.75:
        return query(chosen, within_relative=rng.choice((0, Fraction(1, 10), Fraction(1, 2))))
    return query(chosen, within=rng.choice((None, None, 2)), best=rng.randint(1, 4))
