"""Independent confirmation of every answer."""
