/** Whether a region's rule holds, can still hold or is broken, by what lies there and what is left to lay. */

import type { RegionData } from "../ask/types";
import { type Board, squaresOf } from "./board";
import { type Play, isLaid, pipsAt } from "./play";
import { kindOf } from "./text";

export type Standing = "open" | "holds" | "broken";

export interface RegionStanding {
  standing: Standing;
  /** Pips that lie there. */
  sum: number;
  /** Squares on which nothing lies. */
  left: number;
}

export function standings(board: Board, play: Play): RegionStanding[] {
  const rest = board.dominoes
    .flatMap((pips, domino) => (isLaid(play, domino) ? [] : pips))
    .sort((a, b) => a - b);
  return board.regions.map((region) => {
    const values = squaresOf(board, region.cells).map((square) => pipsAt(board, play, square));
    const laid = values.filter((value) => value !== null);
    const left = values.length - laid.length;
    const sum = laid.reduce((total, value) => total + value, 0);
    return { standing: standing(region, laid, left, rest), sum, left };
  });
}

export function isDone(board: Board, play: Play): boolean {
  return (
    play.laid.length === board.dominoes.length &&
    standings(board, play).every(({ standing }) => standing === "holds")
  );
}

function standing({ rule }: RegionData, laid: number[], left: number, rest: number[]): Standing {
  const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  const least = total(laid) + total(rest.slice(0, left));
  const most = total(laid) + total(left ? rest.slice(-left) : []);
  const possible = kindOf(rule).possible({ laid, left, rest, least, most }, rule.value ?? 0);
  return !possible ? "broken" : left === 0 ? "holds" : "open";
}
