/** Statistics of what was solved in this browser, and their file. */

import { LEVELS, exported, finishes, imported, streaks } from "../model/finishes";
import { button, download, h, plural } from "../parts/dom";
import { clock } from "../parts/timer";

export class Statistics {
  readonly element = h("div", { class: "statistics" });
  private readonly figures = h("div");
  private readonly said = h("p", { role: "status" });

  /** `changed` is called when finishes have come from a file. */
  constructor(private readonly changed: () => void = () => undefined) {
    const input = h("input", { type: "file", id: "finishes-file", class: "unseen", accept: ".json" });
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) void this.read(file);
      input.value = "";
    });
    this.element.append(
      this.figures,
      h("p", { class: "soft" }, "Kept in this browser alone."),
      h(
        "div",
        { class: "choices" },
        button("Export", () => download("milp-pips-finishes.json", exported(), "application/json")),
        input,
        h("label", { for: "finishes-file", class: "button" }, "Import"),
      ),
      this.said,
    );
    this.show();
  }

  show(): void {
    const all = finishes();
    const { current, longest } = streaks(all);
    const solved = Object.values(all);
    const row = (name: string, level: string | undefined) => {
      const own = solved.filter((finish) => finish.level === level);
      if (!own.length) return null;
      const times = own.map(({ seconds }) => seconds).sort((a, b) => a - b);
      const middle = times[Math.floor((times.length - 1) / 2)] as number;
      const cells = [
        own.length,
        own.filter(({ hints }) => !hints).length,
        clock(times[0] as number),
        clock(middle),
      ];
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, name),
        ...cells.map((cell) => h("td", { class: "n" }, String(cell))),
      );
    };
    const heads = ["Solved", "without hints", "best", "median"];
    this.figures.replaceChildren(
      h("p", {}, `${plural(solved.length, "puzzle")} solved; days in a row: ${current}, at best ${longest}.`),
    );
    if (solved.length)
      this.figures.append(
        h(
          "table",
          { class: "runs" },
          h(
            "thead",
            {},
            h("tr", {}, h("td", {}), ...heads.map((head) => h("th", { class: "n", scope: "col" }, head))),
          ),
          h("tbody", {}, ...LEVELS.map((level) => row(level, level)), row("others", undefined)),
        ),
      );
  }

  private async read(file: File): Promise<void> {
    try {
      const added = imported(await file.text());
      this.said.textContent = `${plural(added, "finish", "finishes")} added.`;
    } catch (error) {
      const why = error instanceof SyntaxError ? "the file is not JSON" : (error as Error).message;
      this.said.textContent = `Nothing was imported: ${why}.`;
    }
    this.show();
    this.changed();
  }
}
