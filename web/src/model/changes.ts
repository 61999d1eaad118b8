/** Changes that leave one solution, made in a drawing. */

import type { Addition, Rule } from "../ask/types";
import { type Drawing, freeLabel, painted, ruled } from "./drawing";
import { KINDS, type RuleKind } from "./rule-table";

const BY_WORDS = new Map(Object.entries(KINDS).map(([kind, { words }]) => [words, kind as RuleKind]));

/** Returns the drawing with other rules, dominoes and shown numbers; null where a drawing cannot have them. */
export function withChanges(drawing: Drawing, { rules, facts }: Addition): Drawing | null {
  let now: Drawing | null = drawing;
  for (const { label } of rules) now = now && withRule(now, label);
  for (const fact of facts)
    now = now && "is" in fact && typeof fact.is === "number" ? withNumber(now, fact.cell, fact.is) : null;
  return now;
}

function withRule(drawing: Drawing, label: string): Drawing | null {
  const swap = /^the domino (\d+)-(\d+) in place of (\d+)-(\d+)$/.exec(label);
  if (swap) {
    const [a, b, c, d] = swap.slice(1).map(Number) as [number, number, number, number];
    const at = drawing.dominoes.findIndex(([x, y]) => (x === c && y === d) || (x === d && y === c));
    const dominoes = drawing.dominoes.map((pips, i): readonly [number, number] => (i === at ? [a, b] : pips));
    return at < 0 ? null : { ...drawing, dominoes };
  }
  const found = /^region (?:of (r\d+c\d+) alone|(\S+)): (.*?)(?: (\d+))?$/.exec(label);
  const kind = BY_WORDS.get(found?.[3] ?? "");
  if (!found || !kind) return null;
  const rule = { kind, value: found[4] === undefined ? null : Number(found[4]) };
  if (found[1]) return alone(drawing, found[1], rule);
  const region = found[2] as string;
  return region in drawing.rules ? ruled(drawing, region, rule) : null;
}

/** A shown number becomes a region of one square; what is left of its own region keeps the rest of the sum. */
function withNumber(drawing: Drawing, cell: string, value: number): Drawing | null {
  const rule = { kind: "sum" as const, value };
  const label = labelAt(drawing, cell);
  const own = drawing.rules[label];
  if (!own || drawing.squares.flat().filter((other) => other === label).length === 1)
    return own ? ruled(drawing, label, rule) : alone(drawing, cell, rule);
  if (own.kind !== "empty" && !KINDS[own.kind].isSum) return null;
  const left = ruled(drawing, label, { ...own, value: own.value === null ? null : own.value - value });
  return alone(left, cell, rule);
}

function alone(drawing: Drawing, cell: string, rule: Rule): Drawing | null {
  const label = freeLabel(drawing);
  const [row, column] = placeOf(cell);
  return label === null ? null : ruled(painted(drawing, row, column, { kind: "region", label }), label, rule);
}

function labelAt(drawing: Drawing, cell: string): string {
  const [row, column] = placeOf(cell);
  return drawing.squares[row]?.[column] ?? ".";
}

function placeOf(cell: string): [number, number] {
  const [row, column] = (/^r(\d+)c(\d+)$/.exec(cell)?.slice(1) ?? []).map((n) => Number(n) - 1);
  return [row ?? -1, column ?? -1];
}
