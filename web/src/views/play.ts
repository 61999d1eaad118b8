/** Playing: the board and its tray, going back and forth, hints, the end, and what else one may want of a puzzle. */

import { puzzleOf, sayFault } from "../ask/ask";
import type { GridData, PipsData, ProveAnswer, Read, SolveAnswer } from "../ask/types";
import { MOST_SQUARES } from "../model/board";
import { type Day, dayKey, keepFinish } from "../model/finishes";
import { keyOf, recall, remember } from "../model/store";
import { Asking } from "../parts/asking";
import { button, download, downloadBytes, fileName, h, plural } from "../parts/dom";
import { ON_A_SHEET, printSheet } from "../parts/paper";
import { sharedField, sharedWords } from "../parts/share";
import { Timer } from "../parts/timer";
import type { App, View } from "./app";
import { dateWords } from "./days";
import { EndPanel } from "./end";
import { GridTable } from "./grid-table";
import { HintPanel } from "./hint";
import { asPanel, dayButtons, following, levelTabs } from "./levels";
import { PictureTable } from "./picture-table";
import { PipsTable } from "./pips-table";
import { Statistics } from "./statistics";
import { StoryPanel } from "./story";
import { askRating, ratingWords, refusal, solutionsWords } from "./verdict";
import { type Table, type TableEvents, focusBoard } from "./table";

interface Kept {
  table: unknown;
  seconds: number;
  done: boolean;
  hints?: number;
  /** Whether its steps or its solution were shown. */
  shown?: boolean;
}

export class PlayView implements View {
  readonly element = h("section", { class: "view play", "aria-labelledby": "puzzle-name" });
  private readonly timer = new Timer();
  private read: Read | null = null;
  private board: string | null = null;
  private table: Table | null = null;
  private hint: HintPanel | null = null;
  private story: StoryPanel | null = null;
  private finished = false;
  private shown = false;
  /** Whether an engine fills the board, for which nobody is to be congratulated. */
  private filling = false;
  private readonly undo = icon("↶", "Undo", () => this.table?.undo());
  private readonly redo = icon("↷", "Redo", () => this.table?.redo());
  private readonly end = new EndPanel();
  private readonly statistics = new Statistics();
  private readonly asking = new Asking();
  private readonly missing = h("div");
  /** On a phone, the board makes room for the panel that lies over the lower part of the screen. */
  private readonly sheets = new ResizeObserver(() => {
    const open = this.element.querySelector<HTMLElement>(".sheet:not([hidden])");
    this.element.style.setProperty("--covered", `${open?.offsetHeight ?? 0}px`);
  });

  constructor(
    private readonly app: App,
    private readonly choose: () => void,
  ) {
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("pagehide", () => this.keep());
  }

  /** Shows a puzzle with its saved board, or with another board from a link. */
  set(read: Read, board: string | null): void {
    this.read = read;
    this.board = board;
    this.build();
  }

  /** Says what does not work here, once that is known. */
  learn(): void {
    const why = Object.values(this.app.about.missing ?? {});
    this.missing.replaceChildren(...why.map((line) => h("p", { class: "soft" }, line)));
  }

  focus(): void {
    if (this.table) focusBoard(this.table);
  }

  enter(): void {
    const { puzzle } = this.app;
    if (puzzle && puzzle !== this.read) this.set(puzzle, null);
  }

  leave(): void {
    this.hint?.close();
    this.story?.close();
    this.asking.stop();
    this.keep();
  }

  private build(): void {
    const { read } = this;
    if (!read) return;
    const kept = recall(read.text) as Kept | null;
    const events: TableEvents = { changed: () => this.changed(), hint: () => void this.askHint(true) };
    this.table = tableFor(read, kept?.table, this.board, events);
    const seconds = this.app.about.limits.seconds;
    this.hint = new HintPanel(read, this.table, seconds, () => this.congratulate());
    this.hint.count = Number(kept?.hints) || 0;
    this.shown = Boolean(kept?.shown);
    this.story = new StoryPanel(read, this.table, seconds);
    this.finished = Boolean(kept?.done) && this.table.isFull;
    this.end.hide();
    this.asking.stop();
    this.timer.start(typeof kept?.seconds === "number" ? kept.seconds : 0);
    if (this.finished) this.timer.stop();
    this.element.replaceChildren(this.head(read), this.stage(this.table), this.side(this.hint, this.story));
    this.sheets.disconnect();
    for (const sheet of this.element.querySelectorAll(".sheet")) this.sheets.observe(sheet);
    this.showUndo();
  }

  /** Where the puzzle stands in the folder of days, if that is open. */
  private get day(): Day | null {
    const day = this.read?.day;
    return day && this.app.days.includes(day.date) ? day : null;
  }

  private levels(): HTMLElement | null {
    const { day } = this;
    return day && levelTabs(day, (other) => void this.app.openDay(other, "tab"));
  }

  private head(read: Read): HTMLElement {
    const grade = read.rating?.grade ? ` · ${read.rating.grade}` : "";
    const { day } = this;
    return h(
      "header",
      { class: "head" },
      h(
        "div",
        {},
        h("h1", { id: "puzzle-name" }, ...(day ? headline(day.date) : [read.name])),
        h("p", { class: "by" }, sizeOf(read), grade),
      ),
      day && dayButtons(day, this.app.days, (other) => void this.app.openDay(other, "board")),
      button("Other puzzle…", this.choose, { class: "other" }),
    );
  }

  private stage(table: Table): HTMLElement {
    const tools = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Game" },
      this.undo,
      this.redo,
      this.has("hint") && button("Hint", () => void this.askHint(), { class: "strong" }),
      this.timer.element,
    );
    const playable = !(table instanceof PictureTable);
    const levels = this.levels();
    const refused = "This board cannot be played here, but it can be solved and explained.";
    return h(
      "div",
      { class: "stage" },
      (levels || playable) && h("div", { class: "controls" }, levels, playable && tools),
      !playable && h("p", { class: "soft" }, refused),
      this.day ? asPanel(table.element, this.day) : table.element,
    );
  }

  private side(hint: HintPanel, story: StoryPanel): HTMLElement {
    return h(
      "div",
      { class: "side" },
      this.end.element,
      hint.element,
      story.element,
      this.asking.element,
      this.how(),
      this.more(),
      h("details", { class: "panel" }, h("summary", {}, "Solved so far"), this.statistics.element),
    );
  }

  private how(): HTMLElement | null {
    if (!(this.table instanceof PipsTable)) return null;
    const line = (keys: string, what: string) => [h("dt", {}, keys), h("dd", {}, what)];
    return h(
      "details",
      { class: "panel" },
      h("summary", {}, "How to play"),
      h(
        "p",
        {},
        "Lay all dominoes so that every region obeys its rule: a sum, less or more than a number, all equal, all different.",
      ),
      h(
        "p",
        {},
        "Drag a domino onto the board, or tap it and then a square; tap it once more to turn it. Tap a laid domino to turn it, drag it off to take it back.",
      ),
      h(
        "dl",
        { class: "keys" },
        ...line("arrows", "move over the board"),
        ...line("0–9", "pick up a domino with this number; again: the next one"),
        ...line("R, space", "turn"),
        ...line("enter", "place, or pick up"),
        ...line("delete", "take back"),
        ...line("ctrl Z, Y", "undo, redo"),
        ...line("H", "hint; again: more of it"),
      ),
    );
  }

  private more(): HTMLElement {
    const read = this.read as Read;
    const text = async (to: string, type: string, suffix: string) => {
      const made = await this.asking.ask<{ text: string }>(
        "convert",
        { puzzle: puzzleOf(read), to },
        "Writing…",
      );
      if (made) download(fileName(read.name, suffix), made.text, type);
    };
    return h(
      "details",
      { class: "panel" },
      h("summary", {}, "Solve, rate, send, save"),
      h(
        "div",
        { class: "choices" },
        !(this.table instanceof PictureTable) && button("Restart", () => this.table?.clear(null)),
        this.has("solve") && button("Solve it", () => void this.solve()),
        this.has("explain") && button("Show the steps", () => void this.tellStory()),
        this.has("rate") && button("How hard is it?", () => void this.rate()),
        this.has("prove") && button("Save a proof", () => void this.prove()),
        button(this.app.address ? "Copy a link" : "Copy to send", () => void this.send()),
        button("Print", () => window.print()),
        button(`Print four ${this.day ? "days" : "copies"}`, () => void this.printFour()),
        button("Save as text", () => download(fileName(read.name, "txt"), read.text)),
        this.has("convert") && button("Save as JSON", () => void text("json", "application/json", "json")),
        this.has("convert") && button("Save the picture", () => void text("svg", "image/svg+xml", "svg")),
      ),
      this.missing,
    );
  }

  /** Saves a certificate of all solutions, which others can check without this page. */
  private async prove(): Promise<void> {
    const read = this.read as Read;
    const made = await this.asking.ask<ProveAnswer>("prove", { puzzle: puzzleOf(read) }, "Proving…");
    if (!made) return;
    downloadBytes(fileName(`${read.name}-proof`, "zip"), made.zip, "application/zip");
    this.asking.say(`Saved. The file proves: ${made.proved.replace("proved: ", "")}.`);
  }

  /** Prints this level of four days, or this puzzle four times, on one sheet. */
  private async printFour(): Promise<void> {
    const { day } = this;
    const read = this.read as Read;
    if (!day) return printSheet(Array.from({ length: ON_A_SHEET }, () => ({ title: read.name, read })));
    const { days } = this.app;
    const first = Math.max(0, Math.min(days.indexOf(day.date), days.length - ON_A_SHEET));
    this.asking.say("Reading the days…");
    try {
      const puzzles = [];
      for (const date of days.slice(first, first + ON_A_SHEET))
        for (const each of await this.app.readDay(date))
          if (each.day?.level === day.level)
            puzzles.push({ title: `${dateWords(date)}, ${day.level}`, read: each });
      this.asking.stop();
      printSheet(puzzles);
    } catch (error) {
      this.asking.say(`A day cannot be read: ${sayFault(error)}.`);
    }
  }

  private has(verb: string): boolean {
    return this.app.about.verbs.includes(verb);
  }

  private key(event: KeyboardEvent): void {
    if (event.defaultPrevented || !this.element.isConnected || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (!event.ctrlKey && !event.metaKey) {
      if (key === "h" && !event.altKey && this.table && this.has("hint") && !isTyping(event.target)) {
        event.preventDefault();
        void this.askHint(true);
      }
      return;
    }
    if (key === "y" || (key === "z" && event.shiftKey)) this.table?.redo();
    else if (key === "z") this.table?.undo();
    else return;
    event.preventDefault();
  }

  private changed(): void {
    this.showUndo();
    this.hint?.close();
    if (!this.filling) this.asking.stop(); // what was said was of another board
    if (this.filling) {
      this.timer.stop();
      this.end.hide();
    } else if (this.table?.isDone) this.congratulate();
    else if (this.table?.isFull && this.table.isDone === null) void this.judge();
    else {
      if (this.finished) this.timer.start(this.timer.seconds);
      this.finished = false;
      this.end.hide();
    }
    this.keep();
  }

  private showUndo(): void {
    this.undo.disabled = !this.table?.canUndo;
    this.redo.disabled = !this.table?.canRedo;
  }

  private keep(): void {
    if (!this.read || !this.table || this.table instanceof PictureTable) return;
    const { finished: done, shown } = this;
    const kept: Kept = {
      table: this.table.kept(),
      seconds: this.timer.seconds,
      done,
      hints: this.hint?.count ?? 0,
      shown,
    };
    remember(this.read.text, kept);
  }

  /** Begins a hint; with `further`, goes on with the one that is shown. */
  private async askHint(further = false): Promise<void> {
    this.story?.close();
    await (further ? this.hint?.goFurther() : this.hint?.begin());
  }

  private async tellStory(): Promise<void> {
    this.hint?.close();
    this.end.hide();
    this.shown ||= !this.finished;
    this.keep();
    await this.story?.begin();
  }

  /** A full board whose rules the page does not know: the hint says whether it is right. */
  private async judge(): Promise<void> {
    await this.hint?.begin(false);
  }

  private congratulate(): void {
    this.timer.stop();
    this.finished = true;
    this.hint?.close();
    const { seconds } = this.timer;
    const read = this.read as Read;
    const hints = this.hint?.count ?? 0;
    const key = read.day ? dayKey(read.day) : keyOf(read.text);
    if (!this.shown)
      keepFinish(key, { at: Date.now(), seconds: Math.floor(seconds), hints, level: read.day?.level });
    this.statistics.show();
    this.element.querySelector(".tabs")?.replaceWith(this.levels() ?? "");
    const next = this.day && following(this.day, this.app.days);
    this.end.show(read, seconds, hints, !this.shown, [
      next &&
        button(
          next.date === this.day?.date ? `Next: ${next.level}` : "Next day",
          () => void this.app.openDay(next, "board"),
          {
            class: "strong",
          },
        ),
      button("Other puzzle…", this.choose, { class: next ? "" : "strong" }),
      this.has("explain") && button("Show all steps", () => void this.tellStory()),
    ]);
    this.keep();
  }

  private async solve(): Promise<void> {
    const read = this.read as Read;
    const { seconds } = this.app.about.limits;
    const body = { puzzle: puzzleOf(read), board: this.table?.board() ?? null, seconds };
    const answer = await this.asking.ask<SolveAnswer>("solve", body, "Solving…");
    if (!answer) return;
    if (answer.status !== "solved") return this.asking.say(refusal(answer));
    this.story?.close();
    this.filling = true;
    this.shown = true;
    this.table?.fill(answer);
    this.filling = false;
    this.finished = true;
    this.keep();
    this.asking.say(
      `Solved in ${Math.max(0.01, answer.seconds.total).toFixed(2)} s${solutionsWords(answer)}.`,
    );
  }

  private async rate(): Promise<void> {
    const { seconds } = this.app.about.limits;
    const answer = await askRating(this.asking, { puzzle: puzzleOf(this.read as Read), seconds });
    if (answer) this.asking.say(`It is ${ratingWords(answer)}`);
  }

  /** Copies a link that others can open; where nobody else reaches this page, the puzzle as text. */
  private async send(): Promise<void> {
    const { name, family, text } = this.read as Read;
    const shown = await sharedField(this.app.address, {
      name,
      family,
      text,
      board: this.table?.board() ?? null,
    });
    let copied = "";
    try {
      await navigator.clipboard.writeText(shown.value);
      copied = "Copied. ";
    } catch {
      // no clipboard here: it is there to be copied by hand
    }
    this.asking.say(`${copied}${sharedWords(this.app.address)}`);
    this.asking.element.append(shown);
    shown.select();
  }
}

/** A date, which is shorter on a phone. */
function headline(date: string): HTMLElement[] {
  return [
    h("span", { class: "if-wide" }, dateWords(date)),
    h("span", { class: "if-narrow" }, dateWords(date, "short")),
  ];
}

/** A button that shows a sign in place of its name. */
function icon(sign: string, name: string, onclick: () => void): HTMLButtonElement {
  return button(sign, onclick, { class: "icon", "aria-label": name, title: name });
}

/** Whether a key is text for what has the focus. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"))
  );
}

function tableFor(read: Read, kept: unknown, board: string | null, events: TableEvents): Table {
  if (read.pips && read.pips.cells.length <= MOST_SQUARES)
    return new PipsTable(read as Read & { pips: PipsData }, kept, board, events);
  if (read.grid && read.picture && read.grid.cells.length <= MOST_SQUARES)
    return new GridTable(read as Read & { grid: GridData }, kept, board, events);
  return new PictureTable(read);
}

function sizeOf({ family, pips, grid }: Read): string {
  if (pips) return `Pips · ${plural(pips.dominoes.length, "domino", "dominoes")}`;
  const name = family.replace("-", " ").replace(/^./, (first) => first.toUpperCase());
  return grid ? `${name} · ${grid.rows} × ${grid.columns}` : name;
}
