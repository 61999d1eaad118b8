"""Deadlines, child processes, and the workers of a cluster."""
