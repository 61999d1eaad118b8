"""Every family passes the suite that is shipped for plugins, and families that are not right do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.engines import registry
from milp_pips.problem.errors import FamilyFault
from milp_pips.problem.problem import Problem
from milp_pips.puzzles import family as families
from milp_pips.puzzles.family import Family, lazy
from milp_pips.testing import FamilyConformance

EXAMPLES = Path(__file__).parents[2] / "examples"
OUTSIDE = Path(__file__).parents[1] / "outside"
REPEATS = "sudoku\nboxes 2 2\ncages with repeats\nabba\naabc\ndecc\ndeec\na 12\nb 6\nc 10\nd 6\ne 6\n"
HEART = "nonogram\nrows\n2 2\n7\n7\n5\n3\n1\ncolumns\n2\n4\n5\n5\n5\n4\n2\n"


def texts(family, *names):
    return tuple((EXAMPLES / family / name).read_text(encoding="utf-8") for name in names)


class TestPips(FamilyConformance):
    family = "pips"
    generator = lazy("milp_pips.extras.generate.pips")
    texts = texts("pips", "notebook.txt", "several.txt", "repeated.txt", "three_levels.json", "ring.json")


class TestSudoku(FamilyConformance):
    family = "sudoku"
    generator = lazy("milp_pips.extras.generate.sudoku")
    texts = (*texts("sudoku", "letters.txt"), REPEATS)


@pytest.mark.long
class TestLargerSudoku(FamilyConformance):
    family = "sudoku"
    texts = texts("sudoku", "killer.txt", "jigsaw.txt")


class TestColourGrid(FamilyConformance):
    family = "colour-grid"
    generator = lazy("milp_pips.extras.generate.colour_grid")
    texts = texts("colour_grid", "colour_grid.txt", "several.txt", "expressions.txt")


class Outside(FamilyConformance):
    @pytest.fixture(autouse=True)
    def installed(self, monkeypatch):
        monkeypatch.syspath_prepend(str(OUTSIDE))
        known = dict(families.FAMILIES)
        found = {"nonogram": "nonograms:FAMILY", "coins": "coin_puzzles:FAMILY"}
        monkeypatch.setattr(families, "names", lambda: known | found)


class TestNonograms(Outside):
    family = "nonogram"
    texts = (HEART, "nonogram\nrows\n1\n1\ncolumns\n1\n1\n")


class TestCoins(Outside):
    family = "coins"
    texts = ("coins 5 2\n",)


class Suite(FamilyConformance):
    """The suite on a family that is not right."""

    family = "pips"
    texts = texts("pips", "notebook.txt", "several.txt")

    def __init__(self, family):
        self._wrong = family

    def _family(self):
        return self._wrong


PIPS = families.family("pips")


def without_rules(puzzle):
    problem = PIPS.state(puzzle)
    return Problem(problem.variables, problem.constraints[:1], problem.keys)


@pytest.mark.parametrize(
    "change, test, message",
    [
        ({"state": without_rules}, "state_and_check_agree", "state allows what check refuses: region"),
        ({"check": lambda *_: None}, "state_and_check_agree", "check allows what state refuses: "),
        ({"check": lambda *_: "no"}, "state_and_check_agree", "state allows what check refuses: no"),
        ({"encode": lambda *_: {0: 99}}, "solutions_are_what_they_mean", "encode does not undo decode"),
        ({"read": lambda text, _: int(text)}, "files_that_are_not_right_are", "ValueError"),
        ({"recognises": lambda _: True}, "it_says_what_it_is", ""),
        ({"write_solution": lambda *_: "x"}, "solution_files", ""),
        ({"read_solution": lambda *_: (_ for _ in ()).throw(KeyError("grid"))}, "solution_files", "grid"),
    ],
)
def test_a_family_that_is_not_right_does_not_pass(change, test, message):
    suite = Suite(replace(PIPS, **change))
    (name,) = (name for name in dir(suite) if name.startswith(f"test_{test}"))
    with pytest.raises((AssertionError, milp_pips.InputError, KeyError), match=message or None):
        getattr(suite, name)()


@pytest.mark.parametrize("verb", ["solve", "enumerate", "sample"])
def test_a_family_that_contradicts_itself_is_told_so_and_no_engine_is_blamed(verb, monkeypatch, capsys):
    wrong = replace(PIPS, check=lambda *_: "the moon is full")
    monkeypatch.setattr(families, "family", lambda _: wrong)
    easy = str(EXAMPLES / "pips" / "easy.txt")
    assert main([verb, easy]) == 70
    assert capsys.readouterr().err == (
        "milp-pips: the family pips contradicts itself: its state allows a solution of easy that its check "
        "refuses: the moon is full\n"
    )
    with pytest.raises(FamilyFault, match="the family pips contradicts itself"):
        milp_pips.solve(milp_pips.read(easy))


class Plain:
    """A plugin that forgot everything."""


Bare = replace(PIPS, name="bare", state=None)
Deaf = replace(PIPS, name="deaf", state="x + y = 3")
Nameless = replace(PIPS, name=7)
Exampleless = replace(PIPS, name="exampleless", examples="a text")
Untaught = replace(PIPS, name="untaught", generator="a generator")


@pytest.mark.parametrize(
    "plugin, reason",
    [
        ("Plain", "it is the class Plain, not a milp_pips"),
        ("Bare", "it has no state"),
        ("Deaf", "its state is not a function"),
        ("pytest", "it is a module, not a milp_pips"),
        ("Nameless", "its name is an int"),
        ("Exampleless", "its examples are not a tuple of strings"),
        ("Untaught", "its generator is not a function"),
        ("Lookalike", "it is a Lookalike, not a milp_pips.puzzles.family.Family"),
        ("Thrower", "it is a _Thrower, not a milp_pips"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_malformed_family_is_a_warning_everywhere(plugin, reason, monkeypatch, capsys, tmp_path):
    real = families.names()
    odd = {"odd": f"{__name__}:{plugin}"}
    monkeypatch.setattr(families, "names", lambda: real | odd)
    with pytest.warns(UserWarning, match=f"is not a family: .*{reason}"):
        assert "pips" in [family.name for family in families.families()]
    unknown = tmp_path / "x.txt"
    unknown.write_text("what is this?\n")
    with pytest.warns(UserWarning, match=reason):
        assert main(["show", str(unknown)]) == 2
    assert main(["solve", str(EXAMPLES / "pips" / "easy.txt")]) == 0
    with pytest.warns(UserWarning, match=reason):
        assert main(["generate", "--count", "1"]) == 0
    assert main(["generate", "--family", "odd"]) == 2
    assert "Traceback" not in capsys.readouterr().err


Lookalike = type("Lookalike", (), {name: (lambda *_: None) for name in Family.__dataclass_fields__})()


class _Thrower:
    def __getattr__(self, name):
        raise RuntimeError("not today")


Thrower = _Thrower()


@dataclass(frozen=True)
class Stranger(milp_pips.Puzzle):
    name: str = "stranger"
    family: str = "elsewhere"
    published: None = None


def reads(read, **changes):
    return replace(PIPS, name="odd", recognises=lambda text: text.startswith("misread"), read=read, **changes)


Misreader = reads(lambda *_: 3)
Mistaker = reads(lambda *_: {"": 3})
Misleader = reads(lambda *_: {"": Stranger()})


@pytest.mark.parametrize(
    "plugin, fault",
    [
        ("Misreader", "it returned an int"),
        ("Mistaker", "it returned 3, which is not a milp_pips.puzzles.family.Puzzle"),
        ("Misleader", "it returned a puzzle of the family 'elsewhere' with the name 'stranger'"),
    ],
)
@pytest.mark.parametrize("verb", ["solve", "show"])
def test_a_family_that_reads_no_puzzles_is_told_so(plugin, fault, verb, monkeypatch, capsys, tmp_path):
    odd = {"odd": f"{__name__}:{plugin}"}
    monkeypatch.setattr(families, "names", lambda: odd)
    file = tmp_path / "x.txt"
    file.write_text("misread\n")
    assert main([verb, str(file)]) == 70
    assert capsys.readouterr().err == f"milp-pips: the family odd failed in read: {fault}\n"


def _broken():
    raise RuntimeError("no generator today")


Breaker = replace(PIPS, name="odd", recognises=lambda _: False, resembles=None, generator=_broken)
Plainer = replace(PIPS, name="odd", recognises=lambda _: False, resembles=None, generator=Plain)


@pytest.mark.parametrize(
    "plugin, fault",
    [
        ("Breaker", "the family odd failed in generator: RuntimeError: no generator today"),
        ("Plainer", "the generator of the family odd has no options, no maker"),
    ],
)
def test_a_generator_that_fails_harms_no_other(plugin, fault, monkeypatch, capsys):
    real = families.names()
    odd = {"odd": f"{__name__}:{plugin}"}
    monkeypatch.setattr(families, "names", lambda: real | odd)
    with pytest.warns(UserWarning, match=fault):
        assert main(["generate"]) == 0
    with pytest.warns(UserWarning, match=fault):
        assert main(["generate", "--family", "odd"]) == 70
    assert capsys.readouterr().err == f"milp-pips: {fault}\n"


@pytest.mark.filterwarnings("default")
def test_a_malformed_solver_is_a_reason_everywhere(monkeypatch, capsys):
    monkeypatch.setitem(registry.SOLVERS, "plain", f"{__name__}:Plain")
    assert main(["solvers"]) == 0
    assert "plain" in capsys.readouterr().out
    assert main(["solve", str(EXAMPLES / "pips" / "easy.txt"), "--solver", "plain"]) == 2
    assert (
        "is not a solver: AttributeError: 'Plain' object has no attribute 'name'" in capsys.readouterr().err
    )
