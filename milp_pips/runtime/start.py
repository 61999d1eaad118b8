"""The first script of a child Python of this package: a script does not import from the current folder.

Standard input begins with a pickle of the parent's process number and the folders to import from. The calls
and their replies keep the original standard input and output; engines get neither.
"""

import os
import pickle
import sys
from importlib import import_module

if __name__ == "__main__":
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    parent, sys.path[:] = pickle.load(requests)
    import_module(sys.argv[1]).main(parent, requests, replies)
