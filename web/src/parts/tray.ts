/** The dominoes that are still to be laid, as buttons. */

import type { Board, Pair } from "../model/board";
import { type Play, isLaid } from "../model/play";
import { h } from "./dom";
import { dominoPicture } from "./domino";

/** A domino that was taken, how it points (right, down, left, up), and which half goes where one points. */
export interface Hand {
  domino: number;
  turn: number;
  half: 0 | 1;
}

export const POINTS = ["right", "down", "left", "up"];

/** More dominoes than lie in the rows of a phone: they scroll. */
const LARGE = 20;

export class Tray {
  readonly element = h("ul", { class: "tray", "aria-label": "Dominoes to lay" });
  private readonly buttons: HTMLButtonElement[];

  constructor(
    board: Board,
    private readonly take: (domino: number) => void,
  ) {
    this.buttons = board.dominoes.map((pips, domino) => this.makeButton(pips, domino));
    const { length } = board.dominoes;
    this.element.classList.toggle("large", length > LARGE);
    this.element.style.setProperty("--across", String(length > 8 ? 5 : 4));
    this.element.style.setProperty("--beside", String(Math.min(Math.ceil(length / 8), 4)));
    this.element.append(...this.buttons.map((button) => h("li", {}, button)));
  }

  show(play: Play, hand: Hand | null): void {
    this.buttons.forEach((button, domino) => {
      const held = hand?.domino === domino;
      button.hidden = isLaid(play, domino);
      button.setAttribute("aria-pressed", String(held));
      button.style.setProperty("--turn", String(held ? hand.turn : 0));
      const said = held ? `, in hand, points ${POINTS[hand.turn & 3]}` : "";
      button.setAttribute("aria-label", `${button.dataset.pips}${said}`);
    });
    this.element.classList.toggle(
      "empty",
      this.buttons.every((button) => button.hidden),
    );
  }

  dominoOf(target: EventTarget | null): number | null {
    const domino =
      target instanceof Element ? this.buttons.indexOf(target.closest("button") as HTMLButtonElement) : -1;
    return domino < 0 ? null : domino;
  }

  focus(domino: number): void {
    this.buttons[domino]?.focus();
  }

  private makeButton([a, b]: Pair, domino: number): HTMLButtonElement {
    const button = h(
      "button",
      { type: "button", class: "tray-domino", "data-pips": `${a}-${b}` },
      dominoPicture([a, b]),
    );
    button.addEventListener("click", () => this.take(domino));
    return button;
  }
}
