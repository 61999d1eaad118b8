"""The command line of explain, hint and rate."""
