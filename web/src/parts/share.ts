/** A finish as a few lines of text to be sent to others: the regions' shapes, the time, no number of the solution. */

import type { Board } from "../model/board";
import { clock } from "./timer";
import { tintsOf } from "./tints";
import { plural } from "./dom";

const SQUARES = ["🟧", "🟦", "🟪", "🟨", "🟩", "🟥", "🟫"];
const [FREE, HOLE] = ["⬜", "⬛"];

export function shareText(name: string, seconds: number, hints: number, board: Board | null): string {
  const how = hints ? plural(hints, "hint") : "no hints";
  return [`${name} · milp-pips`, `solved in ${clock(seconds)}, ${how}`, ...(board ? rows(board) : [])].join(
    "\n",
  );
}

function rows(board: Board): string[] {
  const tints = tintsOf(board, SQUARES.length);
  const lines = Array.from({ length: board.rows }, () => Array<string>(board.columns).fill(HOLE as string));
  for (const { row, column, region } of board.squares) {
    const free = region === null || board.regions[region]?.rule.kind === "free";
    (lines[row] as string[])[column] = (free ? FREE : SQUARES[tints[region] as number]) as string;
  }
  return lines.map((line) => line.join(""));
}
