"""The web page to play, draw, count and explain puzzles, served locally or written as static files."""

import os

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
"""The folder with the files of the page, which are built from the sources in ``web/`` of the repository."""
