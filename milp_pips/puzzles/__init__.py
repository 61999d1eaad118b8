"""Puzzle families: each is a frozen puzzle with its readers, its rules and its pictures."""
