"""The accumulator of ``Regular``: what an automaton does on the stretches of a word that are decided."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import TypeAlias

from milp_pips.diagram.accumulator import Accumulator, Domain
from milp_pips.problem import Automaton

Run: TypeAlias = tuple[tuple[int, int], ...]
"""What some letters do to the automaton: pairs (state before them, state after them)."""


class WordAccumulator(Accumulator[tuple[Run, ...]]):
    """Regular: the run of each unbroken stretch of decided letters, in the order of the word.

    Letters may be decided in any order. A run keeps only the states that some word still passes through: a
    word decided from left to right has no more states than its automaton.
    """

    start: tuple[Run, ...] = ()
    symmetric = False

    def __init__(self, domains: Sequence[Domain], automaton: Automaton):
        super().__init__(domains)
        self._automaton = automaton
        self._arcs: dict[int, dict[int, int]] = {}
        for before, letter, after in automaton.arcs:
            self._arcs.setdefault(letter, {})[before] = after
        # an open letter may do what any value of its domain does
        self._open: list[Run] = [
            tuple({arc for letter in domain for arc in self._arcs.get(letter, {}).items()})
            for domain in domains
        ]

    def step(self, state: tuple[Run, ...], rest: int, place: int, value: int) -> tuple[Run, ...] | None:
        runs = self._joined(state, rest, place, tuple(self._arcs.get(value, {}).items()))
        reached = {self._automaton.start}
        forwards = []
        for run, is_open in runs:
            passable = [(before, after) for before, after in run if before in reached]
            forwards.append((passable, is_open))
            reached = {after for _, after in passable}
        wanted: set[int] = set(self._automaton.accepting)
        following = []
        for passable, is_open in reversed(forwards):
            kept = [(before, after) for before, after in passable if after in wanted]
            if not kept:
                return None
            wanted = {before for before, _ in kept}
            if not is_open:
                following.append(tuple(sorted(kept)))
        return tuple(reversed(following))

    def spread(self, decided: int) -> float:  # noqa: ARG002
        return log2(1 + len({before for before, _, _ in self._automaton.arcs}))

    def _joined(self, state: tuple[Run, ...], rest: int, place: int, letter: Run) -> list[tuple[Run, bool]]:
        """Return the runs of the word from left to right, and whether each is an open letter.

        The letter's run is put in at its place and made one with the stretches at its sides.
        """
        stretches = iter(state)
        runs: list[tuple[Run, bool]] = []
        for here, anything in enumerate(self._open):
            if rest >> here & 1:
                runs.append((anything, True))
                continue
            if here == place:
                run = letter
            elif here and not rest >> here - 1 & 1 and here - 1 != place:
                continue
            else:
                run = next(stretches)
            if runs and not runs[-1][1]:
                then = dict(run)
                run = tuple((before, then[after]) for before, after in runs.pop()[0] if after in then)
            runs.append((run, False))
        return runs
