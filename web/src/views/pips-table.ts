/** A Pips puzzle to be played: the board, the tray, and the hand that goes between them. */

import type { Fact, PipsData, Read, SolveAnswer } from "../ask/types";
import { type Board, type Pair, beside, boardOf, directionOf, placeOf, squaresOf } from "../model/board";
import { History } from "../model/history";
import {
  EMPTY,
  type Play,
  boardText,
  conclude,
  fitting,
  isLaid,
  laidAt,
  lay,
  layPips,
  takeBack,
  turnLaid,
} from "../model/play";
import { readKept, readLaid } from "../model/kept";
import { type RegionStanding, isDone, standings } from "../model/rules";
import { BoardView } from "../parts/board-view";
import { announce, h } from "../parts/dom";
import { dominoPicture } from "../parts/domino";
import { type Carrying, watchForDrag } from "../parts/drag";
import { dominoName, regionNews, squareWords } from "../parts/spoken";
import { type Hand, POINTS, Tray } from "../parts/tray";
import type { Pointed, Table, TableEvents } from "./table";

export class PipsTable implements Table {
  readonly element: HTMLElement;
  private readonly puzzle: Board;
  private readonly history: History<Play>;
  private readonly view: BoardView;
  private readonly tray: Tray;
  private hand: Hand | null = null;
  private over: number | null = null;
  private carried: Pair | null = null;
  private pointed: Pointed | null = null;
  private shown: Play | null = null;
  private now: RegionStanding[] = [];

  constructor(
    read: Read & { pips: PipsData },
    kept: unknown,
    board: string | null,
    private readonly events: TableEvents,
  ) {
    this.puzzle = boardOf(read.pips);
    this.history = readKept(this.puzzle, kept) ?? new History(EMPTY);
    if (board) this.history.push(readLaid(this.puzzle, board));
    this.view = new BoardView(this.puzzle, `Board of ${read.name}`, (square) => this.describe(square));
    this.tray = new Tray(this.puzzle, (domino) => this.take(domino));
    this.element = h("div", { class: "table" }, this.view.element, this.tray.element);
    this.listen();
    this.draw();
  }

  private get play(): Play {
    return this.shown ?? this.history.state;
  }

  // what the shell asks

  board(): string | null {
    return boardText(this.puzzle, this.history.state);
  }

  hinted(): readonly Fact[] {
    return this.history.state.hinted;
  }

  conclude(facts: readonly Fact[]): void {
    const play = this.history.state;
    this.change(conclude(this.puzzle, { ...play, hinted: [...play.hinted, ...facts] }, facts));
  }

  piecesOn(cells: readonly string[]): number {
    const play = this.history.state;
    const pieces = squaresOf(this.puzzle, cells).map((square) => laidAt(play, square) ?? square);
    return new Set(pieces).size;
  }

  clear(cells: readonly string[] | null): void {
    const play = this.history.state;
    if (!cells) return this.change(EMPTY);
    const squares = squaresOf(this.puzzle, cells);
    const marks = { ...play.marks };
    for (const square of squares) delete marks[square];
    this.change({ ...takeBack(play, squares), marks });
  }

  fill({ dominoes = [] }: SolveAnswer): void {
    let play = EMPTY;
    for (const { pips, cells } of dominoes) {
      const names = cells.map((cell) => (typeof cell === "string" ? cell : `r${cell[0] + 1}c${cell[1] + 1}`));
      const [one, other] = squaresOf(this.puzzle, names);
      if (one !== undefined && other !== undefined)
        play = layPips(this.puzzle, play, [one, other], pips) ?? play;
    }
    this.change(play);
  }

  point(at: Pointed | null): void {
    this.pointed = at;
    this.draw();
  }

  tell(facts: readonly Fact[] | null): void {
    this.shown = facts && conclude(this.puzzle, EMPTY, facts);
    this.hand = null;
    this.element.classList.toggle("hinted", Boolean(facts));
    this.draw();
  }

  undo(): void {
    if (this.history.undo()) this.changed(() => "undone");
  }

  redo(): void {
    if (this.history.redo()) this.changed(() => "done again");
  }

  get canUndo(): boolean {
    return this.history.canUndo;
  }

  get canRedo(): boolean {
    return this.history.canRedo;
  }

  get isFull(): boolean {
    return this.history.state.laid.length === this.puzzle.dominoes.length;
  }

  get isDone(): boolean {
    return isDone(this.puzzle, this.history.state);
  }

  kept(): unknown {
    return this.history.kept();
  }

  // moves

  /** Makes a move, and says so in words that are made once it shows. */
  private change(play: Play, say = () => ""): void {
    this.history.push(play);
    this.changed(say);
  }

  private changed(say: () => string): void {
    this.hand = null;
    this.pointed = null;
    this.draw();
    const said = say();
    if (said) announce(said);
    this.events.changed();
  }

  private take(domino: number): void {
    if (this.shown) return;
    if (this.hand?.domino === domino) return this.turnHand();
    this.hand = { domino, turn: 0, half: 0 };
    this.draw();
    announce(`${this.pipsOf(domino)} in hand, points right`);
  }

  private turnHand(): void {
    if (!this.hand) return;
    this.hand = { ...this.hand, turn: (this.hand.turn + 1) & 3 };
    this.draw();
    announce(`points ${POINTS[this.hand.turn]}`);
  }

  private layAt(square: number): void {
    if (!this.hand) return;
    const squares = fitting(this.puzzle, this.history.state, this.hand, square);
    if (squares) this.layOn(this.hand.domino, squares);
    else announce("no room there");
  }

  private layOn(domino: number, squares: Pair): void {
    const play = lay(this.puzzle, this.history.state, domino, squares);
    this.change(
      play,
      () => `${this.pipsOf(domino)} laid on ${placeOf(this.puzzle, squares)}${this.news(squares)}`,
    );
  }

  private takeBackAt(square: number): void {
    const { state } = this.history;
    const laid = laidAt(state, square);
    if (laid) return this.change(takeBack(state, [square]), () => `${this.pipsOf(laid.domino)} taken back`);
    if (state.marks[square] === undefined) return;
    const { [square]: _, ...marks } = state.marks;
    this.change({ ...state, marks }, () => "number rubbed out");
  }

  private turnAt(square: number): void {
    const play = turnLaid(this.puzzle, this.history.state, square);
    const laid = play && laidAt(play, square);
    if (!laid) return;
    const { domino, squares } = laid;
    this.change(
      play,
      () => `${this.pipsOf(domino)} turned, on ${placeOf(this.puzzle, squares)}${this.news(squares)}`,
    );
  }

  private liftAt(square: number): void {
    const laid = laidAt(this.history.state, square);
    if (!laid) return;
    const turn = directionOf(this.puzzle, laid.squares);
    this.change(takeBack(this.history.state, [square]));
    this.hand = { domino: laid.domino, turn, half: laid.squares[0] === square ? 0 : 1 };
    this.draw();
    announce(`${this.pipsOf(laid.domino)} in hand`);
  }

  /** Takes the next domino that brings so many pips to a square. */
  private takeWith(pips: number, square: number): void {
    const having = this.puzzle.dominoes.flatMap((pair, domino) =>
      pair.includes(pips) && !isLaid(this.history.state, domino) ? [domino] : [],
    );
    if (!having.length) return announce(`no domino with ${pips} is left`);
    const domino = having[(having.indexOf(this.hand?.domino ?? -1) + 1) % having.length] as number;
    const half = this.puzzle.dominoes[domino]?.[0] === pips ? 0 : 1;
    const squares = fitting(this.puzzle, this.history.state, { domino, turn: 0, half }, square);
    this.hand = { domino, turn: squares ? directionOf(this.puzzle, squares) : 0, half };
    this.draw();
    announce(`${this.pipsOf(domino)} in hand, points ${POINTS[this.hand.turn]}`);
  }

  // pointer and keys

  private listen(): void {
    const { grid } = this.view;
    grid.addEventListener("click", (event) => {
      const square = this.view.squareOf(event.target);
      if (square === null || this.shown) return;
      if (this.hand) this.layAt(square);
      else if (laidAt(this.history.state, square)) this.turnAt(square);
    });
    grid.addEventListener(
      "pointerover",
      (event) => event.pointerType === "mouse" && this.aim(this.view.squareOf(event.target)),
    );
    grid.addEventListener("pointerleave", () => this.aim(null));
    grid.addEventListener("focusin", (event) => this.aim(this.view.squareOf(event.target)));
    grid.addEventListener("focusout", () => this.aim(null));
    this.element.addEventListener("keydown", (event) => this.key(event));
    watchForDrag(this.tray.element, (event) => {
      const domino = this.tray.dominoOf(event.target);
      if (domino === null || this.shown) return null;
      return this.carry(domino, this.hand?.domino === domino ? this.hand.turn : 0);
    });
    watchForDrag(grid, (event) => {
      const square = this.view.squareOf(event.target);
      const laid = square === null || this.shown ? null : laidAt(this.history.state, square);
      return laid && this.carry(laid.domino, directionOf(this.puzzle, laid.squares));
    });
  }

  private aim(square: number | null): void {
    if (this.over === square) return;
    this.over = square;
    if (this.hand) this.draw();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.shown) return;
    const square = this.view.squareOf(event.target);
    const done =
      square === null
        ? this.keyAnywhere(event.key)
        : this.keyOn(square, event.key) || this.keyAnywhere(event.key);
    if (done) event.preventDefault();
  }

  private keyAnywhere(key: string): boolean {
    if (key === "Escape" && this.hand) {
      this.hand = null;
      this.draw();
      announce("put back");
    } else if (key === "r" || key === "R") this.turnHand();
    else return false;
    return true;
  }

  private keyOn(square: number, key: string): boolean {
    if (/^\d$/.test(key)) this.takeWith(Number(key), square);
    else if (key === "Enter") this.hand ? this.layAt(square) : this.liftAt(square);
    else if (key === " ") this.hand ? this.turnHand() : this.turnAt(square);
    else if ((key === "r" || key === "R") && !this.hand) this.turnAt(square);
    else if (key === "Delete" || key === "Backspace") this.takeBackAt(square);
    else return false;
    return true;
  }

  private carry(domino: number, turn: number): Carrying {
    const image = h("div", { class: "carried" }, dominoPicture(this.puzzle.dominoes[domino] as Pair));
    image.style.setProperty("--unit", `${this.view.unit}px`);
    image.style.setProperty("--turn", String(turn));
    this.hand = { domino, turn, half: 0 };
    const target = (x: number, y: number): Pair | null => {
      const away = this.view.unit / 2;
      const [across, down] = [
        [away, 0],
        [0, away],
        [-away, 0],
        [0, -away],
      ][turn & 3] as [number, number];
      const first = this.view.place(x - across, y - down).square;
      const other = first === null ? null : beside(this.puzzle, first, turn);
      return first === null || other === null ? null : [first, other];
    };
    return {
      image,
      over: (x, y) => {
        this.carried = target(x, y);
        this.draw();
      },
      drop: (x, y) => {
        const squares = target(x, y);
        if (squares) this.layOn(domino, squares);
        else if (isLaid(this.history.state, domino))
          this.change(this.without(domino), () => `${this.pipsOf(domino)} taken back`);
      },
      end: () => {
        this.hand = null;
        this.carried = null;
        this.draw();
      },
    };
  }

  private without(domino: number): Play {
    const { state } = this.history;
    return { ...state, laid: state.laid.filter((laid) => laid.domino !== domino) };
  }

  // what is seen and said

  private ghost(): { domino: number; pips: Pair; squares: Pair } | null {
    if (!this.hand) return null;
    const { domino } = this.hand;
    const pips = this.puzzle.dominoes[domino] as Pair;
    if (this.carried) return { domino, pips, squares: this.carried };
    if (this.over === null) return null;
    const squares = fitting(this.puzzle, this.history.state, this.hand, this.over);
    return squares && { domino, pips, squares };
  }

  private draw(): void {
    const { play, puzzle } = this;
    this.now = standings(puzzle, play);
    const { rule = [], move = [], wrong = [], regions } = this.pointed ?? {};
    const squares = (names: string[]) => squaresOf(puzzle, names);
    this.view.show({
      play,
      standings: this.now,
      ghost: this.ghost(),
      lit: this.pointed && {
        regions,
        rule: squares(rule),
        move: squares(move),
        wrong: squares(wrong),
      },
      numbered: this.pointed?.numbered ?? false,
    });
    this.tray.show(play, this.hand);
  }

  private describe(square: number): string {
    return squareWords(this.puzzle, this.play, this.now, square);
  }

  private news(squares: Pair): string {
    return regionNews(this.puzzle, this.now, squares);
  }

  private pipsOf(domino: number): string {
    return dominoName(this.puzzle, domino);
  }
}
