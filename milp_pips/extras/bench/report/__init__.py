"""Write a results file as a page: tables, plots, and how to read them."""

from milp_pips.extras.bench.report.page import Report, report

__all__ = ["Report", "report"]
