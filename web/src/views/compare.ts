/** Engines side by side on one puzzle: each run in turn, with its time as a bar that grows while it works. */

import { ask, isAbort, puzzleOf, sayFault } from "../ask/ask";
import type { About, Engine, Read, RunPart } from "../ask/types";
import { announce, button, download, fileName, h, plural } from "../parts/dom";
import type { App, View } from "./app";

/** Engines that are ticked at first: one of each kind. */
const FIRST = new Map([
  ["highs", 1],
  ["cp-sat", 1],
  ["sat", 1],
  ["diagram", 1],
]);
const MOST_RUNS = 24;

interface Line {
  run: RunPart;
  row: HTMLTableRowElement;
  begun: number;
}

export class CompareView implements View {
  readonly element = h("section", { class: "view compare", "aria-labelledby": "compare-title" });
  private readonly by = h("p", { class: "by" });
  private readonly engines = h("div", { class: "engines" });
  private readonly said = h("p", { class: "soft" });
  private readonly rows = h("tbody");
  private readonly table = h("div", {
    class: "wide",
    hidden: true,
    tabindex: "0",
    role: "region",
    "aria-label": "Results",
  });
  private readonly seconds = h("input", { type: "number", id: "seconds", min: 1, max: 3600 });
  private readonly start = button("Compare", () => void this.run(), { class: "strong" });
  private readonly stop = button("Stop", () => this.running?.abort(), { hidden: true });
  private running: AbortController | null = null;
  private lines: Line[] = [];
  private readonly ticked = new Map<string, boolean>();
  private read: Read | null = null;

  constructor(private readonly app: App) {
    this.seconds.max = String(app.about.limits.seconds);
    this.seconds.value = String(Math.min(10, app.about.limits.seconds));
    const columns = ["Engine", "Formulation", "Time", "Answer", "Columns", "Rows", "Nodes"];
    this.table.append(
      h(
        "table",
        { class: "runs" },
        h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)))),
        this.rows,
      ),
    );
    this.element.append(
      h(
        "header",
        { class: "head" },
        h("div", {}, h("h1", { id: "compare-title" }, "Compare engines"), this.by),
      ),
      h(
        "form",
        {
          onsubmit: (event: Event) => event.preventDefault(),
        },
        this.engines,
        h(
          "div",
          { class: "choices" },
          h("label", { for: "seconds", class: "inline" }, "Seconds for each "),
          this.seconds,
          this.start,
          this.stop,
          button("Save the numbers", () => this.save()),
        ),
      ),
      this.said,
      this.table,
    );
  }

  enter(): void {
    if (this.app.puzzle === this.read) return;
    this.running?.abort();
    this.read = this.app.puzzle;
    this.by.textContent = this.read?.name ?? "";
    this.rows.replaceChildren();
    this.lines = [];
    this.table.hidden = true;
    this.said.textContent = "";
    this.start.disabled = true; // until it is known which engines can be chosen
    if (this.read) void this.offerFitting(this.read);
  }

  leave(): void {
    this.running?.abort();
  }

  /** Offers the formulations that can state the puzzle, once that is known. */
  private async offerFitting(read: Read): Promise<void> {
    const about = await ask<About>("about", { puzzle: puzzleOf(read) }).catch(() => this.app.about);
    if (this.read === read) this.offer(about.engines);
  }

  /** Offers engines; what the user ticked or unticked stays so. */
  private offer(engines: Engine[]): void {
    for (const box of this.engines.querySelectorAll("input")) {
      if (box.checked !== box.defaultChecked) this.ticked.set(box.id, box.checked);
    }
    this.engines.replaceChildren(...engines.map((engine) => this.choices(engine)));
    this.start.disabled = false;
  }

  private choices({ name, formulations }: Engine): HTMLElement {
    const [first, ...others] = (formulations.length ? formulations : [""]).map((formulation, i) => {
      const id = `run-${name}-${formulation}`;
      const checked = this.ticked.get(id) ?? i < (FIRST.get(name) ?? 0);
      const box = h("input", { type: "checkbox", id, value: JSON.stringify([name, formulation]), checked });
      box.defaultChecked = checked;
      return h("div", { class: "check" }, box, h("label", { for: id }, formulation || "default"));
    });
    const more = others.length > 0 && h("details", {}, h("summary", {}, `${others.length} more`), ...others);
    return h("fieldset", { class: "engine" }, h("legend", {}, name), first, more);
  }

  private chosen(): [string, string][] {
    const boxes = this.element.querySelectorAll<HTMLInputElement>(".engine input:checked");
    return [...boxes].map((box) => JSON.parse(box.value) as [string, string]).slice(0, MOST_RUNS);
  }

  private async run(): Promise<void> {
    const { read } = this;
    const chosen = this.chosen();
    if (!read || !chosen.length) return void (this.said.textContent = "Choose at least one engine.");
    this.running?.abort();
    const running = (this.running = new AbortController());
    this.start.hidden = true;
    this.stop.hidden = false;
    this.table.hidden = false;
    this.rows.replaceChildren();
    this.lines = chosen.map(([engine, formulation]) => this.waitingLine(engine, formulation));
    const ticking = setInterval(() => this.draw(), 100);
    for (const line of this.lines) {
      if (running.signal.aborted) break;
      await this.runOne(line, read, running.signal);
    }
    clearInterval(ticking);
    if (this.running !== running) return;
    this.running = null;
    this.start.hidden = false;
    this.stop.hidden = true;
    this.said.textContent = this.verdict();
    announce(this.verdict());
    this.draw();
  }

  private waitingLine(engine: string, formulation: string): Line {
    const row = h("tr");
    this.rows.append(row);
    return { run: { engine, formulation, status: "waiting" }, row, begun: 0 };
  }

  private async runOne(line: Line, read: Read, signal: AbortSignal): Promise<void> {
    const { engine, formulation } = line.run;
    line.run = { ...line.run, status: "running" };
    line.begun = performance.now();
    try {
      const body = {
        puzzle: puzzleOf(read),
        runs: [{ engine, formulation }],
        seconds: Number(this.seconds.value) || 10,
      };
      const { runs } = await ask<{ runs: RunPart[] }>("compare", body, { signal });
      line.run = runs[0] ?? { ...line.run, status: "no answer" };
    } catch (error) {
      line.run = {
        ...line.run,
        status: isAbort(error) ? "stopped" : "failed",
        message: isAbort(error) ? "" : sayFault(error),
      };
    }
    this.draw();
  }

  private secondsOf({ run, begun }: Line): number {
    return run.status === "running" ? (performance.now() - begun) / 1000 : (run.seconds ?? 0);
  }

  private draw(): void {
    const most = Math.max(0.001, ...this.lines.map((line) => this.secondsOf(line)));
    for (const line of this.lines) {
      const { run } = line;
      const spent = this.secondsOf(line);
      const bar = h("div", { class: `bar ${run.status}` });
      bar.style.setProperty("--share", String(spent / most));
      bar.style.setProperty("--build", String(spent && run.build ? run.build / spent : 0));
      const shown =
        run.status === "waiting" || (run.status !== "running" && run.seconds == null)
          ? ""
          : `${spent.toFixed(3)} s`;
      line.row.replaceChildren(
        h("th", { scope: "row" }, run.engine),
        h("td", {}, run.formulation),
        h("td", { class: "time" }, bar, h("span", {}, shown)),
        h("td", { class: run.message ? "fault" : "" }, run.message || run.status),
        ...[run.columns, run.rows, run.nodes].map((n) =>
          h("td", { class: "n" }, n == null ? "–" : n.toLocaleString("en")),
        ),
      );
    }
  }

  private verdict(): string {
    const solved = this.lines.filter(
      ({ run }) => run.seconds != null && (run.status === "solved" || run.status === "infeasible"),
    );
    const best = solved.sort((a, b) => (a.run.seconds ?? 0) - (b.run.seconds ?? 0))[0];
    if (!best) return "No engine has answered.";
    const { engine, formulation, seconds } = best.run;
    return `${plural(solved.length, "engine")} answered; first ${engine}${formulation ? ` (${formulation})` : ""} in ${seconds?.toFixed(3)} s. The first part of each bar is building the model.`;
  }

  private save(): void {
    if (!this.read || !this.lines.length) return;
    const text = JSON.stringify({ puzzle: this.read.name, runs: this.lines.map(({ run }) => run) }, null, 1);
    download(fileName(`${this.read.name}-compared`, "json"), text, "application/json");
  }
}
