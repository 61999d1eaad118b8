"""Generate new puzzles, each with a known solution."""
