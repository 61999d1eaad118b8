"""The base of results: frozen data, whose text, JSON and picture come from ``milp_pips.views``.

The room ``views`` is built on the results. It is loaded, by name, when a result is first shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, TypeAlias

Natural: TypeAlias = Annotated[int, ("minimum", 0)]
Seconds: TypeAlias = Annotated[float, ("minimum", 0)]
Share: TypeAlias = Annotated[float, ("minimum", 0), ("maximum", 1)]
Unbounded: TypeAlias = Annotated[float, ("type", ("number", "null"))]
"""Types of fields, with keywords of their JSON Schemas. One without bounds is null in JSON if it
is not finite."""

NEVER = {"in JSON": "never"}
UNLESS_DEFAULT = {"in JSON": "unless it is the default"}
"""The metadata of fields that the JSON record does not have, or only if they differ from their default."""

EXTRAS_ROOM = "milp_pips.extras."


class ShownAsText:
    """The base class of what a notebook shows as its text (``str``), not as its fields."""

    __slots__ = ()

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Define the method in each subclass: IPython prefers a ``__repr__`` to an inherited one."""
        super().__init_subclass__(**arguments)
        cls._repr_pretty_ = ShownAsText._repr_pretty_  # type: ignore[method-assign]

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Print the text. IPython calls this method."""
        printer.text(str(self))


class TaskResult(ShownAsText):
    """The base class of results. A subclass is a frozen dataclass and has no code that presents it.

    Its fields are the members of its JSON record, and the sentences below them describe both.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(str(part).rstrip("\n") for part in self.display_parts())

    def display_parts(self) -> Any:
        """Return the texts and drawings that a terminal shows."""
        return self._view("text", "parts")

    def summary(self) -> str:
        """Return the result in one line."""
        return str(self._view("text", "summary"))

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-ready data; ``milp-pips schema VERB`` prints its JSON Schema."""
        return dict(self._view("json", "record"))

    def drawing(self) -> Any:
        """Return the result as a ``milp_pips.render.vocabulary.Drawing``.

        Raises UsageError if there is nothing to draw.
        """
        return self._view("svg", "drawing")

    def _repr_svg_(self) -> str | None:
        """Return the picture that a notebook shows; None if there is nothing to draw."""
        drawn: str | None = self._view("svg", "svg")
        return drawn

    def _view(self, module: str, name: str) -> Any:
        """Call a function of ``milp_pips.views``; an extra registers its own in its module ``views``."""
        place = type(self).__module__
        if place.startswith(EXTRAS_ROOM):
            extra = place.removeprefix(EXTRAS_ROOM).partition(".")[0]
            import_module(f"{EXTRAS_ROOM}{extra}.views")
        return getattr(import_module(f"milp_pips.views.{module}"), name)(self)
