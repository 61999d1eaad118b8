/** Several puzzles on one sheet of paper, each with its dominoes. */

import type { Read } from "../ask/types";
import { MOST_SQUARES, boardOf } from "../model/board";
import { BoardView } from "./board-view";
import { h, picture } from "./dom";
import { dominoPicture } from "./domino";

/** The puzzles of a sheet. */
export const ON_A_SHEET = 4;

/** Prints puzzles on one sheet in place of the page. */
export function printSheet(puzzles: readonly { title: string; read: Read }[]): void {
  const sheet = h("section", { class: "paper" }, ...puzzles.map(({ title, read }) => quarter(title, read)));
  document.querySelector(".paper")?.remove();
  document.body.append(sheet);
  window.addEventListener("afterprint", () => sheet.remove(), { once: true });
  window.print();
}

function quarter(title: string, { pips, svg }: Read): HTMLElement {
  const large = !pips || pips.cells.length > MOST_SQUARES;
  return h(
    "figure",
    {},
    h("figcaption", {}, title),
    large ? picture(svg, "") : BoardView.picture(boardOf(pips)),
    pips && h("div", { class: "dominoes" }, ...pips.dominoes.map((pair) => dominoPicture(pair))),
  );
}
