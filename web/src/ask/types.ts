/** What is asked and answered: docs/web.md has it in words. */

import type { RuleKind } from "../model/rule-table";

export type Value = number | string;

export interface Rule {
  kind: RuleKind;
  value: number | null;
}

export interface RegionData {
  label: string;
  cells: string[];
  rule: Rule;
  text: string;
}

export interface PipsData {
  rows: number;
  columns: number;
  cells: { cell: string; row: number; column: number; region: number | null }[];
  regions: RegionData[];
  dominoes: [number, number][];
}

export interface GridData {
  rows: number;
  columns: number;
  cells: { cell: string; row: number; column: number; given: Value | null }[];
  values: Value[];
}

/** Where the cells are in a picture. */
export interface PictureData {
  width: number;
  height: number;
  cells: Record<string, [number, number, number, number]>;
}

/** A puzzle that has been read. */
export interface Read {
  name: string;
  family: string;
  text: string;
  svg: string;
  rating?: { grade: string; score: number } | null;
  /** Where it stands in a folder of days. */
  day?: { date: string; level: string };
  pips?: PipsData | null;
  grid?: GridData | null;
  /** Where the cells are in `svg`. */
  picture?: PictureData | null;
  /** Of a colour grid, by letter. */
  colours?: Record<string, string> | null;
}

export interface PuzzleText {
  text: string;
  name: string;
}

export type Fact =
  { cell: string; is: Value } | { cell: string; not: Value } | { cells: string[]; domino: boolean };

export interface Item {
  kind: string;
  label?: string;
  cells?: string[];
  part?: string | null;
  pips?: number[];
  values?: Value[];
}

export interface Step {
  items: Item[] | null;
  facts: Fact[] | null;
  conclusions: Fact[] | null;
  cost: number | null;
  sentence: string;
}

export interface Reason {
  items: Item[];
  sentence: string;
  confirmed_by: string | null;
}

export const DEGREES = ["where", "rule", "why", "move"] as const;
export type Degree = (typeof DEGREES)[number];

export interface HintAnswer {
  status: "step" | "solved" | "several" | "wrong" | "dead" | "unknown";
  reveal: Degree;
  step: Step | null;
  reason: Reason | null;
  /** The cells of the rules that say where to look. */
  look: string[];
  stop: string;
  /** What was not looked at; empty where nothing was left out. */
  remark: string;
}

/** What is known before the search for a long step ends: a sentence, and the cell that it is about. */
export interface SearchPart {
  sentence: string;
  cell: string;
}

/** What would leave one solution: rules that are added or tightened, and numbers that are shown. */
export interface Addition {
  rules: { label: string; cells: string[]; in_place_of: string | null }[];
  facts: Fact[];
  sentence: string;
}

export interface ExplainAnswer {
  status: "unique" | "several" | "infeasible" | "unknown";
  stop: string;
  reasons: Reason[];
  repairs: Item[];
  together?: Item[];
  additions?: { found: Addition[]; total: number } | null;
  steps: Step[];
  remark: string;
}

export interface LaidRecord {
  pips: [number, number];
  cells: [number, number][] | string[];
}

export interface SolveAnswer {
  status: "solved" | "infeasible" | "dead" | "unknown" | "error";
  stop: string;
  solver: { name: string; version: string };
  formulation: string;
  grid?: (Value | null)[][];
  dominoes?: LaidRecord[];
  seconds: { total: number };
  solutions: number | null;
  at_least: number;
  confirmed_by: string | null;
  svg?: string;
}

export interface CountAnswer {
  /** Of Pips alone. */
  placements?: number | null;
  grids?: number | null;
  /** Whether all numbers are known; one that is not is null, and has a lower bound. */
  complete: boolean;
  at_least?: { placements?: number; grids?: number };
  stop?: string;
  /** The same numbers as text, since they may be larger than a number of this language. */
  exact?: { placements?: string; grids?: string };
  svg?: string;
  forced: Record<string, Value>;
  cells: Record<string, Record<string, number>>;
}

export interface Listed {
  values: Record<string, Value>;
  dominoes?: [string, string][];
}

export interface SolutionsAnswer {
  total: number | string | null;
  solutions: Listed[];
}

/** A certificate: what it proves, and its files as a ZIP archive in base64. */
export interface ProveAnswer {
  proved: string;
  zip: string;
}

export interface RateAnswer {
  status: string;
  stop: string;
  score: number | null;
  grade: string | null;
  steps: number | null;
  /** How long the puzzle is, and how hard its steps are. */
  description: string | null;
  at_least: string | null;
}

/** A rating by the steps that were found so far. */
export interface RatePart {
  at_least: string;
  score: number;
  steps: number;
}

/** Steps found so far: those from a number on, in place of those that were there. */
export interface StepsPart {
  from: number;
  steps: Step[];
}

export interface Engine {
  name: string;
  kind: string;
  formulations: string[];
  variants?: string;
  available?: boolean;
  reason?: string | null;
}

export interface About {
  version: string;
  where: "local" | "browser";
  verbs: string[];
  missing?: Record<string, string>;
  engines: Engine[];
  limits: { seconds: number; bytes: number };
  /** The least and the greatest number of dominoes of a new puzzle, by grade. */
  sizes: Record<string, [number, number]>;
}

export interface RunPart {
  engine: string;
  formulation: string;
  status: string;
  seconds?: number | null;
  build?: number | null;
  columns?: number | null;
  rows?: number | null;
  nodes?: number | null;
  message?: string;
}
