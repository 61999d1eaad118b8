"""What a file may ask for; beyond it, a file is noise or a mistake."""

LEAST_ROWS = 2
MOST_ROWS = 100
"""Rows, and columns, of a board: a Sudoku of 100 × 100 is the largest that people print."""
LONGEST_WORD = 20
"""Characters of a symbol or a label."""
LARGEST_SUM = 999_999_999
