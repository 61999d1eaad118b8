/** The dominoes of a drawing: all of a double-six set to take from, and those that were taken. */

import { button, h, plural } from "../parts/dom";
import { dominoPicture } from "../parts/domino";

type Pair = readonly [number, number];

const SET: Pair[] = Array.from({ length: 7 }, (_, a) =>
  Array.from({ length: 7 - a }, (_, i): Pair => [a, a + i]),
).flat();

export class DominoBox {
  readonly element = h("section", { class: "panel box", "aria-labelledby": "box-title" });
  private readonly count = h("p", { class: "soft" });
  private readonly taken = h("ul", { class: "taken", "aria-label": "Dominoes of the puzzle" });
  private readonly typed = h("input", { type: "text", id: "typed-dominoes", placeholder: "5-1 3-3 0-6" });
  private readonly filler = button("Add the missing ones at random", () => this.fill());
  private readonly emptier = button("Take all out", () => this.change([]));
  private dominoes: readonly Pair[] = [];
  private wanted = 0;

  constructor(private readonly change: (dominoes: Pair[]) => void) {
    const set = SET.map((pair) =>
      this.piece(pair, `Add ${pair.join("-")}`, () => this.change([...this.dominoes, pair])),
    );
    this.element.append(
      h("h2", { id: "box-title" }, "Dominoes"),
      this.count,
      this.taken,
      h("div", { class: "choices" }, this.filler, this.emptier),
      h(
        "details",
        {},
        h("summary", {}, "Choose dominoes"),
        h("div", { class: "set" }, ...set),
        h("label", { for: "typed-dominoes" }, "or type dominoes "),
        this.typed,
      ),
    );
    this.typed.addEventListener("change", () => this.addTyped());
  }

  show(dominoes: readonly Pair[], squares: number): void {
    this.dominoes = dominoes;
    this.wanted = Math.floor(squares / 2);
    this.count.textContent = `${plural(dominoes.length, "domino", "dominoes")} of the ${this.wanted} that cover ${plural(squares, "square")}.`;
    this.filler.disabled = dominoes.length >= this.wanted;
    this.emptier.disabled = dominoes.length === 0;
    this.taken.replaceChildren(
      ...dominoes.map((pair, i) =>
        h(
          "li",
          {},
          this.piece(pair, `Take out ${pair.join("-")}`, () =>
            this.change(this.dominoes.filter((_, other) => other !== i)),
          ),
        ),
      ),
    );
  }

  private piece(pair: Pair, label: string, onclick: () => void): HTMLElement {
    const piece = h(
      "button",
      { type: "button", class: "small-domino", "aria-label": label, title: label },
      dominoPicture(pair),
    );
    piece.addEventListener("click", onclick);
    return piece;
  }

  /** Adds dominoes at random, none twice as long as there are others. */
  private fill(): void {
    const dominoes = [...this.dominoes];
    while (dominoes.length < this.wanted) {
      const times = (pair: Pair) => dominoes.filter(([a, b]) => a === pair[0] && b === pair[1]).length;
      const least = Math.min(...SET.map(times));
      const rarest = SET.filter((pair) => times(pair) === least);
      dominoes.push(rarest[Math.floor(Math.random() * rarest.length)] as Pair);
    }
    if (dominoes.length > this.dominoes.length) this.change(dominoes);
  }

  private addTyped(): void {
    const found = [...this.typed.value.matchAll(/(\d{1,2})\s*[-|/]\s*(\d{1,2})|(\d)(\d)/g)];
    const pairs = found.map(([, a, b, c, d]): Pair => [Number(a ?? c), Number(b ?? d)]);
    this.typed.value = "";
    if (pairs.length) this.change([...this.dominoes, ...pairs.slice(0, 100)]);
  }
}
