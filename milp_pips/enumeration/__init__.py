"""Enumerate all solutions: by cuts, partition or cubes, natively, or joined from independent parts."""
