"""Graph algorithms on plain data, independent of puzzles and problems."""
