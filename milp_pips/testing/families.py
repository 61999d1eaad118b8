"""What every family, built in or from outside, must pass; see ``milp_pips.testing``."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar

from milp_pips import plugins
from milp_pips.chance import Chance
from milp_pips.diagram import Budget, Unfinished
from milp_pips.drawing import Drawing, to_svg, to_text
from milp_pips.errors import InputError, MilpPipsError
from milp_pips.problem import Problem
from milp_pips.puzzles.family import Puzzle
from milp_pips.space import compile_space
from milp_pips.tasks.enumerate import solutions

SOLUTIONS = 50
"""Solutions of each puzzle that are looked at: a slip shows in the first few."""

WHOLE, RELAXED = Budget(nodes=300_000, view_nodes=300_000), Budget(nodes=2_000, view_nodes=2_000)
"""What the solution space of a small puzzle may take, seconds, and one without a rule: fractions of one."""

CHANGES = 300
"""Boards, made of solutions by a change of one value or two, on which ``state`` and ``check`` must agree."""

RULES = 12
"""Constraints of each puzzle that are left out in turn, to see whether ``check`` misses them."""

MANGLED = 200
"""Files, made of right ones by a cut or a change of one character, that the reader must read or refuse."""


_points: dict[str, list[tuple[int, ...]]] = {}


class FamilyConformance:
    """Inherit, name the family, give texts of small puzzles of it, and collect with pytest."""

    family: ClassVar[str]
    """Name of the family under test."""

    texts: ClassVar[Sequence[str]]
    """Files of small puzzles that have a solution, as texts."""

    def test_it_says_what_it_is(self) -> None:
        family = self._family()
        assert family.name == self.family
        assert family.examples
        assert all(isinstance(example, str) and example for example in family.examples)
        assert any(family.recognises(example) for example in family.examples)
        assert family.recognises("no puzzle of any family") in (False, None)
        assert family.recognises("") in (False, None)

    def test_files_are_read(self) -> None:
        family = self._family()
        for text in self.texts:
            assert family.recognises(text)
            others = [other.name for other in plugins.families() if other.recognises(text)]
            assert others == [self.family], f"other families recognise the file as well: {others}"
            again = family.read(text, "file.txt")
            for level, puzzle in family.read(text, "file.txt").items():
                assert isinstance(level, str)
                if puzzle is not None:
                    assert isinstance(puzzle, Puzzle)
                    assert puzzle.family == self.family
                    assert isinstance(puzzle.name, str)
                    assert puzzle.published is None or family.check(puzzle, puzzle.published) is None
                    assert again[level] == puzzle, "two readings of a text are two puzzles"

    def test_files_that_are_not_right_are_refused_by_an_input_error(self) -> None:
        family, chance = self._family(), random.Random(1)
        for text in self.texts:
            for _ in range(MANGLED // len(self.texts)):
                at = chance.randrange(len(text))
                mangled = text[:at] + chance.choice(("", "?", "\0", "-1 ", "\n", text[at:] * 2))
                mangled += chance.choice(("", text[at + 1 :]))
                refusal = self._refusal(family.read, mangled, "file.txt")
                assert refusal is None or "\n" not in str(refusal)
                assert refusal is None or refusal.file == "file.txt", f"which file? {refusal}"

    def test_the_problem_is_well_formed(self) -> None:
        for puzzle in self._puzzles():
            problem = self._family().state(puzzle)
            assert isinstance(problem, Problem)
            assert problem.keys, "a problem needs a key: what makes two solutions different"
            n = len(problem.variables)
            assert len({variable.name for variable in problem.variables}) == n
            for variable in problem.variables:
                assert list(variable.domain) == sorted(set(variable.domain))
            for constraint in problem.constraints:
                assert constraint.label, f"{constraint} has no label: what would a player call it?"
                assert all(0 <= v < n for v in constraint.variables)
            assert all(0 <= v < n for variables in problem.keys.values() for v in variables)
            assert problem.digest(self.family) == self._family().state(puzzle).digest(self.family)

    def test_state_and_check_agree(self) -> None:
        """Hold that what is stated allows what the rules allow: no solution more, and none less."""
        family, chance = self._family(), random.Random(1)
        for puzzle in self._puzzles():
            problem, found = family.state(puzzle), self._points(puzzle)
            assert found, f"{puzzle.name} has no solution: give texts of puzzles that have one"
            for point in found:
                broken = family.check(puzzle, family.decode(puzzle, point))
                assert broken is None, f"state allows what check refuses: {broken}"
            changed = [self._changed(chance.choice(found), problem, chance) for _ in range(CHANGES)]
            for point in (*changed, *self._points_without_a_rule(problem)):
                solution = self._meant(puzzle, point)
                if solution is not None and family.check(puzzle, solution) is None:
                    violated = problem.violated(point)
                    assert violated is None, f"check allows what state refuses: {violated}"

    def test_solutions_are_what_they_mean(self) -> None:
        family = self._family()
        for puzzle in self._puzzles():
            for point in self._points(puzzle):
                solution = family.decode(puzzle, point)
                shown = family.encode(puzzle, solution)
                assert shown.items() <= dict(enumerate(point)).items(), "encode does not undo decode"
                fixed = family.decode(puzzle, {v: point[v] for v in range(len(point))})
                assert family.encode(puzzle, fixed) == shown, "decode takes any Assignment, mappings too"
                assert pickle.loads(pickle.dumps(solution)) == solution
            assert pickle.loads(pickle.dumps(puzzle)) == puzzle

    def test_solution_files(self) -> None:
        family = self._family()
        for puzzle in self._puzzles():
            for point in self._points(puzzle):
                solution = family.decode(puzzle, point)
                record = family.to_json(puzzle, solution)
                assert {"grid", "values"} & record.keys()
                for text in (family.write_solution(puzzle, solution), json.dumps(record)):
                    read = family.read_solution(puzzle, text, "solution.txt")
                    shown = family.encode(puzzle, read)
                    assert shown.items() <= dict(enumerate(point)).items(), f"read otherwise: {text}"
                    assert family.check(puzzle, read) is None
            self._refuses(family.read_solution, puzzle)

    def test_boards(self) -> None:
        family = self._family()
        if family.read_board is None:
            return
        for puzzle in self._puzzles():
            problem = family.state(puzzle)
            for point in self._points(puzzle):
                text = family.write_solution(puzzle, family.decode(puzzle, point))
                board = family.read_board(puzzle, text, "board.txt")
                assert board
                assert board.items() <= dict(enumerate(point)).items()
                assert all(value in problem.variables[v].domain for v, value in board.items())
            self._refuses(family.read_board, puzzle)

    def test_alternatives(self) -> None:
        """Hold that rules which could be added are rules of the game, and those they replace are there."""
        family = self._family()
        if family.alternatives is None:
            return
        for puzzle in self._puzzles():
            problem = family.state(puzzle)
            for rule, replaced in family.alternatives(puzzle):
                assert rule.label, f"{rule} has no label: what would a player call it?"
                assert all(0 <= v < len(problem.variables) for v in rule.variables)
                assert replaced is None or replaced in problem.constraints
                assert rule not in problem.constraints

    def test_pictures(self) -> None:
        family = self._family()
        for puzzle in self._puzzles():
            problem = family.state(puzzle)
            found = [family.decode(puzzle, point) for point in self._points(puzzle)[:3]]
            for solution in (None, *found):
                drawing = family.draw(puzzle, solution)
                assert isinstance(drawing, Drawing)
                assert to_text(drawing)
                assert to_svg(drawing).startswith("<svg")
            places = family.draw(puzzle, None).places
            assert set(places) <= set(range(len(problem.variables)))

    def test_pieces_of_json_make_the_same_lines(self) -> None:
        for puzzle in self._puzzles():
            family, listed = self._family(), solutions(puzzle, limit=SOLUTIONS)
            for line, found in zip(solutions(puzzle, limit=SOLUTIONS).json_lines(), listed, strict=True):
                read = family.read_solution(puzzle, line, "line")
                assert family.encode(puzzle, read) == family.encode(puzzle, found)

    def test_new_puzzles(self) -> None:
        family = self._family()
        if family.generator is None:
            return
        generator = family.generator()
        maker = generator.maker({})
        for seed in range(3):
            made, again = (maker.make("new", Chance(str(seed))) for _ in range(2))
            assert made == again, "the same chance makes another puzzle"
            if made is None:
                continue
            assert family.check(made.puzzle, made.hidden) is None
            assert self._referee(made.puzzle, made.hidden)
            for form in generator.formats.values():
                text = form.write(made.puzzle)
                assert family.recognises(text)
                (read,) = family.read(text, "new.txt").values()
                assert family.state(read).digest(self.family) == family.state(made.puzzle).digest(self.family)

    def _referee(self, puzzle: Any, solution: Any) -> bool:
        shown = self._family().encode(puzzle, solution)
        return self._family().state(puzzle).violated([shown[v] for v in range(len(shown))]) is None

    def _refuses(self, reader: Any, puzzle: Any) -> None:
        """Hold that a reader of solutions refuses, by an InputError, what is none."""
        for text in ("", "no solution at all", "[1, 2]", '{"grid": 3}', "{}", '{"grid": [["\\ud800"]]}'):
            refusal = self._refusal(reader, puzzle, text, "solution.txt")
            assert refusal is not None, f"{text!r} is read as a solution"

    def _refusal(self, reader: Callable[..., Any], *arguments: Any) -> InputError | None:
        """Return the InputError that a reader raises, None where it reads; it must raise nothing else."""
        try:
            reader(*arguments)
        except InputError as refusal:
            return refusal
        except Exception as error:
            raise AssertionError(f"reading {arguments!r} raises {error!r}, no InputError") from error
        return None

    def _points(self, puzzle: Any) -> list[tuple[int, ...]]:
        """Return some points of the problem as it is stated, judged by nothing but its constraints."""
        problem = self._family().state(puzzle)
        known = problem.digest("")
        if known not in _points:  # all tests look at the same
            _points[known] = _first_points(problem, WHOLE)
        assert all(problem.violated(point) is None for point in _points[known])
        return _points[known]

    def _points_without_a_rule(self, problem: Problem) -> Iterator[tuple[int, ...]]:
        """Yield points of problems that leave a constraint out each: many of them break it and no other."""
        count = min(RULES, len(problem.constraints))
        for constraint in random.Random(1).sample(problem.constraints, count):
            rest = [other for other in problem.constraints if other is not constraint]
            yield from _first_points(replace(problem, constraints=tuple(rest)), RELAXED)

    def _changed(self, point: Sequence[int], problem: Problem, chance: random.Random) -> tuple[int, ...]:
        """Return a point with one or two values changed, within their domains, or exchanged."""
        values = list(point)
        v, w = (chance.randrange(len(values)) for _ in range(2))
        if chance.random() < 0.5 and values[w] in problem.variables[v].domain:
            values[v], values[w] = values[w], values[v]
        for changed in (v, w)[: chance.choice((1, 2))]:
            values[changed] = chance.choice(problem.variables[changed].domain)
        return tuple(values)

    def _meant(self, puzzle: Any, point: tuple[int, ...]) -> Any:
        """Return the solution that means exactly this point; None where none does."""
        family = self._family()
        if any(a not in d for a, (_, d) in zip(point, family.state(puzzle).variables, strict=True)):
            return None
        try:
            solution = family.decode(puzzle, point)
            return solution if family.encode(puzzle, solution) == dict(enumerate(point)) else None
        except (MilpPipsError, LookupError, ValueError):  # not every assignment is a board
            return None

    def _puzzles(self) -> Iterator[Any]:
        for text in self.texts:
            found = self._family().read(text, "file.txt").values()
            yield from (puzzle for puzzle in found if puzzle is not None)

    def _family(self) -> Any:
        return plugins.family(self.family)


def _first_points(problem: Problem, budget: Budget) -> list[tuple[int, ...]]:
    """Return some points of a problem; none if they are too hard to come by."""
    every = range(len(problem.variables))
    try:
        return list(map(tuple, islice(compile_space(problem, every, budget).assignments(), SOLUTIONS)))
    except Unfinished:
        return []
