/** Sentences about a board: in the words that stand on it, and with names of cells that show the cells. */

import type { RegionData } from "../ask/types";
import { button, h } from "./dom";

const NAMES = /\b(r\d+c\d+|(?:row|column) \d+)\b/i;

/** The parts of a sentence; those that name cells show them under the pointer or the finger. */
export function worded(sentence: string): (string | HTMLElement)[] {
  return sentence
    .split(NAMES)
    .map((part, i) => (i % 2 ? h("span", { class: "cell-name", translate: "no" }, part) : part));
}

/** The sentence with the sum of a region where it speaks of half of it: "at least 6" where 6 was written. */
export function asWritten(sentence: string, regions: readonly RegionData[] = []): string {
  return sentence.replace(
    /\b(region (\S+)) \(at (?:least|most) (\d+)\)/gi,
    (whole, named: string, label: string, target: string) => {
      const rule = regions.find((region) => region.label === label)?.rule;
      return rule?.kind === "sum" && rule.value === Number(target) ? `${named} (sum ${target})` : whole;
    },
  );
}

/** A sentence that points at all its cells when it is chosen. */
export function sentenceButton(sentence: string, point: () => void): HTMLButtonElement {
  const made = button("", point, { class: "sentence" });
  made.append(...worded(sentence));
  return made;
}

/** Lights the cells whose name is pointed at, until something else is. */
export function showNamedCells(): void {
  let lit: Element[] = [];
  document.addEventListener("pointerover", ({ target }) => {
    const name = target instanceof Element && target.closest(".cell-name")?.textContent?.toLowerCase();
    for (const cell of lit) cell.classList.remove("named");
    const [kind, number] = name ? name.split(" ") : [];
    const cells = !name
      ? null
      : kind === "row"
        ? `^="r${number}c"`
        : kind === "column"
          ? `$="c${number}"`
          : `="${name}"`;
    lit = cells ? [...document.querySelectorAll(`[data-cell${cells}]`)] : [];
    for (const cell of lit) cell.classList.add("named");
  });
}
