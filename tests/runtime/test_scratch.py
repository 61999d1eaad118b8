"""A process removes its temporary folders; the next process removes those of a killed one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from milp_pips.runtime import writing as scratch

pytest.importorskip("fcntl", reason="the system has no locks on folders")

HOLD = (
    "import tempfile\nfrom milp_pips.runtime.writing import *\n"
    "with temporary_files_in_one_folder():\n    tempfile.mkdtemp()\n    print(flush=True)\n    input()\n"
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_cleared", set())
    return tmp_path


@pytest.fixture
def holder(place):
    """Return a process that holds a temporary folder, with one of a library in it, until it must end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(place)},
    )
    assert process.stdout.readline() == "\n"
    (folder,) = place.iterdir()
    assert len(list(folder.iterdir())) == 1
    yield process
    process.kill()
    process.communicate()


def grow_old(folder):
    os.utime(folder, (0, 0))


def make_one_and_list(place):
    """Return the names of what is there besides a folder that is made now."""
    scratch._cleared.clear()
    with scratch.temporary_folder() as mine:
        return sorted(one.name for one in place.iterdir() if str(one) != mine)


def test_a_folder_is_removed_with_its_process(holder, place):
    holder.communicate("\n")
    assert holder.returncode == 0
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(holder, place):
    (folder,) = place.iterdir()
    grow_old(folder)
    assert make_one_and_list(place) == [folder.name]  # it is in use, however old it is
    holder.kill()
    holder.communicate()
    os.utime(folder)
    assert make_one_and_list(place) == [folder.name]  # its process may not hold it yet
    grow_old(folder)
    assert make_one_and_list(place) == []


def test_what_is_not_ours_stays(place):
    for name in ("milp_pips.txt", "other-x", "milp_pips-file"):
        (place / name).mkdir() if name == "other-x" else (place / name).write_text("")
    (place / "kept").mkdir()
    (place / "kept" / "file").write_text("")
    (place / "milp_pips-link").symlink_to("kept", target_is_directory=True)
    before = sorted(one.name for one in place.iterdir())
    for one in place.iterdir():
        os.utime(one, (0, 0), follow_symlinks=False)
    assert make_one_and_list(place) == before
    assert (place / "kept" / "file").exists()


def test_temporary_files_are_elsewhere_only_for_the_time_being(place):
    with scratch.temporary_files_in_one_folder() as folder:
        assert Path(tempfile.mkdtemp()).parent == Path(folder)
    assert tempfile.gettempdir() == str(place)
    assert list(place.iterdir()) == []


def test_a_signal_during_the_removal_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    remove = shutil.rmtree
    signals = iter([KeyboardInterrupt()])

    def interrupted(*where, **how):
        for signal in signals:
            raise signal
        remove(*where, **how)

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), scratch.temporary_folder():
        pass
    assert list(tmp_path.iterdir()) == []
