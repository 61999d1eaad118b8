"""0-1 models for tests: the formulations of domino covers, and all points of a model."""

from __future__ import annotations

COVERS = ("projected", "aggregated", "implication")


def all_points(model):
    """Return all 0-1 points of a model, by HiGHS with a no-good cut for each point."""
    import highspy
    import numpy as np

    highs = model.to_highspy()
    points = []
    while True:
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            assert highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible
            return points
        x = np.rint(highs.getSolution().col_value)
        points.append(x)
        signs = np.where(x > 0.5, 1.0, -1.0)
        highs.addRow(-highspy.kHighsInf, float(x.sum()) - 1, len(x), np.arange(len(x), dtype=np.int32), signs)
