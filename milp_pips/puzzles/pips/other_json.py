"""JSON of other programs that states a puzzle of Pips, in the words of the Times' JSON.

::

    {DOMINOES: [[5, 1] | "5-1" | {ANY: 5, ANY: 1} | {"pips": [5, 1]}, …] | {"5-1": 1, …},
     REGIONS: [{CELLS: […], KIND: "sum", NUMBER: 4}, …] | {"A": {CELLS: […], …}, …}}
    {DOMINOES: […], BOARD: ["AAB", …], RULES: {"A": "sum 4" | {KIND: …, NUMBER: …}, …} | [{NAME: "A", …}, …]}

The regions of the first may have a list ``cells`` beside them: cells in none of the regions have no rule.
``DOMINOES``, ``REGIONS`` and ``RULES`` stand for any name, others for one of those below. A rule is a word
with a number, or a text as in typed puzzles. A list, an object or a member of a region that is not known is
refused, since it may be a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from milp_pips.puzzles.located import Part, quoted
from milp_pips.puzzles.pips.puzzle import MOST_CELLS, NAME_OF_PLACE
from milp_pips.puzzles.pips.rules import RULES, SPELLINGS, Rule, dominoes_in, typed_rule

CELLS_WORDS = ("cells", "indices", "coordinates", "squares", "positions")
KIND_WORDS = ("type", "rule", "kind", "op", "operator", "relation", "constraint", "clue")
NUMBER_WORDS = ("value", "target", "sum", "number", "total", "n")
NAME_WORDS = ("label", "name", "id", "region", "key", "color", "colour")
BOARD_WORDS = ("board", "grid", "layout", "map")
ROW, COLUMN = ("row", "r", "y"), ("column", "col", "c", "x")
NO_RULES = ("solution", "solutions", "size", "dimensions", "shape", "tags")
"""Lists and objects that state no rule."""
DOMINO_WORDS = ("dominoes", "dominos", "tiles", "pieces", "tray", "bones")
"""Where the dominoes are if another list is pairs of numbers, too."""
UNEQUAL_WORDS = ("NEQUAL", "NOTEQUAL")
"""Words that programs write and people do not."""
NO_CELL_WORDS = (".", " ", "", None)
NO_RULE = ("EMPTY", "NONE", "ANY", "FREE", "NO RULE")

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_PAIR_OF_NUMBERS = re.compile(r"[\[(]?([0-9]{1,5}) ?[,:;] ?([0-9]{1,5})[\])]?")


def level_of(document: Part) -> dict[str, Any] | None:
    """Return a level of the Times' JSON that states the same; None if the JSON has none of the two shapes.

    Raises InputError if it has one, and a rule is not understood.
    """
    if not isinstance(document.value, dict):
        return None
    trays = {name: pairs for name, member in document.value.items() if (pairs := _dominoes(member))}
    if len(trays) > 1:
        trays = {name: pairs for name, pairs in trays.items() if name in DOMINO_WORDS}
    if len(trays) != 1:
        return None
    rest = {name: member for name, member in document.value.items() if name not in trays}
    rest = {name: v for name, v in rest.items() if isinstance(v, dict | list) and v and name not in NO_RULES}
    regions = [
        name
        for name, member in rest.items()
        if _all(objects := [*member.values()] if isinstance(member, dict) else member, dict)
        and _has(CELLS_WORDS, objects)
    ]
    dominoes = next(iter(trays.values()))
    cells = rest.pop("cells", []) if regions else []
    if regions and regions == list(rest):
        member = document.member(regions[0])
        if isinstance(member.value, dict):
            found = [{**_region(part), "label": label} for label, part in member.members().items()]
        else:
            found = [_region(part) for part in member.elements()]
        return {"dominoes": dominoes, "regions": found + _free(document, cells, found)}
    boards = [name for name in BOARD_WORDS if _all(rest.get(name), (str, list))]
    rules = [name for name, member in rest.items() if name not in boards and _names_rules(member)]
    if len(boards) != 1 or len(rules) > 1 or len(rest) != 1 + len(rules):
        return None
    by_label = _rules_by_label(document.member(rules[0])) if rules else {}
    return {"dominoes": dominoes, "regions": _regions_of(rest[boards[0]], by_label)}


def _all(member: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(member, list) and bool(member) and all(isinstance(one, kind) for one in member)


def _has(keys: Iterable[str], objects: Iterable[Mapping[str, object]]) -> bool:
    return all(any(key in one for key in keys) for one in objects)


def _names_rules(member: object) -> bool:
    return isinstance(member, dict) or (
        isinstance(member, list) and _all(member, dict) and _has(NAME_WORDS, member)
    )


def _dominoes(member: object) -> list[list[int]]:
    """Return the dominoes of a list; empty if it is none."""
    found: list[list[int]] = []
    # How often each is in the tray.
    if isinstance(member, dict) and _all(often := [*member.values()], int) and min(often) >= 0:
        member = [one for one, often in member.items() for _ in range(min(often, MOST_CELLS))]
    for one in member if isinstance(member, list) else ():
        if isinstance(one, dict) and one.keys() <= {"id", "pips"}:
            one = one.get("pips")
        typed = dominoes_in(one) if isinstance(one, str) else []
        is_rule = isinstance(one, dict) and not one.keys().isdisjoint((*NUMBER_WORDS, *NAME_WORDS))
        halves = (
            list(one.values())
            if isinstance(one, dict) and not is_rule
            else [*map(int, typed[0])]
            if typed
            else one
        )
        if not _all(halves, int) or len(halves) != 2 or len(typed) > 1:
            return []
        found.append(halves)
    return found


def _free(document: Part, cells: list[object], regions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an area without a rule for each of the cells that is in no region. Raises InputError."""
    if fuller := next((cell for cell in cells if isinstance(cell, dict) and len(cell) > 2), None):
        raise document.member("cells").fault(f"{fuller} says more than a place", "a row and a column")
    board = [*map(_place, cells)]
    inside = [cell for region in regions if isinstance(region["indices"], list) for cell in region["indices"]]
    if board and (outside := next((cell for cell in inside if cell not in board), None)):
        raise document.member("cells").fault(f"{outside} is in a region, but not in the cells of the board")
    return [{"indices": [cell], "type": "empty", "label": None} for cell in board if cell not in inside]


def _place(cell: object) -> object:
    """Return the row and the column of a cell, or what is no cell as it is."""
    if isinstance(cell, dict):
        return [next((cell[key] for key in keys if key in cell), None) for keys in (ROW, COLUMN)]
    if not isinstance(cell, str):
        return cell
    found = NAME_OF_PLACE.fullmatch(cell) or _PAIR_OF_NUMBERS.fullmatch(cell)
    first = 1 if found and found.re is NAME_OF_PLACE else 0
    return [int(found[1]) - first, int(found[2]) - first] if found else cell


def _region(part: Part) -> dict[str, Any]:
    key = next(key for key in CELLS_WORDS if key in part.value)
    cells = part.value[key]
    said = _rule(part, {name: value for name, value in part.value.items() if name != key})
    return {"indices": list(map(_place, cells)) if isinstance(cells, list) else cells, **said}


def _rules_by_label(rules: Part) -> dict[str, dict[str, Any]]:
    if isinstance(rules.value, dict):
        return {label: _rule(part, part.value) for label, part in rules.members().items()}
    found: dict[str, dict[str, Any]] = {}
    for part in rules.elements():
        key = next(key for key in NAME_WORDS if key in part.value)
        label = str(part.value[key])
        if label in found:
            raise part.fault(f"region {quoted(label)} has a second rule")
        found[label] = _rule(part, {name: value for name, value in part.value.items() if name != key})
    return found


def _regions_of(board: list[Any], rules: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    cells: dict[str, list[list[int]]] = {label: [] for label in rules}
    for i, row in enumerate(board):
        marks = row.split() if isinstance(row, str) and " " in row.strip() else row
        for j, mark in enumerate(marks):
            if mark not in NO_CELL_WORDS:
                cells.setdefault(str(mark), []).append([i, j])
    return [
        {"indices": places, **rules.get(label, {"type": "empty"}), "label": label}
        for label, places in cells.items()
    ]


def _rule(part: Part, said: object) -> dict[str, Any]:
    """Return the type and the target of a rule. Raises InputError."""
    if isinstance(said, dict):
        for name in KIND_WORDS:  # {"constraint": {"type": "sum", "value": 4}}
            if isinstance(nested := said.get(name), dict):
                said = {key: value for key, value in said.items() if key != name}
                if nested.keys().isdisjoint(KIND_WORDS) and not nested.keys().isdisjoint(NAME_WORDS):
                    raise part.fault(f"the {quoted(name)} has a name and no type", 'its "type"')
                if twice := next((key for key in nested if key in said and key not in NAME_WORDS), None):
                    raise part.fault(f"the region has two members {quoted(twice)}", "one of each")
                said |= nested
        if unknown := next(
            (name for name in said if name not in (*KIND_WORDS, *NUMBER_WORDS, *NAME_WORDS)), None
        ):
            raise part.fault(
                f"{quoted(unknown)} is no member of a region", "its cells, its type and its value"
            )
        words = [said[name] for name in KIND_WORDS if said.get(name) is not None]
        numbers = [said[name] for name in NUMBER_WORDS if said.get(name) is not None]
    else:
        words, numbers = [] if said is None else [said], []
    if len(words) > 1 or len(numbers) > 1:
        raise part.fault("the region has two types or two numbers", "one of each")
    word = _HUMP.sub(" ", " ".join(map(str, words))).strip()
    if word.upper() in ("", *NO_RULE) and not numbers:
        return {"type": "empty"}
    if word.upper() in UNEQUAL_WORDS:
        word = RULES[Rule.NEQ].json
    rule = SPELLINGS.get(word.upper())
    if numbers and word in ("=", "=="):  # as typed: A = 4
        rule = Rule.SUM
    if rule and numbers and not RULES[rule].has_target:
        raise part.fault(f"{quoted(word)} takes no number", '"sum", or no number')
    if rule is None or not numbers:
        typed = typed_rule(" ".join(["A", word, *map(str, numbers)]))
        if typed is None:
            return {"type": word} | ({"target": numbers[0]} if numbers else {})
        rule = typed.rule
        numbers = numbers or ([int(typed.number)] if typed.number.lstrip("-").isdecimal() else [])
    return {"type": RULES[rule].json} | ({"target": numbers[0]} if numbers else {})
