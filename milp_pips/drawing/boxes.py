"""Box-drawing characters for lines of two weights, and what stands for them in ASCII."""

from __future__ import annotations

LIGHT, HEAVY = 1, 2

_JUNCTIONS = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"
"""Indexed by the weights of the four arms as a number in base 3: up, right, down, left."""


def junction(up: int, right: int, down: int, left: int, unicode: bool) -> str:
    """Return the character in which lines of these weights meet; 0 is no line."""
    if unicode:
        return _JUNCTIONS[27 * up + 9 * right + 3 * down + left]
    heaviest = max(up, right, down, left)
    if heaviest == 0:
        return " "
    if heaviest == HEAVY:
        return "=" if not (up or down) else "#"
    if not (left or right):
        return "|"
    return "-" if not (up or down) else "+"


def horizontal(weight: int, dashed: bool, length: int, unicode: bool) -> str:
    """Return a line of so many characters; only heavy lines are ever dashed."""
    if dashed and not unicode:
        return "".join("= "[i % 2] for i in range(length))
    pen = " ─┅" if dashed else " ─━"
    return (pen if unicode else " -=")[weight] * length


def vertical(weight: int, dashed: bool, unicode: bool) -> str:
    """Return a line one character high; only heavy lines are ever dashed."""
    if unicode:
        return (" │┇" if dashed else " │┃")[weight]
    return (" |:" if dashed else " |#")[weight]
