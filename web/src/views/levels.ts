/** The levels of a day as tabs, and the days beside it. */

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

/** Returns the tabs, and buttons for the days before and after among `days`. */
export function levelTabs(
  { date, level }: Day,
  days: readonly string[],
  open: (day: Day) => void,
): HTMLElement {
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
  const at = days.indexOf(date);
  const other = (day: string | undefined, label: string, sign: string) =>
    day && button(sign, () => open({ date: day, level }), { "aria-label": `${label}, ${dateWords(day)}` });
  return h(
    "div",
    { class: "levels" },
    list,
    other(at > 0 ? days[at - 1] : undefined, "Day before", "‹"),
    other(at >= 0 ? days[at + 1] : undefined, "Day after", "›"),
  );
}
