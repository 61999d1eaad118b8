/** What lies on a Pips board, and the moves that change it. Nothing here is ever changed in place. */

import type { Fact, Value } from "../ask/types";
import { type Board, type Pair, beside, directionOf, squaresOf } from "./board";

/** A domino on two squares: its first half on the first of them. */
export interface Laid {
  domino: number;
  squares: Pair;
}

export interface Play {
  laid: readonly Laid[];
  /** Numbers pencilled in, by square. */
  marks: Readonly<Record<number, number>>;
  /** Two squares that one domino covers, whichever it is. */
  outlines: readonly Pair[];
  /** The facts that hints have given. */
  hinted: readonly Fact[];
}

export const EMPTY: Play = { laid: [], marks: {}, outlines: [], hinted: [] };

export function laidAt(play: Play, square: number): Laid | null {
  return play.laid.find(({ squares }) => squares.includes(square)) ?? null;
}

/** The pips that lie on a square. */
export function pipsAt(board: Board, play: Play, square: number): number | null {
  const laid = laidAt(play, square);
  return laid ? (board.dominoes[laid.domino]?.[laid.squares.indexOf(square)] ?? null) : null;
}

export function isLaid(play: Play, domino: number): boolean {
  return play.laid.some((laid) => laid.domino === domino);
}

/** Lays a domino; what lay in its way, or the domino elsewhere, is taken back. */
export function lay(board: Board, play: Play, domino: number, squares: Pair): Play {
  const kept = play.laid.filter(
    (laid) => laid.domino !== domino && !laid.squares.some((square) => squares.includes(square)),
  );
  const marks = { ...play.marks };
  const pips = board.dominoes[domino] as Pair;
  squares.forEach((square, half) => {
    if (marks[square] !== pips[half]) delete marks[square];
  });
  return { ...play, laid: [...kept, { domino, squares }], marks };
}

export function takeBack(play: Play, squares: readonly number[]): Play {
  return {
    ...play,
    laid: play.laid.filter((laid) => !laid.squares.some((square) => squares.includes(square))),
  };
}

/**
 * Where a domino comes to lie that is laid with one of its halves on a square: as it points, or turned on until it
 * fits; null where there is no room.
 */
export function fitting(
  board: Board,
  play: Play,
  { domino, turn, half }: { domino: number; turn: number; half: 0 | 1 },
  square: number,
): Pair | null {
  const free = (other: number) => {
    const laid = laidAt(play, other);
    return !laid || laid.domino === domino;
  };
  if (!free(square)) return null;
  for (let more = 0; more < 4; more++) {
    const other = beside(board, square, turn + more + 2 * half);
    if (other !== null && free(other)) return half ? [other, square] : [square, other];
  }
  return null;
}

/** Turns a domino that lies on a square about that square, as far as it must to lie on free squares. */
export function turnLaid(board: Board, play: Play, square: number): Play | null {
  const laid = laidAt(play, square);
  if (!laid) return null;
  const first = laid.squares[0] === square;
  const other = laid.squares[first ? 1 : 0];
  const now = directionOf(board, [square, other]);
  for (let more = 1; more < 4; more++) {
    const next = beside(board, square, now + more);
    if (next !== null && !laidAt(play, next))
      return lay(board, play, laid.domino, first ? [square, next] : [next, square]);
  }
  return lay(board, play, laid.domino, [laid.squares[1], laid.squares[0]]);
}

/** Writes what follows on the board: numbers in pencil, outlines, and dominoes where both halves are known. */
export function conclude(board: Board, play: Play, facts: readonly Fact[]): Play {
  const marks = { ...play.marks };
  const outlines = [...play.outlines];
  for (const fact of facts) {
    if ("domino" in fact) {
      const [one, other] = squaresOf(board, fact.cells);
      if (
        fact.domino &&
        one !== undefined &&
        other !== undefined &&
        !outlines.some((pair) => isPair(pair, one, other))
      )
        outlines.push([one, other]);
    } else if ("is" in fact) {
      const square = board.numbers.get(fact.cell);
      if (square !== undefined) marks[square] = Number(fact.is);
    }
  }
  return layKnown(board, { ...play, marks, outlines });
}

/** Lays each domino whose place and numbers are known, if nothing lies there. */
function layKnown(board: Board, play: Play): Play {
  let now = play;
  for (const [one, other] of play.outlines) {
    if (laidAt(now, one) || laidAt(now, other)) continue;
    const a = play.marks[one];
    const b = play.marks[other];
    if (a === undefined || b === undefined) continue;
    now = layPips(board, now, [one, other], [a, b]) ?? now;
  }
  return now;
}

/** Lays one of the dominoes with these pips that still lie in the tray. */
export function layPips(board: Board, play: Play, squares: Pair, [a, b]: Pair): Play | null {
  for (const [domino, [c, d]] of board.dominoes.entries()) {
    if (isLaid(play, domino)) continue;
    if (c === a && d === b) return lay(board, play, domino, squares);
    if (c === b && d === a) return lay(board, play, domino, [squares[1], squares[0]]);
  }
  return null;
}

/** The board as a solution file that is filled in part; null where nothing stands on it. */
export function boardText(board: Board, play: Play): string | null {
  if (!play.laid.length && !Object.keys(play.marks).length) return null;
  const rows = Array.from({ length: board.rows }, () => Array<Value>(board.columns).fill("."));
  board.squares.forEach(({ row, column }, square) => {
    (rows[row] as Value[])[column] = pipsAt(board, play, square) ?? play.marks[square] ?? "?";
  });
  const lines = rows.map((row) => row.join(" "));
  if (play.laid.length) lines.push("dominoes");
  for (const { domino, squares } of play.laid) {
    const [a, b] = board.dominoes[domino] as Pair;
    lines.push(`${a}-${b} ${squares.map((square) => board.squares[square]?.name).join(" ")}`);
  }
  return `${lines.join("\n")}\n`;
}

function isPair([a, b]: Pair, one: number, other: number): boolean {
  return (a === one && b === other) || (a === other && b === one);
}
