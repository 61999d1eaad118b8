"""The solutions of a decision diagram as lines of JSON, added up along its paths: for millions of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from milp_pips.diagram import Diagram
    from milp_pips.diagram.diagram import Fragment
    from milp_pips.puzzles.family import Puzzle


def json_lines(puzzle: Puzzle[Any], diagram: Diagram) -> Iterator[str] | None:
    """Return the solutions of the diagram as JSON, in the order of its walk; None where there is no such way.

    The values of a line stand at fixed places, so the line is one large number to which each fragment adds
    its digits; what has no fixed place, the fragments add as text.
    """
    make = getattr(puzzle, "json_pieces", None)
    pieces = make() if make is not None else None
    if pieces is None:
        return None
    shift = {v: 8 * (place + 1) for v, place in pieces.places.items()}
    template = f"{{{pieces.values}".encode("ascii")

    def digits(fragment: Fragment) -> int:
        return sum(value << shift[v] for v, value in fragment if v in shift)

    def parts(fragment: Fragment) -> str:
        return "".join(f", {part}" for part in pieces.parts(fragment))

    opening, closing = "}", ""
    if any(map(parts, diagram.fragments)):
        opening, closing = f', "{pieces.name}": [', "]}"
    return _added_up(diagram, template, digits, parts, opening, closing)


def _added_up(
    diagram: Diagram,
    template: bytes,
    digits: Callable[[Fragment], int],
    parts: Callable[[Fragment], str],
    opening: str,
    closing: str,
) -> Iterator[str]:
    size, blank = len(template), int.from_bytes(template, "little")
    for value, text in zip(diagram.sums(0, digits), diagram.sums("", parts), strict=True):
        yield (blank + value).to_bytes(size, "little").decode("ascii") + opening + text[2:] + closing
