"""Explanations, hints and ratings as text."""

from __future__ import annotations

from collections.abc import Iterator

from milp_pips.extras.explain.explain import Explanation, steps
from milp_pips.extras.explain.facts import Step
from milp_pips.extras.explain.hint import Hint
from milp_pips.extras.explain.rate import CHAINED, RatedPuzzle, rating_of
from milp_pips.extras.explain.techniques.joining import merged_one_by_one
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.phrases import counted, times
from milp_pips.extras.explain.text.sentences import TECHNIQUES
from milp_pips.extras.explain.views.svg import draw_reason, show_names
from milp_pips.problem import Deadline, Stop
from milp_pips.propagation.supply_certificates import simple_proof
from milp_pips.puzzles.puzzle import Board
from milp_pips.render.vocabulary import Drawing
from milp_pips.views.text import parts as parts
from milp_pips.views.text import summary


@summary.register(Explanation)
def _(found: Explanation) -> str:
    """Return one line: the status, the method that confirmed it, and the time taken."""
    outcome = {
        "infeasible": f"no solution, {_counted(len(found.reasons), 'reason')}",
        "unique": f"one solution, {_counted(len(found.steps), 'step')}",
        "several": f"several solutions, {_counted(len(found.steps), 'step')} true in all of them",
    }.get(found.status, f"no answer, {_counted(len(found.steps), 'step')} so far")
    by = f"; confirmed by {found.confirmed_by}" if found.confirmed_by else ""
    stop = "" if found.stop is Stop.FINISHED else f"; stop: {found.stop}"
    remark = f"; {found.remark}" if found.remark else ""
    return f"{found.puzzle.name}: {outcome}, in {found.seconds:.3f} s{by}{stop}{remark}"


@parts.register(Explanation)
def _(found: Explanation) -> Iterator[str | Drawing]:
    """Yield the lines to print, with the pictures between them."""
    words = Words(found.grouped)
    for number, clash in enumerate(found.reasons):
        is_first = not number and len(clash.items) > 1
        shortest = " No reason is shorter." if is_first and clash.smallest else ""
        reason = words.clash(clash)
        yield f"{number + 1}. {reason}{shortest}"
        yield show_names(draw_reason(found, number), found.grouped, [reason])
    if found.repairs:
        yield words.repairs(found.repairs)
    if found.together:
        yield words.together(found.together)
    said = list(words.story(found.steps))
    if not any(words.is_explained(clash) for clash in found.reasons):
        if found.reasons and (proof := simple_proof(found.grouped.problem)):
            yield f"In one sentence: {proof}."
        else:
            if found.reasons and found.steps:
                yield "The contradiction, step by step from the empty board:"
            yield from (f"{number}. {step}" for number, step in enumerate(said, 1))
    if found.differing:
        yield words.remaining(found.differing)
    if found.additions:
        yield from words.additions(found.additions, is_solvable=not found.reasons)
    if found.trace and not found.reasons:
        yield show_names(found.drawing(), found.grouped, said)
    yield found.summary()


@parts.register(Hint)
def _(hint: Hint) -> Iterator[str | Drawing]:
    """Yield the lines to print, and the picture."""
    match hint.status:
        case "step":
            said = list(sentences(hint))
            yield from said
            yield show_names(hint.drawing(), hint.grouped, said)
            if hint.remark:
                yield hint.remark
        case "solved":
            yield _end(hint)
        case "several":
            yield "Nothing more follows: several ways remain, and each leads to a solution."
        case "wrong" | "dead":
            assert hint.reason is not None
            yield _verdict(hint)
            words = Words(hint.grouped)
            steps = () if words.is_explained(hint.reason) else hint.reason.steps
            said = [words.clash(hint.reason), *(f"- {step}" for step in words.story(steps))]
            yield from said
            yield show_names(hint.drawing(), hint.grouped, said)
        case _:
            yield f"No hint was found; stop: {hint.stop}."


def story(hint: Hint, board: Board | None, deadline: Deadline) -> Iterator[str | Drawing]:
    """Yield all steps from a board on, the easiest next, and the board. Raises Unfinished."""
    words, said, every = Words(hint.grouped), list[str](), list[Step]()

    def found() -> Iterator[Step]:
        for step in steps(hint.puzzle, board, deadline=deadline):
            every.append(step)
            yield step

    for sentence in words.story(merged_one_by_one(found())):
        said.append(sentence)
        yield f"{len(said)}. {sentence}"
        deadline.progress.report(f"{hint.puzzle.name}: looking for step {len(said) + 1}")
    if board is None:
        yield f"All in all: {rating_of(hint.grouped.problem, every).description}."
    yield show_names(hint.drawing(), hint.grouped, said)


def sentences(hint: Hint) -> Iterator[str]:
    """Yield the sentences of a step that may be shown."""
    assert hint.step is not None
    words = Words(hint.grouped, hint.known)
    for degree in hint.degrees:
        yield getattr(words, degree)(hint.step)
    if hint.again and "move" in hint.degrees:
        yield f"The same way {times(hint.again)} more."


def _end(hint: Hint) -> str:
    if hint.skipped is None:
        return f"{hint.puzzle.name} is solved."
    by = f"the {counted(hint.skipped, 'step')} skipped" if hint.skipped else "what earlier hints stated"
    return f"No step is left: {by} would fill in every cell."


def _verdict(hint: Hint) -> str:
    assert hint.reason is not None
    if not any(item.kind == "move" for item in hint.reason.items):
        return f"{hint.puzzle.name} has no solution, whatever is filled in."
    if hint.status == "wrong":
        return "Something on the board is wrong."
    return "No rule is broken yet, but from here there is no way to a solution."


@summary.register(RatedPuzzle)
def _(rated: RatedPuzzle) -> str:
    name, rating = rated.puzzle.name, rated.rating
    if rating is None:
        least = f"at least {rated.at_least}" if rated.at_least else "no answer"
        why = "no solution" if rated.status == "infeasible" else f"{least}; stop: {rated.stop}"
        return f"{name}: not rated: {why} (in {rated.seconds:.3f} s)"
    several = ", to where several ways remain" if rated.status == "several" else ""
    is_new = rating.technique and rating.hardness != CHAINED  # a chain is in the description
    hardest = f"hardest step: {TECHNIQUES[rating.technique].theme}; " if is_new else ""
    steps = f"{_counted(rated.needed or 0, 'step')} needed{several}"
    said = f"{rating.description}; {hardest}{steps}"
    return f"{name}: {rating.grade}, {rating.score:g} ({said}; {rated.seconds:.3f} s)"


def figures(rated: RatedPuzzle) -> str:
    """Return the figures behind a grade in one line; empty if there are none."""
    rating = rated.rating
    if rating is None:
        return ""
    return (
        f"{_counted(rating.steps, 'step')} found; price of the hardest {rating.hardest:g}, of all needed "
        f"{rating.cost:g}; {rating.open:g} open on average"
    )


def _counted(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"
