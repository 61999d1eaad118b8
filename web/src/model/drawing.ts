/** A puzzle that is being drawn: squares, regions with their rules, dominoes. Nothing is changed in place. */

import type { PipsData, Read, RegionData, Rule } from "../ask/types";
import { KINDS } from "./rule-table";
import { kindOf, signOf, writeText } from "./text";

/** What a square is: no square, one without a rule, or one of a region. */
export type Paint = { kind: "hole" } | { kind: "free" } | { kind: "region"; label: string };

export interface Drawing {
  name: string;
  rows: number;
  columns: number;
  /** By row, then column: a label; "#" for a square without a rule, "." for none. */
  squares: readonly (readonly string[])[];
  rules: Readonly<Record<string, Rule>>;
  dominoes: readonly (readonly [number, number])[];
}

export const MOST_LINES = 14;
export const LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export function blank(rows = 4, columns = 4): Drawing {
  const squares = Array.from({ length: rows }, () => Array<string>(columns).fill("."));
  return { name: "drawn", rows, columns, squares, rules: {}, dominoes: [] };
}

export function resized(drawing: Drawing, rows: number, columns: number): Drawing {
  const squares = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => drawing.squares[row]?.[column] ?? "."),
  );
  return { ...drawing, rows, columns, squares };
}

export function painted(drawing: Drawing, row: number, column: number, paint: Paint): Drawing {
  const now = paint.kind === "hole" ? "." : paint.kind === "free" ? "#" : paint.label;
  const squares = drawing.squares.map((line, r) =>
    r === row ? line.map((was, c) => (c === column ? now : was)) : line,
  );
  return { ...drawing, squares };
}

export function ruled(drawing: Drawing, label: string, rule: Rule): Drawing {
  return { ...drawing, rules: { ...drawing.rules, [label]: rule } };
}

/** Takes a region away; its squares stay, without a rule. */
export function unruled(drawing: Drawing, label: string): Drawing {
  const { [label]: _, ...rules } = drawing.rules;
  return {
    ...drawing,
    rules,
    squares: drawing.squares.map((line) => line.map((was) => (was === label ? "#" : was))),
  };
}

export function freeLabel(drawing: Drawing): string | null {
  return [...LABELS].find((label) => !(label in drawing.rules)) ?? null;
}

export function squareCount(drawing: Drawing): number {
  return drawing.squares.flat().filter((label) => label !== ".").length;
}

/** The puzzle, or null as long as the dominoes do not cover the board, or a rule has no number. */
export function readOf(drawing: Drawing): Read | null {
  const data = dataOf(drawing);
  const covered = data.cells.length > 0 && data.cells.length === 2 * data.dominoes.length;
  if (!covered || numberless(drawing).length) return null;
  return { name: drawing.name, family: "pips", text: writeText(data), svg: "", pips: data };
}

/** The regions on the board whose rule needs a number that it has not yet. */
export function numberless({ squares, rules }: Drawing): string[] {
  return Object.keys(rules).filter(
    (label) =>
      kindOf(rules[label] ?? { kind: "empty" }).hasTarget &&
      rules[label]?.value === null &&
      squares.some((line) => line.includes(label)),
  );
}

/** What is drawn so far, with `holes` as squares too if the board is to be painted on: a rule to come is a "?". */
export function dataOf(drawing: Drawing, holes = false): PipsData {
  const regions: RegionData[] = Object.entries(drawing.rules).map(([label, rule]) => ({
    label,
    cells: [],
    rule,
    text: signOf(rule) || (holes ? "?" : ""),
  }));
  const cells: PipsData["cells"] = [];
  drawing.squares.forEach((line, row) =>
    line.forEach((label, column) => {
      if (label === "." && !holes) return;
      const cell = `r${row + 1}c${column + 1}`;
      const at = regions.findIndex((known) => known.label === label);
      regions[at]?.cells.push(cell);
      cells.push({ cell, row, column, region: at < 0 ? null : at });
    }),
  );
  if (holes) return { rows: drawing.rows, columns: drawing.columns, cells, regions, dominoes: [] };
  const used = regions.filter((region) => region.cells.length);
  const renumbered = cells.map((cell) => ({
    ...cell,
    region: cell.region === null ? null : used.indexOf(regions[cell.region] as RegionData),
  }));
  const dominoes = drawing.dominoes.map(([a, b]): [number, number] => [a, b]);
  return trimmed({
    rows: drawing.rows,
    columns: drawing.columns,
    cells: renumbered,
    regions: used,
    dominoes,
  });
}

/** Empty rows and columns at the end are not part of a puzzle. */
function trimmed(data: PipsData): PipsData {
  const rows = Math.max(1, ...data.cells.map(({ row }) => row + 1));
  const columns = Math.max(1, ...data.cells.map(({ column }) => column + 1));
  return { ...data, rows, columns };
}

/** A puzzle to draw on; null for one that is too large, or has labels that a brush has not. */
export function drawingOf(data: PipsData, name: string): Drawing | null {
  if (data.rows > MOST_LINES || data.columns > MOST_LINES) return null;
  if (data.regions.some(({ label }) => label.length !== 1 || !LABELS.includes(label))) return null;
  const squares = Array.from({ length: data.rows }, () => Array<string>(data.columns).fill("."));
  for (const { row, column, region } of data.cells)
    (squares[row] as string[])[column] = region === null ? "#" : (data.regions[region]?.label ?? "#");
  const rules = Object.fromEntries(data.regions.map(({ label, rule }) => [label, rule]));
  return { name, rows: data.rows, columns: data.columns, squares, rules, dominoes: data.dominoes };
}

/** What was kept of a drawing, if it can be one. */
export function keptDrawing(kept: string | null): Drawing | null {
  try {
    const found = JSON.parse(kept ?? "null") as Drawing | null;
    return found && isDrawing(found) ? found : null;
  } catch {
    return null;
  }
}

function isDrawing({ name, rows, columns, squares, rules, dominoes }: Drawing): boolean {
  const labels = Object.keys(rules);
  return (
    typeof name === "string" &&
    rows <= MOST_LINES &&
    columns <= MOST_LINES &&
    squares.length === rows &&
    squares.every(
      (line) =>
        line.length === columns &&
        line.every((label) => label === "." || label === "#" || labels.includes(label)),
    ) &&
    Object.values(rules).every(({ kind }) => kind in KINDS) &&
    dominoes.every((pips) => pips.length === 2 && pips.every((n) => Number.isInteger(n)))
  );
}
