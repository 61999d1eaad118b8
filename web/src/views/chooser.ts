/** Choosing a puzzle: an example, a file of one's own, one that is typed or pasted, or one that is made now. */

import type { About, Read } from "../ask/types";
import { MOST_SQUARES, boardOf } from "../model/board";
import { Asking } from "../parts/asking";
import { BoardView } from "../parts/board-view";
import { button, h, picture, plural } from "../parts/dom";
import { type Draft, goesTo, readPicture } from "./screenshot";

export class Chooser {
  readonly element = h("dialog", { class: "chooser", "aria-labelledby": "chooser-title" });
  private readonly asking = new Asking();
  private readonly found = h("div", { class: "found" });
  private readonly shelf = h("ul", { class: "shelf" });
  private readonly screenshot = this.fileInput("screenshot", "image/*");

  /** Offers only the sizes that a new puzzle of the chosen grade can have. */
  private offerSizes = (): void => undefined;

  constructor(
    private about: About,
    private readonly chosen: (read: Read) => void,
    private readonly drafted: (draft: Draft) => void,
  ) {
    this.element.append(
      h(
        "header",
        {},
        h("h2", { id: "chooser-title" }, "Choose a puzzle"),
        button("Close", () => this.element.close()),
      ),
      this.asking.element,
      this.found,
      this.ownPuzzle(),
      about.verbs.includes("generate") ? this.newPuzzle() : "",
      h("h3", {}, "Examples"),
      this.shelf,
    );
    this.element.addEventListener("close", () => this.asking.stop());
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
    this.takeFiles();
  }

  pickPicture(): void {
    this.screenshot.click();
  }

  open(): void {
    if (!this.element.open) this.element.showModal();
  }

  showExamples(reads: Read[]): void {
    this.shelf.replaceChildren(...reads.map((read) => this.entry(read)));
  }

  /** Reads a file, and opens it if it holds one puzzle. */
  async read(name: string, text: string): Promise<void> {
    if (new Blob([text]).size > this.about.limits.bytes)
      return this.fail(`${name} is larger than ${plural(this.about.limits.bytes, "byte")}`);
    const answer = await this.asking.ask<{ puzzles: Read[]; faults: string[]; warnings: string[] }>(
      "read",
      { file: { name, text } },
      "Reading…",
    );
    if (!answer) return this.open();
    const { puzzles, warnings } = answer;
    const faults = [...answer.faults, ...warnings.map((warning) => `Warning: ${warning}`)];
    this.found.replaceChildren();
    if (puzzles.length === 1 && !faults.length) return this.take(puzzles[0] as Read);
    this.found.replaceChildren(
      h("ul", { class: "shelf" }, ...puzzles.map((read) => this.entry(read))),
      ...faults.map((fault) => h("p", { class: "fault" }, fault)),
    );
    this.open();
  }

  private fail(said: string): void {
    this.found.replaceChildren(h("p", { class: "fault" }, said));
    this.open();
  }

  private take(read: Read): void {
    this.element.close();
    this.chosen(read);
  }

  private entry(read: Read): HTMLElement {
    const what = [
      read.pips ? plural(read.pips.dominoes.length, "domino", "dominoes") : read.family.replace("-", " "),
      read.rating?.grade,
    ];
    const choice = h(
      "button",
      { type: "button", class: "entry" },
      read.pips && read.pips.cells.length <= MOST_SQUARES
        ? BoardView.picture(boardOf(read.pips))
        : picture(read.svg, ""),
      h("span", { class: "name" }, read.name),
      h("span", { class: "soft" }, what.filter(Boolean).join(", ")),
    );
    choice.addEventListener("click", () => this.take(read));
    return h("li", {}, choice);
  }

  private ownPuzzle(): HTMLElement {
    const typed = h("textarea", {
      id: "typed",
      rows: 5,
      spellcheck: "false",
      placeholder: "AAB\nC.B\nCDD\nA =, B >4\nC 5, D !=\n1-1 23 50 64",
    });
    const read = button("Read it", () => void this.read("Your puzzle", typed.value));
    return h(
      "div",
      { class: "own" },
      h(
        "div",
        { class: "drop" },
        this.screenshot,
        h("label", { for: "screenshot", class: "button strong" }, "From a screenshot"),
        this.fileInput("file"),
        h("label", { for: "file", class: "button" }, "Open a file"),
        h(
          "p",
          { class: "soft" },
          h("span", { class: "by-mouse" }, "or drop or paste either anywhere on the page. "),
          `A screenshot shows the whole board and the dominoes. ${goesTo()} Files have Pips, Sudokus and other puzzles as text, or the Times’ JSON, where a day has three.`,
        ),
      ),
      h(
        "details",
        {},
        h("summary", {}, "Type or paste a puzzle"),
        h("label", { for: "typed" }, "Puzzle"),
        typed,
        read,
      ),
    );
  }

  /** Takes what is known of who answers. */
  learn(about: About): void {
    this.about = about;
    this.offerSizes();
  }

  private newPuzzle(): HTMLElement {
    const grade = h(
      "select",
      { id: "grade" },
      ...["easy", "medium", "hard", "expert", "any"].map((name) => h("option", { value: name }, name)),
    );
    const size = h("input", { type: "number", id: "dominoes", value: 5 });
    this.offerSizes = () => {
      const [least, most] = this.about.sizes[grade.value] ?? [3, 20];
      [size.min, size.max] = [String(least), String(most)];
      size.value = String(Math.min(Math.max(Number(size.value), least), most));
    };
    grade.onchange = this.offerSizes;
    this.offerSizes();
    const make = async () => {
      const wanted = {
        grade: grade.value === "any" ? null : grade.value,
        dominoes: Number(size.value),
        seed: null,
      };
      const body = { ...wanted, seconds: this.about.limits.seconds };
      const answer = await this.asking.ask<{ puzzles: Read[] }>("generate", body, "Making a puzzle…");
      const made = answer?.puzzles[0];
      if (made) this.take({ ...made, name: wanted.grade ? `New puzzle, ${wanted.grade}` : "New puzzle" });
    };
    return h(
      "form",
      {
        class: "new",
        onsubmit: (event: Event) => {
          event.preventDefault();
          void make();
        },
      },
      h("label", { for: "grade" }, "A new one: "),
      grade,
      h("label", { for: "dominoes" }, "dominoes"),
      size,
      h("button", { type: "submit" }, "Make it"),
    );
  }

  private async readFile(file: File): Promise<void> {
    if (file.type.startsWith("image/")) {
      this.found.replaceChildren();
      this.open();
      const draft = await readPicture(this.asking, file, this.about.limits.bytes);
      if (!draft) return;
      this.element.close();
      return this.drafted(draft);
    }
    if (file.size > this.about.limits.bytes)
      return this.fail(`${file.name} is larger than ${plural(this.about.limits.bytes, "byte")}`);
    await this.read(file.name, await file.text());
  }

  private fileInput(id: string, accept: string | null = null): HTMLInputElement {
    const input = h("input", { type: "file", id, class: "unseen", accept });
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) void this.readFile(file);
      input.value = "";
    });
    return input;
  }

  /** Takes files that are dropped or pasted. */
  private takeFiles(): void {
    const take = (data: DataTransfer | null) => {
      const file = data?.files[0];
      if (file) void this.readFile(file);
      return Boolean(file);
    };
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => {
      event.preventDefault();
      take(event.dataTransfer);
    });
    window.addEventListener("paste", (event) => {
      if (take(event.clipboardData)) event.preventDefault();
    });
  }
}
