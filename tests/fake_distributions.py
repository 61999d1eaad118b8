"""Fake installed distributions that declare plugins as entry points."""

from __future__ import annotations

from pathlib import Path


def install_plugins(folder: Path, group: str, points: dict[str, str]) -> None:
    """Make a folder that, on the import path, acts as an installed package with these entry points."""
    package = folder / f"{folder.name}-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {folder.name}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {where}\n" for name, where in points.items())
    (package / "entry_points.txt").write_text(f"[milp_pips.{group}]\n{lines}")
