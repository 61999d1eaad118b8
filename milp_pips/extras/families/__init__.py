"""More families of puzzles, one file each. Only the family that a puzzle file names is loaded."""
