/** Our own text format of Pips, as `convert --to text` writes it: written for drawings, read from links. */

import type { PipsData, RegionData, Rule } from "../ask/types";
import { MOST_SQUARES } from "./board";
import { KINDS, type Kind, type RuleKind } from "./rule-table";

/** Rows and columns of a board that the page reads by itself. */
const MOST_LINES = 60;

const NAMES = new Map(Object.entries(KINDS).map(([kind, { name }]) => [name, kind as RuleKind]));
const NAME = [...NAMES.keys()].filter(Boolean).join("|");
const RULE = new RegExp(`^(\\S+) (${NAME})(?: (\\d{1,6}))?$`);

export function kindOf({ kind }: { kind: RuleKind }): Kind {
  return KINDS[kind];
}

export function signOf({ kind, value }: Rule): string {
  return KINDS[kind].sign + (KINDS[kind].hasTarget ? String(value ?? "?") : "");
}

/** A rule in words. */
export function ruleWords({ kind, value }: Rule): string {
  return KINDS[kind].spoken + (KINDS[kind].hasTarget ? ` ${value}` : "");
}

export function writeText(data: PipsData): string {
  const rows = Array.from({ length: data.rows }, () => Array<string>(data.columns).fill("."));
  const label = (region: RegionData | undefined) => region?.label ?? "#";
  for (const { row, column, region } of data.cells)
    (rows[row] as string[])[column] = label(region === null ? undefined : data.regions[region]);
  const narrow = data.regions.every(({ label }) => label.length === 1);
  const rules = data.regions.filter(({ rule }) => rule.kind !== "empty");
  return [
    data.rows,
    ...rows.map((row) => row.join(narrow ? "" : " ")),
    rules.length,
    ...rules.map(
      ({ label, rule }) => `${label} ${kindOf(rule).name}${kindOf(rule).hasTarget ? ` ${rule.value}` : ""}`,
    ),
    data.dominoes.length,
    ...data.dominoes.map((pips) => pips.join(" ")),
    "",
  ].join("\n");
}

/** Returns the puzzle, or null for anything but a text as `writeText` writes it: others are for the reader. */
export function readText(text: string): PipsData | null {
  const lines = text.split("\n");
  let at = 0;
  const number = () => (/^\d{1,3}$/.test(lines[at] ?? "") ? Number(lines[at++]) : -1);
  const rows = number();
  if (rows < 1 || rows > MOST_LINES) return null;
  const drawn = lines.slice(at, (at += rows)).map((line) => (/\s/.test(line) ? line.split(" ") : [...line]));
  const columns = Math.max(...drawn.map((row) => row.length));
  if (columns > MOST_LINES) return null;
  const rules = new Map<string, RegionData["rule"]>();
  for (let left = number(); left > 0; left--) {
    const found = RULE.exec(lines[at++] ?? "");
    const kind = NAMES.get(found?.[2] ?? "") ?? "empty";
    if (!found || kindOf({ kind }).hasTarget === (found[3] === undefined)) return null;
    rules.set(found[1] as string, { kind, value: found[3] === undefined ? null : Number(found[3]) });
  }
  const dominoes: [number, number][] = [];
  for (let left = number(); left > 0; left--) {
    const found = /^(\d\d?) (\d\d?)$/.exec(lines[at++] ?? "");
    if (!found) return null;
    dominoes.push([Number(found[1]), Number(found[2])]);
  }
  if (lines.slice(at).some((line) => line !== "")) return null;
  return assemble(rows, columns, drawn, rules, dominoes);
}

function assemble(
  rows: number,
  columns: number,
  drawn: string[][],
  rules: Map<string, RegionData["rule"]>,
  dominoes: [number, number][],
): PipsData | null {
  const regions: RegionData[] = [];
  const cells: PipsData["cells"] = [];
  drawn.forEach((line, row) => {
    line.forEach((label, column) => {
      if (label === ".") return;
      const cell = `r${row + 1}c${column + 1}`;
      let region: number | null = null;
      if (label !== "#") {
        region = regions.findIndex((known) => known.label === label);
        if (region < 0) {
          const rule = rules.get(label) ?? { kind: "empty", value: null };
          region = regions.push({ label, cells: [], rule, text: signOf(rule) }) - 1;
        }
        regions[region]?.cells.push(cell);
      }
      cells.push({ cell, row, column, region });
    });
  });
  if (cells.length > MOST_SQUARES) return null;
  const named =
    regions.every(({ label }) => label) &&
    [...rules.keys()].every((label) => regions.some((r) => r.label === label));
  return named && cells.length === 2 * dominoes.length ? { rows, columns, cells, regions, dominoes } : null;
}
