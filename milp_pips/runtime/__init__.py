"""Deadlines, other processes, and machines on a cluster."""
