"""A problem as a 0-1 model, as clauses, and as a MiniZinc model."""
