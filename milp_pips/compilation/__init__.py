"""Compile a problem into decision diagrams, and into sums of products of decision diagrams."""
