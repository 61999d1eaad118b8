"""Fair comparisons: puzzles × solvers × formulations × seeds × repeats, with all results in one file.

``run.compare`` makes the runs of a ``campaign.Campaign``, ``store.Store`` reads the results, and ``figures``
summarises them. This module imports nothing, so that a measured run loads only what it needs.
"""
