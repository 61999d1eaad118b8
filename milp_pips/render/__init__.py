"""Pictures of puzzles: a vocabulary, and two outputs for it, terminal text and SVG."""
