"""All cheap plans: a Pyomo model of lot sizes with continuous amounts, listed by its set-ups alone.

python examples/any_model/lots.py
"""

import pyomo.environ as pyo

import milp_pips

DEMAND = {1: 3, 2: 5, 3: 2, 4: 6}

model = pyo.ConcreteModel("lots")
model.T = pyo.Set(initialize=list(DEMAND))
model.open = pyo.Var(model.T, domain=pyo.Binary)
model.make = pyo.Var(model.T, bounds=(0, 20))
model.stock = pyo.Var(model.T, domain=pyo.NonNegativeReals)
model.cost = pyo.Objective(
    expr=sum(10 * model.open[t] + model.make[t] + 0.5 * model.stock[t] for t in DEMAND)
)
model.ready = pyo.Constraint(model.T, rule=lambda m, t: m.make[t] <= 20 * m.open[t])
model.flow = pyo.Constraint(
    model.T, rule=lambda m, t: (m.stock[t - 1] if t > 1 else 0) + m.make[t] == DEMAND[t] + m.stock[t]
)

plans = milp_pips.solutions(model, over="open[*]", within_relative=0.1)
for plan in plans:
    print([t for t in DEMAND if plan[f"open[{t}]"]], plan.witness["make[1]"])
print(plans.summary)
