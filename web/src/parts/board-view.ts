/** A Pips board on the page: a picture for the eye, and over it a grid of squares for keys, fingers and readers. */

import { type Board, DIRECTIONS, type Pair, type Square, directionOf, squareAt } from "../model/board";
import { type Play, laidAt } from "../model/play";
import type { RegionStanding } from "../model/rules";
import { h, s } from "./dom";
import { domino } from "./domino";
import { outline } from "./outline";
import { tinted, tintsOf } from "./tints";

/** Squares to be pointed at: those of a rule, of what follows, of what is wrong. */
export interface Lit {
  rule?: readonly number[];
  move?: readonly number[];
  wrong?: readonly number[];
  /** Labels of regions that are to be seen. */
  regions?: readonly string[];
}

export interface Scene {
  play?: Play;
  standings?: RegionStanding[];
  ghost?: { pips: Pair; squares: Pair } | null;
  lit?: Lit | null;
  /** By square, how often it takes each value, as a share of all solutions. */
  shares?: (Record<string, number> | undefined)[] | null;
  /** Whether rows and columns are numbered. */
  numbered?: boolean;
}

const KEYS: Record<string, number> = { ArrowRight: 0, ArrowDown: 1, ArrowLeft: 2, ArrowUp: 3 };

export class BoardView {
  readonly element: HTMLElement;
  readonly grid: HTMLElement;
  private readonly cells: HTMLElement[] = [];
  private readonly frame: HTMLElement;
  private readonly drawn: SVGSVGElement;
  private readonly above = s("g");
  private readonly badges = s("g");
  private readonly ground = s("g");
  private tints: number[] = [];
  /** What lay there when it was last drawn: only what has come since is seen to come. */
  private lying = new Set<string>();
  private focused = 0;

  constructor(
    public board: Board,
    label: string,
    private readonly describe: (square: number) => string,
  ) {
    this.grid = this.makeGrid(label);
    this.redraw(board);
    this.drawn = s(
      "svg",
      { class: "drawn", "aria-hidden": "true", viewBox: `0 0 ${board.columns * 100} ${board.rows * 100}` },
      this.ground,
      this.above,
      this.badges,
    );
    this.frame = h("div", { class: "board" }, this.drawn, this.grid);
    this.element = h("div", { class: "board-room sized" }, this.frame);
    this.element.style.setProperty("--rows", String(board.rows));
    this.element.style.setProperty("--columns", String(board.columns));
  }

  /** A board that is only looked at. */
  static picture(board: Board): SVGSVGElement {
    const view = new BoardView(board, "", () => "");
    view.show({});
    return view.drawn;
  }

  show({ play, standings, ghost, lit, shares, numbered }: Scene): void {
    this.above.replaceChildren(
      ...(shares ? this.heat(shares) : []),
      ...(lit ? this.lights(lit) : []),
      ...(play ? this.pieces(play) : []),
      ...(ghost ? [this.piece(ghost.pips, ghost.squares, "ghost")] : []),
      ...(lit ? this.rings(lit) : []),
      ...(numbered ? this.numbers() : []),
    );
    this.badges.replaceChildren(
      ...this.board.regions.flatMap((_, i) => this.badge(i, standings?.[i], lit?.regions) ?? []),
    );
    this.cells.forEach((cell, square) => {
      const said = this.describe(square);
      if (cell.getAttribute("aria-label") !== said) cell.setAttribute("aria-label", said);
      cell.classList.toggle("laid", Boolean(play && laidAt(play, square)));
    });
  }

  /** Takes a board with the same squares and other regions; in a drawing, `holes` are there to be painted alone. */
  redraw(board: Board, holes: ReadonlySet<number> | null = null): void {
    this.board = board;
    this.tints = tintsOf(board);
    this.drawGround(holes);
  }

  private tintOf(region: number): number {
    return this.tints[region] ?? 0;
  }

  /** The square that an element of the grid stands for. */
  squareOf(target: EventTarget | null): number | null {
    const cell = target instanceof Element ? target.closest<HTMLElement>("[role=gridcell]") : null;
    const square = cell ? this.cells.indexOf(cell) : -1;
    return square < 0 ? null : square;
  }

  /** The square under a point of the window, and where in the board that is, in squares. */
  place(x: number, y: number): { square: number | null; across: number; down: number } {
    const box = this.frame.getBoundingClientRect();
    const across = ((x - box.left) / box.width) * this.board.columns;
    const down = ((y - box.top) / box.height) * this.board.rows;
    return { square: squareAt(this.board, Math.floor(down), Math.floor(across)), across, down };
  }

  /** Pixels that a square is wide. */
  get unit(): number {
    return this.frame.getBoundingClientRect().width / this.board.columns;
  }

  get current(): number {
    return this.focused;
  }

  focus(square = this.focused): void {
    this.moveTo(square);
    this.cells[square]?.focus();
  }

  private moveTo(square: number): void {
    this.cells[this.focused]?.setAttribute("tabindex", "-1");
    this.focused = square;
    this.cells[square]?.setAttribute("tabindex", "0");
  }

  private makeGrid(label: string): HTMLElement {
    const { rows, columns, squares } = this.board;
    const grid = h("div", {
      role: "grid",
      class: "squares",
      "aria-label": label,
      "aria-rowcount": rows,
      "aria-colcount": columns,
    });
    const lines = new Map<number, HTMLElement>();
    squares.forEach(({ row, column, name }, i) => {
      const cell = h("div", {
        role: "gridcell",
        class: "square",
        tabindex: i ? "-1" : "0",
        "aria-colindex": column + 1,
        "data-cell": name,
      });
      cell.style.setProperty("--row", String(row));
      cell.style.setProperty("--column", String(column));
      this.cells.push(cell);
      if (!lines.has(row)) lines.set(row, h("div", { role: "row", "aria-rowindex": row + 1 }));
      lines.get(row)?.append(cell);
    });
    grid.append(...[...lines].sort(([a], [b]) => a - b).map(([, line]) => line));
    grid.addEventListener("focusin", (event) => {
      const square = this.squareOf(event.target);
      if (square !== null) this.moveTo(square);
    });
    grid.addEventListener("keydown", (event) => {
      const next = event.ctrlKey || event.metaKey || event.altKey ? null : this.after(event.key);
      if (next === null) return;
      event.preventDefault();
      this.focus(next);
    });
    return grid;
  }

  /** The square to which a key leads: across holes, and no further than the line goes. */
  private after(key: string): number | null {
    const { row, column } = this.board.squares[this.focused] as Square;
    const line = this.board.squares.flatMap((other, i) => (other.row === row ? [i] : []));
    if (key === "Home") return line[0] ?? null;
    if (key === "End") return line.at(-1) ?? null;
    const direction = KEYS[key];
    if (direction === undefined) return null;
    const [down, right] = DIRECTIONS[direction] as Pair;
    for (let step = 1; step <= Math.max(this.board.rows, this.board.columns); step++) {
      const square = squareAt(this.board, row + down * step, column + right * step);
      if (square !== null) return square;
    }
    return this.focused;
  }

  private drawGround(drawn: ReadonlySet<number> | null): void {
    const holes = drawn ?? new Set<number>();
    const { squares, regions } = this.board;
    const box = (kind: string, inset: number) => (square: number) => {
      const { row, column } = squares[square] as Square;
      const size = 100 - 2 * inset;
      return s("rect", {
        class: kind,
        x: column * 100 + inset,
        y: row * 100 + inset,
        width: size,
        height: size,
        rx: 14,
      });
    };
    const shown = (region: number | null) =>
      region !== null && (drawn !== null || regions[region]?.rule.kind !== "empty");
    const all = squares.map((_, square) => square);
    const free = squares.filter(({ region }, square) => !holes.has(square) && !shown(region));
    this.ground.replaceChildren(
      s("path", { class: "free", d: outline(free, 2, 16) }),
      ...regions.flatMap((_, i) => {
        const d = outline(
          squares.filter((square) => square.region === i),
          4,
          18,
        );
        return !shown(i) ? [] : [tinted(s("path", { class: "region", d }), this.tintOf(i))];
      }),
      ...all.filter((square) => holes.has(square)).map(box("hole", 8)),
      ...all.filter((square) => !holes.has(square)).map(box("socket", 12)),
    );
  }

  /** What a region's rule is, and whether it holds; and which region it is, where that is spoken of. */
  private badge(
    region: number,
    state: RegionStanding | undefined,
    named: readonly string[] = [],
  ): SVGGElement | null {
    const { text, cells, label } = this.board.regions[region] ?? { text: "", cells: [], label: "" };
    const first = this.board.squares[this.board.numbers.get(cells[0] ?? "") ?? -1];
    const letter = named.includes(label) ? label : "";
    if ((!text && !letter) || !first) return null;
    const standing = state?.standing ?? "open";
    const mark = { open: "", holds: "M0 8l6 6 11-14", broken: "M0 0l14 14M14 0l-14 14" }[standing];
    // no higher than the gap between the dots of two dominoes
    const told = letter ? 12 + letter.length * 17.5 : 0;
    const wide = told + (text ? 16 + text.length * 17.5 : 4) + (mark ? 22 : 0);
    const badge = s(
      "g",
      {
        class: `badge ${standing}`,
        transform: `translate(${first.column * 100 - 6} ${first.row * 100 - 17})`,
      },
      s("rect", { width: wide, height: 30, rx: 11 }),
      letter &&
        s("path", {
          class: "letter",
          d: `M11 1h${told - 11}v28h${11 - told}a10 10 0 0 1-10-10v-8a10 10 0 0 1 10-10z`,
        }),
      letter && s("text", { class: "letter", x: told / 2 + 1, y: 23.5, "text-anchor": "middle" }, letter),
      s("text", { x: told + 8 + text.length * 8.75, y: 23.5, "text-anchor": "middle" }, text),
      mark && s("path", { d: mark, transform: `translate(${wide - 24} 8)` }),
    );
    return tinted(badge, this.tintOf(region));
  }

  private pieces(play: Play): SVGElement[] {
    const open = (square: number) => !laidAt(play, square);
    const keys = play.laid.map((laid) => `${laid.domino}:${laid.squares}`);
    const kind = (i: number) => (this.lying.has(keys[i] as string) ? "" : "coming");
    const laid = play.laid.map(({ domino, squares }, i) =>
      this.piece(this.board.dominoes[domino] as Pair, squares, kind(i)),
    );
    this.lying = new Set(keys);
    return [
      ...play.outlines
        .filter((pair) => pair.every(open))
        .map((pair) => s("path", { class: "outlined", d: outline(this.at(pair), 14, 22) })),
      ...Object.entries(play.marks)
        .filter(([square]) => open(Number(square)))
        .map(([square, value]) => this.written(Number(square), String(value), "mark")),
      ...laid,
    ];
  }

  private piece(pips: Pair, squares: Pair, kind: string): SVGGElement {
    const { row, column } = this.board.squares[squares[0]] as Square;
    const turned = directionOf(this.board, squares) * 90;
    const where = `translate(${column * 100} ${row * 100}) rotate(${turned} 50 50)`;
    return s("g", { class: `piece ${kind}`, transform: where }, domino(pips, turned));
  }

  private written(square: number, text: string, kind: string, lower = 0): SVGTextElement {
    const { row, column } = this.board.squares[square] as Square;
    return s(
      "text",
      { class: kind, x: column * 100 + 50, y: row * 100 + 66 + lower, "text-anchor": "middle" },
      text,
    );
  }

  private heat(shares: (Record<string, number> | undefined)[]): SVGElement[] {
    return this.board.squares.flatMap(({ row, column }, square) => {
      const best = Object.entries(shares[square] ?? {}).sort(([, a], [, b]) => b - a)[0];
      if (!best) return [];
      const [value, share] = best;
      const box = s("rect", {
        class: share >= 1 ? "heat sure" : "heat",
        x: column * 100 + 6,
        y: row * 100 + 6,
        width: 88,
        height: 88,
        rx: 14,
      });
      box.style.setProperty("--share", String(share));
      if (share >= 1) return [box, this.written(square, value, "likely sure")];
      return [
        box,
        this.written(square, value, "likely", -8),
        this.written(square, percent(share), "share", 20),
      ];
    });
  }

  private lights({ rule = [] }: Lit): SVGElement[] {
    return rule.length ? [s("path", { class: "lit-rule", d: outline(this.at(rule), 0, 20) })] : [];
  }

  private rings({ move = [], wrong = [] }: Lit): SVGElement[] {
    const ring = (kind: string, squares: readonly number[]) =>
      s("path", { class: `ring ${kind}`, d: outline(this.at(squares), 6, 20) });
    return [ring("move", move), ring("wrong", wrong)];
  }

  private numbers(): SVGElement[] {
    const { rows, columns } = this.board;
    const number = (n: number, x: number, y: number) =>
      s("text", { class: "number", x, y, "text-anchor": "middle" }, String(n));
    return [
      ...Array.from({ length: columns }, (_, i) => number(i + 1, i * 100 + 50, -24)),
      ...Array.from({ length: rows }, (_, i) => number(i + 1, -26, i * 100 + 58)),
    ];
  }

  private at(squares: readonly number[]): Square[] {
    return squares.flatMap((square) => this.board.squares[square] ?? []);
  }
}

export function percent(share: number): string {
  const shown = share * 100;
  return shown < 1 ? "<1%" : `${Math.floor(shown)}%`;
}
