"""A draft: the puzzle that a picture shows, as text and as data, with what is doubtful about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NotRequired, TypedDict, cast

from milp_pips.problem.errors import visible
from milp_pips.puzzles.pips.puzzle import Pips, Region, cell_name
from milp_pips.puzzles.pips.rules import RULES, Rule
from milp_pips.render.vocabulary import Place


class Doubt(NamedTuple):
    """What may be wrong, in a sentence, with the cells, the region or the domino it is about."""

    words: str
    cells: tuple[Place, ...] = ()
    label: str | None = None
    domino: int | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What was read from a picture.

    Parameters
    ----------
    name
        The name of the puzzle.
    board
        The label of every cell by its place, counted from 0; ``#`` is a cell without a rule.
    rules
        The rule of each region by its label, and the number if it has one; None for a rule that was not read.
    dominoes
        The pips of each domino in the order of the tray.
    doubts
        What may be wrong; empty if nothing is.
    is_solvable
        Whether the puzzle has a solution; None if that is unknown.
    """

    name: str
    board: Mapping[Place, str]
    rules: Mapping[str, tuple[Rule | None, int | None]]
    dominoes: Sequence[tuple[int, int]]
    doubts: Sequence[Doubt]
    is_solvable: bool | None

    def rows(self) -> list[list[str]]:
        """Return the labels row by row, with ``.`` where there is no cell."""
        height, width = (1 + max((place[i] for place in self.board), default=-1) for i in (0, 1))
        return [[self.board.get((row, column), ".") for column in range(width)] for row in range(height)]


def puzzle_of(draft: Draft) -> Pips:
    """Return the puzzle. Raises InputError if the dominoes cannot cover the cells."""
    cells: dict[str, list[Place]] = {}
    for place, label in sorted(draft.board.items()):
        cells.setdefault(label, []).append(place)
    regions = [Region(label, tuple(cells[label]), *rule) for label, rule in draft.rules.items()]
    return Pips.on_grid(draft.name, draft.board, regions, draft.dominoes)


def as_text(draft: Draft, source: str) -> str:
    """Return the draft in the text format; each doubt is a comment in the line that it is about."""
    rows = draft.rows()
    blank = " " if any(len(label) > 1 for label in draft.rules) else ""
    board = {row: blank.join(labels) for row, labels in enumerate(rows)}
    rules = {
        label: f"{label} {rule}" + ("" if target is None else f" {target}")
        for label, (rule, target) in draft.rules.items()
        if rule is not None
    }
    dominoes = {i: f"{a} {b}" for i, (a, b) in enumerate(draft.dominoes)}
    head = [f"// read from {visible(source)}"]
    for doubt in draft.doubts:
        comment = f"// doubtful: {doubt.words}"
        if doubt.label in rules:
            rules[doubt.label] += f"  {comment}"
        elif doubt.domino is not None:
            dominoes[doubt.domino] += f"  {comment}"
        elif doubt.cells:
            board[doubt.cells[0][0]] += f"  {comment}"
        else:
            head.append(comment)
    counted = [str(len(board)), *board.values(), str(len(rules)), *rules.values()]
    return "".join(f"{line}\n" for line in (*head, *counted, str(len(dominoes)), *dominoes.values()))


class RuleRecord(TypedDict):
    """The rule of a region."""

    kind: str
    """The name of the rule in JSON; ``empty`` for one that was not read."""
    target: int | None
    """The number of the rule; null if it has none."""


class DoubtRecord(TypedDict):
    """A part that may be wrong."""

    words: str
    """A sentence about it."""
    cells: list[str]
    """The cells it is about."""
    label: str | None
    """The region it is about, if it is one."""
    domino: int | None
    """The position of the domino it is about, from 0, if it is one."""


class DraftRecord(TypedDict):
    """The puzzle that a picture shows, as far as it was read."""

    name: str
    """The name of the puzzle."""
    rows: list[list[str]]
    """The board: the label of each cell, # for a cell without a rule, a point where there is none."""
    rules: dict[str, RuleRecord]
    """The rule of each region by its label."""
    dominoes: list[list[int]]
    """The pips of each domino."""
    doubts: list[DoubtRecord]
    """What may be wrong."""
    solvable: bool | None
    """Whether the puzzle has a solution; null if that is unknown."""
    text: str
    """The draft as text, with the doubts as comments."""
    file: NotRequired[str | None]
    """The file that the draft was written to; null without --out."""


def as_record(draft: Draft, source: str) -> DraftRecord:
    """Return the draft as JSON data; cells and rules have the names that the page uses."""
    return {
        "name": draft.name,
        "rows": draft.rows(),
        "rules": {
            label: {"kind": RULES[rule].json, "target": target}
            for label, (rule, target) in draft.rules.items()
        },
        "dominoes": [list(domino) for domino in draft.dominoes],
        "doubts": [
            cast("DoubtRecord", doubt._asdict() | {"cells": list(map(cell_name, doubt.cells))})
            for doubt in draft.doubts
        ],
        "solvable": draft.is_solvable,
        "text": as_text(draft, source),
    }


def summary(draft: Draft) -> str:
    """Return what was read, in one line."""
    doubts = len(draft.doubts)
    size = f"{len(draft.board)} cells, {len(draft.rules)} regions, {len(draft.dominoes)} dominoes"
    return f"{size}; {doubts or 'no'} doubtful part{'s' * (doubts != 1)}"
