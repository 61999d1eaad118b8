"""Algorithms on plain data, independent of puzzles and problems: graphs, automata of expressions."""
