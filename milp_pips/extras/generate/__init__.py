"""New puzzles, each with a known solution."""
