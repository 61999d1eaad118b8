/** What the views share. */

import type { About, Read } from "../ask/types";
import type { Day } from "../model/finishes";

export interface View {
  readonly element: HTMLElement;
  /** Called when it comes on the page; it may be other puzzle than the last time. */
  enter(): void;
  /** Called when another view takes its place. */
  leave(): void;
}

export interface App {
  readonly about: About;
  readonly puzzle: Read | null;
  /** Makes it the puzzle of all views and goes to where it is played. */
  open(read: Read, board?: string | null): void;
  go(view: string): void;
  /** Where others reach this page; null on a server that nobody else reaches. */
  readonly address: string | null;
  /** Lets somebody choose a screenshot, and reads it. */
  pickPicture(): void;
  /** The dates of the folder of days; empty without one. */
  readonly days: readonly string[];
  /** The puzzles of a date of the folder of days. */
  readDay(date: string): Promise<Read[]>;
  /** Opens a puzzle of the folder of days, and moves the focus to its board, or to its tab. */
  openDay(day: Day, focus: "board" | "tab"): Promise<void>;
}
