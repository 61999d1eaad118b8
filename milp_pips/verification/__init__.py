"""Independent confirmation of claims that there is no solution, or no further one."""
