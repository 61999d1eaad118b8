/** Hints by degrees: where to look, by which rule, why, and what. No more is asked for than is to be told. */

import { puzzleOf } from "../ask/ask";
import {
  DEGREES,
  type Degree,
  type Fact,
  type HintAnswer,
  type Read,
  type SearchPart,
  type SolveAnswer,
  type Step,
} from "../ask/types";
import { Asking } from "../parts/asking";
import { announce, button, h } from "../parts/dom";
import { pointAtReason, pointAtStep } from "../parts/pointing";
import { asWritten, worded } from "../parts/words";
import { type Table, focusBoard } from "./table";

const MORE: Record<Degree, string> = { where: "", rule: "Which rule?", why: "Why?", move: "What follows?" };

export class HintPanel {
  readonly element = h("section", { class: "panel hint sheet", hidden: true, "aria-label": "Hint" });
  private readonly asking = new Asking();
  private readonly words = h("div", { class: "words" });
  private readonly choices = h("div", { class: "choices" });
  private answer: HintAnswer | null = null;
  /** How many hints were asked for. */
  count = 0;

  constructor(
    private readonly read: Read,
    private readonly table: Table,
    private readonly seconds: number,
    private readonly solved: () => void,
  ) {
    this.element.append(h("h2", {}, "Hint"), this.words, this.asking.element, this.choices);
  }

  /** Asks where to look next. */
  async begin(counts = true): Promise<void> {
    if (counts) this.count++;
    this.answer = null;
    await this.reveal("where");
  }

  close(): void {
    this.asking.stop();
    if (this.element.hidden) return;
    this.table.point(null);
    this.answer = null;
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = true;
    // what was said is of a board that may change before the next hint
    this.words.replaceChildren();
    this.choices.replaceChildren();
    if (focused) focusBoard(this.table);
  }

  /** Goes on as the first of the choices says, or begins. */
  async goFurther(): Promise<void> {
    const first = this.element.hidden ? null : this.choices.querySelector<HTMLElement>(".strong");
    if (first) first.click();
    else await this.begin();
  }

  private async reveal(degree: Degree): Promise<HintAnswer | null> {
    this.element.hidden = false;
    window.scrollTo(0, 0);
    const body = {
      puzzle: puzzleOf(this.read),
      board: this.table.board(),
      reveal: degree,
      hinted: this.table.hinted(),
      seconds: this.seconds,
    };
    let known = "";
    const answer = await this.asking.ask<HintAnswer, SearchPart>(
      "hint",
      body,
      "Looking for the next step…",
      ({ sentence, cell }) => {
        known = sentence;
        if (!this.answer) this.table.point({ rule: [cell], numbered: true });
        return [`${sentence} Looking for a long one…`, ""];
      },
    );
    if (!answer) {
      // it was stopped, or there is none: what was known stays
      if (!this.answer && !this.element.hidden && !this.asking.isRunning)
        this.say(known ? [known] : [], [this.closer()]);
      return null;
    }
    this.answer = answer;
    this.show(answer);
    return answer;
  }

  private show(answer: HintAnswer): void {
    const { step, reason } = answer;
    if (step) {
      this.table.point(pointAtStep(step, this.read, answer.look));
      const told = answer.remark ? [step.sentence, answer.remark] : [step.sentence];
      this.say(told, this.degrees(answer.reveal, step));
    } else if (reason && (answer.status === "wrong" || answer.status === "dead")) this.showReason(answer);
    else if (answer.status === "solved") void this.finish();
    else if (answer.status === "several")
      this.say(["Nothing more follows: several ways remain, and each leads to a solution."], [this.closer()]);
    else this.say([`No hint was found (${answer.stop}).`], [this.closer()]);
  }

  private showReason({ status, reason }: HintAnswer): void {
    if (!reason) return;
    this.table.point(pointAtReason(reason));
    const moves = reason.items.filter(({ kind }) => kind === "move").flatMap(({ cells }) => cells ?? []);
    const verdict =
      moves.length === 0
        ? "The puzzle itself has no solution."
        : status === "wrong"
          ? "Something on the board is wrong."
          : "No rule is broken yet, but from here there is no way to a solution.";
    this.say(
      [verdict, asWritten(reason.sentence, this.read.pips?.regions)],
      [
        moves.length > 0 &&
          button(
            this.table.piecesOn(moves) === 1 ? "Take it back" : "Take these back",
            () => this.takeBack(moves),
            { class: "strong" },
          ),
        this.closer(),
      ],
    );
  }

  /** How to go on: more of the step, or what can be done once it is told. */
  private degrees(now: Degree, step: Step): (HTMLElement | false)[] {
    const next = DEGREES[DEGREES.indexOf(now) + 1];
    if (next !== undefined)
      return [
        button(MORE[next], () => void this.reveal(next), { class: "strong" }),
        button("Do it for me", () => void this.apply()),
        this.closer(),
      ];
    const conclusions = step.conclusions ?? [];
    return [
      conclusions.some(isShown)
        ? button("Write it on the board", () => void this.apply(), { class: "strong" })
        : button("Next hint", () => void this.goOn(conclusions), { class: "strong" }),
      this.closer(),
    ];
  }

  /** Takes for known what cannot be written down, and asks for what follows then. */
  private async goOn(conclusions: readonly Fact[]): Promise<void> {
    this.table.conclude(conclusions);
    await this.begin();
  }

  private async apply(): Promise<void> {
    const answer = this.answer?.reveal === "move" ? this.answer : await this.reveal("move");
    if (!answer?.step?.conclusions) return;
    const { sentence, conclusions } = answer.step;
    const shows = conclusions.some(isShown);
    const focused = this.element.contains(document.activeElement);
    this.table.conclude(conclusions);
    if (this.table.isDone === true) return;
    this.answer = answer;
    this.element.hidden = false;
    this.table.point(pointAtStep(answer.step, this.read));
    this.say(
      [
        sentence,
        shows ? "It is on the board." : "You cannot write this down yet; the next hint continues from here.",
      ],
      [button("Next hint", () => void this.begin(), { class: "strong" }), this.closer()],
    );
    if (focused) this.choices.querySelector("button")?.focus();
  }

  /** Every number is known; the dominoes under them are laid, if they are not yet. */
  private async finish(): Promise<void> {
    if (!this.table.isFull) {
      const body = { puzzle: puzzleOf(this.read), board: this.table.board(), seconds: this.seconds };
      const answer = await this.asking.ask<SolveAnswer>("solve", body, "Laying the dominoes…");
      if (answer?.status !== "solved") return;
      this.table.fill(answer);
    }
    this.close();
    this.solved();
  }

  private takeBack(cells: string[]): void {
    this.table.clear(cells);
    this.close();
  }

  private closer(): HTMLButtonElement {
    return button("Close", () => this.close());
  }

  private say(lines: string[], choices: (HTMLElement | false)[]): void {
    this.words.replaceChildren(...lines.map((line) => h("p", {}, ...worded(line))));
    const focused = this.choices.contains(document.activeElement);
    this.choices.replaceChildren(...choices.filter((choice): choice is HTMLElement => Boolean(choice)));
    if (focused) this.choices.querySelector("button")?.focus();
    announce(lines.join(" "));
  }
}

/** Whether a fact can be seen on a board: a number or a domino, not what cannot be. */
function isShown(fact: Fact): boolean {
  return "is" in fact || ("domino" in fact && fact.domino);
}
