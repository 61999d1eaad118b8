/** The kinds of rules: written by web/rules.py from milp_pips/puzzles/pips/rules.py. */

import { type Laid, canBeEqual, canDiffer, product } from "./possible";

export interface Kind {
  /** Its name in our text format. */
  name: string;
  sign: string;
  /** In labels of the server, and read aloud. */
  words: string;
  spoken: string;
  hasTarget: boolean;
  /** Whether it compares the sum of its squares with its number. */
  isSum: boolean;
  /** Whether the rule can still be obeyed. */
  possible: (laid: Laid, target: number) => boolean;
}

export const KINDS = {
  empty: {
    name: "",
    sign: "",
    words: "no rule",
    spoken: "no rule",
    hasTarget: false,
    isSum: false,
    possible: () => true,
  },
  equals: {
    name: "EQ",
    sign: "=",
    words: "all equal",
    spoken: "all equal",
    hasTarget: false,
    isSum: false,
    possible: ({ laid, left, rest }) => canBeEqual(laid, left, rest),
  },
  unequal: {
    name: "NEQ",
    sign: "≠",
    words: "all different",
    spoken: "all different",
    hasTarget: false,
    isSum: false,
    possible: ({ laid, left, rest }) => canDiffer(laid, left, rest),
  },
  sum: {
    name: "SUM",
    sign: "",
    words: "sum",
    spoken: "sum",
    hasTarget: true,
    isSum: true,
    possible: ({ least, most }, target) => least <= target && most >= target,
  },
  less: {
    name: "LT",
    sign: "<",
    words: "sum <",
    spoken: "sum less than",
    hasTarget: true,
    isSum: true,
    possible: ({ least }, target) => least <= target - 1,
  },
  greater: {
    name: "GT",
    sign: ">",
    words: "sum >",
    spoken: "sum more than",
    hasTarget: true,
    isSum: true,
    possible: ({ most }, target) => most >= target + 1,
  },
  "at most": {
    name: "LE",
    sign: "≤",
    words: "sum ≤",
    spoken: "sum at most",
    hasTarget: true,
    isSum: true,
    possible: ({ least }, target) => least <= target,
  },
  "at least": {
    name: "GE",
    sign: "≥",
    words: "sum ≥",
    spoken: "sum at least",
    hasTarget: true,
    isSum: true,
    possible: ({ most }, target) => most >= target,
  },
  product: {
    name: "PRODUCT",
    sign: "×",
    words: "product",
    spoken: "product",
    hasTarget: true,
    isSum: false,
    possible: ({ laid, left }, target) => left > 0 || product(laid) === target,
  },
  odd: {
    name: "ODD",
    sign: "odd",
    words: "odd sum",
    spoken: "odd sum",
    hasTarget: false,
    isSum: false,
    possible: ({ left, least }) => left > 0 || least % 2 === 1,
  },
  even: {
    name: "EVEN",
    sign: "even",
    words: "even sum",
    spoken: "even sum",
    hasTarget: false,
    isSum: false,
    possible: ({ left, least }) => left > 0 || least % 2 === 0,
  },
} satisfies Record<string, Kind>;

export type RuleKind = keyof typeof KINDS;
