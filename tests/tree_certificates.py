"""Certificates of trees: written, checked, damaged at random, and compared with what brute force finds."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from contextlib import closing
from fractions import Fraction
from functools import partial
from math import prod

from random_mips import expected, ranges_of

from milp_pips.enumeration.tree import Tree, TreeSettings
from milp_pips.enumeration.tree_log import TreeLog
from milp_pips.enumeration.tree_points import TreePoints, TreeQuery
from milp_pips.enumeration.whole import in_whole_numbers
from milp_pips.formulations.reading import read_model
from milp_pips.formulations.writing_files import to_mps
from milp_pips.verification.verify_tree import (
    CERTIFICATE_JSON,
    MODEL_MPS,
    POINTS_JSONL,
    TREE_LOG,
    Refused,
    Watch,
    verify,
)


def check(folder):
    """Check a certificate whose hashes fit: whoever damages a file can write these anew."""
    query = json.loads((folder / CERTIFICATE_JSON).read_text())
    for name in query["sha256"]:
        query["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / CERTIFICATE_JSON).write_text(json.dumps(query))
    return verify(folder, Watch(100))


def check_as_counted(folder):
    """Check a certificate that claims as many solutions as are found, as whoever lies would write it."""
    try:
        return check(folder)
    except Refused as fault:
        found = re.fullmatch(r"certificate.json: \d+ solutions, but (\d+) are proved", str(fault))
        if found is None:
            raise
    query = json.loads((folder / CERTIFICATE_JSON).read_text())
    (folder / CERTIFICATE_JSON).write_text(json.dumps({**query, "solutions": int(found[1])}))
    return check(folder)


def write(folder, model, query, stop=lambda: None):
    """Write the certificate of a tree, and return its outcome."""
    with closing(TreeLog(folder)) as log:
        tree = Tree(model, query, TreeSettings(stop=stop, log=log))
        list(tree.points())
        chosen = None if query.chosen is None else [model.columns[j].name for j in query.chosen]
        log.finish(to_mps(model), chosen, query, len(tree.outcome.points))
    return tree.outcome


def write_in_pieces(folder, model, query, rng):
    """Write the certificate of a tree that is stopped many times, and resumed each time."""
    sizes, boxes = None, ()
    while sizes is None or boxes:
        with closing(TreeLog(folder, sizes)) as log:
            points, left = TreePoints(in_whole_numbers(model), query), rng.randint(1, 4)
            for values in log.points():
                points.take_stated(values)
            stop = partial(next, iter([None] * left), "stop")
            tree = Tree(model, query, TreeSettings(stop=stop, log=log, boxes=boxes, points=points))
            list(tree.points())
            boxes, sizes = tree.frontier(), log.save(tree.unwritten)
            chosen = None if query.chosen is None else [model.columns[j].name for j in query.chosen]
            log.finish(to_mps(model), chosen, query, len(points.kept))


def nodes(folder):
    """Return the nodes of the tree in a folder, each a list of entries."""
    with gzip.open(folder / TREE_LOG, "rt") as file:
        return [json.loads(line) for line in file]


def write_nodes(folder, lines):
    """Write the nodes of a tree."""
    with gzip.open(folder / TREE_LOG, "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


MOST_TRIED = 5_000
"""The most assignments of the integer columns that brute force tries."""


def is_true(folder, proved):
    """Return whether what a certificate proves is true, by brute force; None for what that cannot try.

    If the optimum is not proved, the distance counts from the best point that is known.
    """
    model = read_model((folder / MODEL_MPS).read_text(), MODEL_MPS)
    query = json.loads((folder / CERTIFICATE_JSON).read_text())
    names = [column.name for column in model.columns]
    chosen = query["chosen"] and tuple(names.index(name) for name in query["chosen"])
    within, relative = (
        None if query[name] is None else Fraction(query[name]) for name in ("within", "within_relative")
    )
    ends = {
        j for row in model.rows if row.name == "ends" and None not in (row.low, row.high) for j in row.terms
    }
    for j, column in enumerate(model.columns):
        if (
            column.integer
            and (None in (column.low, column.high))
            and (j not in ends or column.low is not None)
        ):
            return None
    if prod(len(values) for _, values in ranges_of(model)) > MOST_TRIED:
        return None
    known = None
    if not proved.is_complete:
        points = [json.loads(line) for line in (folder / POINTS_JSONL).read_text().splitlines()]
        sums = [sum(c.cost * Fraction(v) for c, v in zip(model.columns, p, strict=True)) for p in points]
        values = [(model.constant + total) * (-1 if model.sense == "maximise" else 1) for total in sums]
        known = min(values, default=None)
    found = expected(model, TreeQuery(chosen, within, relative, query["best"]), known)
    if found is None:
        return None
    wanted, optimum = found
    return proved.solutions <= len(wanted) <= proved.most and proved.best in (None, optimum)


# Damage: each function changes the files of a folder at random.


def _change_of(rng, number):
    return rng.choice((number + 1, number - 1, -number, 2 * number + rng.randint(-3, 3), 0, 10**6))


def damage_tree(rng, folder):
    """Change a number, a kind, an entry or a line of the tree."""
    lines = nodes(folder)
    if not lines or not all(lines):  # it is damaged already
        return
    kind, line = rng.random(), rng.choice(lines)
    if kind < 0.5:
        entry = rng.choice(line)
        if len(entry) == 1:
            return
        at = rng.randrange(1, len(entry))
        if isinstance(entry[at], list):  # a box of a piece
            entry, at = entry[at], rng.randrange(len(entry[at]) or 1)
            entry += [] if entry else [0]
        entry[at] = rng.randint(-5, 5) if entry[at] is None else _change_of(rng, entry[at])
    elif kind < 0.6:
        lines.remove(line)
    elif kind < 0.7:
        other = rng.randrange(len(lines))
        lines[lines.index(line)], lines[other] = lines[other], line
    elif kind < 0.8:
        del line[rng.randrange(len(line))]
    elif kind < 0.9:
        rng.choice(line)[0] = rng.choice("iyrafvesoxtpm")
    else:
        _cut(rng, lines)
    write_nodes(folder, lines)


def _cut(rng, lines):
    """Put a leaf in the place of a node and of all below it."""
    at = rng.randrange(len(lines))
    end, waiting = at, 1
    while waiting and end < len(lines):
        last = lines[end][-1] if lines[end] else ["?"]
        waiting += (len(last) // 2 - 1 if last[0] == "x" else 0) - 1
        end += 1
    leaf = rng.choice((["a"], ["f"], ["s", rng.randint(0, 3)], ["v", rng.randint(0, 3)], ["o"]))
    lines[at:end] = [[*lines[at][:-1], leaf]]


def damage_points(rng, folder):
    """Leave out a point, or change one of its values."""
    lines = [json.loads(line) for line in (folder / POINTS_JSONL).read_text().splitlines()]
    if lines:
        line = rng.choice(lines)
        if rng.random() < 0.3:
            lines.remove(line)
        else:
            at = rng.randrange(len(line))
            line[at] = str(Fraction(line[at]) + rng.choice((1, -1, Fraction(1, 1000))))
        (folder / POINTS_JSONL).write_text("".join(json.dumps(line) + "\n" for line in lines))


def damage_query(rng, folder):
    """Ask another question."""
    query = json.loads((folder / CERTIFICATE_JSON).read_text())
    change = rng.choice(
        (
            *({"within": 1}, {"within": None}, {"within_relative": "1/3"}, {"best": 2}, {"best": None}),
            *({"within": "1/1000"}, {"within_relative": None}, {"best": 1}, {"within": 0}),
        )
    )
    query.update(change if rng.random() < 0.8 else {"chosen": [f"x{rng.randint(0, 1)}"]})
    (folder / CERTIFICATE_JSON).write_text(json.dumps(query))


def damage_model(rng, folder):
    """State another model: another number, or a row or a bound of another kind."""
    text = (folder / MODEL_MPS).read_text()
    words = text.split(" ")
    kinds = ("L", "G", "E", "UP", "LO", "FX", "MI", "PL", "FR")
    some = [i for i, word in enumerate(words) if word in kinds]
    if rng.random() < 0.3 and some:
        at = rng.choice(some)
        words[at] = rng.choice(kinds[:3] if words[at] in kinds[:3] else kinds[3:])
    elif rng.random() < 0.1:
        words = [
            text.replace("MAX", "MIN") if "MAX" in text else text.replace("ROWS", "OBJSENSE\n MAX\nROWS")
        ]
    else:
        numbers = [i for i, word in enumerate(words) if word.partition("\n")[0].lstrip("-").isdigit()]
        at = rng.choice(numbers)
        number, *rest = words[at].partition("\n")
        words[at] = str(_change_of(rng, int(number))) + "".join(rest)
    (folder / MODEL_MPS).write_text(" ".join(words))


DAMAGES = (damage_tree, damage_tree, damage_tree, damage_points, damage_query, damage_model)


def damage(rng, folder):
    """Damage a certificate in one way, or in a few; return the names of these ways."""
    kinds = [rng.choice(DAMAGES) for _ in range(rng.choice((1, 1, 2, 3)))]
    for kind in kinds:
        kind(rng, folder)
    return ", ".join(sorted({kind.__name__ for kind in kinds}))
