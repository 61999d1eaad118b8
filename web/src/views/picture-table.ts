/** A puzzle that can be looked at and asked about, but is not laid by hand: a board that is not a grid, or is too large. */

import type { Read, SolveAnswer } from "../ask/types";
import { h, picture } from "../parts/dom";
import type { Table } from "./table";

export class PictureTable implements Table {
  readonly element: HTMLElement;
  readonly canUndo = false;
  readonly canRedo = false;
  readonly isFull = false;
  readonly isDone = null;

  constructor(private readonly read: Read) {
    this.element = h("div", { class: "table" });
    this.show(read.svg);
  }

  private show(svg: string): void {
    this.element.replaceChildren(
      h("div", { class: "board-room" }, picture(svg, `The puzzle ${this.read.name}`)),
    );
  }

  board(): null {
    return null;
  }

  hinted(): [] {
    return [];
  }

  fill({ svg }: SolveAnswer): void {
    if (svg) this.show(svg);
  }

  piecesOn(): number {
    return 0;
  }

  clear(): void {
    this.show(this.read.svg);
  }

  conclude(): void {}
  point(): void {}
  tell(): void {}
  undo(): void {}
  redo(): void {}

  kept(): null {
    return null;
  }
}
