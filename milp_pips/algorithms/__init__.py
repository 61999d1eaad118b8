"""Graph algorithms on plain data; they know nothing of puzzles."""
