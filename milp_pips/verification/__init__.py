"""Independent confirmation of claims that there is no solution, or no further one."""

PROGRAM = "verify.py"
"""The name of the copy of a checker in the folder of a certificate."""
