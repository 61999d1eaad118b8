/** A screenshot becomes a puzzle; what is doubtful about it is listed. */

import { sayFault, where } from "../ask/ask";
import type { Rule } from "../ask/types";
import { type Drawing, LABELS, MOST_LINES } from "../model/drawing";
import type { RuleKind } from "../model/rule-table";
import type { Asking } from "../parts/asking";
import { button, h, plural } from "../parts/dom";
import { pixelsOf } from "../parts/pixels";

interface Doubt {
  words: string;
  cells: string[];
  label: string | null;
  domino: number | null;
}

export interface Draft {
  rows: string[][];
  rules: Record<string, { kind: RuleKind; target: number | null }>;
  dominoes: [number, number][];
  doubts: Doubt[];
  solvable: boolean | null;
}

/** Bytes of a request that are not pixels. */
const REST = 1000;
const NAME = "From a screenshot";

/** Reads a picture of at most so many bytes; null where it shows no puzzle, which has been said. */
export async function readPicture(asking: Asking, file: File, bytes: number): Promise<Draft | null> {
  const said = "Reading the picture…";
  asking.say(said);
  try {
    const pixels = await pixelsOf(file, bytes - REST);
    return await asking.ask<Draft>("read_picture", { name: NAME, ...pixels }, said);
  } catch (error) {
    asking.say(sayFault(error));
    return null;
  }
}

/** The doubts about a drawing that was read from a picture, until somebody has checked them. */
export class Doubts {
  readonly element = h("div", { class: "doubts", "aria-live": "polite" });
  /** The cells that are doubtful. */
  cells: string[] = [];

  constructor(private readonly changed: () => void) {}

  show({ doubts }: Draft): void {
    this.cells = doubts.flatMap(({ cells }) => cells);
    const said = doubts.length
      ? `${plural(doubts.length, "part")} of it may be misread:`
      : "Every part was read with certainty.";
    this.element.replaceChildren(h("p", {}, said));
    if (doubts.length)
      this.element.append(
        h("ul", {}, ...doubts.map((doubt) => h("li", {}, sentence(doubt)))),
        button("I have checked them", () => this.forget()),
      );
    this.changed();
  }

  forget(): void {
    this.cells = [];
    this.element.replaceChildren();
    this.changed();
  }
}

function sentence({ words, label, domino }: Doubt): string {
  if (domino !== null) return `Domino ${domino + 1}: ${words}.`;
  return label ? `Region ${label}: ${words}.` : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** The draft as a drawing; null for one that is too large to be drawn. */
export function drawingOfDraft({ rows, rules, dominoes }: Draft): Drawing | null {
  const labels = Object.keys(rules);
  const columns = rows[0]?.length ?? 0;
  if (Math.max(rows.length, columns) > MOST_LINES) return null;
  if (labels.some((label) => label.length !== 1 || !LABELS.includes(label))) return null;
  const ruled = labels.map((label): [string, Rule] => {
    const { kind = "empty", target = null } = rules[label] ?? {};
    return [label, { kind, value: target }];
  });
  const all = Object.fromEntries(ruled);
  return { name: NAME, rows: rows.length, columns, squares: rows, rules: all, dominoes };
}

/** Who gets the picture. */
export function goesTo(): string {
  if (where === "browser") return "A picture is read in this browser; nothing is uploaded.";
  const host = location.hostname;
  return ["localhost", "127.0.0.1", "[::1]"].includes(host)
    ? "The server on this computer reads a picture; nothing is uploaded."
    : `The server ${host} reads a picture, and keeps nothing.`;
}
