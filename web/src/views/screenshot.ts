/** A screenshot becomes a drawing: chosen, pasted or dropped; what is doubtful about it is listed. */

import { sayFault, where } from "../ask/ask";
import type { Rule, RuleKind } from "../ask/types";
import { type Drawing, LABELS, MOST_LINES } from "../model/drawing";
import { Asking } from "../parts/asking";
import { button, h, plural } from "../parts/dom";
import { pixelsOf } from "../parts/pixels";
import type { App } from "./app";

interface Doubt {
  words: string;
  cells: string[];
  label: string | null;
  domino: number | null;
}

interface Draft {
  name: string;
  rows: string[][];
  rules: Record<string, { kind: RuleKind; target: number | null }>;
  dominoes: [number, number][];
  doubts: Doubt[];
  solvable: boolean | null;
}

/** Bytes of a request that are not pixels. */
const REST = 1000;

export class Screenshot {
  readonly element = h("section", { class: "panel screenshot", "aria-labelledby": "screenshot-title" });
  /** The cells that are doubtful, until that is checked. */
  doubted: string[] = [];
  private readonly asking = new Asking();
  private readonly doubts = h("div", { "aria-live": "polite" });

  constructor(
    private readonly app: App,
    private readonly drawn: (drawing: Drawing) => void,
    private readonly changed: () => void,
  ) {
    const input = h("input", { type: "file", id: "screenshot", class: "unseen", accept: "image/*" });
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) void this.read(file);
      input.value = "";
    });
    this.element.append(
      h("h2", { id: "screenshot-title" }, "From a screenshot"),
      h("p", {}, input, h("label", { for: "screenshot", class: "button" }, "Read a picture")),
      h("p", { class: "soft" }, `Or paste or drop one here: the whole board, and the dominoes. ${goesTo()}`),
      this.asking.element,
      this.doubts,
    );
  }

  enter(): void {
    window.addEventListener("paste", this.pasted);
    window.addEventListener("drop", this.dropped, true);
  }

  leave(): void {
    window.removeEventListener("paste", this.pasted);
    window.removeEventListener("drop", this.dropped, true);
    this.asking.stop();
  }

  private readonly pasted = (event: ClipboardEvent) => this.take(event, event.clipboardData);

  private readonly dropped = (event: DragEvent) => this.take(event, event.dataTransfer);

  /** Takes a picture before anything else does; leaves texts and other files. */
  private take(event: Event, data: DataTransfer | null): void {
    const picture = [...(data?.files ?? [])].find(({ type }) => type.startsWith("image/"));
    if (!picture) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void this.read(picture);
  }

  private async read(file: File): Promise<void> {
    this.forget();
    this.asking.say("Reading the picture…");
    try {
      const pixels = await pixelsOf(file, this.app.about.limits.bytes - REST);
      const name = file.name.replace(/\.[^.]*$/, "").slice(0, 60) || "screenshot";
      const draft = await this.asking.ask<Draft>("read_picture", { name, ...pixels }, "Reading the picture…");
      if (draft) this.show(draft);
    } catch (error) {
      this.asking.say(sayFault(error));
    }
  }

  private show(draft: Draft): void {
    const drawing = drawingOf(draft);
    if (!drawing) return this.asking.say("The puzzle is too large to be drawn here.");
    this.drawn(drawing);
    this.doubted = draft.doubts.flatMap(({ cells }) => cells);
    const said = draft.doubts.length
      ? `${plural(draft.doubts.length, "part")} of it may be misread:`
      : "Every part was read with certainty.";
    this.doubts.replaceChildren(h("p", {}, said));
    if (draft.doubts.length)
      this.doubts.append(
        h("ul", {}, ...draft.doubts.map((doubt) => h("li", {}, sentence(doubt)))),
        button("I have checked them", () => this.forget()),
      );
    this.changed();
  }

  private forget(): void {
    this.doubted = [];
    this.doubts.replaceChildren();
    this.changed();
  }
}

function sentence({ words, label, domino }: Doubt): string {
  if (domino !== null) return `Domino ${domino + 1}: ${words}.`;
  return label ? `Region ${label}: ${words}.` : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function drawingOf({ name, rows, rules, dominoes }: Draft): Drawing | null {
  const labels = Object.keys(rules);
  const columns = rows[0]?.length ?? 0;
  if (Math.max(rows.length, columns) > MOST_LINES) return null;
  if (labels.some((label) => label.length !== 1 || !LABELS.includes(label))) return null;
  const ruled = labels.map((label): [string, Rule] => {
    const { kind = "free", target = null } = rules[label] ?? {};
    return [label, { kind, value: target }];
  });
  return { name, rows: rows.length, columns, squares: rows, rules: Object.fromEntries(ruled), dominoes };
}

/** Who gets the picture. */
function goesTo(): string {
  if (where === "browser") return "It is read in this browser; nothing is uploaded.";
  const host = location.hostname;
  return ["localhost", "127.0.0.1", "[::1]"].includes(host)
    ? "The server on this computer reads it; nothing is uploaded."
    : `The server ${host} reads it, and keeps nothing.`;
}
