/** What survives a reload: per puzzle what lies on its board, and which puzzle was open. */

const PREFIX = "milp-pips:";
const OPEN = `${PREFIX}open`;
/** Puzzles remembered; the one played longest ago is forgotten first. */
const MOST = 60;

interface Entry {
  at: number;
  data: unknown;
}

export function remember(text: string, data: unknown): void {
  write(keyOf(text), { at: Date.now(), data });
}

export function recall(text: string): unknown {
  return read(keyOf(text))?.data ?? null;
}

export function rememberOpen(puzzle: unknown): void {
  write(OPEN, { at: Date.now(), data: puzzle });
}

export function recallOpen(): unknown {
  return read(OPEN)?.data ?? null;
}

export function setting(name: string): string | null {
  try {
    return localStorage.getItem(`${PREFIX}setting:${name}`);
  } catch {
    return null;
  }
}

export function keepSetting(name: string, value: string): void {
  try {
    localStorage.setItem(`${PREFIX}setting:${name}`, value);
  } catch {
    // without storage the setting lasts as long as the page
  }
}

function read(key: string): Entry | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") as Entry | null;
  } catch {
    return null;
  }
}

function write(key: string, entry: Entry): void {
  try {
    localStorage.setItem(key, JSON.stringify(entry));
    forgetOld(MOST);
  } catch {
    forgetOld(MOST / 4); // full; what is not written now is written with the next move
  }
}

function forgetOld(most: number): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}puzzle:`));
  if (keys.length <= most) return;
  keys.sort((one, other) => (read(one)?.at ?? 0) - (read(other)?.at ?? 0));
  for (const key of keys.slice(0, keys.length - most)) localStorage.removeItem(key);
}

/** A key by content (FNV-1a, twice 32 bits): the same puzzle under another name is the same puzzle. */
export function keyOf(text: string): string {
  const hash = (seed: number) => {
    let state = seed;
    for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
    return (state >>> 0).toString(36);
  };
  return `${PREFIX}puzzle:${hash(0x811c9dc5)}${hash(0x9747b28c)}:${text.length}`;
}
