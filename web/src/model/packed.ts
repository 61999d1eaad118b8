/** A puzzle, and what lies on its board, in the fragment of a link. What comes out of a link is checked like a file. */

import type { Read } from "../ask/types";
import { readText } from "./text";

/** Characters of a link, and of what it unpacks to: a few times the largest boards that people lay. */
const LONGEST_LINK = 20_000;
const LONGEST_TEXT = 200_000;

export interface Packed {
  name: string;
  family: string;
  text: string;
  /** What stands on the board, as a solution file that is filled in part. */
  board: string | null;
}

export async function pack(packed: Packed): Promise<string> {
  const bytes = new TextEncoder().encode(
    JSON.stringify([packed.name, packed.family, packed.text, packed.board]),
  );
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const squeezed = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...squeezed))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Rejects with an Error that says what is wrong with the link. */
export async function unpack(link: string): Promise<Packed> {
  if (link.length > LONGEST_LINK) throw new Error("the link is too long to be a puzzle");
  if (!/^[\w-]+$/.test(link)) throw new Error("the link is damaged");
  let found: unknown;
  try {
    const bytes = Uint8Array.from(atob(link.replaceAll("-", "+").replaceAll("_", "/")), (c) =>
      c.charCodeAt(0),
    );
    found = JSON.parse(await inflated(bytes));
  } catch (error) {
    throw error instanceof RangeError ? error : new Error("the link is damaged");
  }
  if (!Array.isArray(found)) throw new Error("the link holds no puzzle");
  const [name, family, text, board] = found as unknown[];
  if (typeof name !== "string" || typeof family !== "string" || typeof text !== "string")
    throw new Error("the link holds no puzzle");
  return { name: name.slice(0, 200), family, text, board: typeof board === "string" ? board : null };
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).text();
    length += value.length;
    if (length > LONGEST_TEXT) throw new RangeError("the link unpacks to more than a puzzle");
    parts.push(value);
  }
}

/** The puzzle, if the page can read it by itself. */
export function readHere(packed: Packed): Read | null {
  const pips = packed.family === "pips" ? readText(packed.text) : null;
  return pips && { name: packed.name, family: "pips", text: packed.text, svg: "", pips };
}
