"""JSON Schemas of what the verbs print with ``--json``, made from the results.

A record is a dataclass or a ``TypedDict`` with a sentence below each member; ``Annotated`` adds keywords.
"""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from milp_pips.problem.answer import NEVER, UNLESS_DEFAULT
from milp_pips.puzzles.puzzle import Puzzle

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""The version of JSON Schema."""

OUTPUT_VERSION = 1
"""It increases when a member is removed or changes its meaning."""

OUTPUTS = {
    "solve": ("views.json:SolveLine", "one puzzle"),
    "hint": ("extras.explain.views.json:HintLine", "the next step from a board"),
    "explain": ("extras.explain.views.json:ExplainLine", "one puzzle"),
    "check": ("views.json:CheckLine", "one solution or board"),
    "enumerate": (
        "views.json:EnumerateLine",
        "a solution or, in the end, the summary or the fault of an engine",
    ),
    "count": ("views.json:CountLine", "one puzzle"),
    "sample": ("views.json:SampleLine", "a solution or the fault of an engine"),
    "generate": ("extras.generate.views:GenerateLine", "one new puzzle"),
    "clues": ("extras.generate.views:CluesLine", "one puzzle"),
    "loosen": ("extras.generate.views:LoosenLine", "one puzzle"),
    "read-picture": ("extras.picture.draft:DraftRecord", "the draft of one picture"),
    "rate": ("extras.explain.views.json:RateLine", "one puzzle"),
    "compare": (
        "extras.bench.views:CompareLine",
        "a configuration or, after several, the virtual best",
    ),
    "solvers": ("views.json:SolversLine", "all solvers"),
}
"""What a line of each verb is: the place of its record below ``milp_pips``, and a phrase for the title."""

PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}


LOADED_LATE = {"Estimate": "milp_pips.compilation.estimating"}
"""Classes in records, and the modules that are too large for every command that prints JSON."""


def verbs() -> list[str]:
    """Return the verbs that have a schema."""
    return [verb for verb, (place, _) in OUTPUTS.items() if _is_installed(place.partition(":")[0])]


def _is_installed(module: str) -> bool:
    try:
        return find_spec(f"milp_pips.{module}") is not None
    except ModuleNotFoundError:  # of the extra itself
        return False


def schema(verb: str) -> dict[str, Any]:
    """Return the JSON Schema of a verb of ``OUTPUTS``."""
    place, what = OUTPUTS[verb]
    module, _, name = place.partition(":")
    definitions: dict[str, Any] = {}
    line = _schema_of(getattr(import_module(f"milp_pips.{module}"), name), definitions)
    return {
        "$schema": DIALECT,
        "title": f"A line of milp-pips {verb} --json: {what}",
        "schema": OUTPUT_VERSION,
        **line,
        "$defs": definitions,
    }


def _schema_of(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; add those of the records in it to ``definitions``."""
    if kind is Puzzle:
        return {"type": "string"}
    if is_typeddict(kind) or is_dataclass(kind):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}  # a record may contain itself
            definitions[kind.__name__] = _record_schema(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        keywords = {name: list(said) if isinstance(said, tuple) else said for name, said in arguments[1:]}
        return {**_schema_of(arguments[0], definitions), **keywords}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        return {"type": "array", "items": _schema_of(arguments[0], definitions)}
    if origin is tuple:
        items = [_schema_of(each, definitions) for each in arguments]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema_of(arguments[1], definitions)}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema_of(each, definitions) for each in arguments]}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"enum": [each.value for each in kind]}
    raise TypeError(f"no JSON Schema of {kind}")


def _record_schema(record: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    sentences, required, properties = _sentences(record), list[str](), dict[str, Any]()
    metadata = {field.name: field.metadata for field in fields(record)} if is_dataclass(record) else {}
    late = {name: getattr(import_module(module), name) for name, module in LOADED_LATE.items()}
    for name, kind in get_type_hints(record, None, late, include_extras=True).items():
        if metadata.get(name) == NEVER:
            continue
        if get_origin(kind) is NotRequired:
            (kind,) = get_args(kind)
        elif metadata.get(name) != UNLESS_DEFAULT:
            required.append(name)
        properties[name] = _schema_of(kind, definitions)
        if name in sentences:
            properties[name]["description"] = sentences[name]
    found = {"type": "object", "properties": properties, "required": required}
    return {**found, "description": sentences[""]} if "" in sentences else found


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def _sentences(record: Any) -> dict[str, str]:
    """Return the sentence of each member that has one, and of the record itself for the empty name."""
    found: dict[str, str] = {}
    classes = {node.name: node for node in _tree(record.__module__).body if isinstance(node, ast.ClassDef)}
    body = classes.get(record.__name__)
    if body is None:  # its members are keywords of Python
        return found
    for base in body.bases:
        inherited = getattr(sys.modules[record.__module__], ast.unparse(base))
        if is_typeddict(inherited):
            found |= {name: text for name, text in _sentences(inherited).items() if name}
    member = ""
    for node in body.body:
        if isinstance(node, ast.AnnAssign):
            member = ast.unparse(node.target)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[member] = " ".join(str(node.value.value).split())
    return found
