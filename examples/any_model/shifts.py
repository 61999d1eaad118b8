"""All best rosters: a PuLP model of shifts, and every optimal solution of it.

python examples/any_model/shifts.py
"""

from itertools import pairwise

import pulp

import milp_pips

PEOPLE = {"Ada": 2, "Ben": 2, "Cem": 2, "Dia": 2, "Eli": 2}  # the most shifts of each
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
LIKES = {("Ada", "Mon"): 2, ("Ben", "Tue"): 2, ("Cem", "Wed"): 1, ("Dia", "Thu"): 2, ("Eli", "Fri"): 1}

roster = pulp.LpProblem("roster", pulp.LpMaximize)
works = {p: {d: roster.add_variable(f"works_{p}_{d}", cat="Binary") for d in DAYS} for p in PEOPLE}
roster += pulp.lpSum(LIKES.get((p, d), 0) * works[p][d] for p in PEOPLE for d in DAYS)
for d in DAYS:
    roster += pulp.lpSum(works[p][d] for p in PEOPLE) == 2
for p, most in PEOPLE.items():
    roster += pulp.lpSum(works[p][d] for d in DAYS) <= most
    for today, tomorrow in pairwise(DAYS):  # nobody works on two days in a row
        roster += works[p][today] + works[p][tomorrow] <= 1

best = milp_pips.solutions(roster, within=0)
for number, solution in enumerate(best, 1):
    days = {d: [p for p in PEOPLE if solution[f"works_{p}_{d}"]] for d in DAYS}
    print(number, "; ".join(f"{d} {' and '.join(names)}" for d, names in days.items()))
print(best.summary)
