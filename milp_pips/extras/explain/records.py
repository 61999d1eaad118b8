"""Convert items, facts, steps and clashes to JSON-ready data, with cells identified by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from milp_pips.extras.explain.additions import Addition
from milp_pips.extras.explain.facts import Clash, Exclusion, Fact, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
from milp_pips.extras.explain.text import Words
from milp_pips.problem import UsageError
from milp_pips.problem.fields import shown

Record = dict[str, Any]


class Records:
    """Convert the explanations of one problem to JSON-ready data, and read facts back."""

    def __init__(self, grouped: GroupedProblem):
        self._grouped, self._words = grouped, Words(grouped)
        self._named = {variable.name: v for v, variable in enumerate(grouped.variables)}

    def value(self, value: int) -> int | str:
        """Return the symbol that the value stands for, or the value if it is a plain number."""
        return self._grouped.problem.named_values.get(value, value)

    def cell(self, variable: int) -> str:
        """Return the name of a cell."""
        return self._grouped.variables[variable].name

    def cells(self, variables: Iterable[int]) -> list[str]:
        """Return the cells that the variables belong to, each once, in the order of the board."""
        return [self.cell(v) for v in sorted(set(map(self._grouped.cell, variables)))]

    def fact(self, fact: Fact) -> Record:
        """Return ``{"cell", "is" | "not"}``, or ``{"cells", "domino"}`` for a fact about a domino."""
        v, value, holds = fact
        if ends := self._grouped.ends(fact):
            return {"cells": list(map(self.cell, ends)), "domino": holds}
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
                for v, (tiling, place) in self._grouped.partners.items():
                    domain = self._grouped.variables[v].domain if tiling.values[place] == i else ()
                    for value in domain:
                        if tiling.values[value] == j:
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
        cells, dominoes = dict[str, list[int | str]](), list[list[str]]()
        for v, values in options.items():
            if v in self._grouped.partners:
                lower = self._grouped.partners[v][1]
                facts = [Fact(v, value, True) for value in values if value > lower]
                dominoes += [self.fact(fact)["cells"] for fact in facts]
            else:
                cells[self.cell(v)] = list(map(self.value, values))
        return {"cells": cells, "dominoes": dominoes}

    def item(self, item: ConstraintGroup) -> Record:
        """Return the record of one item."""
        if item.kind == "dominoes":
            usage = item.usage
            return {"kind": item.kind, "pips": list(usage.kind), "part": item.part, "times": usage.times}
        if item.is_value:
            if self._grouped.ends(item.fact):
                return {"kind": item.kind, **self.fact(item.fact)}
            v, value, _ = item.fact
            return {"kind": item.kind, "cells": [self.cell(v)], "values": [self.value(value)]}
        cells = [self.cell(v) for v in item.piece.variables]
        return {"kind": item.kind, "label": item.label, "cells": cells, "part": item.part or None}

    def steps(self, steps: Sequence[Step]) -> list[Record]:
        """Return the records of steps from the empty board or the known facts on."""
        return [self.step(*each) for each in zip(steps, self._words.story(steps), strict=True)]

    def step(self, step: Step, sentence: str) -> Record:
        """Return the record of a step, with its sentence."""
        return self._members(step, "items", "facts", "seen", "conclusions", "cost", "open", sentence=sentence)

    def clash(self, clash: Clash) -> Record:
        """Return the record of a clash, with its sentence."""
        sentence = self._words.clash(clash)
        return self._members(clash, "items", "minimal", "smallest", "confirmed_by", sentence=sentence)

    def addition(self, addition: Addition) -> Record:
        """Return the record of an addition, with its sentence."""
        rules = [
            {
                "label": rule.label,
                "cells": self.cells(rule.variables),
                "in_place_of": None if replaced is None else replaced.label,
            }
            for rule, replaced in addition.rules
        ]
        return {
            "rules": rules,
            "facts": self._plain(addition.facts),
            "sentence": self._words.addition(addition),
        }

    def _members(self, data: object, *names: str, **own: Any) -> Record:
        """Return these attributes by name, then ``own``; facts, items and exclusions become records."""
        return {name: self._plain(getattr(data, name)) for name in names} | own

    def _plain(self, value: Any) -> Any:
        match value:
            case Fact():
                return self.fact(value)
            case ConstraintGroup():
                return self.item(value)
            case Exclusion():
                return self._members(value, *value._fields)
            case tuple():
                return list(map(self._plain, value))
        return value
