"""The first script of a child Python of this package: a script does not import from the current folder.

Standard input begins with a pickle of the parent's process number and the folders to import from.
"""

import pickle
import sys
from importlib import import_module

if __name__ == "__main__":
    asker, sys.path[:] = pickle.load(sys.stdin.buffer)
    import_module(sys.argv[1]).main(asker, *sys.argv[2:])
