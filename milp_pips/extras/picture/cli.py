"""The command ``read-picture``: screenshots in, drafts of puzzles out."""

from __future__ import annotations

import argparse
import os
import sys

from milp_pips.cli import BAD_INPUT, FOUND, INTERRUPTED, NO_SOLUTION, complain, verb
from milp_pips.cli.loops import attempt_each
from milp_pips.cli.output import JSON, file_name, print_json, unique_name
from milp_pips.problem import INSTALL
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.parameters import Parameter
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.writing import try_directory, write_file

SEARCH_SECONDS = 20.0
"""Time limit in seconds for finding a reading that has a solution; it takes a fraction of a second."""


@verb(
    Parameter("FILE...", "screenshots: PNG, JPEG, WebP, GIF or BMP, or - for standard input", name="files"),
    Parameter(
        "--out DIR", "write a file for each picture into this directory (default: print the one puzzle)"
    ),
    JSON,
    epilog=f"Needs Pillow: {INSTALL.format('picture')}. Comments mark what is doubtful: correct it, then "
    "solve the file. Exit status 1: the reading has no solution, so something was misread.",
)
def read_picture_verb(arguments: argparse.Namespace) -> int:
    """Read every picture; one that cannot be read prints one line."""
    from milp_pips.extras.picture.draft import as_record, as_text, summary
    from milp_pips.extras.picture.pixels import decode
    from milp_pips.extras.picture.reading import read_picture
    from milp_pips.puzzles.reading import name_of

    if len(arguments.files) > 1 and not (arguments.out or arguments.json):
        raise UsageError(f"there are {len(arguments.files)} pictures: name a directory with --out")
    if arguments.out is not None:
        try_directory(arguments.out)
    written: set[str] = set()

    def read_one(file: str) -> int:
        name = name_of(file)
        stem = os.path.splitext(os.path.basename(name))[0]
        with Deadline(SEARCH_SECONDS) as deadline:
            try:
                draft = read_picture(decode(file), stem, deadline)
            except InputError as error:
                complain(str(InputError(error.what, name, expected=error.expected)))
                return BAD_INPUT
        if deadline.interrupted:
            return INTERRUPTED
        path = None
        if arguments.out is not None:
            path = os.path.join(arguments.out, f"{unique_name(file_name(stem), written)}.txt")
            write_file(path, as_text(draft, name))
        if arguments.json:
            print_json({**as_record(draft, name), "file": path})
        elif path is None:
            sys.stdout.write(as_text(draft, name))
            complain(f"{name}: {summary(draft)}")
        else:
            print(f"{path}: {summary(draft)}", flush=True)
        return NO_SOLUTION if draft.is_solvable is False else FOUND

    return attempt_each(arguments.files, read_one)
