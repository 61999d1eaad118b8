/** A folder of days as a calendar: what is solved is marked, and a day opens at its first open level. */

import { LEVELS, dayKey, finishes } from "../model/finishes";
import { Asking } from "../parts/asking";
import { button, h } from "../parts/dom";
import { clock } from "../parts/timer";
import type { View } from "./app";
import { Statistics } from "./statistics";

const KEYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

export class DaysView implements View {
  readonly element = h("section", { class: "view days", "aria-labelledby": "days-title" });
  readonly asking = new Asking();
  private readonly months: string[];
  private month: number;
  private readonly title = h("h2", { "aria-live": "polite" });
  private readonly sheet = h("tbody");
  private readonly back = button("‹", () => this.turn(-1), { "aria-label": "Month before" });
  private readonly on = button("›", () => this.turn(1), { "aria-label": "Month after" });
  private readonly statistics = new Statistics(() => this.show());

  constructor(
    private readonly days: readonly string[],
    private readonly open: (date: string, level: string) => void,
  ) {
    this.months = [...new Set(days.map((date) => date.slice(0, 7)))];
    this.month = this.months.length - 1;
    const heads = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].map((name) =>
      h("th", { scope: "col", abbr: name }, name.slice(0, 3)),
    );
    const calendar = h("table", { class: "calendar" }, h("thead", {}, h("tr", {}, ...heads)), this.sheet);
    this.element.append(
      h("header", { class: "head" }, h("div", {}, h("h1", { id: "days-title" }, "Days"))),
      h(
        "div",
        { class: "stage" },
        h("div", { class: "month" }, this.back, this.title, this.on),
        this.asking.element,
        calendar,
      ),
      h(
        "div",
        { class: "side" },
        h("div", { class: "panel" }, h("h2", {}, "Solved"), this.statistics.element),
      ),
    );
    this.sheet.addEventListener("keydown", (event) => this.key(event));
  }

  enter(): void {
    this.show();
  }

  leave(): void {
    this.asking.stop();
  }

  private turn(by: number): void {
    this.month = Math.min(Math.max(this.month + by, 0), this.months.length - 1);
    this.show();
  }

  private show(): void {
    const month = this.months[this.month] as string;
    const first = new Date(`${month}-01T00:00:00Z`);
    this.title.textContent = monthWords(first);
    this.back.disabled = this.month === 0;
    this.on.disabled = this.month === this.months.length - 1;
    const cells: HTMLElement[] = Array.from({ length: (first.getUTCDay() + 6) % 7 }, () => h("td"));
    const known = new Set(this.days);
    const all = finishes();
    for (
      const day = new Date(first);
      day.getUTCMonth() === first.getUTCMonth();
      day.setUTCDate(day.getUTCDate() + 1)
    ) {
      const date = day.toISOString().slice(0, 10);
      const number = String(day.getUTCDate());
      cells.push(
        h("td", {}, known.has(date) ? this.day(date, number, all) : h("span", { class: "soft" }, number)),
      );
    }
    while (cells.length % 7) cells.push(h("td"));
    const weeks = Array.from({ length: cells.length / 7 }, (_, i) =>
      h("tr", {}, ...cells.slice(7 * i, 7 * i + 7)),
    );
    this.sheet.replaceChildren(...weeks);
    this.statistics.show();
  }

  private day(date: string, number: string, all: ReturnType<typeof finishes>): HTMLElement {
    const solved = LEVELS.map((level) => all[dayKey({ date, level })]);
    const said = LEVELS.map((level, i) => {
      const finish = solved[i];
      return `${level} ${finish ? `solved in ${clock(finish.seconds)}` : "open"}`;
    });
    const open = LEVELS[solved.findIndex((finish) => !finish)] ?? LEVELS[0];
    const marks = solved.map((finish) => h("span", { class: finish ? "solved" : "open" }));
    const day = h(
      "button",
      {
        type: "button",
        class: "day",
        "data-date": date,
        title: said.join(", "),
        "aria-label": `${dateWords(date)}: ${said.join(", ")}`,
      },
      h("span", { class: "date" }, number),
      h("span", { class: "marks" }, ...marks),
    );
    day.addEventListener("click", () => this.open(date, open));
    return day;
  }

  /** Moves the focus by a day or a week, across the months. */
  private key(event: KeyboardEvent): void {
    const by = KEYS[event.key];
    const date = (event.target as HTMLElement).dataset.date;
    if (by === undefined || !date) return;
    event.preventDefault();
    const at = new Date(`${date}T00:00:00Z`);
    at.setUTCDate(at.getUTCDate() + by);
    const wanted = at.toISOString().slice(0, 10);
    const near = this.days.filter((day) => (by > 0 ? day >= wanted : day <= wanted)).at(by > 0 ? 0 : -1);
    this.focus(near ?? (this.days.at(by > 0 ? -1 : 0) as string));
  }

  private focus(near: string): void {
    if (!near.startsWith(this.months[this.month] as string)) {
      this.month = this.months.indexOf(near.slice(0, 7));
      this.show();
    }
    this.sheet.querySelector<HTMLElement>(`[data-date="${near}"]`)?.focus();
  }
}

function monthWords(month: Date): string {
  return month.toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
}

export function dateWords(date: string, month: "long" | "short" = "long"): string {
  const options = { day: "numeric", month, year: "numeric", timeZone: "UTC" } as const;
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", options);
}
