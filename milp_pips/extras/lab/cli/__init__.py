"""The command line of strength, relax, filter and tree."""
