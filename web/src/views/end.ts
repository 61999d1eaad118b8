/** The end of a game: what it took, and a text to be sent to others. */

import type { Read } from "../ask/types";
import { boardOf } from "../model/board";
import { announce, button, h } from "../parts/dom";
import { shareText } from "../parts/share";
import { clock } from "../parts/timer";
import { dateWords } from "./days";

export class EndPanel {
  readonly element = h("section", { class: "panel end sheet", hidden: true, "aria-label": "Solved" });

  /** Shows a finish, with more `choices`; one that counts can be shared. */
  show(
    read: Read,
    seconds: number,
    hints: number,
    counts: boolean,
    choices: (HTMLElement | false | null)[],
  ): void {
    const took = `Every rule holds. It took ${clock(seconds)}.`;
    this.element.replaceChildren(
      h("h2", {}, "Solved"),
      h("p", {}, took),
      h("div", { class: "choices" }, ...choices),
      counts
        ? this.sharing(read, seconds, hints)
        : h("p", { class: "soft" }, "Its steps were shown, so it does not count."),
    );
    this.element.hidden = false;
    window.scrollTo(0, 0);
    announce(`Solved. ${took}`);
  }

  hide(): void {
    this.element.hidden = true;
  }

  private sharing({ name, day, pips }: Read, seconds: number, hints: number): HTMLElement {
    const title = day ? `${dateWords(day.date)}, ${day.level}` : name;
    const text = shareText(title, seconds, hints, pips ? boardOf(pips) : null);
    const said = h("p", { role: "status" });
    const shown = h("pre", { class: "result", tabindex: 0, "aria-label": "Text to be shared" }, text);
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(text);
        said.textContent = "Copied.";
      } catch {
        getSelection()?.selectAllChildren(shown);
        said.textContent = "This browser does not let the page copy: the text is selected.";
      }
    };
    return h(
      "div",
      {},
      shown,
      button("Copy the result", () => void copy()),
      said,
    );
  }
}
