/** Draw a puzzle, and see at once how many solutions it has. */

import { puzzleOf } from "../ask/ask";
import type { Read } from "../ask/types";
import { boardOf, squaresOf } from "../model/board";
import {
  type Drawing,
  type Paint,
  MOST_LINES,
  blank,
  dataOf,
  drawingOf,
  keptDrawing,
  painted,
  readOf,
  resized,
  squareCount,
} from "../model/drawing";
import { History } from "../model/history";
import { keepSetting, setting } from "../model/store";
import { Asking } from "../parts/asking";
import { BoardView, percent } from "../parts/board-view";
import { sharedField, sharedWords } from "../parts/share";
import { announce, button, download, fileName, h, plural } from "../parts/dom";
import type { App, View } from "./app";
import { Brushes } from "./brushes";
import { DominoBox } from "./domino-box";
import { type Draft, Doubts } from "./screenshot";
import { Verdict, missing } from "./verdict";

/** Milliseconds of quiet before what is drawn is looked at: below what a person takes from stroke to stroke. */
const QUIET = 350;

export class DrawView implements View {
  readonly element = h("section", { class: "view draw", "aria-labelledby": "draw-title" });
  private readonly history: History<Drawing>;
  private view: BoardView | null = null;
  private readonly room = h("div");
  private readonly brushes = new Brushes((drawing) => this.change(drawing));
  private readonly verdict: Verdict;
  private readonly box: DominoBox;
  private readonly doubts = new Doubts(() => this.drawBoard());
  private readonly asking = new Asking();
  private readonly name = h("input", { type: "text", id: "drawing-name", maxlength: 60 });
  private readonly rows = this.sizeInput("rows");
  private readonly columns = this.sizeInput("columns");
  private readonly undo = button("Undo", () => this.history.undo() && this.redrawn());
  private readonly redo = button("Redo", () => this.history.redo() && this.redrawn());
  private waiting = 0;

  constructor(private readonly app: App) {
    this.history = new History(keptDrawing(setting("drawing")) ?? blank());
    this.verdict = new Verdict(
      app,
      () => this.drawBoard(),
      (drawing) => this.change(drawing),
    );
    this.box = new DominoBox((dominoes) => this.change({ ...this.drawing, dominoes }));
    this.name.addEventListener("change", () =>
      this.change({ ...this.drawing, name: this.name.value.trim() || "drawn" }),
    );
    const material = h(
      "div",
      { class: "material" },
      h("h2", {}, "Paint with"),
      this.brushes.element,
      this.box.element,
    );
    this.element.append(this.head(), this.stage(), material, this.side());
    this.element.addEventListener("keydown", (event) => this.undoKey(event));
    this.show();
  }

  enter(): void {
    this.look();
  }

  leave(): void {
    clearTimeout(this.waiting);
    this.verdict.stop();
    this.asking.stop();
  }

  private get drawing(): Drawing {
    return this.history.state;
  }

  private head(): HTMLElement {
    const copy = () => {
      const { puzzle } = this.app;
      const drawing = puzzle?.pips && drawingOf(puzzle.pips, puzzle.name);
      if (drawing) this.change(drawing);
      else this.asking.say("The current puzzle cannot be drawn here.");
    };
    return h(
      "header",
      { class: "head" },
      h(
        "div",
        {},
        h("h1", { id: "draw-title" }, "Draw your own"),
        h("p", { class: "by" }, "Paint squares and regions, give them rules, add dominoes."),
      ),
      h(
        "div",
        { class: "choices" },
        button(
          "Play it",
          this.withRead((read) => this.app.open(read)),
          { class: "strong" },
        ),
        button("From a screenshot", () => this.app.pickPicture()),
        button("Copy the current puzzle", copy),
        button("Clear", () => {
          this.doubts.forget();
          this.change(blank());
        }),
      ),
      this.doubts.element,
      this.asking.element,
    );
  }

  private stage(): HTMLElement {
    const tools = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Drawing" },
      this.undo,
      this.redo,
      h("label", {}, "Rows ", this.rows),
      h("label", {}, "columns ", this.columns),
    );
    return h("div", { class: "stage" }, tools, this.room);
  }

  private side(): HTMLElement {
    const save = async (to: string, type: string, suffix: string) => {
      const read = this.read();
      if (!read) return;
      const made = await this.asking.ask<{ text: string }>(
        "convert",
        { puzzle: puzzleOf(read), to },
        "Writing…",
      );
      if (made) download(fileName(read.name, suffix), made.text, type);
    };
    return h(
      "div",
      { class: "side" },
      h(
        "div",
        { class: "panel" },
        h("h2", {}, "Keep it"),
        h("p", {}, h("label", { for: "drawing-name" }, "Name "), this.name),
        h(
          "div",
          { class: "choices" },
          button(
            "Save as text",
            this.withRead((read) => download(fileName(read.name, "txt"), read.text)),
          ),
          button("Save as JSON", () => void save("json", "application/json", "json")),
          button("Save the picture", () => void save("svg", "image/svg+xml", "svg")),
          button(
            this.app.address ? "Link" : "Send it",
            this.withRead((read) => void this.link(read)),
          ),
        ),
      ),
      // the last, since it grows when the answer comes: buttons below it would move away under a click
      h("div", { class: "panel" }, h("h2", {}, "Result"), this.verdict.element),
    );
  }

  private async link({ name, family, text }: Read): Promise<void> {
    const { address } = this.app;
    const shown = await sharedField(address, { name, family, text, board: null });
    this.asking.say(sharedWords(address));
    this.asking.element.append(shown);
  }

  private read(): Read | null {
    return readOf(this.drawing);
  }

  private withRead(use: (read: Read) => void): () => void {
    return () => {
      const read = this.read();
      if (read) use(read);
      else this.asking.say(missing(this.drawing));
    };
  }

  /** Takes a drawing that was read from a picture. */
  take(drawing: Drawing, draft: Draft): void {
    this.change(drawing);
    this.doubts.show(draft);
  }

  // changes

  private change(drawing: Drawing): void {
    this.history.push(drawing);
    this.redrawn();
  }

  private redrawn(): void {
    keepSetting("drawing", JSON.stringify(this.drawing));
    this.show();
    this.look();
  }

  private look(): void {
    clearTimeout(this.waiting);
    this.verdict.stop();
    this.waiting = window.setTimeout(() => void this.verdict.look(this.drawing, this.read()), QUIET);
  }

  private undoKey(event: KeyboardEvent): void {
    if ((!event.ctrlKey && !event.metaKey) || event.target instanceof HTMLInputElement) return;
    const key = event.key.toLowerCase();
    const back = key === "z" && !event.shiftKey;
    if (!back && key !== "y" && key !== "z") return;
    event.preventDefault();
    if (back ? this.history.undo() : this.history.redo()) this.redrawn();
  }

  private stroke(square: number, paint = this.brushes.paint): void {
    const { row, column } = this.view?.board.squares[square] ?? { row: -1, column: -1 };
    const now = this.drawing.squares[row]?.[column];
    const wanted = paint.kind === "hole" ? "." : paint.kind === "free" ? "#" : paint.label;
    if (now === undefined || now === wanted) return;
    this.change(painted(this.drawing, row, column, paint));
    announce(this.describe(square));
  }

  // the board

  private show(): void {
    const { rows, columns, name, dominoes } = this.drawing;
    if (!this.view || this.view.board.rows !== rows || this.view.board.columns !== columns) this.makeBoard();
    this.rows.value = String(rows);
    this.columns.value = String(columns);
    this.name.value = name;
    this.undo.disabled = !this.history.canUndo;
    this.redo.disabled = !this.history.canRedo;
    this.brushes.show(this.drawing);
    this.box.show(dominoes, squareCount(this.drawing));
    this.drawBoard();
  }

  private makeBoard(): void {
    this.view = new BoardView(boardOf(dataOf(this.drawing, true)), "Board that is drawn on", (square) =>
      this.describe(square),
    );
    const { grid } = this.view;
    let painting: Paint | null = null;
    const under = (event: PointerEvent) => this.view?.place(event.clientX, event.clientY).square ?? null;
    grid.addEventListener("pointerdown", (event) => {
      const square = event.button === 0 ? under(event) : null;
      if (square === null) return;
      // a second stroke with the same brush takes the square away again
      painting = this.isPainted(square) ? { kind: "hole" } : this.brushes.paint;
      grid.setPointerCapture(event.pointerId);
      this.stroke(square, painting);
    });
    grid.addEventListener("pointermove", (event) => {
      const square = painting && under(event);
      if (painting && square !== null) this.stroke(square, painting);
    });
    for (const end of ["pointerup", "pointercancel"]) grid.addEventListener(end, () => (painting = null));
    grid.addEventListener("keydown", (event) => {
      const square = this.view?.squareOf(event.target) ?? null;
      if (square === null || event.ctrlKey || event.metaKey) return;
      if (event.key === " " || event.key === "Enter")
        this.stroke(square, this.isPainted(square) ? { kind: "hole" } : this.brushes.paint);
      else if (event.key === "Delete" || event.key === "Backspace") this.stroke(square, { kind: "hole" });
      else return;
      event.preventDefault();
    });
    this.room.replaceChildren(this.view.element);
  }

  private isPainted(square: number): boolean {
    const { row, column } = this.view?.board.squares[square] ?? { row: -1, column: -1 };
    const label = this.drawing.squares[row]?.[column];
    return this.brushes.paint.kind === "free"
      ? label === "#"
      : this.brushes.paint.kind === "region"
        ? label === this.brushes.paint.label
        : label === ".";
  }

  private drawBoard(): void {
    const { view, drawing } = this;
    if (!view) return;
    const board = boardOf(dataOf(drawing, true));
    const holes = new Set(
      board.squares.flatMap(({ row, column }, i) => (drawing.squares[row]?.[column] === "." ? [i] : [])),
    );
    view.redraw(board, holes);
    const { shares } = this.verdict;
    const { cells: doubted } = this.doubts;
    const pointed = this.verdict.pointed ?? (doubted.length ? {} : null);
    view.show({
      shares: shares && board.squares.map(({ name }) => shares[name]),
      lit: pointed && {
        regions: pointed.regions,
        rule: squaresOf(board, pointed.rule ?? []),
        wrong: squaresOf(board, [...(pointed.wrong ?? []), ...doubted]),
      },
      numbered: pointed?.numbered ?? false,
    });
  }

  private describe(square: number): string {
    const { row, column, name } = this.view?.board.squares[square] ?? { row: 0, column: 0, name: "" };
    const label = this.drawing.squares[row]?.[column];
    const what = label === "." ? "no square" : label === "#" ? "square without a rule" : `region ${label}`;
    const shares = Object.entries(this.verdict.shares?.[name] ?? {}).sort(([, a], [, b]) => b - a);
    const heat = shares
      .map(([value, share]) => (share >= 1 ? `always ${value}` : `${value} in ${percent(share)}`))
      .join(", ");
    return `Row ${row + 1}, column ${column + 1}: ${what}${heat && `; ${heat}`}`;
  }

  private sizeInput(id: string): HTMLInputElement {
    const input = h("input", { type: "number", id, min: 1, max: MOST_LINES });
    input.addEventListener("change", () => {
      const size = (wanted: string, now: number) =>
        Math.min(Math.max(Math.round(Number(wanted)) || now, 1), MOST_LINES);
      const { rows, columns } = this.drawing;
      this.change(resized(this.drawing, size(this.rows.value, rows), size(this.columns.value, columns)));
      announce(plural(this.drawing.rows, "row") + plural(this.drawing.columns, ", column", ", columns"));
    });
    return input;
  }
}
