"""``python -m milp_pips VERB …``."""

import sys

from milp_pips.cli import main

sys.exit(main())
