"""Writes that fail at random sizes: limits of the size of files, a disk that is full, /dev/full."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import kills
from frame import Case, Failure
from programs import Ended, Program

LIMIT = 240
GOAL = "failed writes", 200
PATIENCE = 120
"""Seconds in which a command ends that is not disturbed by anything but its disk."""
TRIES = 4
"""Starts with too little room before one with enough."""

prepare = kills.prepare

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
os.execv(sys.argv[2], sys.argv[2:])
"""


def run(case: Case) -> None:
    """Enumerate with too little room in three cases of four, else have another verb write."""
    match case.number % 4:
        case 0 | 1:
            _enumerate(case, case.folder, lambda size: (_limited(size), ""))
        case 2:
            with _small_disk(case, 8192) as disk:
                if disk is not None:
                    _enumerate(case, disk, lambda size: ((), _fill(disk, size)))
        case _:
            _write(case)


def _limited(size: int) -> tuple[str, ...]:
    """Return the command that runs another one whose files cannot grow beyond so many bytes."""
    return sys.executable, "-c", LIMITED, str(size)


def _enumerate(case: Case, folder: Path, narrow: Callable[[int], tuple[tuple[str, ...], str]]) -> None:
    """Enumerate with random room, then with enough of it; the list must be the exact one."""
    name, words, _ = kills.WAYS[case.random.randrange(len(kills.WAYS))]
    out = folder / "found.jsonl"
    command = ["enumerate", str(case.shared / f"{name}.txt"), *words, "--out", str(out), "--quiet"]
    history: list[str] = []
    for _ in range(TRIES):
        size = int(2 ** case.random.uniform(0, 16))
        before, filled = narrow(size)
        ended = _ended(case, command, before)
        history.append(f"{size} bytes: status {ended.status}, {kills._lines(out)} {filled}")
        _judge(case, folder, ended, command, "\n".join(history))
        if out.exists() and not out.read_bytes().endswith(b"\n"):
            raise Failure("the list has a torn end", command=command, history="\n".join(history))
    (folder / "filler").unlink(missing_ok=True)
    ended = _ended(case, command, ())
    history.append(f"with room: status {ended.status}, {kills._lines(out)}")
    if ended.status != 0 or ", complete, " not in ended.out:
        raise Failure(
            f"with room it ends with status {ended.status}",
            command=command, history="\n".join(history), stdout=ended.out, stderr=ended.err,
        )  # fmt: skip
    kills.judge_list(case, name, words, out, command, "\n".join(history))
    case.counts["lists complete"] += 1


def _write(case: Case) -> None:
    """Have a verb write with too little room, to a device that is full, or both; then with enough room."""
    puzzle, out = str(case.shared / "easy.txt"), case.folder / "out"
    command = case.random.choice(
        [
            ["generate", "--dominoes", "4", "--count", "3", "--out", str(out)],
            ["solve", puzzle, "--svg", f"{out}.svg"],
            ["solve", puzzle, "--svg", str(out), "--output", f"{out}put"],
            ["show", puzzle, "--svg", f"{out}.svg"],
            ["export", puzzle, "--to", "mps", "--output", f"{out}.mps"],
            ["convert", puzzle, "--to", "json", "--out", f"{out}.json"],
            ["enumerate", str(case.shared / "several.txt"), "--limit", "9", "--svg", f"{out}.svg"],
            ["compare", puzzle, "--run", "brute", "--run", "diagram", "--out", f"{out}.sqlite"],
        ]
    )
    for _ in range(TRIES):
        size = int(2 ** case.random.uniform(0, 14))
        ended = _ended(case, command, _limited(size))
        _judge(case, case.folder, ended, command, f"{size} bytes: status {ended.status}")
    if command[0] not in ("generate", "compare", "export", "convert"):
        ended = _ended(case, command, (), out="/dev/full")
        _judge(case, case.folder, ended, command, f"standard output is full: status {ended.status}")
        if ended.status != 74:
            raise Failure(f"with its output full it ends with {ended.status}", command=command, err=ended.err)
    ended = _ended(case, command, ())
    if ended.status != 0:
        raise Failure(f"with room it ends with status {ended.status}", command=command, stderr=ended.err)
    case.counts["other files"] += 1


def _ended(case: Case, command: list[str], before: tuple[str, ...], out: str = "") -> Ended:
    """Run a command to its end."""
    case.note(repr([*before, *command]))
    program = Program(command, case.folder, before=before, out=out)
    ended = program.wait(PATIENCE)
    if ended is None:
        program.end()
        raise Failure(f"it does not end in {PATIENCE} s", command=command, before=before)
    return ended


def _judge(case: Case, folder: Path, ended: Ended, command: list[str], history: str) -> None:
    """Raise Failure unless a command has done its work, or says that it could not write and left nothing."""
    told = {"command": command, "history": history, "stdout": ended.out, "stderr": ended.err}
    if ended.status not in (0, 74):
        raise Failure(f"it ends with status {ended.status}", **told)
    if "Traceback" in ended.err or ended.err.count("\n") > 1:
        raise Failure("it says more than one line", **told)
    case.counts["failed writes"] += ended.status == 74
    for path in folder.rglob("*"):
        ours = not path.name.startswith(("out-", "err-", "filler")) and "tmp-" not in str(path)
        if ours and path.is_file() and (not path.stat().st_size or path.name.endswith(".partial")):
            raise Failure(f"left: {path.name}, {path.stat().st_size} bytes", **told)


@contextmanager
def _small_disk(case: Case, kilobytes: int) -> Iterator[Path | None]:
    """Mount a small disk; None where that is not allowed."""
    disk = case.folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "milp_pips", str(disk)]
    try:
        allowed = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        allowed = False
    if not allowed:
        case.counts["small disks that cannot be mounted"] += 1
        yield None
        return
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def _fill(disk: Path, room: int) -> str:
    """Fill a disk but for some room, in whole pages."""
    filler = disk / "filler"
    filler.unlink(missing_ok=True)
    pages = room // 4096
    try:
        with filler.open("wb", buffering=0) as stream:
            while stream.write(bytes(4096)):
                pass
    except OSError:
        size = filler.stat().st_size
    with filler.open("rb+") as stream:
        stream.truncate(max(0, size - 4096 * pages))
    return f"but for {pages} pages"
