/** One question at a time: a new one ends the one before, and a place on the page says how it goes. */

import { ask, isAbort, sayFault } from "../ask/ask";
import { button, h } from "./dom";

export class Asking {
  /** Says that somebody thinks, and lets one stop that; or says why there is no answer. */
  readonly element = h("div", { class: "asking", "aria-live": "polite" });
  private running: AbortController | null = null;

  /**
   * Returns the answer; null where there is none, which has been said, or where another question came.
   * `tell` gets each part of the answer that comes before, and returns what to say now, and what to show
   * beside it, which is not read out.
   */
  async ask<T, Part = never>(
    verb: string,
    body: object,
    said: string,
    tell: ((part: Part) => [string, string]) | null = null,
  ): Promise<T | null> {
    this.stop();
    const running = new AbortController();
    this.running = running;
    const line = h("span", {}, said);
    // a sign of life each second, for the eye alone
    const passed = h("span", { class: "soft", "aria-hidden": "true" });
    const begun = Date.now();
    let beside = "";
    const show = () => {
      const seconds = Math.floor((Date.now() - begun) / 1000);
      passed.textContent = [beside, seconds ? `${seconds} s` : ""].filter(Boolean).join("; ");
    };
    const ticking = setInterval(show, 1000);
    const waiting = setTimeout(() => {
      this.element.replaceChildren(
        h("span", { class: "thinking", "aria-hidden": "true" }),
        line,
        passed,
        button("Stop", () => this.stop(), { class: "plain" }),
      );
    }, 250);
    const onEvent = (event: string, data: unknown) => {
      const ahead = event === "queued" ? (data as { ahead: number }).ahead : 0;
      if (ahead) line.textContent = `${said} (${ahead} before it)`;
      if (event === "loading") line.textContent = `${said} The page is still being loaded.`;
      if (event !== "part" || !tell || running.signal.aborted) return;
      const [now, shown] = tell(data as Part);
      if (line.textContent !== now) line.textContent = now;
      beside = shown;
      show();
    };
    try {
      const answer = await ask<T>(verb, body, { onEvent, signal: running.signal });
      if (this.running === running) this.element.replaceChildren();
      return running.signal.aborted ? null : answer;
    } catch (error) {
      if (this.running === running)
        this.element.replaceChildren(
          ...(isAbort(error) ? [] : [h("p", { class: "fault" }, asSentence(sayFault(error)))]),
        );
      return null;
    } finally {
      clearTimeout(waiting);
      clearInterval(ticking);
      if (this.running === running) this.running = null;
    }
  }

  /** Whether an answer is waited for. */
  get isRunning(): boolean {
    return this.running !== null;
  }

  stop(): void {
    this.running?.abort();
    this.running = null;
    this.element.replaceChildren();
  }

  say(text: string): void {
    this.stop();
    this.element.replaceChildren(h("p", {}, text));
  }
}

/** A message that begins with a word, and not with the name of a file, as a sentence. */
function asSentence(message: string): string {
  const begun = message.replace(/^[a-z]+(?= )/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
