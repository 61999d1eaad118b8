"""Techniques by which people solve puzzles: each removes facts from the board and states why."""
