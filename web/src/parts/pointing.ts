/** Which cells a step or a reason speaks of. */

import type { Fact, Read, Reason, Step } from "../ask/types";
import type { Pointed } from "../views/table";

export function cellsOf(fact: Fact): string[] {
  return "cell" in fact ? [fact.cell] : fact.cells;
}

/** Points at a step; without its rules at the cells to `look` at, unless the regions of a Pips board are named. */
export function pointAtStep(step: Step, read: Read, look: readonly string[] = []): Pointed {
  const rule = (step.items ?? []).flatMap((item) => item.cells ?? []);
  const regions = regionsIn(step.sentence);
  return {
    regions,
    numbered: namesCells(step.sentence),
    rule: eachOnce(
      rule.length ? rule : look.length && !read.pips ? [...look] : named(step.sentence, regions, read),
    ),
    fact: eachOnce((step.facts ?? []).flatMap(cellsOf)),
    move: eachOnce((step.conclusions ?? []).flatMap(cellsOf)),
  };
}

export function pointAtReason({ items, sentence }: Reason): Pointed {
  const cells = (kinds: string[]) =>
    eachOnce(items.filter(({ kind }) => kinds.includes(kind)).flatMap((item) => item.cells ?? []));
  return {
    regions: regionsIn(sentence),
    numbered: namesCells(sentence),
    rule: cells(["rule"]),
    wrong: cells(["move", "given"]),
  };
}

/** Cells are named by each part of a rule; an outline goes round them once. */
function eachOnce(cells: string[]): string[] {
  return [...new Set(cells)];
}

/** What a sentence calls regions: `A` in "region A (sum 3)", `A`, `B` and `C` in "regions A, B and C". */
export function regionsIn(sentence: string): string[] {
  const one = "[^\\s,.;:()]+";
  const lists = sentence.matchAll(new RegExp(`\\bregions? (${one}(?:(?:, | and | or )${one})*)`, "gi"));
  return eachOnce([...lists].flatMap(([, list]) => (list as string).split(/, | and | or /)));
}

function namesCells(sentence: string): boolean {
  return /\br\d+c\d+\b|\b(row|column)s? \d/i.test(sentence);
}

/** The cells that a sentence names, by themselves or by their region. */
function named(sentence: string, labels: string[], read: Read): string[] {
  const cells = sentence.match(/\br\d+c\d+\b/g) ?? [];
  const regions = (read.pips?.regions ?? []).filter(({ label }) => labels.includes(label));
  return [...cells, ...regions.flatMap((region) => region.cells)];
}
