/** What was kept of a game, looked at before it is believed: it may be of another version, or come in a link. */

import type { Fact } from "../ask/types";
import type { Board, Pair } from "./board";
import { beside, squaresOf } from "./board";
import { History } from "./history";
import { EMPTY, type Play, lay } from "./play";

export function readKept(board: Board, kept: unknown): History<Play> | null {
  if (!isObject(kept) || !Array.isArray(kept.past) || !Array.isArray(kept.future)) return null;
  const states = [...kept.past, kept.now, ...kept.future].map((state: unknown) => readPlay(board, state));
  if (states.some((state) => state === null)) return null;
  const whole = states as Play[];
  const at = kept.past.length;
  return History.from({ past: whole.slice(0, at), now: whole[at] as Play, future: whole.slice(at + 1) });
}

function readPlay(board: Board, state: unknown): Play | null {
  if (
    !isObject(state) ||
    !Array.isArray(state.laid) ||
    !Array.isArray(state.outlines) ||
    !isObject(state.marks)
  )
    return null;
  let play = EMPTY;
  for (const laid of state.laid as unknown[]) {
    if (!isObject(laid) || !isSide(board, laid.squares) || !board.dominoes[Number(laid.domino)]) return null;
    play = lay(board, play, Number(laid.domino), laid.squares);
  }
  const marks: Record<number, number> = {};
  for (const [square, value] of Object.entries(state.marks))
    if (board.squares[Number(square)] && typeof value === "number") marks[Number(square)] = value;
  const outlines = (state.outlines as unknown[]).filter((pair): pair is Pair => isSide(board, pair));
  const hinted = Array.isArray(state.hinted) ? (state.hinted as Fact[]) : [];
  return { ...play, marks, outlines, hinted };
}

/** What lies on a board according to a solution file that is filled in part; what makes no sense is left out. */
export function readLaid(board: Board, text: string): Play {
  let play = EMPTY;
  const found = text.matchAll(/^(\d\d?)-(\d\d?) (r\d+c\d+) (r\d+c\d+)$/gm);
  for (const [, a, b, one, other] of [...found].slice(0, board.dominoes.length)) {
    const squares = squaresOf(board, [one as string, other as string]);
    const domino = board.dominoes.findIndex(
      (pips, i) =>
        pips[0] === Number(a) && pips[1] === Number(b) && !play.laid.some((laid) => laid.domino === i),
    );
    if (domino >= 0 && isSide(board, squares)) play = lay(board, play, domino, squares);
  }
  return play;
}

function isSide(board: Board, pair: unknown): pair is Pair {
  return (
    Array.isArray(pair) &&
    pair.length === 2 &&
    [0, 1, 2, 3].some((direction) => beside(board, Number(pair[0]), direction) === pair[1])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
