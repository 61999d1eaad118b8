"""Random linear models of all kinds, and their texts in the ways that MPS and LP files allow."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row

NUMBERS = [
    Fraction(text) for text in ("1", "-1", "2", "-3", "10", "1/2", "0.1", "-0.25", "12.5", "1000", "0.001")
]
ENDS = [Fraction(text) for text in ("0", "1", "-1", "2.5", "-7", "100", "0.5")]


def random_model(rng: Random, *, bounded: bool = False) -> Model:
    """Return a model with integer and continuous columns; ``bounded``: all of them have bounds."""
    columns = []
    for j in range(rng.randint(1, 5)):
        integer = rng.random() < 0.6
        low, high = (
            sorted(rng.sample(ENDS, 2)) if rng.random() < 0.4 else (Fraction(0), Fraction(rng.randint(1, 9)))
        )
        if not bounded and rng.random() < 0.3:
            low, high = rng.choice(((None, None), (low, None), (None, high), (Fraction(0), None), (low, low)))
        cost = rng.choice(NUMBERS) if rng.random() < 0.7 else Fraction(0)
        columns.append(Column(f"x{j}", low, high, integer, cost))
    rows = []
    for i in range(rng.randint(0, 4)):
        chosen = rng.sample(range(len(columns)), rng.randint(1, len(columns)))
        terms = {j: rng.choice(NUMBERS) for j in chosen}
        side, reach = rng.choice(ENDS), abs(rng.choice(NUMBERS))
        low, high = rng.choice(((side, side), (None, side), (side, None), (side - reach, side)))
        rows.append(Row(f"c{i}", terms, low, high))
    sense = rng.choice(("minimise", "maximise"))
    return Model(tuple(columns), tuple(rows), sense, rng.choice((Fraction(0), Fraction(0), *ENDS)), "x")


def number(value: Fraction, rng: Random) -> str:
    """Return a decimal in one of the ways of writing it."""
    text = str(value.numerator) if value.denominator == 1 else repr(float(value))
    ways = [text, text]
    if value.denominator == 1:
        ways += [f"{text}.", f"{text}.0", f"{float(value):.3e}" if abs(value) < 10 else text]
    elif abs(value) < 1:
        ways.append(text.replace("0.", ".", 1))
    return rng.choice(ways)


def mps_text(model: Model, rng: Random, *, for_scip: bool = False) -> str:
    """Return a free MPS file that states the model, in the freedom that the format gives.

    ``for_scip``: without wide blanks, by which SCIP sometimes takes free format for fixed format.
    """
    blank = rng.choice((" ", "\t") if for_scip else (" ", "    ", "\t"))
    lines = [*["* a comment"] * rng.randint(0, 1), f"NAME{blank}{rng.choice(('', 'x', 'a model'))}"]
    if model.sense == "maximise":
        lines += rng.choice((["OBJSENSE", f"{blank}MAX"], ["OBJSENSE", f"{blank}MAXIMIZE"], ["OBJSENSE MAX"]))
    elif rng.random() < 0.3:
        lines += ["OBJSENSE", f"{blank}MIN"]
    lines += ["ROWS", f" N{blank}cost"]
    kinds, right, ranges = [], [], []
    for row in model.rows:
        kind, side = "E", row.low
        if row.low != row.high:
            kind, side = ("G", row.low) if row.high is None else ("L", row.high)
            if row.low is not None and row.high is not None:
                reach = row.high - row.low
                kind, side, sign = rng.choice(
                    (("L", row.high, 1), ("G", row.low, 1), ("E", row.low, 1), ("E", row.high, -1))
                )
                ranges.append((row.name, sign * reach))
        kinds.append(kind)
        lines.append(f" {kind}{blank}{row.name}")
        if side or rng.random() < 0.2:
            right.append((row.name, side or Fraction(0)))
    if model.constant:
        right.insert(rng.randint(0, len(right)), ("cost", -model.constant))
    lines.append("COLUMNS")
    whole, marks, bounds = False, 0, list[str]()
    for j, column in enumerate(model.columns):
        kind = _mps_bounds(column, rng, bounds, blank)
        if (kind == "marker") != whole:
            whole, marks = not whole, marks + 1
            lines.append(
                f"{blank}M{marks}{blank}'MARKER'{blank}{chr(39)}INT{'ORG' if whole else 'END'}{chr(39)}"
            )
        entries = [(row.name, row.terms[j]) for row in model.rows if j in row.terms]
        if column.cost or not entries or rng.random() < 0.1:
            entries.insert(rng.randint(0, len(entries)), ("cost", column.cost))
        lines += _pairs(column.name, entries, rng, blank)
    if whole:
        lines.append(f"{blank}M9{blank}'MARKER'{blank}'INTEND'")
    lines += ["RHS", *_pairs("rhs", right, rng, blank)]
    lines += ["RANGES", *_pairs("rng", ranges, rng, blank)] if ranges or rng.random() < 0.2 else []
    lines += ["BOUNDS", *bounds] if bounds or rng.random() < 0.5 else []
    return "\n".join([*lines, "ENDATA", *[""] * rng.randint(0, 2)])


def _pairs(name: str, entries: list[tuple[str, Fraction]], rng: Random, blank: str) -> list[str]:
    lines, left = [], list(entries)
    while left:
        count = rng.randint(1, 2)
        words = [word for row, value in left[:count] for word in (row, number(value, rng))]
        lines.append(blank + blank.join([name, *words]))
        del left[:count]
        if rng.random() < 0.05:
            lines.append(rng.choice(("* between", "")))
    return lines


def _mps_bounds(column: Column, rng: Random, lines: list[str], blank: str) -> str:
    """Add the lines of the bounds of a column; return "marker" if it is to stand between markers."""
    low, high = column.low, column.high

    def add(kind: str, value: Fraction | None = None) -> None:
        words = ["bnd", column.name, *([] if value is None else [number(value, rng)])]
        lines.append(f" {kind}{blank}{blank.join(words)}")

    if column.integer and (low, high) == (0, 1):
        way = rng.randrange(3)
        if way == 0:
            add("BV")
            return ""
        if way == 1:
            return "marker"  # without bounds: 0..1
    if low is not None and low == high:
        add("FX", low)
    elif low is None and high is None:
        add("FR")
    elif low is None:
        if high is None or high >= 0 or rng.random() < 0.8:
            add("MI")
        add("UP", high)
    elif high is None:
        if low or column.integer:
            add("LO", low)
        if column.integer or rng.random() < 0.3:
            add("PL")
    else:
        if low or high <= 0:
            add("LO", low)
        add("UP", high)
    return "marker" if column.integer else ""


def lp_text(model: Model, rng: Random, *, for_scip: bool = False) -> str:
    """Return an LP file that states the model, in the freedom that the format gives.

    ``for_scip``: without rows such as ``1.5 <= x + y <= 3``, some of which SCIP refuses.
    """
    names = [column.name for column in model.columns]

    def cased(word: str) -> str:
        return rng.choice((word, word.lower(), word.upper()))

    def total(terms: dict[int, Fraction], *, breaks: bool = True) -> str:
        parts = []
        for j, a in terms.items():
            sign, size = "-" if a < 0 else "+", abs(a)
            if not parts and sign == "+" and rng.random() < 0.7:
                sign = ""
            factor = "" if size == 1 and rng.random() < 0.7 else number(size, rng)
            factor += (
                " " if factor and (factor[-1] == "." or rng.random() < 0.7) else ""
            )  # SCIP reads .x in 2.x
            parts.append(f"{sign}{rng.choice((' ', '')) if sign else ''}{factor}{names[j]}")
            if breaks and rng.random() < 0.05:
                parts.append(rng.choice(("\n", "\\ a comment\n")))
        return " ".join(parts)

    senses = ("Maximize", "maximum", "max") if model.sense == "maximise" else ("Minimize", "minimum", "min")
    lines = [*["\\ a comment"] * rng.randint(0, 1), cased(rng.choice(senses))]
    costs = {j: column.cost for j, column in enumerate(model.columns)}  # all, so that all are columns
    constant = (
        f" {'-' if model.constant < 0 else '+'} {number(abs(model.constant), rng)}" if model.constant else ""
    )
    lines += [f" {rng.choice(('obj: ', ''))}{total(costs)}{constant}"]
    lines.append(cased(rng.choice(("Subject To", "such that", "st", "s.t."))))
    for row in model.rows:
        name = f"{row.name}: " if rng.random() < 0.8 else ""
        if row.low is not None and row.low == row.high:
            lines.append(f" {name}{total(row.terms)} = {number(row.low, rng)}")
            continue
        terms = total(row.terms, breaks=bool(name))
        in_one = not for_scip
        if row.low is not None and row.high is not None and in_one:
            lines.append(f" {name}{number(row.low, rng)} <= {terms} <= {number(row.high, rng)}")
            continue
        for sign, side in (
            (rng.choice((">=", "=>", ">")), row.low),
            (rng.choice(("<=", "=<", "<")), row.high),
        ):
            if side is not None:
                label = (
                    f"{row.name}_{'low' if sign[-1] == '>' or sign[0] == '>' else 'high'}: " if name else ""
                )
                lines.append(f" {label}{total(row.terms)} {sign} {number(side, rng)}")
    lines.append(cased(rng.choice(("Bounds", "bound"))))
    for column in model.columns:
        lines += _lp_bounds(column, rng)
    binary = [c.name for c in model.columns if c.integer and (c.low, c.high) == (0, 1) and rng.random() < 0.7]
    general = [c.name for c in model.columns if c.integer and c.name not in binary]
    between = rng.choice((" ", "\n"))
    for heading, chosen in (("General", general), ("Binary", binary)):
        if chosen:
            spelled = rng.choice(
                {"General": ("General", "Generals", "gen"), "Binary": ("Binary", "bin")}[heading]
            )
            lines += [cased(spelled), f" {between.join(chosen)}"]
    return "\n".join([*lines, cased("End"), *[""] * rng.randint(0, 2)])


def _lp_bounds(column: Column, rng: Random) -> list[str]:
    low, high, name = column.low, column.high, column.name
    if low is None and high is None:
        return [f" {name} {rng.choice(('free', 'FREE'))}"]
    if low is not None and low == high:
        return [f" {name} = {number(low, rng)}"]
    lower = "-inf" if low is None else number(low, rng)
    upper = rng.choice(("+inf", "+infinity")) if high is None else number(high, rng)
    if rng.random() < 0.4:
        return [f" {lower} <= {name} <= {upper}"]
    lines = (
        []
        if low == 0 and rng.random() < 0.7
        else [rng.choice((f" {name} >= {lower}", f" {lower} <= {name}"))]
    )
    return [*lines, f" {name} <= {upper}"] if high is not None else lines
