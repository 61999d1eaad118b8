"""What a file may ask for; beyond it, a file is noise or a mistake."""

MOST_LINES = 200
"""Rows, and columns."""
