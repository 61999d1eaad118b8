/** Which cells a step or a reason speaks of. */

import type { Fact, Read, Reason, Step } from "../ask/types";
import type { Pointed } from "../views/table";

export function cellsOf(fact: Fact): string[] {
  return "cell" in fact ? [fact.cell] : fact.cells;
}

export function pointAtStep(step: Step, read: Read): Pointed {
  const rule = (step.items ?? []).flatMap((item) => item.cells ?? []);
  return {
    rule: eachOnce(rule.length ? rule : named(step.sentence, read)),
    fact: eachOnce((step.facts ?? []).flatMap(cellsOf)),
    move: eachOnce((step.conclusions ?? []).flatMap(cellsOf)),
  };
}

export function pointAtReason({ items }: Reason): Pointed {
  const cells = (kinds: string[]) =>
    eachOnce(items.filter(({ kind }) => kinds.includes(kind)).flatMap((item) => item.cells ?? []));
  return { rule: cells(["rule"]), wrong: cells(["move", "given"]) };
}

/** Cells are named by each part of a rule; an outline goes round them once. */
function eachOnce(cells: string[]): string[] {
  return [...new Set(cells)];
}

/** The cells that a sentence names, by themselves or by their region. */
function named(sentence: string, read: Read): string[] {
  const cells = sentence.match(/\br\d+c\d+\b/g) ?? [];
  const labels = new Set(
    [...sentence.matchAll(/\bregions? (\S+?)(?=[\s,.;]|$)/gi)].map(([, label]) => label),
  );
  const regions = (read.pips?.regions ?? []).filter(({ label }) => labels.has(label));
  return [...cells, ...regions.flatMap((region) => region.cells)];
}
