/** A tint for each region: all are different on boards of up to 24 regions; on larger ones, neighbours differ. */

import { type Board, beside } from "../model/board";

/** Eight hues in an order in which successive ones differ much, each in three shades. */
const HUES = [65, 200, 335, 110, 245, 20, 155, 290];
const TINTS = HUES.length * 3;

export function tintsOf(board: Board, most = TINTS): number[] {
  const tints: number[] = [];
  const used = Array<number>(most).fill(0);
  board.regions.forEach((_, region) => {
    const near = Array<number>(most).fill(0);
    board.squares.forEach((square, number) => {
      if (square.region !== region) return;
      for (const direction of [0, 1, 2, 3]) {
        const other = beside(board, number, direction);
        const tint = other === null ? undefined : tints[board.squares[other]?.region ?? -1];
        if (tint !== undefined) near[tint] = (near[tint] ?? 0) + 1;
      }
    });
    const cost = (tint: number) => (near[tint] as number) * 1000 + (used[tint] as number);
    const best = used.reduce((least, _, tint) => (cost(tint) < cost(least) ? tint : least), 0);
    used[best] = (used[best] as number) + 1;
    tints.push(best);
  });
  return tints;
}

/** Gives an element the colours `--tint` and `--deep`; returns the element. */
export function tinted<E extends HTMLElement | SVGElement>(element: E, tint: number): E {
  const shade = Math.floor(tint / HUES.length);
  element.classList.add("tinted");
  element.style.setProperty("--hue", String((HUES[tint % HUES.length] as number) + 15 * shade));
  element.style.setProperty("--shade", String(shade));
  return element;
}
