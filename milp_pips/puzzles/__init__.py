"""Puzzle families: each has a frozen puzzle class, readers for its files, its rules and its pictures."""
