/** A tint for each region, another one than its neighbours have. */

import { type Board, beside } from "../model/board";

export const TINTS = 9;

export function tintsOf(board: Board): number[] {
  const tints: number[] = [];
  const used = Array<number>(TINTS).fill(0);
  board.regions.forEach((_, region) => {
    const near = Array<number>(TINTS).fill(0);
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
