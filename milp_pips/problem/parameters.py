"""The parameters of tasks. Each is declared once: its name, its values, its default and a sentence about it.

From the declaration come the option of the command line with its help (``add_parameters``), the validation of
requests, and the checks of keyword arguments. Shared parameters follow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial, wraps
from inspect import CO_VARKEYWORDS
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.problem.fields import shown

if TYPE_CHECKING:
    import argparse

P = ParamSpec("P")
T = TypeVar("T")

LARGEST_INTEGER = 2**31 - 1
"""The largest whole number that the command line takes: engines keep seeds in 32 bits."""


class Kind(NamedTuple):
    """What values a parameter takes.

    Parameters
    ----------
    expected
        What a value is, for messages, such as ``a whole number from 1 on``.
    has_type, within
        Whether a value has the right type, and lies within the limits.
    read
        Returns the value that a text states. Raises ValueError.
    written
        What a text is, for messages, if that differs from ``expected``.
    convert
        Returns what a task works with, given a valid value and its name.
    choices
        All values, if they are few.
    """

    expected: str
    has_type: Callable[[Any], bool]
    within: Callable[[Any], bool] = lambda _: True
    read: Callable[[str], Any] = str
    written: str = ""
    convert: Callable[[Any, str], Any] = lambda value, _: value
    choices: Collection[str] = ()

    def check(self, name: str, value: Any, instead: str = "") -> Any:
        """Return the converted value. Raises TypeError or ValueError, with one sentence that names it."""
        if not self.has_type(value):
            raise TypeError(f"{name} must be {self.expected}{instead}, not {shown(value)}")
        if not self.within(value):
            raise ValueError(f"{name} must be {self.expected}{instead}, not {shown(value)}")
        return self.convert(value, name)

    def read_text(self, text: str) -> Any:
        """Return the value that a text states. Raises ValueError, with one sentence."""
        try:
            value = self.read(text)
            if self.within(value):
                return value
        except ValueError:
            pass
        raise ValueError(f"{text!r} is not {self.written or self.expected}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    """Return whether the value is a whole number, of any library."""
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return (hasattr(value, "__float__") or hasattr(value, "__index__")) and not isinstance(value, bool)


def _integer(text: str, largest: int = LARGEST_INTEGER) -> int:
    if abs(number := int(text)) > largest:
        raise ValueError
    return number


def _bytes(text: str) -> int:
    unit = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:].upper(), 1)
    return unit * _integer(text if unit == 1 else text[:-1], 2**40)


def _seconds(text: str) -> float:
    if (seconds := float(text)) > 1e9:
        raise ValueError
    return seconds


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ValueError
    return name, value


def _weight(text: str) -> tuple[str, int]:
    name, value = _pair(text)
    if (weight := _integer(value)) < 1:
        raise ValueError
    return name, weight


def _names(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip() not in ("", "none"))


def texts(longest: int) -> Kind:
    """Return the kind of texts with at most this number of characters."""
    return Kind(f"a string of at most {longest} characters", _is_text, lambda value: len(value) <= longest)


def whole(least: int = 0, most: int | None = None) -> Kind:
    """Return the kind of whole numbers from ``least`` to ``most``."""
    if most is None:
        return Kind(f"a whole number from {least} on", _is_whole, lambda n: bool(n >= least), _integer)
    expected = f"a whole number from {least} to {most}"
    return Kind(expected, _is_whole, lambda n: bool(least <= n <= most), _integer)


def one_of(names: Collection[str]) -> Kind:
    """Return the kind of these names."""
    return Kind(f"one of {', '.join(names)}", _is_text, names.__contains__, choices=names)


def text_form(written: str, read: Callable[[str], Any]) -> Kind:
    """Return the kind of values that are written as text in a form of their own, which ``read`` reads."""
    return Kind(written, lambda _: True, read=read)


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


TEXT = Kind("a string", _is_text)
SWITCH = Kind("True or False", lambda value: isinstance(value, bool))
SHARE = Kind("a number from 0 on", _is_number, lambda s: bool(0 <= s <= 1e9), float)
SECONDS = Kind("a number of seconds", _is_number, lambda s: bool(s >= 0), _seconds)
SIZE = Kind("a number of bytes", _is_whole, lambda n: bool(n >= 1), _bytes, "a size such as 500M or 2G")
NAMES = Kind(
    "a tuple of names such as ('equality', 'pruning')",
    lambda value: isinstance(value, Collection) and not isinstance(value, str),
    read=_names,
)
PAIRS = Kind("a dict such as {'presolve': 'off'}", _is_mapping, read=_pair, written="NAME=VALUE")
WEIGHTS = Kind(
    "a dict such as {'A': 3}",
    _is_mapping,
    read=_weight,
    written="RULE=WEIGHT with a whole number from 1 on",
)


class Parameter(NamedTuple):
    """A parameter of a task.

    Parameters
    ----------
    usage
        As in a line of usage: ``--time-limit SECONDS``; ``FILE``, ``[BOARD]`` or ``FILE...`` for arguments
        without a name, and a plain name for a member of a request.
    help
        A sentence about it, for the help and as description.
    kind
        What values it takes.
    default
        Its value if it is not given; ``...`` if it must be given. If it is None, None may be given, too.
    name
        Its name as a keyword argument, if that differs from the one in ``usage``.
    many
        Whether it may be given several times, which makes a list.
    alone
        Its value if it is given without one, for ``--svg [PATH]``.
    group
        At most one parameter of a group may be given.
    example
        A value as on the command line, for the documents.
    """

    usage: str
    help: str = ""
    kind: Kind = TEXT
    default: Any = None
    name: str = ""
    many: bool = False
    alone: Any = None
    group: str = ""
    example: str = ""

    @property
    def flags(self) -> list[str]:
        """The names on the command line, with dashes; none for an argument without a name."""
        return [word.rstrip(",") for word in self.usage.split() if word.startswith("-")]

    @property
    def metavar(self) -> str:
        """The word that stands for a value in a line of usage."""
        last = self.usage.split()[-1].removesuffix("...")
        return "" if last.startswith("-") else last[1:-1] if last.startswith("[") else last

    @property
    def option(self) -> str:
        """The name on the command line, without dashes."""
        return self.flags[-1].lstrip("-") if self.flags else self.keyword

    @property
    def keyword(self) -> str:
        """The name as a keyword argument and as a member of a request."""
        return self.name or (self.option if self.flags else self.metavar).replace("-", "_").lower()

    def says(self, help: str) -> Parameter:
        """Return the same parameter with another sentence."""
        return self._replace(help=help)

    def check(self, value: Any, name: str = "") -> Any:
        """Return a given value, converted. Raises TypeError or ValueError, with one sentence."""
        if value is None and self.default is None:
            return None
        return self.kind.check(name or self.keyword, value, ", or None" * (self.default is None))


def flag(usage: str, help: str) -> Parameter:
    """Return a parameter that is off unless it is given."""
    return Parameter(usage, help, SWITCH, False)


def read_members(given: object, members: Iterable[Parameter], what: str) -> dict[str, Any]:
    """Return the values of the members of a JSON object, by keyword.

    Raises UsageError for a value that is invalid, for a member that is missing and for an unknown one.
    """
    known = {member.keyword: member for member in members}
    if not isinstance(given, dict):
        raise UsageError(f"{what}: expected a JSON object, not {shown(given)}")
    for name in given:
        if name not in known:
            raise UsageError(f"{what}: {unknown_name('member', name, known)}")
    if missing := [name for name, member in known.items() if member.default is ... and name not in given]:
        raise UsageError(f"{what}: {missing[0]} is missing")
    try:
        return {
            name: member.check(given[name], f"{what}: {name}") if name in given else member.default
            for name, member in known.items()
        }
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None


TIME_LIMIT = Parameter(
    "--time-limit SECONDS", "time limit per puzzle", SECONDS, name="seconds", example="2.5"
)

SETTINGS = (
    Parameter(
        "--formulation FORMULATION",
        "formulation of the model, such as implication or flow",
        default="",
        example="implication",
    ),
    Parameter("--threads THREADS", "threads of the engine (default: 1)", whole(1), 1, example="2"),
    TIME_LIMIT,
    Parameter(
        "--memory-limit SIZE",
        "memory limit of the engine, such as 500M or 2G",
        SIZE,
        name="memory",
        example="2G",
    ),
    Parameter("--seed SEED", "random seed of the engine (default: 0)", whole(), 0, example="7"),
    Parameter(
        "--option NAME=VALUE",
        "set an option of the engine itself; may be given several times",
        PAIRS,
        (),
        "options",
        many=True,
        example="presolve=off",
    ),
    Parameter(
        "--presolve-rules RULES",
        "rules that reduce the domains before the engine starts, such as equality,pruning, or none (default: "
        "filtering, unless the formulation is a published model)",
        NAMES,
        name="rules",
        many=True,
        example="equality,pruning",
    ),
    Parameter(
        "--isolate",
        "run the engine in a separate process (default: only engines from other distributions)",
        SWITCH,
    ),
)
"""The parameters that make the ``Settings`` of a task."""

SOLVER = Parameter(
    "--solver SOLVER",
    "name of the solver (default: chosen by the size of the puzzle)",
    default="",
)


# Parameters of several verbs, and all as arguments of the command line.

LEVEL = Parameter("--level LEVEL", "puzzle to take from a file with several, such as easy, medium or hard")
VARIANT = Parameter("--variant LINE", "line of a puzzle's file that names a variant, such as diagonals")
FAMILY = Parameter(
    "--family FAMILY", "family of the puzzle, such as binairo, if a link or a file does not tell it"
)
PUZZLE_FILE = (
    Parameter("FILE", "file of a puzzle or a linear model, or - for standard input"),
    LEVEL,
    VARIANT,
    FAMILY,
)
PUZZLE_FILES = (
    Parameter(
        "FILE...",
        "files of puzzles or linear models, directories of them, or - for standard input",
        name="files",
    ),
    LEVEL,
    VARIANT,
    FAMILY,
)
BOARD = Parameter("--board BOARD")
OBJECTIVE = (
    Parameter(
        "--maximise EXPRESSION",
        "find the greatest value of an expression, such as 'sum(A) + 2*r1c1 - pips(3) + flat'",
        group="objective",
    ),
    Parameter(
        "--minimise EXPRESSION", "find the least value of an expression; see --maximise", group="objective"
    ),
)
PROVE = Parameter("--prove DIR", "write a certificate of the answer into this new folder, see the verb prove")


def settings(*names: str, **helps: str) -> tuple[Parameter, ...]:
    """Return the named ``SETTINGS``, in this order; ``helps`` replaces the sentences of some of them."""
    known = {parameter.keyword: parameter for parameter in SETTINGS}
    return tuple(known[name].says(helps.get(name, known[name].help)) for name in names or known)


def _shard(text: str) -> tuple[int, int]:
    """Return the number and the count in ``I/N``."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and len(text) < 20 and 1 <= int(number) <= int(count)):
        raise ValueError
    return int(number), int(count)


SHARD = text_form("a part; expected I/N, such as 1/8, with I from 1 to N", _shard)
"""One of several parts of the work."""


def cluster(what: str = "puzzles") -> tuple[Parameter, ...]:
    """Return --scheduler, --workers and --trust."""
    scheduler = (
        f"distribute the {what} over the workers of the Dask scheduler at ADDRESS, or over workers that "
        "local starts on this machine; each worker runs one at a time"
    )
    workers = (
        "number of workers that local starts (default: one per core), or to wait for at ADDRESS (default: 1)"
    )
    trust = "use a scheduler on another host without TLS, although it can run programs on this machine"
    return (
        Parameter("--scheduler ADDRESS|local", scheduler),
        Parameter("--workers N", workers, whole(1)),
        flag("--trust", trust),
    )


def add_parameters(parser: argparse._ActionsContainer, parameters: Iterable[Parameter]) -> None:
    """Add an argument for each parameter."""
    groups: dict[str, argparse._MutuallyExclusiveGroup] = {}
    for parameter in parameters:
        if parameter.group and parameter.group not in groups:
            groups[parameter.group] = parser.add_mutually_exclusive_group()
        where = groups.get(parameter.group, parser)
        names = parameter.flags or [parameter.keyword]
        where.add_argument(*names, help=parameter.help.replace("%", "%%"), **_argparse_words(parameter))


def _argparse_words(parameter: Parameter) -> dict[str, Any]:
    """Return the keyword arguments of ``add_argument`` for a parameter, except its help."""
    from argparse import BooleanOptionalAction  # which only the command line needs

    kind, default, words = parameter.kind, parameter.default, dict[str, Any]()
    if parameter.flags:
        required = {"required": True} if default is ... else {}
        words = {"dest": parameter.keyword, "default": None if default is ... else default, **required}
    elif parameter.usage.endswith("..."):
        words = {"nargs": "+"}
    elif parameter.usage.startswith("["):
        words = {"nargs": "?", "default": default}
    if kind is SWITCH and not parameter.metavar:
        return {**words, "action": BooleanOptionalAction if default is None else "store_true"}
    if parameter.alone is not None:
        words |= {"nargs": "?", "const": parameter.alone}
    if parameter.many and parameter.flags:
        words |= {"action": "extend" if kind is NAMES else "append"}
        words |= {"default": None if default is None else list(default)}
    if kind.choices:
        return {**words, "choices": list(kind.choices)}
    return {**words, "metavar": parameter.metavar, "type": partial(_read_text, kind)}


def _read_text(kind: Kind, text: str) -> Any:
    from argparse import ArgumentTypeError

    try:
        return kind.read_text(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


# Keyword arguments of the public functions.


def named_keywords(task: Callable[P, T]) -> Callable[P, T]:
    """Return the task, which names the nearest known keyword argument in its TypeError for an unknown one."""
    code = task.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_flags & CO_VARKEYWORDS:
        known += tuple(parameter.keyword for parameter in SETTINGS)

    @wraps(task)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        if unknown := [name for name in kwargs if name not in known]:
            raise unknown_keyword(task.__name__, unknown[0], known)
        return task(*args, **kwargs)

    return checked


def unknown_keyword(function: str, name: str, known: Iterable[str]) -> TypeError:
    """Return the error for an unknown keyword argument; the options of the command line are understood."""
    from difflib import get_close_matches  # imported only for an error

    spelled = {each: each for each in known}
    spelled |= {p.option.replace("-", "_"): p.keyword for p in SETTINGS if p.keyword in spelled}
    near = get_close_matches(name[:100], spelled, 1, 0.5)
    advice = f"did you mean {spelled[near[0]]!r}?" if near else f"known: {', '.join(known)}"
    return TypeError(f"{function}() got an unexpected keyword {shown(name)}; {advice}")
