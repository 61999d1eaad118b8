"""The base of results: frozen data, whose text, JSON and picture come from ``milp_pips.views``.

The room ``views`` is built on the results. It is loaded, by name, when a result is first shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """The base class of results. A subclass is a frozen dataclass and has no code that presents it."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(str(part).rstrip("\n") for part in view_of(self, "text", "parts")(self))

    def summary(self) -> str:
        """Return the result in one line."""
        return str(view_of(self, "text", "summary")(self))

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-ready data; ``milp-pips schema VERB`` prints its JSON Schema."""
        return dict(view_of(self, "json", "record")(self))

    def drawing(self) -> Any:
        """Return the result as a ``milp_pips.render.vocabulary.Drawing``.

        Raises UsageError if there is nothing to draw.
        """
        return view_of(self, "svg", "drawing")(self)

    def _repr_svg_(self) -> str | None:
        """Return the picture that a notebook shows; None if there is nothing to draw."""
        drawn: str | None = view_of(self, "svg", "svg")(self)
        return drawn


def view_of(result: object, module: str, name: str) -> Callable[[Any], Any]:
    """Return a function of ``milp_pips.views``; an extra registers what it shows in its module ``views``."""
    place = type(result).__module__
    if place.startswith(EXTRAS_ROOM):
        extra = place.removeprefix(EXTRAS_ROOM).partition(".")[0]
        import_module(f"{EXTRAS_ROOM}{extra}.views")
    view: Callable[[Any], Any] = getattr(import_module(f"milp_pips.views.{module}"), name)
    return view
