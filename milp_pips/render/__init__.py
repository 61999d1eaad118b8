"""Pictures of puzzles: a vocabulary for drawings, and two outputs, terminal text and SVG."""
