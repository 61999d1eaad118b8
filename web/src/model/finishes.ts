/** Which puzzles were solved, when and how fast: kept in this browser alone, saved to and read from a file. */

const KEY = "milp-pips:finishes";
const FORMAT = "milp-pips finishes";
export const LEVELS = ["easy", "medium", "hard"] as const;

export interface Finish {
  /** When, in milliseconds since 1970. */
  at: number;
  seconds: number;
  hints: number;
  /** Of a day's puzzle. */
  level?: string;
}

export type Finishes = Record<string, Finish>;

/** Which puzzle of a day a puzzle is. */
export interface Day {
  date: string;
  level: string;
}

export function dayKey({ date, level }: Day): string {
  return `${date} ${level}`;
}

export function finishes(): Finishes {
  try {
    return checked(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return {};
  }
}

/** Keeps a finish, unless the puzzle was solved before. */
export function keepFinish(key: string, finish: Finish): void {
  write({ [key]: finish, ...finishes() });
}

export function exported(): string {
  return `${JSON.stringify({ format: FORMAT, finishes: finishes() }, null, 1)}\n`;
}

/** Adds the finishes of a file; of two of one puzzle, the earlier one is kept. Returns how many are new. */
export function imported(text: string): number {
  const data = JSON.parse(text) as { format?: unknown; finishes?: unknown } | null;
  if (data?.format !== FORMAT) throw new Error("the file was not exported by this page");
  const [ours, theirs] = [finishes(), checked(data.finishes)];
  const keys = Object.keys(theirs);
  const added = keys.filter((key) => !ours[key]).length;
  for (const key of keys)
    if ((ours[key]?.at ?? Infinity) > (theirs[key] as Finish).at) ours[key] = theirs[key] as Finish;
  write(ours);
  return added;
}

function write(all: Finishes): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // without storage they last as long as the page
  }
}

/** Only what can be a finish: the file may come from anywhere. */
function checked(data: unknown): Finishes {
  const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;
  const entries = Object.entries((data ?? {}) as Record<string, Partial<Finish> | null>).flatMap(
    ([key, finish]): [string, Finish][] => {
      const { at, seconds, hints, level } = finish ?? {};
      if (key.length > 200 || !isNumber(at) || !isNumber(seconds) || !isNumber(hints)) return [];
      const known = LEVELS.some((name) => name === level) ? { level } : {};
      return [[key, { at, seconds, hints, ...known } as Finish]];
    },
  );
  return Object.fromEntries(entries);
}

/** Days in a row on which a puzzle was solved: now, and at best. */
export function streaks(all: Finishes, now = new Date()): { current: number; longest: number } {
  const solved = new Set(Object.values(all).map(({ at }) => dayNumber(new Date(at))));
  let longest = 0;
  const lengths = new Map<number, number>();
  for (const day of [...solved].sort((a, b) => a - b)) {
    const length = (lengths.get(day - 1) ?? 0) + 1;
    lengths.set(day, length);
    longest = Math.max(longest, length);
  }
  const today = dayNumber(now);
  return { current: lengths.get(today) ?? lengths.get(today - 1) ?? 0, longest };
}

/** The number of a day in the calendar of this place. */
function dayNumber(time: Date): number {
  return Math.round(Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / 86_400_000);
}
