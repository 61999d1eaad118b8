"""The command line of compare, merge and report."""
