import random
import time

from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline


class RandomWalk:
    """Guess and repair: proves nothing, but finds points of small problems."""

    name = "random-walk"
    kind = "search"
    title = "random walk"
    requires = ()  # modules it needs; imported in solve(), not up there
    distribution = ""
    features = frozenset({"time limit", "seed"})
    formulations = ("",)
    clashes = frozenset({"dice_of_lead"})  # modules that must not be in the same process

    def unavailable(self) -> str:
        return ""

    def version(self) -> str:
        return "1.0"

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        if settings.formulation or settings.options:
            raise UsageError("random-walk has no formulations and no options")
        begun = time.perf_counter()
        rng = random.Random(settings.seed)
        point, proof = None, Proof.NONE
        if all(variable.domain for variable in problem.variables):
            value = [rng.choice(variable.domain) for variable in problem.variables]
            while not deadline.stop:
                broken = [c for c in problem.constraints if not c.holds(value)]
                if not broken:
                    point, proof = tuple(value), Proof.FEASIBLE
                    break
                v = rng.choice(rng.choice(broken).variables)
                value[v] = rng.choice(problem.variables[v].domain)
        seconds = {"build": 0.0, "solve": time.perf_counter() - begun}
        return Answer(point, proof, deadline.stop or Stop.FINISHED, seconds=seconds)
