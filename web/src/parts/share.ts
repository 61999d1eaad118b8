/** A finish as a few lines of text to be sent to others: the regions' shapes, the time, no number of the solution. */

import type { Board } from "../model/board";
import { type Packed, pack } from "../model/packed";
import { h, plural } from "./dom";
import { clock } from "./timer";
import { tintsOf } from "./tints";

const SQUARES = ["🟧", "🟦", "🟪", "🟨", "🟩", "🟥", "🟫"];
const [FREE, HOLE] = ["⬜", "⬛"];

export function shareText(name: string, seconds: number, hints: number, board: Board | null): string {
  const how = hints ? plural(hints, "hint") : "no hints";
  return [`${name} · milp-pips`, `solved in ${clock(seconds)}, ${how}`, ...(board ? rows(board) : [])].join(
    "\n",
  );
}

/** A field with a link to a puzzle on the page at an address; without one, with the puzzle as text. */
export async function sharedField(
  address: string | null,
  packed: Packed,
): Promise<HTMLInputElement | HTMLTextAreaElement> {
  if (!address) {
    const field = h("textarea", { readonly: true, rows: 6, "aria-label": "The puzzle as text" });
    field.value = packed.text;
    return field;
  }
  const value = `${address.replace(/#.*/, "")}#puzzle=${await pack(packed)}`;
  return h("input", {
    type: "text",
    readonly: true,
    value,
    "aria-label": "Link to this puzzle",
    class: "link",
  });
}

/** What such a field is. */
export function sharedWords(address: string | null): string {
  return address
    ? "The puzzle, with what stands on the board, is in the link:"
    : "Only this computer reaches this page, so a link to it would open nowhere else. Send the text, which can be pasted under “Other puzzle…”, or the picture:";
}

function rows(board: Board): string[] {
  const tints = tintsOf(board, SQUARES.length);
  const lines = Array.from({ length: board.rows }, () => Array<string>(board.columns).fill(HOLE as string));
  for (const { row, column, region } of board.squares) {
    const free = region === null || board.regions[region]?.rule.kind === "empty";
    (lines[row] as string[])[column] = (free ? FREE : SQUARES[tints[region] as number]) as string;
  }
  return lines.map((line) => line.join(""));
}
