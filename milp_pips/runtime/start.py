"""The beginning of a Python that this package starts: a script, so that the current folder is not used.

Standard input begins with the number of the process that asks, and the folders to import from.
"""

import pickle
import sys
from importlib import import_module

if __name__ == "__main__":
    asker, sys.path[:] = pickle.load(sys.stdin.buffer)
    import_module(sys.argv[1]).main(asker, *sys.argv[2:])
