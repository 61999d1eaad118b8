"""The conformance suite of families, built in or from a plugin; see ``milp_pips.testing``."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.solution_set import compile_problem
from milp_pips.problem import InputError, MilpPipsError, Problem
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles import family as families
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.svg import to_svg
from milp_pips.render.text import to_text
from milp_pips.render.vocabulary import Drawing
from milp_pips.tasks.enumerate import solutions

SOLUTIONS = 50
"""Most solutions to check for each puzzle: a mistake shows in the first few."""

WHOLE_BUDGET, RELAXED_BUDGET = (
    Budget(nodes=300_000),
    Budget(nodes=2_000),
)
"""Budgets of the solution space of a small puzzle, which takes seconds, and of one without a rule, which
takes fractions of a second."""

BOARDS_CHANGED = 300
"""Number of changed solutions, each in one or two values, on which ``state`` and ``check`` must agree."""

CONSTRAINTS_DROPPED = 12
"""Number of constraints per puzzle that are dropped in turn, to test whether ``check`` enforces them."""

MANGLED = 200
"""Number of mangled files, cut or changed in one character, that the reader must read or refuse."""


_points: dict[str, list[tuple[int, ...]]] = {}


class SolvedPuzzle(NamedTuple):
    """A puzzle, one of its points, and the solution that this means."""

    puzzle: Any
    point: tuple[int, ...]
    solution: Any


class FamilyConformance:
    """The conformance suite of a family: inherit it, set ``family`` and ``texts``, and run pytest."""

    family: ClassVar[str]
    """Name of the family under test."""

    texts: ClassVar[Sequence[str]]
    """The texts of files of small puzzles that have a solution."""

    generator: ClassVar[Callable[[], Any] | None] = None
    """Returns the generator of new puzzles, for a family that does not state it itself."""

    def test_it_says_what_it_is(self) -> None:
        family = self._family()
        assert family.name == self.family, f"it is registered as {self.family} and calls itself {family.name}"
        assert family.examples, "it has no examples, by which a person could recognise its files"
        assert all(isinstance(example, str) and example for example in family.examples), family.examples
        recognised = any(family.recognises(example) for example in family.examples)
        assert recognised, f"it recognises none of its examples {family.examples}"
        for text in ("no puzzle of any family", ""):
            assert family.recognises(text) in (False, None), f"it takes {text!r} for a file of its own"

    def test_files_are_read(self) -> None:
        family = self._family()
        for text in self.texts:
            assert family.recognises(text), f"it does not recognise {text!r}"
            others = [other.name for other in families.families() if other.recognises(text)]
            assert others == [self.family], f"other families recognise the file as well: {others}"
            again = family.read(text, "file.txt")
            for level, puzzle in family.read(text, "file.txt").items():
                assert isinstance(level, str), f"the level {level!r} is not text"
                if puzzle is not None:
                    assert isinstance(puzzle, Puzzle), f"read gave {puzzle!r}, which is not a Puzzle"
                    assert puzzle.family == self.family, f"the family of a puzzle is {puzzle.family}"
                    assert isinstance(puzzle.name, str), f"the name {puzzle.name!r} is not text"
                    broken = puzzle.published and family.check(puzzle, puzzle.published)
                    assert not broken, f"the published solution breaks a rule: {broken}"
                    assert again[level] == puzzle, "two readings of a text are two puzzles"

    def test_files_that_are_not_right_are_refused_by_an_input_error(self) -> None:
        family, rng = self._family(), random.Random(1)
        for text in self.texts:
            for _ in range(MANGLED // len(self.texts)):
                at = rng.randrange(len(text))
                mangled = text[:at] + rng.choice(("", "?", "\0", "-1 ", "\n", text[at:] * 2))
                mangled += rng.choice(("", text[at + 1 :]))
                refusal = self._refusal(family.read, mangled, "file.txt")
                assert refusal is None or "\n" not in str(refusal), f"a message of two lines: {refusal}"
                assert refusal is None or refusal.file == "file.txt", f"which file? {refusal}"

    def test_the_problem_is_well_formed(self) -> None:
        for puzzle in self._puzzles():
            problem = self._family().state(puzzle)
            assert isinstance(problem, Problem), f"state gave {problem!r}, which is not a Problem"
            assert problem.keys, "a problem needs a key: what makes two solutions different"
            n = len(problem.variables)
            names = [variable.name for variable in problem.variables]
            assert len(set(names)) == n, f"two variables have one name: {names}"
            for constraint in problem.constraints:
                assert constraint.label, f"{constraint} has no label: what would a player call it?"
            again = self._family().state(puzzle).digest(self.family)
            assert problem.digest(self.family) == again, "state gives another problem the second time"

    def test_state_and_check_agree(self) -> None:
        """Assert that the stated problem and the rules allow the same solutions."""
        family, rng = self._family(), random.Random(1)
        for puzzle in self._puzzles():
            problem, found = family.state(puzzle), self._points(puzzle)
            assert found, f"{puzzle.name} has no solution: give texts of puzzles that have one"
            for point in found:
                broken = family.check(puzzle, family.decode(puzzle, point))
                assert broken is None, f"state allows what check refuses: {broken}"
            # Boards that are nearly right show where the two differ; of random boards both refuse all.
            changed = [self._changed(rng.choice(found), problem, rng) for _ in range(BOARDS_CHANGED)]
            for point in (*changed, *self._points_without_a_rule(problem)):
                solution = self._meant(puzzle, problem, point)
                if solution is not None and family.check(puzzle, solution) is None:
                    violated = _violated(problem, family.encode(puzzle, solution), point)
                    assert violated is None, f"check allows what state refuses: {violated}"

    def test_solutions_are_what_they_mean(self) -> None:
        family = self._family()
        for puzzle, point, solution in self._solutions():
            shown = family.encode(puzzle, solution)
            assert shown.items() <= dict(enumerate(point)).items(), "encode does not undo decode"
            left_out = set(_key(family.state(puzzle))).difference(shown)
            assert not left_out, f"encode leaves out variables of the key: {sorted(left_out)}"
            fixed = family.decode(puzzle, dict(enumerate(point)))
            assert family.encode(puzzle, fixed) == shown, "decode takes any Assignment, mappings too"
            assert pickle.loads(pickle.dumps(solution)) == solution, f"a pickle changes {solution!r}"
        for puzzle in self._puzzles():
            assert pickle.loads(pickle.dumps(puzzle)) == puzzle, f"a pickle changes {puzzle!r}"

    def test_solution_files(self) -> None:
        family = self._family()
        for puzzle, point, solution in self._solutions():
            record = family.to_json(puzzle, solution)
            assert {"grid", "values"} & record.keys(), f"to_json gives neither grid nor values: {record}"
            for text in (family.write_solution(puzzle, solution), json.dumps(record)):
                read = family.read_solution(puzzle, text, "solution.txt")
                shown = family.encode(puzzle, read)
                assert shown.items() <= dict(enumerate(point)).items(), f"read otherwise: {text}"
                broken = family.check(puzzle, read)
                assert broken is None, f"a solution that was written breaks a rule when read: {broken}"
        for puzzle in self._puzzles():
            self._refuses(family.read_solution, puzzle)

    def test_boards(self) -> None:
        family = self._family()
        if family.read_board is None:
            return
        for puzzle, point, solution in self._solutions():
            text = family.write_solution(puzzle, solution)
            board = family.read_board(puzzle, text, "board.txt")
            assert board, f"read_board gave no value of {text!r}"
            differs = board.items() - dict(enumerate(point)).items()
            assert not differs, f"read_board gave other values than the solution has: {differs}"
        for puzzle in self._puzzles():
            self._refuses(family.read_board, puzzle)

    def test_alternatives(self) -> None:
        """Assert that the alternative rules fit the problem, and that it has the rules they replace."""
        family = self._family()
        if family.alternatives is None:
            return
        for puzzle in self._puzzles():
            problem = family.state(puzzle)
            for rule, replaced in family.alternatives(puzzle):
                assert rule.label, f"{rule} has no label: what would a player call it?"
                problem.with_constraints([rule])  # raises if a variable does not exist
                assert replaced is None or replaced in problem.constraints, f"{replaced} is not a rule of it"
                assert rule not in problem.constraints, f"{rule} is a rule of it already"

    def test_pictures(self) -> None:
        family = self._family()
        for puzzle in self._puzzles():
            problem = family.state(puzzle)
            found = [family.decode(puzzle, point) for point in self._points(puzzle)[:3]]
            for solution in (None, *found):
                drawing = family.draw(puzzle, solution)
                assert isinstance(drawing, Drawing), f"draw gave {drawing!r}, which is not a Drawing"
                assert to_text(drawing), f"the picture of {puzzle.name} is empty"
                assert to_svg(drawing).startswith("<svg"), f"the picture of {puzzle.name} is not an SVG"
            strange = set(family.draw(puzzle, None).places).difference(range(len(problem.variables)))
            assert not strange, f"places has positions of no variable: {strange}"

    def test_pieces_of_json_make_the_same_lines(self) -> None:
        for puzzle in self._puzzles():
            family, listed = self._family(), solutions(puzzle, limit=SOLUTIONS)
            for line, found in zip(solutions(puzzle, limit=SOLUTIONS).json_lines(), listed, strict=True):
                read = family.read_solution(puzzle, line, "line")
                same = family.encode(puzzle, read) == family.encode(puzzle, found)
                assert same, f"the line {line!r} is read as another solution than {found!r}"

    def test_new_puzzles(self) -> None:
        family = self._family()
        load = family.generator or type(self).__dict__.get("generator")
        if load is None or family.formats is None:
            return
        generator = load()
        maker = generator.maker({})
        for seed in range(3):
            made, again = (maker.make("new", RandomGenerator(str(seed))) for _ in range(2))
            assert made == again, "the same chance makes another puzzle"
            if made is None:
                continue
            broken = family.check(made.puzzle, made.hidden) or self._refused(made.puzzle, made.hidden)
            assert broken is None, f"the hidden solution of a new puzzle breaks a rule: {broken}"
            for form in family.formats().values():
                text = form.write(made.puzzle)
                assert family.recognises(text), f"it does not recognise what it wrote: {text!r}"
                (read,) = family.read(text, "new.txt").values()
                digests = {family.state(puzzle).digest(self.family) for puzzle in (read, made.puzzle)}
                assert len(digests) == 1, f"what it wrote is read as another puzzle: {text!r}"

    def _refused(self, puzzle: Any, solution: Any) -> str | None:
        """Return the constraint that a solution violates, or None."""
        shown, problem = self._family().encode(puzzle, solution), self._family().state(puzzle)
        some = [shown.get(v, variable.domain[0]) for v, variable in enumerate(problem.variables)]
        return _violated(problem, shown, some)

    def _refuses(self, reader: Any, puzzle: Any) -> None:
        """Assert that a reader of solutions raises InputError for texts that are not solutions."""
        for text in ("", "no solution at all", "[1, 2]", '{"grid": 3}', "{}", '{"grid": [["\\ud800"]]}'):
            refusal = self._refusal(reader, puzzle, text, "solution.txt")
            assert refusal is not None, f"{text!r} is read as a solution"

    def _refusal(self, reader: Callable[..., Any], *arguments: Any) -> InputError | None:
        """Return the InputError that a reader raises, or None; assert that it raises nothing else."""
        try:
            reader(*arguments)
        except InputError as refusal:
            return refusal
        except Exception as error:
            raise AssertionError(f"reading {arguments!r} raises {error!r}, no InputError") from error
        return None

    def _points(self, puzzle: Any) -> list[tuple[int, ...]]:
        """Return some points of the stated problem, checked only against its constraints."""
        problem = self._family().state(puzzle)
        known = problem.digest("")
        if known not in _points:  # shared by all tests
            _points[known] = _first_points(problem, WHOLE_BUDGET)
        broken = next(filter(None, map(problem.violated, _points[known])), None)
        assert broken is None, f"a point that the diagram gave breaks {broken}"
        return _points[known]

    def _solutions(self) -> Iterator[SolvedPuzzle]:
        """Yield each puzzle with some of its points and the solutions that these mean."""
        for puzzle in self._puzzles():
            for point in self._points(puzzle):
                yield SolvedPuzzle(puzzle, point, self._family().decode(puzzle, point))

    def _points_without_a_rule(self, problem: Problem) -> Iterator[tuple[int, ...]]:
        """Yield points of problems without one of the constraints: many violate that one and no other."""
        count = min(CONSTRAINTS_DROPPED, len(problem.constraints))
        for constraint in random.Random(1).sample(problem.constraints, count):
            rest = [other for other in problem.constraints if other is not constraint]
            yield from _first_points(replace(problem, constraints=tuple(rest)), RELAXED_BUDGET)

    def _changed(self, point: Sequence[int], problem: Problem, rng: random.Random) -> tuple[int, ...]:
        """Return a point with one or two values changed, within their domains, or exchanged."""
        values = list(point)
        v, w = (rng.randrange(len(values)) for _ in range(2))
        if rng.random() < 0.5 and values[w] in problem.variables[v].domain:
            values[v], values[w] = values[w], values[v]
        for changed in (v, w)[: rng.choice((1, 2))]:
            values[changed] = rng.choice(problem.variables[changed].domain)
        return tuple(values)

    def _meant(self, puzzle: Any, problem: Problem, point: tuple[int, ...]) -> Any:
        """Return the solution encoded by this point, auxiliary variables aside, or None if there is none."""
        family = self._family()
        if any(a not in d for a, (_, d) in zip(point, problem.variables, strict=True)):
            return None
        try:
            solution = family.decode(puzzle, point)
            shown = family.encode(puzzle, solution)
            whole = shown.keys() >= set(_key(problem))
            return solution if whole and shown.items() <= dict(enumerate(point)).items() else None
        except (MilpPipsError, LookupError, ValueError):  # not every assignment is a board
            return None

    def _puzzles(self) -> Iterator[Any]:
        for text in self.texts:
            found = self._family().read(text, "file.txt").values()
            yield from (puzzle for puzzle in found if puzzle is not None)

    def _family(self) -> Any:
        return families.family(self.family)


def _key(problem: Problem) -> tuple[int, ...]:
    """Return the variables of the first key, which distinguish solutions; the others are auxiliary."""
    return next(iter(problem.keys.values()), tuple(range(len(problem.variables))))


def _violated(problem: Problem, shown: Mapping[int, int], point: Sequence[int]) -> str | None:
    """Return what the shown values violate, for all values of the other variables; None for nothing."""
    for v, value in shown.items():
        if value not in problem.variables[v].domain:
            return f"{problem.variables[v].name} cannot be {problem.written(value, v)}"
    broken = problem.violated([shown.get(v, value) for v, value in enumerate(point)])
    if broken is None or len(shown) == len(point):
        return broken
    rest = problem.restricted({v: (value,) for v, value in shown.items()})
    try:
        return (
            None
            if next(compile_problem(rest, range(len(point)), WHOLE_BUDGET).assignments(), None)
            else broken
        )
    except Unfinished:
        return None


def _first_points(problem: Problem, budget: Budget) -> list[tuple[int, ...]]:
    """Return some points of a problem, all different in its key; empty if the budget is too small."""
    every, key = range(len(problem.variables)), _key(problem)
    try:
        found = list(map(tuple, islice(compile_problem(problem, key, budget).assignments(), SOLUTIONS)))
        if list(key) == list(every):
            return found
        shown = [problem.restricted({v: (a,) for v, a in zip(key, view, strict=True)}) for view in found]
        return [tuple(next(iter(compile_problem(one, every, budget).assignments()))) for one in shown]
    except Unfinished:
        return []
