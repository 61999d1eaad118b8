/** A domino drawn: two halves of 100, side by side, to be turned by who draws it. */

import type { Pair } from "../model/board";
import { s } from "./dom";

const NEAR = 23;
const MIDDLE: [number, number][] = [[0, 0]];
const DIAGONAL: [number, number][] = [
  [-NEAR, -NEAR],
  [NEAR, NEAR],
];
const CORNERS: [number, number][] = [...DIAGONAL, [NEAR, -NEAR], [-NEAR, NEAR]];
const SIDES: [number, number][] = [
  [-NEAR, 0],
  [NEAR, 0],
];
const ENDS: [number, number][] = [
  [0, -NEAR],
  [0, NEAR],
];

/** Where the dots are, from none to nine. */
const DOTS: [number, number][][] = [
  [],
  MIDDLE,
  DIAGONAL,
  [...DIAGONAL, ...MIDDLE],
  CORNERS,
  [...CORNERS, ...MIDDLE],
  [...CORNERS, ...SIDES],
  [...CORNERS, ...SIDES, ...MIDDLE],
  [...CORNERS, ...SIDES, ...ENDS],
  [...CORNERS, ...SIDES, ...ENDS, ...MIDDLE],
];

export function half(pips: number, x: number, y = 50, upright = 0): SVGGElement {
  const dots = DOTS[pips];
  const group = s("g", { transform: `translate(${x} ${y})` });
  if (dots) group.append(...dots.map(([dx, dy]) => s("circle", { class: "dot", cx: dx, cy: dy, r: 9 })));
  else
    group.append(
      s(
        "text",
        { class: "digits", "text-anchor": "middle", y: 16, transform: `rotate(${-upright})` },
        String(pips),
      ),
    );
  return group;
}

export function domino([a, b]: Pair, upright = 0): SVGGElement {
  return s(
    "g",
    { class: "domino" },
    s("rect", { class: "shadow", x: 8, y: 12, width: 184, height: 84, rx: 20 }),
    s("rect", { class: "bone", x: 8, y: 8, width: 184, height: 84, rx: 20 }),
    s("path", { class: "fold", d: "M100 24v52" }),
    half(a, 50, 50, upright),
    half(b, 150, 50, upright),
  );
}

/** A picture of a domino by itself. */
export function dominoPicture(pips: Pair): SVGSVGElement {
  return s("svg", { viewBox: "0 0 200 100", class: "domino-picture", "aria-hidden": "true" }, domino(pips));
}
