"""What a caller asks for, looked at before work begins: what cannot be meant is refused in one sentence."""

from __future__ import annotations

from typing import Any


def require_whole(name: str, value: Any, least: int) -> None:
    """Raise TypeError for what is no whole number, ValueError for one below the least."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is a whole number from {least} on, not {shown(value)}")
    if value < least:
        raise ValueError(f"{name} is a whole number from {least} on, not {value}")


def require_seconds(value: Any) -> None:
    """Raise TypeError or ValueError for what is no time limit: a number from 0 on, or None for none."""
    if value is None:
        return
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"seconds is a number from 0 on, or None for no limit, not {shown(value)}")
    if not value >= 0:
        raise ValueError(f"seconds is a number from 0 on, or None for no limit, not {value}")


def require_text(name: str, value: object) -> None:
    """Raise TypeError for what is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a text, not {shown(value)}")


def require_problem(task: str, value: object) -> None:
    """Raise TypeError for what has no constraints."""
    if not hasattr(value, "constraints"):
        raise TypeError(f"{task} takes a problem; state one with milp_pips.state(puzzle)")


def shown(value: object) -> str:
    """Return a value as a sentence can hold it: whole if it is short, else what kind of thing it is."""
    text = repr(value)
    return text if len(text) <= 60 and text.isprintable() else f"a {type(value).__name__}"
