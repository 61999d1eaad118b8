/** The levels of a day as tabs, the days beside it, and what comes next. */

import { type Day, LEVELS, dayKey, finishes } from "../model/finishes";
import { button, h } from "../parts/dom";
import { dateWords } from "./days";

const PANEL = "stage";

/** Marks an element as what the tab of a level shows. */
export function asPanel(element: HTMLElement, { level }: Day): HTMLElement {
  element.id = PANEL;
  element.setAttribute("role", "tabpanel");
  element.setAttribute("aria-labelledby", `tab-${level}`);
  return element;
}

/** Returns the levels as tabs. */
export function levelTabs({ date, level }: Day, open: (day: Day) => void): HTMLElement {
  const all = finishes();
  const tabs = LEVELS.map((name) => {
    const solved = Boolean(all[dayKey({ date, level: name })]);
    const here = name === level;
    const tab = h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-selected": String(here),
        tabindex: here ? 0 : -1,
      },
      name.replace(/^./, (first) => first.toUpperCase()),
      solved &&
        h(
          "span",
          { class: "tick" },
          h("span", { "aria-hidden": "true" }, " ✓"),
          h("span", { class: "unseen" }, ", solved"),
        ),
    );
    if (here) tab.setAttribute("aria-controls", PANEL);
    tab.addEventListener("click", () => open({ date, level: name }));
    return tab;
  });
  const list = h(
    "div",
    { class: "tabs", role: "tablist", "aria-label": `Levels of ${dateWords(date)}` },
    ...tabs,
  );
  list.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = LEVELS.findIndex((name) => name === level);
    if (by) open({ date, level: LEVELS[(at + by + 3) % 3] as string });
  });
  return list;
}

/** Returns buttons for the days before and after among `days`. */
export function dayButtons(
  { date, level }: Day,
  days: readonly string[],
  open: (day: Day) => void,
): HTMLElement {
  const at = days.indexOf(date);
  const other = (day: string | undefined, label: string, sign: string) =>
    day &&
    button(sign, () => open({ date: day, level }), {
      "aria-label": `${label}, ${dateWords(day)}`,
      class: "icon",
    });
  return h(
    "div",
    { class: "beside" },
    other(days[at - 1], "Day before", "‹"),
    other(days[at + 1], "Day after", "›"),
  );
}

/** Returns what to play after a level: the next open one of its day, then the day after at its first open level. */
export function following({ date, level }: Day, days: readonly string[]): Day | null {
  const all = finishes();
  const open = (day: string, levels: readonly string[]) =>
    levels.find((name) => !all[dayKey({ date: day, level: name })]);
  const at = LEVELS.findIndex((name) => name === level);
  const here = open(date, [...LEVELS.slice(at + 1), ...LEVELS.slice(0, at)]);
  if (here) return { date, level: here };
  const next = days[days.indexOf(date) + 1];
  return next ? { date: next, level: open(next, LEVELS) ?? LEVELS[0] } : null;
}
