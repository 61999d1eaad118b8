/** The whole story, step by step, forwards and backwards on the board; or why there is no solution. */

import { puzzleOf } from "../ask/ask";
import type { ExplainAnswer, Read, Reason, Step, StepsPart } from "../ask/types";
import { Asking } from "../parts/asking";
import { button, h } from "../parts/dom";
import { pointAtReason, pointAtStep } from "../parts/pointing";
import { asWritten, sentenceButton, worded } from "../parts/words";
import { type Table, focusBoard } from "./table";

export class StoryPanel {
  readonly element = h("section", { class: "panel story sheet", hidden: true, "aria-label": "The story" });
  private readonly title = h("h2", {}, "The steps");
  private readonly asking = new Asking();
  private readonly words = h("p", { class: "words", "aria-live": "polite" });
  private readonly count = h("label", { class: "count", for: "story-step" });
  private readonly slider = h("input", { type: "range", min: 1, value: 1, id: "story-step" });
  private readonly back = button("Back", () => this.go(this.at - 1));
  private readonly on = button("Next", () => this.go(this.at + 1), { class: "strong" });
  private readonly body = h("div", { hidden: true }, this.count, this.slider, this.words);
  private readonly choices = h("div", { class: "choices" });
  private steps: Step[] = [];
  /** Whether these are all steps. */
  private whole = false;
  private at = 0;

  constructor(
    private readonly read: Read,
    private readonly table: Table,
    private readonly seconds: number,
  ) {
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value) - 1));
    this.element.append(this.title, this.asking.element, this.body, this.choices);
  }

  async begin(): Promise<void> {
    this.element.hidden = false;
    window.scrollTo(0, 0);
    this.body.hidden = true;
    this.steps = [];
    this.whole = false;
    this.choices.replaceChildren(button("Close", () => this.close()));
    const body = { puzzle: puzzleOf(this.read), reasons: 3, seconds: this.seconds };
    const said = "Finding the steps…";
    const answer = await this.asking.ask<ExplainAnswer, StepsPart>(
      "explain",
      body,
      said,
      ({ from, steps }) => {
        this.take([...this.steps.slice(0, from), ...steps]);
        return [said, `${this.steps.length} so far`];
      },
    );
    if (!answer) return;
    if (answer.status === "infeasible") return this.tellReasons(answer.reasons);
    const ended = answer.stop === "finished";
    this.whole = ended;
    this.take(answer.steps);
    if (!this.steps.length)
      return this.asking.say(
        ended
          ? "Nothing follows from the rules alone: the solutions share no step."
          : `No step was found in time (${answer.stop}).`,
      );
    if (!ended) this.asking.say(`The steps are incomplete (${answer.stop}): these are the first ones.`);
    else if (answer.status === "several")
      this.asking.say("There are several solutions. These steps hold in all of them.");
  }

  /** Takes the steps found so far; the one that is shown stays, even where one before it turned out to be needed. */
  private take(steps: Step[]): void {
    const shown = this.steps[this.at]?.sentence;
    this.steps = steps;
    if (!steps.length) return;
    this.slider.max = String(steps.length);
    if (!this.body.hidden) {
      const at = steps.findIndex(({ sentence }) => sentence === shown);
      return this.go(at < 0 ? this.at : at);
    }
    this.body.hidden = false;
    this.choices.replaceChildren(
      this.back,
      this.on,
      button("Close", () => this.close()),
    );
    this.go(0);
    this.on.focus();
  }

  close(): void {
    this.asking.stop();
    if (this.element.hidden) return;
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = true;
    if (focused) focusBoard(this.table);
    this.table.tell(null);
    this.table.point(null);
  }

  private go(to: number): void {
    this.at = Math.min(Math.max(to, 0), this.steps.length - 1);
    const step = this.steps[this.at] as Step;
    this.table.tell(this.steps.slice(0, this.at + 1).flatMap(({ conclusions }) => conclusions ?? []));
    this.table.point(pointAtStep(step, this.read));
    if (this.words.textContent !== step.sentence) this.words.replaceChildren(...worded(step.sentence));
    this.count.textContent = `Step ${this.at + 1} of ${this.steps.length}${this.whole ? "" : " so far"}`;
    this.slider.value = String(this.at + 1);
    this.back.disabled = this.at === 0;
    this.on.disabled = this.whole && this.at === this.steps.length - 1;
  }

  private tellReasons(reasons: Reason[]): void {
    this.title.textContent = "Why there is no solution";
    const list = h("ul", { class: "reasons" });
    for (const reason of reasons)
      list.append(
        h(
          "li",
          {},
          sentenceButton(asWritten(reason.sentence, this.read.pips?.regions), () =>
            this.table.point(pointAtReason(reason)),
          ),
        ),
      );
    this.choices.replaceChildren(
      list,
      button("Close", () => this.close()),
    );
    if (!reasons.length) this.asking.say("No reason was found in time.");
    if (reasons[0]) this.table.point(pointAtReason(reasons[0]));
  }
}
