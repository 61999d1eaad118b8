"""Read a Pips puzzle from a screenshot: pixels in, a draft with its doubtful parts out.

``pixels`` sorts the colours, ``components`` finds connected parts, ``tags`` the diamonds and with them the
grid, ``board`` the cells and regions, ``glyphs`` reads what a tag says, ``tray`` counts pips, ``reading``
joins them and chooses the likeliest reading that has a solution, ``draft`` writes it. All of it is plain
Python, so that it runs in a browser, too. ``decode`` reads picture files with Pillow.

That classical vision reads these pictures was shown by https://github.com/JonMinton/pips-solver.
"""
