"""The results of the lab as text, JSON and pictures."""

from milp_pips.extras.lab.views import json as json
from milp_pips.extras.lab.views import svg as svg
from milp_pips.extras.lab.views import text as text
