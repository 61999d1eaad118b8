"""Write the page's table of rules, src/model/rule-table.ts: ``python web/rules.py``.

``tests/extras/web/test_built.py`` compares the table with the file.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from milp_pips.constraints import Relation
from milp_pips.puzzles.pips.rules import RULES, Kind

TABLE = Path(__file__).parent / "src" / "model" / "rule-table.ts"

HELPERS = ("canBeEqual", "canDiffer", "product")
"""Functions of src/model/possible.ts for the expressions of rules."""

HEAD = """\
/** The kinds of rules: written by web/rules.py from milp_pips/puzzles/pips/rules.py. */

import { HELPERS } from "./possible";

export interface Kind {
  /** Its name in our text format. */
  name: string;
  sign: string;
  /** In labels of the server, and read aloud. */
  words: string;
  spoken: string;
  hasTarget: boolean;
  /** Whether it compares the sum of its squares with its number. */
  isSum: boolean;
  /** Whether the rule can still be obeyed. */
  possible: (laid: Laid, target: number) => boolean;
}

"""

ALOUD = {"<": "less than", ">": "more than", "≤": "at most", "≥": "at least"}

MEMBERS = ("laid", "left", "rest", "sum", "least", "most")


def possible(kind: Kind) -> str:
    """Return the function that says whether a rule can still be obeyed."""
    limit = "target" + (f" {'+-'[kind.margin < 0]} {abs(kind.margin)}" if kind.margin else "")
    least, most = f"least <= {limit}", f"most >= {limit}"
    of_sum = {Relation.LE: least, Relation.GE: most, Relation.EQ: f"{least} && {most}"}
    test = kind.possible if kind.relation is None else of_sum[kind.relation]
    members = [name for name in MEMBERS if re.search(rf"\b{name}\b", test)]
    parameters = [f"{{ {', '.join(members)} }}"] if members else []
    if "target" in test:
        parameters.append("target")
    return f"({', '.join(parameters)}) => {test}"


def table() -> str:
    """Return the text of the table."""
    lines = [HEAD.replace("HELPERS", ", ".join(("type Laid", *HELPERS))), "export const KINDS = {\n"]
    for rule in (None, *filter(None, RULES)):
        kind = RULES[rule]
        spoken = kind.words
        for sign, words in ALOUD.items():
            spoken = spoken.replace(sign, words)
        name = kind.json if kind.json.isalpha() else json.dumps(kind.json)
        members = {
            "name": rule or "",
            "sign": kind.sign,
            "words": kind.words,
            "spoken": spoken,
            "hasTarget": kind.has_target,
            "isSum": kind.relation is not None,
        }
        lines.append(f"  {name}: {{\n")
        lines += [
            f"    {name}: {json.dumps(value, ensure_ascii=False)},\n" for name, value in members.items()
        ]
        lines.append(f"    possible: {possible(kind)},\n  }},\n")
    lines.append("} satisfies Record<string, Kind>;\n\nexport type RuleKind = keyof typeof KINDS;\n")
    return "".join(lines)


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
