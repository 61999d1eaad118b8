/** A Pips puzzle as the page sees it: squares by number, and which lie side by side. */

import type { PipsData, RegionData } from "../ask/types";

export interface Square {
  name: string;
  row: number;
  column: number;
  region: number | null;
}

export type Pair = readonly [number, number];

export interface Board {
  rows: number;
  columns: number;
  squares: Square[];
  regions: RegionData[];
  dominoes: Pair[];
  /** The number of the square of that name. */
  numbers: Map<string, number>;
}

/** How a domino points: to the right, down, to the left, up. */
export const DIRECTIONS: readonly Pair[] = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
];

/** More squares than anybody lays by hand. */
export const MOST_SQUARES = 1200;

export function boardOf(data: PipsData): Board {
  const squares = data.cells.map(({ cell, row, column, region }) => ({ name: cell, row, column, region }));
  return {
    rows: data.rows,
    columns: data.columns,
    squares,
    regions: data.regions,
    dominoes: data.dominoes,
    numbers: new Map(squares.map((square, i) => [square.name, i])),
  };
}

const places = new WeakMap<Board, Map<string, number>>();

/** The square at a row and column, or null where the board has none. */
export function squareAt(board: Board, row: number, column: number): number | null {
  let known = places.get(board);
  if (!known) {
    known = new Map(board.squares.map((square, i) => [`${square.row},${square.column}`, i]));
    places.set(board, known);
  }
  return known.get(`${row},${column}`) ?? null;
}

/** The square beside another one, in a direction. */
export function beside(board: Board, square: number, direction: number): number | null {
  const from = board.squares[square];
  const [down, right] = DIRECTIONS[direction & 3] as Pair;
  return from ? squareAt(board, from.row + down, from.column + right) : null;
}

/** The direction in which the second square lies from the first. */
export function directionOf(board: Board, [from, to]: Pair): number {
  return [0, 1, 2, 3].find((direction) => beside(board, from, direction) === to) ?? 0;
}

export function squaresOf(board: Board, names: readonly string[]): number[] {
  return names.flatMap((name) => board.numbers.get(name) ?? []);
}

/** Row and column in words. */
export function placeOf(board: Board, squares: readonly number[]): string {
  const [one, other] = squares.map((square) => board.squares[square]) as [Square, Square | undefined];
  if (!other) return `row ${one.row + 1}, column ${one.column + 1}`;
  if (one.row === other.row)
    return `row ${one.row + 1}, columns ${Math.min(one.column, other.column) + 1} and ${Math.max(one.column, other.column) + 1}`;
  return `rows ${Math.min(one.row, other.row) + 1} and ${Math.max(one.row, other.row) + 1}, column ${one.column + 1}`;
}
