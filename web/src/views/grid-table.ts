/** A Sudoku or a colour grid to be played: our picture of it, and over each of its cells one to be filled. */

import type { Fact, GridData, Read, SolveAnswer, Value } from "../ask/types";
import { History } from "../model/history";
import { announce, h, picture } from "../parts/dom";
import type { Pointed, Table, TableEvents } from "./table";

interface Filled {
  values: Readonly<Record<string, Value>>;
  hinted: readonly Fact[];
}

const EMPTY: Filled = { values: {}, hinted: [] };
/** Least width of a cell in pixels. */
const FINGER = 28;
const KEYS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export class GridTable implements Table {
  readonly element: HTMLElement;
  readonly isDone = null;
  private readonly grid: GridData;
  private readonly colours: Record<string, string>;
  private readonly history: History<Filled>;
  private readonly cells = new Map<string, HTMLElement>();
  private current: string;
  private shown: Filled | null = null;

  constructor(
    read: Read & { grid: GridData },
    kept: unknown,
    board: string | null,
    private readonly events: TableEvents,
  ) {
    this.grid = read.grid;
    this.colours = Object.fromEntries(
      Object.entries(read.colours ?? {}).filter(([, code]) => /^#[0-9a-f]{6}$/i.test(code)),
    );
    this.history = this.readKept(kept) ?? new History(EMPTY);
    if (board) this.history.push({ values: this.readBoard(board), hinted: [] });
    this.current = this.grid.cells.find(({ given }) => given === null)?.cell ?? "";
    this.element = h("div", { class: "table" }, this.makeBoard(read), this.makePad());
    this.draw();
  }

  board(): string | null {
    const { values } = this.history.state;
    if (!Object.keys(values).length) return null;
    const rows = Array.from({ length: this.grid.rows }, () =>
      Array<Value | null>(this.grid.columns).fill(null),
    );
    for (const { cell, row, column, given } of this.grid.cells)
      (rows[row] as (Value | null)[])[column] = given ?? values[cell] ?? null;
    return JSON.stringify({ grid: rows });
  }

  hinted(): readonly Fact[] {
    return this.history.state.hinted;
  }

  conclude(facts: readonly Fact[]): void {
    const { values, hinted } = this.history.state;
    this.change({ values: { ...values, ...valuesIn(facts) }, hinted: [...hinted, ...facts] });
  }

  piecesOn(cells: readonly string[]): number {
    return new Set(cells).size;
  }

  clear(cells: readonly string[] | null): void {
    if (!cells) return this.change(EMPTY);
    const { values, hinted } = this.history.state;
    this.change({
      values: Object.fromEntries(Object.entries(values).filter(([cell]) => !cells.includes(cell))),
      hinted,
    });
  }

  fill({ grid = [] }: SolveAnswer): void {
    const values: Record<string, Value> = {};
    for (const { cell, row, column, given } of this.grid.cells) {
      const value = grid[row]?.[column] ?? null;
      if (given === null && value !== null) values[cell] = value;
    }
    this.change({ values, hinted: this.history.state.hinted });
  }

  point(at: Pointed | null): void {
    for (const [name, cell] of this.cells)
      for (const kind of ["rule", "fact", "move", "wrong"] as const)
        cell.classList.toggle(kind, at?.[kind]?.includes(name) ?? false);
  }

  tell(facts: readonly Fact[] | null): void {
    this.shown = facts && { values: valuesIn(facts), hinted: [] };
    this.draw();
  }

  undo(): void {
    if (this.history.undo()) this.changed("undone");
  }

  redo(): void {
    if (this.history.redo()) this.changed("done again");
  }

  get canUndo(): boolean {
    return this.history.canUndo;
  }

  get canRedo(): boolean {
    return this.history.canRedo;
  }

  get isFull(): boolean {
    const { values } = this.history.state;
    return this.grid.cells.every(({ cell, given }) => given !== null || cell in values);
  }

  kept(): unknown {
    return this.history.kept();
  }

  private change(state: Filled, said = ""): void {
    this.history.push(state);
    this.changed(said);
  }

  private changed(said: string): void {
    this.point(null);
    this.draw();
    if (said) announce(said);
    this.events.changed();
  }

  private set(cell: string, value: Value | null): void {
    const known = this.grid.cells.find((other) => other.cell === cell);
    if (!known || this.shown) return;
    if (known.given !== null) return announce(`${known.given} is given`);
    const values: Record<string, Value> = { ...this.history.state.values };
    if (value === null) delete values[cell];
    else values[cell] = value;
    this.change({ values, hinted: this.history.state.hinted }, value === null ? "emptied" : String(value));
  }

  private makeBoard(read: Read): HTMLElement {
    const { rows, columns, cells } = this.grid;
    const drawn = read.picture;
    const squares = h("div", {
      role: "grid",
      class: "squares over",
      "aria-label": `Board of ${read.name}`,
      "aria-rowcount": rows,
      "aria-colcount": columns,
    });
    for (let row = 0; row < rows; row++) {
      const across = cells.filter((other) => other.row === row);
      if (!across.length) continue; // as at the top of a Kakuro
      const line = h("div", { role: "row", "aria-rowindex": row + 1 });
      for (const { cell, column } of across) {
        const square = h("div", {
          role: "gridcell",
          class: "square",
          "aria-colindex": column + 1,
          tabindex: "-1",
          "data-cell": cell,
        });
        const [x, y, wide, high] = drawn?.cells[cell] ?? [0, 0, 0, 0];
        square.style.left = `${(100 * x) / (drawn?.width ?? 1)}%`;
        square.style.top = `${(100 * y) / (drawn?.height ?? 1)}%`;
        square.style.width = `${(100 * wide) / (drawn?.width ?? 1)}%`;
        square.style.height = `${(100 * high) / (drawn?.height ?? 1)}%`;
        square.style.setProperty("--high", String(high / (drawn?.width ?? 1)));
        this.cells.set(cell, square);
        line.append(square);
      }
      squares.append(line);
    }
    squares.addEventListener("focusin", (event) => this.moveTo(nameOf(event.target)));
    squares.addEventListener("click", (event) => this.focus(nameOf(event.target)));
    squares.addEventListener("keydown", (event) => this.key(event));
    const board = h("div", { class: "board pictured" }, picture(read.svg, ""), squares);
    // a finger needs room for each cell: a wide board scrolls
    const narrowest = Math.min(...Object.values(drawn?.cells ?? {}).map(([, , wide]) => wide));
    board.style.setProperty("--shape", String((drawn?.width ?? 1) / (drawn?.height ?? 1)));
    board.style.setProperty("--least", `${(FINGER * (drawn?.width ?? 0)) / narrowest}px`);
    board.style.setProperty("--wide", `${Math.max(drawn?.width ?? 0, columns * 44)}px`);
    return h("div", { class: "board-room" }, board);
  }

  /** Buttons for those who have no keys. */
  private makePad(): HTMLElement {
    const pad = h("div", { class: "pad", role: "group", "aria-label": "Fill the cell with" });
    const put = (value: Value | null) => this.set(this.current, value);
    for (const value of this.grid.values) {
      const colour = this.colours[String(value)];
      const key = h("button", { type: "button" }, String(value));
      if (colour) key.style.setProperty("--colour", colour);
      key.classList.toggle("coloured", Boolean(colour));
      key.addEventListener("click", () => put(value));
      pad.append(key);
    }
    const empty = h("button", { type: "button", "aria-label": "Empty the cell" }, "⌫");
    empty.addEventListener("click", () => put(null));
    pad.append(empty);
    return pad;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = this.grid.cells.find(({ cell }) => cell === this.current);
    if (!here) return;
    const way = KEYS[event.key];
    const starting = this.grid.values.filter((value) =>
      String(value).toLowerCase().startsWith(event.key.toLowerCase()),
    );
    if (way)
      this.focus(
        this.grid.cells.find(
          ({ row, column }) => row === here.row + way[0] && column === here.column + way[1],
        )?.cell,
      );
    else if (event.key === "Delete" || event.key === "Backspace" || event.key === " ")
      this.set(here.cell, null);
    else if (event.key.length === 1 && starting.length) {
      const now = starting.indexOf(this.history.state.values[here.cell] ?? "");
      this.set(here.cell, starting[(now + 1) % starting.length] as Value);
    } else if (event.key === "?") this.events.hint();
    else return;
    event.preventDefault();
  }

  private focus(cell: string | undefined): void {
    if (!cell) return;
    this.moveTo(cell);
    this.cells.get(cell)?.focus();
  }

  private moveTo(cell: string | undefined): void {
    if (!cell) return;
    this.cells.get(this.current)?.setAttribute("tabindex", "-1");
    this.cells.get(this.current)?.classList.remove("current");
    this.current = cell;
    this.cells.get(cell)?.setAttribute("tabindex", "0");
    this.cells.get(cell)?.classList.add("current");
  }

  private draw(): void {
    const { values } = this.shown ?? this.history.state;
    for (const { cell, row, column, given } of this.grid.cells) {
      const square = this.cells.get(cell);
      const value = given === null ? values[cell] : undefined;
      const colour = value === undefined ? undefined : this.colours[String(value)];
      square?.replaceChildren(value === undefined ? "" : h("span", {}, String(value)));
      square?.classList.toggle("coloured", Boolean(colour));
      if (colour) square?.style.setProperty("--colour", colour);
      const what = given !== null ? `${given}, given` : (value ?? "empty");
      square?.setAttribute("aria-label", `Row ${row + 1}, column ${column + 1}: ${what}`);
    }
    this.moveTo(this.current);
  }

  private readBoard(text: string): Record<string, Value> {
    let rows: unknown;
    try {
      rows = (JSON.parse(text) as { grid: unknown }).grid;
    } catch {
      return {};
    }
    const values: Record<string, Value> = {};
    for (const { cell, row, column, given } of this.grid.cells) {
      const value = Array.isArray(rows) && Array.isArray(rows[row]) ? (rows[row] as unknown[])[column] : null;
      if (given === null && this.grid.values.includes(value as Value)) values[cell] = value as Value;
    }
    return values;
  }

  private readKept(kept: unknown): History<Filled> | null {
    const { past, now, future } = (kept ?? {}) as { past?: Filled[]; now?: Filled; future?: Filled[] };
    if (!Array.isArray(past) || !Array.isArray(future) || !now) return null;
    const known = new Set(this.grid.cells.map(({ cell }) => cell));
    const whole = [...past, now, ...future].every(
      (state) =>
        Array.isArray(state?.hinted) &&
        Object.entries(state?.values ?? {}).every(
          ([cell, value]) => known.has(cell) && this.grid.values.includes(value),
        ),
    );
    return whole ? History.from({ past, now, future }) : null;
  }
}

function valuesIn(facts: readonly Fact[]): Record<string, Value> {
  return Object.fromEntries(facts.flatMap((fact) => ("is" in fact ? [[fact.cell, fact.is]] : [])));
}

function nameOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>("[role=gridcell]")?.dataset.cell : undefined;
}
