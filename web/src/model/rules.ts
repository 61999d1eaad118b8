/** Whether a region's rule holds, can still hold or is broken, by what lies there and what is left to lay. */

import type { RegionData } from "../ask/types";
import { type Board, squaresOf } from "./board";
import { type Play, isLaid, pipsAt } from "./play";

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
  const possible =
    rule.kind === "equal" || rule.kind === "different"
      ? mayRelate(rule.kind, laid, left, rest)
      : mayReach(rule.kind, rule.value ?? 0, laid, left, rest);
  return !possible ? "broken" : left === 0 ? "holds" : "open";
}

function mayReach(
  kind: RegionData["rule"]["kind"],
  target: number,
  laid: number[],
  left: number,
  rest: number[],
): boolean {
  const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  const least = total(laid) + total(rest.slice(0, left));
  const most = total(laid) + total(left ? rest.slice(-left) : []);
  switch (kind) {
    case "sum":
      return least <= target && target <= most;
    case "less":
      return least < target;
    case "at_most":
      return least <= target;
    case "greater":
      return most > target;
    case "at_least":
      return most >= target;
    default:
      return true;
  }
}

function mayRelate(kind: "equal" | "different", laid: number[], left: number, rest: number[]): boolean {
  const seen = new Set(laid);
  const copies = new Map<number, number>();
  for (const value of rest) copies.set(value, (copies.get(value) ?? 0) + 1);
  if (kind === "different") {
    const fresh = [...copies.keys()].filter((value) => !seen.has(value)).length;
    return seen.size === laid.length && fresh >= left;
  }
  if (seen.size > 1) return false;
  const candidates = laid.length ? [copies.get(laid[0] as number) ?? 0] : [...copies.values()];
  return left === 0 || Math.max(0, ...candidates) >= left;
}
