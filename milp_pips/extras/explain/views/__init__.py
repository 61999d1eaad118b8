"""Explanations, hints and ratings as text, JSON and pictures."""

from milp_pips.extras.explain.views import json as json
from milp_pips.extras.explain.views import models as models
from milp_pips.extras.explain.views import svg as svg
from milp_pips.extras.explain.views import text as text
