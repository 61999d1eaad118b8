/** A Pips board in words, for those who hear it. */

import { type Board, placeOf } from "../model/board";
import { type Play, laidAt, pipsAt } from "../model/play";
import type { RegionStanding } from "../model/rules";
import { ruleWords } from "../model/text";

export function dominoName(board: Board, domino: number): string {
  return (board.dominoes[domino] ?? []).join("-");
}

/** Where a square is, what lies there, and what its region has come to. */
export function squareWords(
  board: Board,
  play: Play,
  now: readonly RegionStanding[],
  square: number,
): string {
  const { row, column, region } = board.squares[square] ?? { row: 0, column: 0, region: null };
  const laid = laidAt(play, square);
  const what = laid
    ? `${pipsAt(board, play, square)} of ${dominoName(board, laid.domino)}`
    : openWords(board, play, square);
  return `Row ${row + 1}, column ${column + 1}: ${what}${regionWords(board, now, region)}`;
}

/** What the regions under squares have come to. */
export function regionNews(board: Board, now: readonly RegionStanding[], squares: readonly number[]): string {
  const regions = new Set(squares.map((square) => board.squares[square]?.region ?? null));
  return [...regions].map((region) => (region === null ? "" : regionWords(board, now, region))).join("");
}

function openWords(board: Board, play: Play, square: number): string {
  const mark = play.marks[square];
  const other = play.outlines.find((pair) => pair.includes(square))?.find((one) => one !== square);
  const pencilled = mark === undefined ? "empty" : `${mark} in pencil`;
  return other === undefined ? pencilled : `${pencilled}, shares a domino with ${placeOf(board, [other])}`;
}

function regionWords(board: Board, now: readonly RegionStanding[], region: number | null): string {
  const data = region === null ? undefined : board.regions[region];
  const state = now[region ?? -1];
  if (!data || !state || data.rule.kind === "empty") return "; no rule";
  const left = state.left === 1 ? "1 square left" : `${state.left} squares left`;
  const how = { holds: "holds", broken: "broken", open: left }[state.standing];
  return `; region ${data.label}, ${ruleWords(data.rule)}, ${how}`;
}
