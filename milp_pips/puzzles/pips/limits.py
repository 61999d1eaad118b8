"""What a file may ask for; beyond it, a file is noise or a mistake."""

MOST_ROWS = 10_000
"""Rows, and columns, of a board."""
MOST_CELLS = 200_000
MOST_PIPS = 99
"""On half a domino."""
LARGEST_TARGET = 999_999_999
LAST_INDEX = 999
"""The last row and column where cells are listed, not drawn: one stray index makes a board of that size."""
