"""SCIP's own branch-and-bound tree, noted by an event handler while it is solved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from milp_pips.engines.contract import SearchNode

if TYPE_CHECKING:
    import pyscipopt


class TreeRecorder:
    """The nodes that SCIP has solved so far, by SCIP's own numbers.

    Parameters
    ----------
    scip
        The model, not presolved: its columns are then those of the tree.
    columns
        Its columns.
    """

    def __init__(self, scip: pyscipopt.Model, columns: Sequence[Any]):
        self._scip, self._columns = scip, columns
        self._number: dict[str, int] = {}
        self._place: dict[int, int] = {}
        self._focus: int | None = None
        self.nodes: list[SearchNode] = []
        scip.includeEventhdlr(self._handler(), "tree recorder", "notes every node that is solved")

    def _handler(self) -> Any:
        from pyscipopt import SCIP_EVENTTYPE, Eventhdlr

        recorder = self
        status_of = {
            SCIP_EVENTTYPE.NODEINFEASIBLE: "infeasible",
            SCIP_EVENTTYPE.NODEBRANCHED: "branched",
        }

        found = SCIP_EVENTTYPE.BESTSOLFOUND
        kinds = (*status_of, SCIP_EVENTTYPE.NODEFOCUSED, found)

        class Handler(Eventhdlr):  # type: ignore[misc]
            def eventinit(self) -> None:
                for kind in kinds:
                    self.model.catchEvent(kind, self)

            def eventexit(self) -> None:
                for kind in kinds:
                    self.model.dropEvent(kind, self)

            def eventexec(self, event: Any) -> None:
                if event.getType() == found:
                    recorder.note_solution()
                else:
                    recorder.note(event.getNode(), status_of.get(event.getType(), "open"))

        return Handler()

    def note(self, node: Any, status: str) -> None:
        """Note a node that SCIP looks at, or what has become of it."""
        place = self._focus = self._place_of(node)
        if status == "open" or self.nodes[place].status == "solution":
            return  # SCIP calls a node infeasible, too, once nothing better than its solution is left
        if status == "infeasible" and self._scip.getNSols() > 0:
            status = "bound"  # of these two SCIP tells no difference once there is a solution
        low = float(node.getLowerbound())
        self.nodes[place] = self.nodes[place]._replace(
            x=self._vertex() if status == "branched" else None,
            bound=None if self._scip.isInfinity(abs(low)) else low,
            status=status,
        )

    def note_solution(self) -> None:
        """Note that a solution was found at the node that is looked at, be it while SCIP tries branchings."""
        place, best = self._focus, self._scip.getBestSol()
        if place is None:
            place = self._place_of(self._scip.getCurrentNode())
        x = tuple(float(self._scip.getSolVal(best, column)) for column in self._columns)
        cost = float(self._scip.getSolObjVal(best))
        self.nodes[place] = self.nodes[place]._replace(x=x, bound=cost, status="solution")

    def _place_of(self, node: Any) -> int:
        """Return where a node is in the list; a new one comes last."""
        number = int(node.getNumber())
        if number not in self._place:
            parent = node.getParent()
            above = None if parent is None else self._place.get(int(parent.getNumber()))
            self._place[number] = len(self.nodes)
            self.nodes.append(SearchNode(above, self._bounds(node, above), None, None, "open"))
        return self._place[number]

    def _bounds(self, node: Any, above: int | None) -> tuple[tuple[int, float, float], ...]:
        """Return the columns that were branched on, with the bounds that they have got."""
        branchings = None if above is None else node.getParentBranchings()
        if branchings is None:
            return ()
        if not self._number:
            transformed = (self._scip.getTransformedVar(column) for column in self._columns)
            self._number = {column.name: j for j, column in enumerate(transformed)}
        found = []
        for column, bound, kind in zip(*branchings, strict=True):
            j = self._number.get(column.name)
            if j is not None:
                found.append((j, float(bound), 1.0) if kind == 0 else (j, 0.0, float(bound)))
        return tuple(found)

    def _vertex(self) -> tuple[float, ...]:
        """Return the relaxation's point at the node that is looked at."""
        return tuple(float(self._scip.getSolVal(None, column)) for column in self._columns)
