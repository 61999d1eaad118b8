"""Draw trees as SVG. Nodes are cards of equal width; children are below their parent, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from milp_pips.render.colours import ink
from milp_pips.render.markup import (
    DARK,
    MIDDLE,
    PAPER,
    Figure,
    element,
    path_through,
    point,
    rect,
    write,
)
from milp_pips.render.text import printable, width
from milp_pips.render.vocabulary import Branch, Tree

NODE_SCALE = 0.75
"""The scale at which the board of a node is drawn."""

PADDING, BETWEEN, ABOVE = 6, 12, 46
"""Pixels of the padding of a card, between neighbouring cards, and between a card and its children."""

TURN = 34
"""The link to a card turns down this many pixels above it. The text of the link is below the turn."""

LEAST_CARD, MOST_CARD = 84, 260
"""The least and the greatest width of a card in pixels. Longer words get a smaller font."""

CARD_LINE_HEIGHT, CARD_FONT_SIZE = 15, 11.5
"""Pixels from one line to the next, and the font size."""


MAX_LEAVES = 6
"""The most leaves of a picture. On a page with room for so many cards in a row, their text can be read."""


def fold(tree: Tree) -> Tree:
    """Return the tree with at most ``MAX_LEAVES`` leaves if possible: the deepest nodes fold away.

    A parent then says how many nodes are below it, and of which kinds their leaves are. Nodes to ``keep``,
    those above them, and the children of the root do not fold.
    """
    nodes, children, depths = list(tree.nodes), tree.children, _depths(tree)
    below: dict[int, Counter[str]] = {}
    gone: set[int] = set()
    kept = [node.keep for node in nodes]
    for number in reversed(range(len(nodes))):
        kept[number] |= any(kept[child] for child in children[number])

    def leaves_below(number: int) -> Counter[str]:
        here = nodes[number].words[0] if nodes[number].words else "open"
        return below.get(number) or Counter([here])

    leaves = sum(not below for below in children)
    while leaves > MAX_LEAVES:
        able = [
            n for n, of in enumerate(children) if n and of and not any(kept[x] or children[x] for x in of)
        ]
        if not able:
            break
        # The deepest first: the nodes near the root explain the search.
        number = max(able, key=lambda n: depths[n])
        gone.update(children[number])
        below[number] = sum((leaves_below(child) for child in children[number]), Counter())
        leaves -= len(children[number]) - 1
        children[number] = []
    numbers = {old: new for new, old in enumerate(n for n in range(len(nodes)) if n not in gone)}
    folded = []
    for number in numbers:
        node, parent = nodes[number], nodes[number].parent
        if number in below:
            kinds = [f"{count} {kind}" for kind, count in below[number].most_common(2)]
            more = (f"below it, {below[number].total()} leaves:", *kinds)
            node = node._replace(words=(*node.words, *more))
        folded.append(node._replace(parent=None if parent is None else numbers[parent]))
    return Tree(tuple(folded))


def tree_figure(tree: Tree, boards: Sequence[Figure | None], legend: Figure) -> Figure:
    """Return the figure of the tree. ``boards`` has the picture of each node's board, or None.

    The legend is beside the root.
    """
    if not tree.nodes:
        return Figure([], 0, 0)
    wide = _card_width(tree, boards)
    highs = [_card_height(node, board) for node, board in zip(tree.nodes, boards, strict=True)]
    depths = _depths(tree)
    rows = [0.0] * (max(depths) + 1)
    for high, depth in zip(highs, depths, strict=True):
        rows[depth] = max(rows[depth], high)
    rows[0] = max(rows[0], legend.height)
    tops = [sum(rows[:depth]) + ABOVE * depth for depth in range(len(rows))]
    middles = _middles(tree, wide + BETWEEN)
    elements = []
    for number, node in enumerate(tree.nodes):
        x, y = middles[number] + wide / 2, tops[depths[number]]
        if node.parent is not None:
            above = complex(middles[node.parent] + wide / 2, tops[depths[node.parent]] + highs[node.parent])
            turn = complex(0, y - TURN)
            way = [above, above.real + turn, x + turn, complex(x, y)]
            elements.append(element("path", d=path_through(way), fill="none", stroke=MIDDLE))
    # Cards come after all links, so that they cover the ends of the lines.
    for number, node in enumerate(tree.nodes):
        x, y = middles[number], tops[depths[number]]
        if node.link:
            long = min(_length(node.link), wide + BETWEEN - 4)
            elements.append(rect(x + (wide - long) / 2, y - TURN / 2 - 8, long, 14, fill=PAPER))
            elements.append(write(x + wide / 2, y - TURN / 2 - 1, node.link, CARD_FONT_SIZE, long, fill=DARK))
        elements += _card(x, y, wide, highs[number], node, boards[number])
    across, down = max(middles) + wide, tops[-1] + rows[-1]
    if legend.elements:
        beside = [x for x, depth in zip(middles, depths, strict=True) if not depth]
        x = 0.0 if min(beside) > legend.width + BETWEEN else max(beside) + wide + 2 * BETWEEN
        elements += [f'<g transform="translate({point(x, 0)})">', *legend.elements, "</g>"]
        across, down = max(across, x + legend.width), max(down, legend.height)
    return Figure(elements, across, down)


def _card(x: float, y: float, wide: float, high: float, node: Branch, board: Figure | None) -> list[str]:
    """Return a card at (x, y) with its head, its small board and its lines."""
    fill = node.fill or PAPER
    colour = ink(fill)
    elements = [rect(x, y, wide, high, rx=7, fill=fill, stroke=DARK, stroke_width=1.2)]
    line = y + PADDING + CARD_LINE_HEIGHT / 2
    room = wide - 2 * PADDING
    elements.append(
        write(x + wide / 2, line, node.head, CARD_FONT_SIZE + 1, room, fill=colour, font_weight="bold")
    )
    line += CARD_LINE_HEIGHT
    if board is not None:
        left = x + (wide - NODE_SCALE * board.width) / 2
        place = f"translate({point(left, line - CARD_LINE_HEIGHT / 2 + 2)}) scale({NODE_SCALE})"
        elements += [f'<g transform="{place}">', *board.elements, "</g>"]
        line += NODE_SCALE * board.height + 6
    for word in node.words:
        elements.append(write(x + wide / 2, line, word, CARD_FONT_SIZE, room, fill=colour))
        line += CARD_LINE_HEIGHT
    return elements


def _card_width(tree: Tree, boards: Sequence[Figure | None]) -> float:
    words = [_length(word) for node in tree.nodes for word in (node.head, node.link, *node.words)]
    pictures = [NODE_SCALE * board.width + 2 * PADDING for board in boards if board is not None]
    return max([LEAST_CARD, min(max(words) + 2 * PADDING, MOST_CARD), *pictures])


def _card_height(node: Branch, board: Figure | None) -> float:
    picture = 0 if board is None else NODE_SCALE * board.height + 6
    return 2 * PADDING + CARD_LINE_HEIGHT * (1 + len(node.words)) + picture


def _length(text: str) -> float:
    """Return the approximate length of a line in pixels."""
    return 0.57 * CARD_FONT_SIZE * width(printable(text))


def _depths(tree: Tree) -> list[int]:
    depths: list[int] = []
    for node in tree.nodes:
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
    return depths


def _middles(tree: Tree, step: float) -> list[float]:
    """Return the x of each node. Leaves are spaced evenly; parents are centred above their children."""
    children = tree.children
    order: list[int] = []
    waiting = [number for number, node in enumerate(tree.nodes) if node.parent is None][::-1]
    while waiting:
        number = waiting.pop()
        order.append(number)
        waiting += children[number][::-1]
    # Leaves first, from left to right; then parents from the last one back, whose children have places by
    # then.
    at = [0.0] * len(tree.nodes)
    leaves = 0
    for number in order:
        if not children[number]:
            at[number] = leaves * step
            leaves += 1
    for number in reversed(order):
        if children[number]:
            at[number] = (at[children[number][0]] + at[children[number][-1]]) / 2
    return at
