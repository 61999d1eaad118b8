"""A fair comparison: puzzles × solvers × formulations × seeds × repeats, kept in one file.

``run.compare`` makes the runs of a ``campaign.Campaign``; ``store.Store`` reads what came of them;
``figures`` sums them up. Nothing is imported here: a run that is measured loads what it needs, and no more.
"""
