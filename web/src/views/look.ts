/** All solutions at once: how many, what each square can be, and single ones to leaf through or drawn at random. */

import { puzzleOf } from "../ask/ask";
import type { CountAnswer, GridData, PipsData, Read, SolutionsAnswer } from "../ask/types";
import { type Board, MOST_SQUARES, boardOf, squaresOf } from "../model/board";
import { EMPTY, type Play, layPips } from "../model/play";
import { BoardView, percent } from "../parts/board-view";
import { Asking } from "../parts/asking";
import { button, h, picture, plural } from "../parts/dom";
import type { App, View } from "./app";
import { GridTable } from "./grid-table";

/** Solutions fetched at once while one leafs. */
const PAGE = 20;

type By = "placements" | "grids";

export class LookView implements View {
  readonly element = h("section", { class: "view look", "aria-labelledby": "look-title" });
  private readonly asking = new Asking();
  private read: Read | null = null;
  private board: Board | null = null;
  private view: BoardView | null = null;
  private shares: (Record<string, number> | undefined)[] = [];
  private shown: Play | null = null;
  private heat: CountAnswer | null = null;
  private total = 0n;
  private first = 0n;
  private at = 0n;
  private by: By = "placements";
  private pages: SolutionsAnswer["solutions"] = [];
  private readonly words = h("div", { class: "words" });
  private place = h("input");
  private readonly leaf = h("div", { class: "leaf", hidden: true });
  private readonly stage = h("div", { class: "stage" });
  private readonly legend = heatLegend();

  constructor(private readonly app: App) {}

  enter(): void {
    const { puzzle } = this.app;
    if (!puzzle || puzzle === this.read) return;
    this.read = puzzle;
    this.build(puzzle);
    void this.count();
  }

  leave(): void {
    this.asking.stop();
  }

  private build(read: Read): void {
    const playable = read.pips && read.pips.cells.length <= MOST_SQUARES;
    this.board = playable ? boardOf(read.pips as PipsData) : null;
    this.view =
      this.board && new BoardView(this.board, `Solutions of ${read.name}`, (square) => this.describe(square));
    this.view?.show({});
    this.shown = null;
    this.shares = [];
    this.words.replaceChildren();
    this.leaf.hidden = true;
    this.legend.hidden = true;
    this.stage.replaceChildren(this.view?.element ?? this.room(picture(read.svg, `The puzzle ${read.name}`)));
    this.element.replaceChildren(
      h(
        "header",
        { class: "head" },
        h("div", {}, h("h1", { id: "look-title" }, "All solutions"), h("p", { class: "by" }, read.name)),
      ),
      this.stage,
      h(
        "div",
        { class: "side" },
        h("div", { class: "panel" }, this.words, this.legend, this.asking.element),
        this.leaf,
      ),
    );
  }

  private async count(): Promise<void> {
    const read = this.read as Read;
    const body = { puzzle: puzzleOf(read), seconds: this.app.about.limits.seconds };
    const answer = await this.asking.ask<CountAnswer>("count", body, "Counting…");
    if (!answer || read !== this.read) return;
    this.words.replaceChildren(...countWords(answer, read).map((line) => h("p", {}, line)));
    if (!answer.complete) return;
    this.by = read.family === "pips" ? "placements" : "grids";
    this.total = this.countOf(answer, this.by);
    this.showHeat(answer);
    if (this.total > 0n) this.showLeaf(answer);
  }

  private showHeat(answer: CountAnswer): void {
    if (this.board) {
      this.shares = this.board.squares.map(({ name }) => answer.cells[name]);
      this.draw();
    } else if (answer.svg)
      this.stage.replaceChildren(this.room(picture(answer.svg, "What each cell can be")));
  }

  private room(...shown: HTMLElement[]): HTMLElement {
    return h("div", { class: "board-room" }, ...shown);
  }

  private showLeaf(answer: CountAnswer): void {
    if (!this.board && !this.gridded) return;
    this.heat = answer;
    const by = h(
      "select",
      { id: "by", "aria-label": "Two solutions differ by" },
      h("option", { value: "placements" }, "where dominoes lie"),
      h("option", { value: "grids" }, "numbers alone"),
    );
    by.value = this.by;
    by.addEventListener("change", () => {
      this.by = by.value as By;
      this.total = this.countOf(answer, this.by);
      of.textContent = ` of ${this.total.toLocaleString("en")}`;
      this.pages = [];
      void this.go(0n);
    });
    const of = h("span", {}, ` of ${this.total.toLocaleString("en")}`);
    const place = (this.place = h("input", {
      type: "text",
      inputmode: "numeric",
      id: "place",
      size: 8,
      value: "1",
    }));
    place.addEventListener("change", () => {
      const wanted = place.value.replace(/\D/g, "");
      if (wanted) void this.go(BigInt(wanted) > this.total ? this.total - 1n : BigInt(wanted) - 1n);
    });
    const grids = this.board && answer.grids !== null && answer.grids !== answer.placements;
    this.pages = [];
    this.leaf.hidden = false;
    this.leaf.replaceChildren(
      h(
        "div",
        { class: "panel" },
        h("h2", {}, "One by one"),
        grids && h("p", {}, h("label", { for: "by" }, "Different: "), by),
        h("p", { class: "place" }, h("label", { for: "place" }, "Solution "), place, of),
        h(
          "div",
          { class: "choices" },
          button("Previous", () => void this.go(this.at - 1n)),
          button("Next", () => void this.go(this.at + 1n), { class: "strong" }),
          this.app.about.verbs.includes("sample") && button("One at random", () => void this.sample()),
          button("Most likely numbers", () => this.back()),
        ),
      ),
    );
  }

  private back(): void {
    this.shown = null;
    if (this.heat) this.showHeat(this.heat);
  }

  /** The puzzle, if it is a grid of cells that our picture can be written on. */
  private get gridded(): (Read & { grid: GridData }) | null {
    const { read } = this;
    return read?.grid && read.picture ? (read as Read & { grid: GridData }) : null;
  }

  private countOf(answer: CountAnswer, by: By): bigint {
    return BigInt(answer.exact?.[by] ?? answer[by] ?? 0);
  }

  private async go(to: bigint): Promise<void> {
    if (to < 0n || to >= this.total) to = to < 0n ? this.total - 1n : 0n;
    if (!this.pages.length || to < this.first || to >= this.first + BigInt(this.pages.length)) {
      const first = (to / BigInt(PAGE)) * BigInt(PAGE);
      const body = {
        puzzle: puzzleOf(this.read as Read),
        by: this.by,
        first: String(first),
        count: PAGE,
        seconds: this.app.about.limits.seconds,
      };
      const answer = await this.asking.ask<SolutionsAnswer>("solutions", body, "Listing…");
      if (!answer) return;
      this.first = first;
      this.pages = answer.solutions;
    }
    const found = this.pages[Number(to - this.first)];
    if (!found) return;
    this.at = to;
    this.place.value = (to + 1n).toString();
    this.showOne(found);
  }

  private async sample(): Promise<void> {
    const body = {
      puzzle: puzzleOf(this.read as Read),
      count: 1,
      seed: null,
      seconds: this.app.about.limits.seconds,
    };
    const answer = await this.asking.ask<SolutionsAnswer>("sample", body, "Drawing one…");
    const found = answer?.solutions[0];
    if (!found) return;
    this.place.value = ""; // its number is not known
    this.showOne(found);
  }

  private showOne({ values, dominoes = [] }: SolutionsAnswer["solutions"][number]): void {
    const { board, gridded } = this;
    if (gridded) {
      const table = new GridTable(gridded, null, null, { changed: () => undefined, hint: () => undefined });
      table.tell(Object.entries(values).map(([cell, value]) => ({ cell, is: value })));
      this.stage.replaceChildren(table.element);
    }
    if (!board) return;
    let play: Play = EMPTY;
    for (const pair of dominoes) {
      const [one, other] = squaresOf(board, pair);
      if (one === undefined || other === undefined) continue;
      play = layPips(board, play, [one, other], [Number(values[pair[0]]), Number(values[pair[1]])]) ?? play;
    }
    const marks = dominoes.length
      ? {}
      : Object.fromEntries(board.squares.map(({ name }, square) => [square, Number(values[name])]));
    this.shown = { ...play, marks };
    this.draw();
  }

  private draw(): void {
    this.legend.hidden = Boolean(this.shown) || !this.shares.some((values) => values);
    this.view?.show(this.shown ? { play: this.shown } : { shares: this.shares });
  }

  private describe(square: number): string {
    const { row, column } = this.board?.squares[square] ?? { row: 0, column: 0 };
    const where = `Row ${row + 1}, column ${column + 1}`;
    if (this.shown) {
      const laid = this.shown.laid.find(({ squares }) => squares.includes(square));
      const value = laid
        ? this.board?.dominoes[laid.domino]?.[laid.squares.indexOf(square)]
        : this.shown.marks[square];
      return `${where}: ${value ?? "empty"}`;
    }
    const shares = Object.entries(this.shares[square] ?? {}).sort(([, a], [, b]) => b - a);
    return `${where}: ${shares.map(([value, share]) => (share >= 1 ? `always ${value}` : `${value} in ${percent(share)}`)).join(", ")}`;
  }
}

/** What the numbers of a heat map say. */
export function heatLegend(): HTMLElement {
  return h(
    "p",
    { class: "soft", hidden: true },
    "Each square shows its most likely number, and how likely that is.",
  );
}

/** How many solutions there are, in words. */
export function countWords(answer: CountAnswer, read: Read): string[] {
  const { placements = null, grids = null, complete, at_least } = answer;
  const counted = (n: number | bigint, word: string) =>
    `${n.toLocaleString("en")} ${word}${n.toString() === "1" ? "" : "s"}`;
  const shown = (kind: "placements" | "grids", word: string) => {
    const exact = answer.exact?.[kind];
    const n = exact === undefined || exact === null ? (answer[kind] ?? null) : BigInt(exact);
    return n === null ? null : counted(n, word);
  };
  if (!complete) {
    const known = (kind: "placements" | "grids", word: string) => {
      const least = at_least?.[kind];
      return shown(kind, word) ?? (least ? `at least ${counted(least, word)}` : null);
    };
    const bounds = [
      read.family === "pips" ? known("placements", "placement") : null,
      known("grids", "grid"),
    ].filter(Boolean);
    const bound = bounds.length ? `; ${bounds.join(" and ")}` : "";
    return [`The count is incomplete (${answer.stop ?? "limit"})${bound}.`];
  }
  if (placements === 0 || grids === 0) return ["There is no solution."];
  const both = [
    read.family === "pips" ? shown("placements", "placement") : null,
    shown("grids", "grid"),
  ].filter(Boolean);
  const only = placements === 1 || (placements === null && grids === 1);
  const cells = Object.keys(answer.cells).length;
  const forced = Object.keys(answer.forced).length;
  return [
    only ? "There is one solution." : `${both.join(" and ")}.`,
    ...(only || !cells
      ? []
      : [
          `${plural(forced, "cell")} of ${cells} ${forced === 1 ? "takes" : "take"} one value in all of them.`,
        ]),
  ];
}
