/** One way to ask for anything, whether a server answers or a worker in this browser. */

import { askServer } from "./server";
import { askWorker } from "./worker-client";
import type { PuzzleText, Read } from "./types";

export interface Listening {
  /** Told of `queued`, `progress`, `part`, and of `loading` while Python is being loaded. */
  onEvent?: (event: string, data: unknown) => void;
  signal?: AbortSignal;
}

/** Why there is no answer, in one line. */
export class Fault extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

export const where: "local" | "browser" =
  document.documentElement.dataset.where === "browser" ? "browser" : "local";

/** Returns the answer; rejects with a Fault, or with an AbortError where the signal was given. */
export async function ask<T>(verb: string, body: object, listening: Listening = {}): Promise<T> {
  const asked = where === "browser" ? askWorker : askServer;
  return (await asked(verb, body, listening)) as T;
}

export function puzzleOf(read: Read): PuzzleText {
  return { text: read.text, name: read.name };
}

/** Whether an error only says that the request was cancelled. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function sayFault(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
