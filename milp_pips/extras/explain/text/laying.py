"""Arguments without a rule: from the board, the dominoes, or the values left for a cell."""

from __future__ import annotations

from collections.abc import Sequence

from milp_pips.constraints import AllDifferent, Cardinality
from milp_pips.constraints.domino_cover.tiling import Tiling, Usage
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.extras.explain.text.arguments import Argument, common_value, contrary, some
from milp_pips.extras.explain.text.phrases import Phrases, domino, listed, number
from milp_pips.extras.explain.text.scene import Scene

MAX_LISTED_KINDS = 3
"""The most kinds of dominoes that are listed if the missing kinds could be listed instead."""

CORNERS = 4
"""The most cells with one neighbour that a sentence names."""


class Laying:
    """The arguments of a step that needs no rule: from the shape of the board or the domino counts."""

    def __init__(
        self, phrases: Phrases, items: Sequence[ConstraintGroup], facts: Sequence[Fact], new: Sequence[Fact]
    ):
        self._phrases, self._items, self._facts, self._new = phrases, items, facts, new
        cells = [v for fact in (*new, *facts) for v in (phrases.ends(fact) or (fact.variable,))]
        self._scene = Scene(phrases.grouped, facts, cells=dict.fromkeys(cells))
        self._so = phrases.so(new, facts)
        self._known = phrases.known(facts)
        self._usages = [item.piece for item in items if isinstance(item.piece, Usage)]

    def theme(self) -> str:
        """Return the argument to consider for a step without items."""
        ends, shape, dominoes = self._phrases.ends, "the shape of the board", "which dominoes there are"
        if not any(fact.holds and ends(fact) for fact in self._new):
            values = [fact for fact in self._new if not ends(fact)]
            return "which values are left" if any(self._nothing_else([fact]) for fact in values) else dominoes
        is_shape_alone = all(map(ends, (*self._new, *self._facts)))
        return shape if is_shape_alone else f"{shape}, and of {dominoes}"

    def arguments(self) -> list[Argument]:
        """Return the arguments in order."""
        if not self._items:
            return self._shape()
        found = None
        parts = {item.part for item in self._items}
        if parts == {"only"}:
            found = self._spent() or self._lies_already() or self._too_many()
        elif parts == {"all"} and len(self._items) == 1:
            found = self._only_place()
        return [found or contrary(self._phrases, (), self._items, self._facts, self._new)]

    # ----------------------------------------------------------------------------------------------- shape

    def _shape(self) -> list[Argument]:
        values = [fact for fact in self._new if self._phrases.ends(fact) is None]
        laid = [fact for fact in self._new if self._phrases.ends(fact) and fact.holds]
        unlaid = [fact for fact in self._new if self._phrases.ends(fact) and not fact.holds]
        return [
            *(self._unlaid(unlaid) if unlaid else ()),
            *([self._one_neighbour(laid)] if laid else ()),
            *(self._beside(values) if values else ()),
        ]

    def _unlaid(self, facts: Sequence[Fact]) -> list[Argument]:
        """Return the arguments from the two values of an edge, and for those they do not cover."""
        barred = [fact for fact in facts if not self._fits(fact)]
        rest = [fact for fact in facts if fact not in barred]
        return [
            *([self._nothing_fits(barred)] if barred else ()),
            *([contrary(self._phrases, (), (), self._facts, rest)] if rest else ()),
        ]

    def _fits(self, fact: Fact) -> bool:
        """Whether some domino shows two possible values on the edge where the fact denies a domino."""
        one, other = (self._scene.told[v] for v in self._phrases.ends(fact) or ())
        kinds = self._phrases.tiling_of[fact.variable].kinds
        return any((a in one and b in other) or (b in one and a in other) for a, b in kinds)

    def _nothing_fits(self, facts: Sequence[Fact]) -> Argument:
        """Return the argument that no domino has the two values."""
        phrases, told, so = self._phrases, self._scene.told, self._phrases.so(facts)
        missing = list[str]()
        about = {v for fact in facts for v in phrases.ends(fact) or ()}
        for fact in facts:
            one, other = (told[v] for v in phrases.ends(fact) or ())
            if len(one) == len(other) == 1:
                missing.append(domino((min(*one, *other), max(*one, *other))))
        if len(missing) == len(facts):
            there = f"there is no domino {listed(dict.fromkeys(missing), 'or')}"
            return Argument(there, so.replace("no domino lies", "none lies", 1))
        known = phrases.known([fact for fact in self._facts if fact.variable in about])
        return Argument(f"{known}, so no domino fits there", "none lies on both" if len(facts) == 1 else so)

    def _one_neighbour(self, facts: Sequence[Fact]) -> Argument:
        """Return the argument that a cell has only one neighbour left."""
        phrases, so, known = self._phrases, self._phrases.so(facts), self._known
        covered = {v for fact in self._facts if fact.holds for v in phrases.ends(fact) or ()}
        corners = list[tuple[str, str]]()
        for fact in facts:
            tiling = phrases.tiling_of[fact.variable]
            ends = tiling.partners.index(fact.variable), fact.value
            for i, j in (ends, ends[::-1]):
                if not {tiling.values[k] for k in self._scene.told[tiling.partners[i]] if k != j} - covered:
                    corners.append((phrases.cell(tiling.values[i]), phrases.cell(tiling.values[j])))
                    break
        if len(corners) == len(facts) == 1:
            cell, other = corners[0]
            left = " left" if self._facts else ""
            return Argument(f"{cell} has only one neighbour{left}, {other}", "a domino lies on both")
        if len(corners) == len(facts) <= CORNERS:
            return Argument(f"{listed([cell for cell, _ in corners])} have only one neighbour each", so)
        if known:
            return Argument(f"{known}, which leaves no other way", so, f"{known}, so {so}")
        return Argument("the shape of the board leaves no other way", so)

    def _beside(self, facts: Sequence[Fact]) -> list[Argument]:
        """Return the arguments from the other halves of the dominoes with a value."""
        phrases = self._phrases
        by_cell: dict[int, list[Fact]] = {}
        for fact in facts:
            by_cell.setdefault(fact.variable, []).append(fact)
        found, rest = list[Argument](), list[Fact]()
        for v, about in by_cell.items():
            argument = self._nothing_else(about) or self._across(v, about)
            if argument is None:
                rest += about
            else:
                found.append(argument)
        if rest:
            so = phrases.so(rest, self._facts)
            before = f"{self._known}: " if self._known else ""
            why = f"{self._known}; otherwise no domino would fit".removeprefix("; ")
            found.append(Argument(why, so, f"{before}{so}, or else no domino would fit"))
        return found

    def _nothing_else(self, about: Sequence[Fact]) -> Argument | None:
        """Return the argument for a cell whose other values are known to be excluded."""
        (fact, *others) = about
        if others or self._scene.told[fact.variable] != {fact.value}:
            return None
        cell, value = self._phrases.cell(fact.variable), self._phrases.value(fact.value)
        rules = [c for c in self._phrases.problem.constraints if fact.variable in c.variables]
        names = list(dict.fromkeys(rule.label for rule in rules))
        if len(names) > 1 and all(isinstance(rule, AllDifferent | Cardinality) for rule in rules):
            why = f"{listed(names)} leave nothing else"
            return Argument(f"{why} for {cell}", f"{cell} is {value}", f"{cell} can only be {value}: {why}")
        why = f"{cell} can only be {value}: nothing else is left for it"
        return Argument(f"all values but one are excluded for {cell}", f"{cell} is {value}", why)

    def _across(self, v: int, about: Sequence[Fact]) -> Argument | None:
        """Return the argument for a cell from the other half of its domino."""
        phrases, scene = self._phrases, self._scene
        for tiling in scene.tilings:
            if v not in tiling.values:
                continue
            j = scene.lies(tiling, tiling.values.index(v))
            if j is None:
                continue
            other = tiling.values[j]
            beside = [fact for fact in self._facts if fact.variable == other]
            known = phrases.known(beside).removeprefix(phrases.cell(other)).strip()
            which = f", which {known}" if known else ""
            share = f"{phrases.cell(v)} shares a domino with {phrases.cell(other)}{which}"
            why = self._pairing(tiling, scene.left[other] if not beside else scene.told[other], about)
            so = phrases.so(about, self._facts)
            return Argument(f"{share}{'; ' if ',' in share else ', and '}{why}" if why else share, so)
        return None

    def _pairing(self, tiling: Tiling, shown: set[int], about: Sequence[Fact]) -> str:
        """Return which dominoes exist, or do not exist, with the values of one half."""
        if len(shown) == 1:
            value = self._phrases.values(shown)
            kinds = [kind for kind in tiling.kinds if shown & set(kind)]
            if len(kinds) == 1:
                return f"the only domino with {value} is {domino(kinds[0])}"
            if len(kinds) <= MAX_LISTED_KINDS:
                return f"the dominoes with {value} are {listed(map(domino, kinds))}"
            if not any(fact.holds for fact in about):
                missing = [domino((min(x, y), max(x, y))) for y in shown for _, x, _ in about]
                return f"there is no {listed(missing, 'or')}"
            return f"no other domino with {value} fits"
        excluded = sorted({fact.value for fact in about if not fact.holds})
        if len(excluded) == 1 and not any(fact.holds for fact in about):
            kinds = [kind for kind in tiling.kinds if excluded[0] in kind]
            value = self._phrases.value(excluded[0])
            if len(kinds) == 1:
                return f"the only domino with {value} is {domino(kinds[0])}"
            if len(kinds) <= MAX_LISTED_KINDS + 1:
                return f"the dominoes with {value} are {listed(map(domino, kinds))}"
        return ""

    # ------------------------------------------------------------------------------------------ how many

    def _spent(self) -> Argument | None:
        """Return the argument that all halves with a value are used up."""
        phrases, left, tiling = self._phrases, self._scene.left, self._usages[0].tiling
        value = common_value(self._usages)
        if value is None or any(f.holds or f.value != value or phrases.ends(f) for f in self._new):
            return None
        halves = sum(usage.times * usage.kind.count(value) for usage in self._usages)
        placed = [v for v in tiling.values if left[v] == {value}]
        on = some([domino(usage.kind) for usage in self._usages])
        half = "one half shows" if halves == 1 else f"{number(halves)} halves show"
        has = f"only {half} {phrases.value(value)} (on {on})"
        if len(placed) == halves:
            be = "it is" if halves == 1 else "both are" if halves == 2 else "all of them are"
            return Argument(
                f"{has}, and {be} placed: {phrases.cells(placed)}",
                f"no other cell can be {value}",
                f"{has}, and {be} placed, on {phrases.cells(placed)}: no other cell can be {value}",
            )
        all_used = f"; {self._known}, which uses {'it' if halves == 1 else 'them'} up" if self._known else ""
        return Argument(has + all_used, self._so)

    def _lies_already(self) -> Argument | None:
        """Return the argument that the last domino of a kind already lies elsewhere."""
        if len(self._usages) != 1:
            return None
        usage, scene = self._usages[0], self._scene
        tiling, kind = usage.tiling, usage.kind
        lying = [
            (i, j)
            for i, j in tiling.edges
            if scene.lies(tiling, i) == j and set() < scene.fitting(tiling, i, j) <= {kind, kind[::-1]}
        ]
        if len(lying) != usage.times:
            return None
        where = self._phrases.pairs([(tiling.values[i], tiling.values[j]) for i, j in lying])
        it = "it lies" if usage.times == 1 else "they lie"
        return Argument(f"{self._there_is(usage)}, and {it} on {where}", self._so)

    @staticmethod
    def _there_is(usage: Usage) -> str:
        is_one = usage.times == 1
        return f"there {'is' if is_one else 'are'} only {number(usage.times)} {domino(usage.kind)}"

    def _too_many(self) -> Argument:
        """Return the argument that there would otherwise be too many dominoes of a kind."""
        so, known = self._so, f"; {self._known}" if self._known else ""
        if len(self._usages) == 1:
            why = f"{self._there_is(self._usages[0])}{known}"
            another = "a second one" if self._usages[0].times == 1 else "one more"
            otherwise = f"{another} would be needed"
        else:
            kinds = some([domino(usage.kind) for usage in self._usages])
            once = "only one each" if all(usage.times == 1 for usage in self._usages) else "no more"
            why, otherwise = f"there is {once} of {kinds}{known}", "more would be needed"
        return Argument(f"{why}; otherwise {otherwise}", so, f"{why}: {so}, or else {otherwise}")

    def _only_place(self) -> Argument | None:
        """Return the argument that a domino fits nowhere else."""
        usage, phrases = self._usages[0], self._phrases
        tiling, name = usage.tiling, domino(usage.kind)
        places = self._scene.places(tiling, usage.kind)
        if len(places) != usage.times:
            return None
        ends = [(tiling.values[i], tiling.values[j]) for i, j in places]
        where = phrases.pairs(ends)
        named = {v for fact in self._new if fact.holds for v in phrases.ends(fact) or (fact.variable,)}
        if usage.times == 1 and set(ends[0]) <= named:
            so = f"it lies on {where}" if all(map(phrases.ends, self._new)) else self._so
            return Argument(f"the domino {name} fits in one place only", so)
        if usage.times == 1:
            return Argument(f"the domino {name} fits in one place only, {where}", self._so)
        return Argument(f"the {number(usage.times)} dominoes {name} fit on {where} only", self._so)
