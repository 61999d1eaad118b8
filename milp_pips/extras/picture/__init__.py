"""Read a Pips puzzle from a screenshot: pixels in, a draft with its doubtful parts out.

``pixels`` decodes a file with Pillow and sorts the colours, ``components`` finds connected parts, ``tags``
the diamonds and with them the grid, ``board`` the cells, the regions and the dominoes in the tray. ``glyphs``
reads what a tag says. ``reading`` joins them and chooses the likeliest reading that has a solution, and
``draft`` writes it. All of it but decoding is plain Python, so that it runs in a browser, too.

That classical vision reads these pictures was shown by https://github.com/JonMinton/pips-solver.
"""
