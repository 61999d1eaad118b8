"""What would leave one solution, in the words of somebody who sets puzzles."""

from __future__ import annotations

from collections.abc import Iterator

from milp_pips.extras.explain.additions import Addition, Additions
from milp_pips.extras.explain.text.phrases import Phrases, grouped, joined, number, sentence
from milp_pips.problem.problem import Constraint


def told(phrases: Phrases, addition: Addition) -> str:
    """Return what is added: ``Region B: sum 7, in place of sum > 4; show 5 in r2c3``."""
    said = [_rule(*one) for one in addition.rules]
    if addition.facts:
        cells = grouped({v: value for v, value, _ in addition.facts})
        values = [f"{phrases.value(value)} in {phrases.cells(vs)}" for value, vs in cells.items()]
        said.append(f"show {joined(values)}")
    return sentence("; ".join(said), phrases.names)


def _rule(rule: Constraint, replaced: Constraint | None) -> str:
    """Return a rule and what it replaces, without the name that both begin with."""
    if replaced is None:
        return rule.label
    name, colon, before = replaced.label.partition(": ")
    named_alike = colon and rule.label.startswith(f"{name}: ")
    return f"{rule.label}, in place of {before if named_alike else replaced.label}"


def lines(phrases: Phrases, additions: Additions) -> Iterator[str]:
    """Yield what leaves one solution, the best first, and what is known of how good that is."""
    found, first = additions.found, next(iter(phrases.problem.keys))
    if not found and additions.smallest:
        already = f"There is one {additions.already} already; n" if additions.already else "N"
        yield f"{already}othing that could be shown leaves one {additions.key}."
    elif not found:
        yield "What would leave one solution was not found in time."
    if not found:
        return
    one = f"One {additions.key}" + ("" if additions.key == first else f", though not one {first},")
    size, left = found[0].size, additions.total - len(found)
    if len(found) > 1:
        these = "any one of these" + (f" sets of {number(size)}" if size > 1 else "")
    else:
        these = f"these {number(size)} together" if size > 1 else "this"
    more, enough = "", size > 1 and additions.total == 1  # a set that was put together: there may be others
    if left:
        others = "one other" if left == 1 else f"{left} others"
        more = f", and with {others}{'' if additions.complete else ' found so far'}"
    elif not additions.complete:
        so_far = f", all that {'were' if len(found) > 1 else 'was'} found so far"
        more = ", and perhaps with others" if enough else so_far
    less = "; nothing less will do" if additions.smallest else "; less may do"
    yield f"{one} is left with {these}{more}{less if size > 1 else ''}:"
    for addition in found:
        yield f"- {told(phrases, addition)}"
