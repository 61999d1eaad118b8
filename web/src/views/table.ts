/** What a puzzle is played on, whatever its family. */

import type { Fact, Read, SolveAnswer } from "../ask/types";

/** Cells to be pointed at, by name. */
export interface Pointed {
  rule?: string[];
  fact?: string[];
  move?: string[];
  wrong?: string[];
  /** Whether a sentence names cells, so that rows and columns are to be numbered. */
  numbered?: boolean;
  /** Labels of the regions that a sentence names. */
  regions?: string[];
}

export interface Table {
  readonly element: HTMLElement;
  /** What stands on the board, as a solution file that is filled in part; null for nothing. */
  board(): string | null;
  hinted(): readonly Fact[];
  conclude(facts: readonly Fact[]): void;
  /** How much `clear` would take off these cells: dominoes and numbers. */
  piecesOn(cells: readonly string[]): number;
  /** Empties cells. */
  clear(cells: readonly string[] | null): void;
  fill(solution: SolveAnswer): void;
  point(at: Pointed | null): void;
  /** Shows what is known in place of what was played; null to go back to that. */
  tell(facts: readonly Fact[] | null): void;
  undo(): void;
  redo(): void;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Whether every cell is filled. */
  readonly isFull: boolean;
  /** Whether all rules are seen to hold; null where only an engine can say. */
  readonly isDone: boolean | null;
  /** What to keep, and to take up again. */
  kept(): unknown;
}

export interface TableEvents {
  /** Something on the board has changed. */
  changed(): void;
  hint(): void;
}

export type MakeTable = (read: Read, kept: unknown, board: string | null, events: TableEvents) => Table;

/** Moves the focus to the square of the board that had it last. */
export function focusBoard(table: Table): void {
  table.element.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus({ preventScroll: true });
}
