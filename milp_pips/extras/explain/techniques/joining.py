"""Steps that are one to a reader: runs of plain geometry, of single cells, and the like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from milp_pips.extras.explain.facts import Step


def merged_one_by_one(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps, with those that are one to a reader as one.

    These are runs of plain geometry, of rules on one cell each, of values that the same sum shows, and of
    cells on which the same dominoes fit.
    """
    last: Step | None = None
    try:
        for step in steps:
            both = last and merged(last, step)
            if last and not both:
                yield last
            last = both or step
            if not may_grow(last):
                yield last
                last = None
    except Exception:  # the time for a further step is up
        if last:
            yield last
        raise
    if last:
        yield last


def may_grow(step: Step) -> bool:
    """Whether the next step may be one with this one to a reader."""
    shape_or_sum = is_geometry(step) or is_single_cell(step) or _shows_by_sum(step)
    return shape_or_sum or step.technique == "no fit"


def is_geometry(step: Step) -> bool:
    """Whether a step lays a domino because of the shape of the board alone."""
    return bool(step.conclusions) and all(reason.technique == "lone" for reason in step.reasons)


def is_single_cell(step: Step) -> bool:
    """Whether a step is what a rule on one cell concludes, or several such rules."""
    return bool(step.conclusions) and all(
        reason.technique == "rule" and not reason.facts and len(reason.items[0].piece.variables) == 1
        for reason in step.reasons
    )


def _shows_by_sum(step: Step) -> bool:
    """Whether a step shows values because of one sum."""
    items = step.reasons[-1].items if step.technique == "rule" else ()
    return any(fact.holds for fact in step.conclusions) and any(item.piece.bounded_sum for item in items)


def merged(one: Step, other: Step) -> Step | None:
    """Return two steps as one if they are to a reader, else None."""
    reasons = (*one.reasons, *other.reasons)
    if not any(is_alike(one) and is_alike(other) for is_alike in (is_geometry, is_single_cell)):
        (*folded, last), (*others, own) = one.reasons, other.reasons
        if one.technique != other.technique or folded != others:
            return None
        if _shows_by_sum(one) and _shows_by_sum(other):
            new = set(own.facts).difference(last.facts, last.conclusions)
            if last.items[0].rule != own.items[0].rule or new:
                return None
            last = last._replace(items=tuple(dict.fromkeys((*last.items, *own.items))))
        elif one.technique == "no fit":
            (v, partner, kinds), (w, its_partner, fitting) = last.detail, own.detail
            own_cells = {fact.variable for fact in (*last.facts, *own.facts)}.intersection((v, w))
            is_pair = (v, partner) == (its_partner, w) and not own_cells
            is_alike = partner is its_partner is None and last.facts == own.facts
            if kinds != fitting or not (is_pair or is_alike):
                return None
            last = last._replace(detail=((*v, w) if isinstance(v, tuple) else (v, w), partner, kinds))
        else:
            return None
        facts = dict.fromkeys((*last.facts, *(fact for fact in own.facts if fact not in last.conclusions)))
        conclusions = (*last.conclusions, *own.conclusions)
        reasons = (*folded, last._replace(facts=tuple(facts), conclusions=conclusions))
    return replace(
        one,
        items=tuple(dict.fromkeys((*one.items, *other.items))),
        facts=tuple(sorted({*one.facts, *other.facts}.difference(one.conclusions))),
        conclusions=(*one.conclusions, *other.conclusions),
        reasons=reasons,
    )
