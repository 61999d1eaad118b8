/** What a drawing is painted with: no square, a square without a rule, or a region, whose rule is set here. */

import type { Rule } from "../ask/types";
import { boardOf } from "../model/board";
import { type Drawing, type Paint, dataOf, freeLabel, ruled, unruled } from "../model/drawing";
import { KINDS, type RuleKind } from "../model/rule-table";
import { button, h } from "../parts/dom";
import { tinted, tintsOf } from "../parts/tints";

/** The largest number of a rule. */
const LARGEST = 999;

export class Brushes {
  readonly element = h("fieldset", { class: "brushes" });
  paint: Paint = { kind: "free" };
  private drawing: Drawing | null = null;

  constructor(private readonly change: (drawing: Drawing) => void) {}

  show(drawing: Drawing): void {
    this.drawing = drawing;
    const focused = document.activeElement?.id;
    const regions = Object.keys(drawing.rules);
    if (this.paint.kind === "region" && !regions.includes(this.paint.label)) this.paint = { kind: "free" };
    const tints = tintsOf(boardOf(dataOf(drawing, true)));
    const label = freeLabel(drawing);
    this.element.replaceChildren(
      h("legend", { class: "unseen" }, "Paint with"),
      this.brush("hole", "No square", { kind: "hole" }),
      this.brush("free", "Square without a rule", { kind: "free" }),
      ...regions.map((name, i) => this.regionBrush(drawing, name, tints[i] ?? 0)),
      label ? button("New region", () => this.addRegion(label), { id: "new-region" }) : "",
    );
    if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
  }

  private brush(id: string, text: string, paint: Paint): HTMLElement {
    const radio = h("input", {
      type: "radio",
      name: "brush",
      id: `brush-${id}`,
      checked: isSame(paint, this.paint),
    });
    radio.addEventListener("change", () => (this.paint = paint));
    return h("div", { class: "brush" }, radio, h("label", { for: `brush-${id}` }, text));
  }

  private regionBrush(drawing: Drawing, label: string, tint: number): HTMLElement {
    const rule = drawing.rules[label] ?? { kind: "empty", value: null };
    const set = (to: Rule) => this.change(ruled(drawing, label, to));
    const line = this.brush(label, label, { kind: "region", label });
    line.querySelector("label")?.prepend(h("span", { class: "unseen" }, "Region "));
    tinted(line, tint);
    line.append(
      kindOf(label, rule, set),
      KINDS[rule.kind].hasTarget ? valueOf(label, rule, set) : "",
      button("✕", () => this.change(unruled(drawing, label)), {
        class: "plain",
        "aria-label": `Remove region ${label}`,
      }),
    );
    return line;
  }

  private addRegion(label: string): void {
    if (!this.drawing) return;
    this.paint = { kind: "region", label };
    this.change(ruled(this.drawing, label, { kind: "empty", value: null }));
    document.getElementById(`kind-${label}`)?.focus();
  }
}

function kindOf(label: string, rule: Rule, set: (rule: Rule) => void): HTMLSelectElement {
  const options = Object.entries(KINDS).map(([name, { spoken }]) =>
    h("option", { value: name, selected: name === rule.kind }, spoken),
  );
  const kind = h("select", { id: `kind-${label}`, "aria-label": `Rule of region ${label}` }, ...options);
  kind.addEventListener("change", () => {
    const name = kind.value as RuleKind;
    set({ kind: name, value: KINDS[name].hasTarget ? rule.value : null });
    if (rule.value === null) document.getElementById(`value-${label}`)?.focus();
  });
  return kind;
}

function valueOf(label: string, rule: Rule, set: (rule: Rule) => void): HTMLInputElement {
  const value = h("input", {
    type: "number",
    id: `value-${label}`,
    min: 0,
    max: LARGEST,
    value: rule.value ?? "",
    "aria-label": `Number of region ${label}`,
  });
  value.addEventListener("change", () => {
    const number = Math.min(Math.max(Math.round(Number(value.value)) || 0, 0), LARGEST);
    set({ ...rule, value: value.value === "" ? null : number });
  });
  return value;
}

function isSame(one: Paint, other: Paint): boolean {
  return one.kind === "region" && other.kind === "region"
    ? one.label === other.label
    : one.kind === other.kind;
}
