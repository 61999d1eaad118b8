"""Convert items, facts, steps and clashes to JSON-ready data, with cells identified by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.extras.explain.additions import Addition, Additions
from milp_pips.extras.explain.facts import Clash, Exclusion, Fact, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
from milp_pips.problem import UsageError
from milp_pips.problem.fields import shown

Record = dict[str, Any]


class Records:
    """Convert the explanations of one problem to JSON-ready data, and read facts back."""

    def __init__(self, grouped: GroupedProblem):
        self._grouped = grouped
        self._named = {variable.name: v for v, variable in enumerate(grouped.variables)}
        self._ends: Mapping[int, tuple[Tiling, int]] = {
            v: (tiling, i) for tiling in grouped.tilings for i, v in enumerate(tiling.partners)
        }

    def value(self, value: int) -> int | str:
        """Return the symbol that the value stands for, or the value if it is a plain number."""
        return self._grouped.problem.named_values.get(value, value)

    def cell(self, variable: int) -> str:
        """Return the name of a cell."""
        return self._grouped.variables[variable].name

    def domino(self, variable: int, value: int) -> list[str]:
        """Return the two cells of the domino that a partner variable and its value describe."""
        tiling, i = self._ends[variable]
        return [self.cell(tiling.values[i]), self.cell(tiling.values[value])]

    def cells(self, variables: Iterable[int]) -> list[str]:
        """Return the cells that the variables belong to, each once, in the order of the board."""
        values = set(variables)
        for v in list(values & self._ends.keys()):
            tiling, i = self._ends[v]
            values.remove(v)
            values.add(tiling.values[i])
        return [self.cell(v) for v in sorted(values)]

    def fact(self, fact: Fact) -> Record:
        """Return ``{"cell", "is" | "not"}``, or ``{"cells", "domino"}`` for a fact about a domino."""
        v, value, holds = fact
        if v in self._ends:
            return {"cells": self.domino(v, value), "domino": holds}
        return {"cell": self.cell(v), "is" if holds else "not": self.value(value)}

    def read_fact(self, record: object) -> Fact:
        """Return the fact of a record that ``fact`` returned. Raises UsageError."""
        match record:
            case {"cell": str(cell), "is": str(value) | int(value)}:
                return self._value_fact(cell, value, True)
            case {"cell": str(cell), "not": str(value) | int(value)}:
                return self._value_fact(cell, value, False)
            case {"cells": [str(one), str(other)], "domino": bool(holds)}:
                i, j = self._variable(one), self._variable(other)
                for v, (tiling, place) in self._ends.items():
                    if tiling.values[place] == i and j in tiling.values:
                        value = tiling.values.index(j)
                        if value in self._grouped.variables[v].domain:
                            return Fact(v, value, holds)
        raise UsageError(f"{shown(record)} is not a fact about this board")

    def _value_fact(self, cell: str, symbol: str | int, holds: bool) -> Fact:
        v = self._variable(cell)
        names = self._grouped.problem.value_names.get(v, {})
        value = next((x for x in self._grouped.variables[v].domain if names.get(x, x) == symbol), None)
        if value is None:
            raise UsageError(f"{cell} cannot have the value {shown(symbol)}")
        return Fact(v, value, holds)

    def _variable(self, cell: str) -> int:
        if cell not in self._named:
            raise UsageError(f"the board has no cell {shown(cell)}")
        return self._named[cell]

    def differing(self, options: Mapping[int, Iterable[int]]) -> Record:
        """Return ``cells`` with their values, and ``dominoes`` that occur in some solutions only."""
        cells = {self.cell(v): list(map(self.value, options[v])) for v in options if v not in self._ends}
        partners = [(v, j) for v in options if v in self._ends for j in options[v] if j > self._ends[v][1]]
        return {"cells": cells, "dominoes": [self.domino(v, j) for v, j in partners]}

    def item(self, item: ConstraintGroup) -> Record:
        """Return the record of one item."""
        if item.kind == "dominoes":
            usage = item.usage
            return {"kind": item.kind, "pips": list(usage.kind), "part": item.part, "times": usage.times}
        if item.is_value:
            v, value, _ = item.fact
            if v in self._ends:
                return {"kind": item.kind, "cells": self.domino(v, value), "domino": True}
            return {"kind": item.kind, "cells": [self.cell(v)], "values": [self.value(value)]}
        cells = [self.cell(v) for v in item.piece.variables]
        return {"kind": item.kind, "label": item.label, "cells": cells, "part": item.part or None}

    def step(self, step: Step, sentence: str) -> Record:
        """Return the record of a step, with its sentence."""
        names = "items", "facts", "seen", "conclusions", "cost", "open"
        return {**self._members(step, names), "sentence": sentence}

    def clash(self, clash: Clash, sentence: str) -> Record:
        """Return the record of a clash, with its sentence."""
        names = "items", "minimal", "smallest", "confirmed_by"
        return {**self._members(clash, names), "sentence": sentence}

    def additions(self, additions: Additions, sentences: Iterable[str]) -> Record:
        """Return the record of all additions, with their sentences."""
        found = [self._addition(*pair) for pair in zip(additions.found, sentences, strict=True)]
        names = "total", "complete", "bound", "already"
        return {"key": additions.key, "found": found, **self._members(additions, names)}

    def _addition(self, addition: Addition, sentence: str) -> Record:
        rules = [
            {
                "label": rule.label,
                "cells": self.cells(rule.variables),
                "in_place_of": None if replaced is None else replaced.label,
            }
            for rule, replaced in addition.rules
        ]
        return {"rules": rules, **self._members(addition, ["facts"]), "sentence": sentence}

    def _members(self, data: object, names: Iterable[str]) -> Record:
        """Return these attributes by name; facts, items and exclusions become records."""
        return {name: self._plain(getattr(data, name)) for name in names}

    def _plain(self, value: Any) -> Any:
        match value:
            case Fact():
                return self.fact(value)
            case ConstraintGroup():
                return self.item(value)
            case Exclusion():
                return self._members(value, value._fields)
            case tuple():
                return list(map(self._plain, value))
        return value
