/** The solutions of a drawing: none (these rules clash), one, or n; and changes that leave one. */

import { puzzleOf } from "../ask/ask";
import type {
  CountAnswer,
  ExplainAnswer,
  Item,
  RateAnswer,
  RatePart,
  Read,
  Reason,
  RegionData,
  SolveAnswer,
} from "../ask/types";
import { withChanges } from "../model/changes";
import { type Drawing, numberless, squareCount } from "../model/drawing";
import { Asking } from "../parts/asking";
import { button, h, plural } from "../parts/dom";
import { cellsOf, pointAtReason, regionsIn } from "../parts/pointing";
import { asWritten, sentenceButton } from "../parts/words";
import type { App } from "./app";
import { countWords, heatLegend } from "./look";
import type { Pointed } from "./table";

/** Seconds that a stroke may be thought about. */
const PATIENCE = 5;
/** Rules and numbers that are proposed to make a puzzle unique. */
const PROPOSED = 4;

export class Verdict {
  readonly element: HTMLElement;
  /** By cell, how often it takes each value; while that is to be seen. */
  shares: CountAnswer["cells"] | null = null;
  pointed: Pointed | null = null;
  private cells: CountAnswer["cells"] | null = null;
  /** What the counts alone propose, until something better is found. */
  private proposed: HTMLElement | null = null;
  private readonly said = h("div", { class: "verdict", "aria-live": "polite" });
  private readonly asking = new Asking();
  private readonly heat = h("input", { type: "checkbox", id: "heat" });
  private readonly legend = heatLegend();

  constructor(
    private readonly app: App,
    private readonly changed: () => void,
    private readonly draw: (drawing: Drawing) => void,
  ) {
    this.heat.addEventListener("change", () => this.showHeat());
    this.element = h(
      "div",
      {},
      this.said,
      this.asking.element,
      h("p", { class: "check" }, this.heat, h("label", { for: "heat" }, "Show the most likely numbers")),
      this.legend,
    );
  }

  stop(): void {
    this.asking.stop();
  }

  async look(drawing: Drawing, read: Read | null): Promise<void> {
    this.cells = null;
    this.pointed = null;
    this.showHeat();
    if (!read) return this.say([missing(drawing)]);
    const body = { puzzle: puzzleOf(read), seconds: Math.min(PATIENCE, this.app.about.limits.seconds) };
    const answer = await this.asking.ask<CountAnswer>("count", body, "Counting…");
    if (!answer) return this.say([]);
    this.cells = answer.complete ? answer.cells : null;
    this.say(countWords(answer, read));
    this.showHeat();
    if (!answer.complete) return;
    const solutions = BigInt(answer.exact?.placements ?? answer.placements ?? 0);
    if (solutions === 1n) return this.rate(body);
    if (solutions === 0n) await this.explain(body, read.pips?.regions);
    else this.propose(answer, solutions);
    await this.add(body, drawing);
  }

  private say(lines: (string | HTMLElement)[]): void {
    this.said.replaceChildren(...lines.map((line) => (typeof line === "string" ? h("p", {}, line) : line)));
  }

  private showHeat(): void {
    this.shares = this.heat.checked ? this.cells : null;
    this.legend.hidden = !this.shares;
    this.changed();
  }

  private async explain(body: object, regions: RegionData[] = []): Promise<void> {
    if (!this.app.about.verbs.includes("explain")) return;
    const answer = await this.asking.ask<ExplainAnswer>(
      "explain",
      { ...body, reasons: 3 },
      "Finding out why…",
    );
    if (!answer?.reasons.length) return;
    const reasons = eachOnce(answer.reasons);
    const list = reasons.map((reason) =>
      this.reason(asWritten(reason.sentence, regions), pointAtReason(reason)),
    );
    this.pointed = pointAtReason(answer.reasons[0] as ExplainAnswer["reasons"][number]);
    const repairs = namesOf(answer.repairs);
    const together = namesOf(answer.together ?? []);
    this.say([
      reasons.length === 1
        ? "There is no solution, because:"
        : "There is no solution, for any of these reasons:",
      h("ul", { class: "reasons" }, ...list),
      ...(repairs.length ? [`It would have one without ${anyOf(repairs)}.`] : []),
      ...(together.length
        ? [`It would have one without ${anyOf(together, "and")} together; no fewer rules are enough.`]
        : []),
    ]);
    this.changed();
  }

  private async rate(body: object): Promise<void> {
    if (!this.app.about.verbs.includes("rate")) return;
    const answer = await askRating(this.asking, body);
    if (answer) this.said.append(h("p", {}, `To solve: ${ratingWords(answer)}`));
  }

  /** The smallest additions that leave one solution, each proved by counting. */
  private async add(body: object, drawing: Drawing): Promise<void> {
    if (!this.app.about.verbs.includes("explain")) return;
    const answer = await this.asking.ask<ExplainAnswer>(
      "explain",
      { ...body, reasons: 1, additions: PROPOSED },
      "Looking for changes that leave one…",
    );
    const changes = answer ? this.changes(answer, drawing) : [];
    if (changes.length) this.proposed?.remove();
    this.said.append(...changes);
  }

  /** The changes that leave one solution, each to be made by a click. */
  private changes({ additions }: ExplainAnswer, drawing: Drawing): HTMLElement[] {
    const found = additions?.found ?? [];
    if (!found.length) return [];
    const list = found.map((addition) => {
      const { sentence, rules, facts } = addition;
      const changed = rules.filter(({ label }) => label.startsWith("region")); // dominoes concern all cells
      const cells = [...changed.flatMap((rule) => rule.cells), ...facts.flatMap(cellsOf)];
      const line = this.reason(sentence, { rule: cells, regions: regionsIn(sentence) });
      const now = withChanges(drawing, addition);
      if (now) line.append(button("Do it", () => this.draw(now), { "aria-label": `Do it: ${sentence}` }));
      return line;
    });
    return [h("p", {}, "Each of these changes leaves one solution:"), h("ul", { class: "reasons" }, ...list)];
  }

  private reason(sentence: string, at: Pointed): HTMLElement {
    const point = () => {
      this.pointed = at;
      this.changed();
    };
    return h("li", {}, sentenceButton(sentence, point));
  }

  /** The numbers that the fewest solutions have: with one of them given, so few would be left. */
  private propose({ cells }: CountAnswer, solutions: bigint): void {
    if (solutions > 1_000_000_000n) return;
    const total = Number(solutions);
    const choices = Object.entries(cells).flatMap(([cell, values]) =>
      Object.entries(values).map(([value, share]) => ({ cell, value, left: Math.round(share * total) })),
    );
    const best = choices.sort((a, b) => a.left - b.left)[0];
    if (!best || best.left >= total) return;
    const equal = choices.filter(({ left }) => left === best.left).slice(0, PROPOSED);
    const told = anyOf(equal.map(({ cell, value }) => `${cell} were ${value}`));
    const left =
      best.left === 1 ? "it would be the only one" : `${plural(best.left, "placement")} would be left`;
    this.proposed = h("p", {}, `If ${told}, ${left}.`);
    this.said.append(this.proposed);
    this.pointed = { rule: [...new Set(equal.map(({ cell }) => cell))] };
    this.changed();
  }
}

/** Asks how hard a puzzle is, and shows the grade that it has at least while the steps are found. */
export function askRating(asking: Asking, body: object): Promise<RateAnswer | null> {
  return asking.ask<RateAnswer, RatePart>("rate", body, "Thinking it through…", (part) => [
    `Thinking it through… it is at least ${part.at_least}.`,
    `${part.score} points, ${plural(part.steps, "step")} so far`,
  ]);
}

/** How hard a puzzle is, or why it was not rated. */
export function ratingWords({
  status,
  stop,
  grade,
  score,
  steps,
  description,
  at_least,
}: RateAnswer): string {
  if (status === "infeasible") return "not rated, as there is no solution.";
  if (!grade || score === null || steps === null)
    return at_least ? `at least ${at_least}; not rated to the end (${stop}).` : `not rated (${stop}).`;
  return `${grade}, ${score} points: ${description}. ${plural(steps, "step")} of logic.`;
}

/** What a drawing lacks to be a puzzle. */
export function missing(drawing: Drawing): string {
  const squares = squareCount(drawing);
  if (!squares) return "Paint some squares first.";
  if (squares % 2) return `${plural(squares, "square")}: an odd number, which no dominoes cover.`;
  const [label] = numberless(drawing);
  if (label) return `The rule of region ${label} has no number yet.`;
  const left = squares / 2 - drawing.dominoes.length;
  const n = plural(Math.abs(left), "domino", "dominoes");
  return left > 0 ? `${n} more, and it can be looked at.` : `${n} too many for ${plural(squares, "square")}.`;
}

/** Reasons of different regions: those of the same ones, with other dominoes, say the same again. */
function eachOnce(reasons: Reason[]): Reason[] {
  const first = new Map<string, Reason>();
  for (const reason of reasons) {
    const named = regionsIn(reason.sentence).sort().join(" ");
    if (!first.has(named)) first.set(named, reason);
  }
  return [...first.values()];
}

/** Each once, in the words that stand on the board: half of a sum is named as the sum. */
function namesOf(items: Item[]): string[] {
  return [...new Set(items.map(nameOf))];
}

function nameOf({ kind, label, pips }: Item): string {
  return kind === "dominoes"
    ? `the count of ${pips?.join("-")}`
    : (label?.replace(/: (.*)/, " ($1)") ?? kind);
}

function anyOf(words: string[], last = "or"): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** Why an engine has filled in nothing. */
export function refusal({ status, stop, confirmed_by }: SolveAnswer): string {
  if (status === "unknown" || status === "error") return `No answer: ${stop}.`;
  const what = status === "dead" ? "This board has no solution" : "There is no solution";
  return `${what}${confirmed_by ? "; a second method confirms that" : ""}.`;
}

export function solutionsWords({ solutions, at_least }: SolveAnswer): string {
  if (solutions === 1) return "; it is the only solution";
  if (solutions) return `; one of ${solutions.toLocaleString("en")}`;
  return at_least > 1 ? "; one of several" : "";
}
